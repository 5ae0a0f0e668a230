/* One sweep of the Bellman operator over the finite model with forgetting, for values of one kind of number.

   A state is history, rest and theta's type: its place is (history * rests + rest) * types + theta. `history` has
   the last K - 1 gaps as digits, the latest lowest; `rest` a digit for each slot k = 1 ... K - 1, slot 1 lowest:
   0 for an empty slot, else a type and how much of it is cached. A digit's neighbour below has one token less.
   A turn of slot i moves the others up by one, puts theta in slot 1, and leaves the place that i would move to
   empty. Who is in slot K - 1 and does not have the turn is forgotten. A row is a history with a rest.

   1. `expected` has, for each row, the mean of the discounted values after a turn of each type, and last of a new
      conversation: (types + 1) numbers a row. Rows in which more than C is cached come after no decision.
   2. `keep` has, for a state, the value of keeping of the others what is cached of them, and of theta what is left
      of C (or the best of less): sum_i rate_i (saving_i + expected_i) / sum_i rate_i, the mean over gaps.
   3. The value of the state is the largest of these over all that is cached less: a running maximum, slot by slot.

   Included with NUMBER, of which all are, WIDE for sums of products, and QUOTIENT(sum, rates, unit, share). */

#include <stdbool.h>
#include <stdint.h>

enum { MOST_SLOTS = 32 };

struct NAMED(model) {
    int64_t slots, digits, types, gaps, histories, rests, capacity, forced;
    const int32_t *type_of, *cached_of, *first_digit, *past; /* of a digit, of a digit, of a type, of a type */
    const NUMBER *share, *rate, *saving; /* of a gap; [history, gap, slot, type]; [type, 0 ... C] */
    NUMBER births, unit;
    bool every; /* whether less of theta is tried than what has room */
};

/* What a row says of the slots but theta's. */
struct NAMED(others) {
    int64_t count, cached;
    int64_t slot[MOST_SLOTS], type[MOST_SLOTS], vacated[MOST_SLOTS];
        /* what its leaving takes from the next rest */
    NUMBER saving[MOST_SLOTS];
};

INLINED void NAMED(begin)(const struct NAMED(model) * m, int64_t rest, int64_t *digit) {
    for (int64_t k = 1; k < m->slots; k++) {
        digit[k] = rest % m->digits;
        rest /= m->digits;
    }
}

INLINED void NAMED(step)(const struct NAMED(model) * m, int64_t *digit) {
    for (int64_t k = 1; k < m->slots && ++digit[k] == m->digits; k++) digit[k] = 0;
}

INLINED void NAMED(see)(const struct NAMED(model) * m, const int64_t *digit, struct NAMED(others) * seen) {
    int64_t place = m->digits;
    seen->count = seen->cached = 0;
    for (int64_t k = 1; k < m->slots; k++, place *= m->digits) {
        if (!digit[k]) continue;
        int64_t n = seen->count++, type = m->type_of[digit[k]], cached = m->cached_of[digit[k]];
        seen->slot[n] = k;
        seen->type[n] = type;
        seen->vacated[n] = k < m->slots - 1 ? digit[k] * place : 0; /* the last slot's has left already */
        seen->saving[n] = m->saving[type * (m->capacity + 1) + cached];
        seen->cached += cached;
    }
}

/* The value of keeping what is cached of the others, and y of theta. */
INLINED NUMBER NAMED(keep)(const struct NAMED(model) * m, const struct NAMED(others) * seen, int64_t history,
                           int64_t rest, int64_t theta, int64_t y, const NUMBER *expected) {
    int64_t low = m->slots > 1 ? m->rests / m->digits : 1, is_kept = m->slots > 1, width = m->types + 1;
    int64_t own = is_kept * (m->first_digit[theta] + y), shifted = is_kept * (m->digits * (rest % low)) + own;
    NUMBER total = 0;
    for (int64_t g = 0; g < m->gaps; g++) {
        const NUMBER *rate = m->rate + (history * m->gaps + g) * m->slots * m->types;
        int64_t then = is_kept * (history % (m->histories / (is_kept ? m->gaps : 1)) * m->gaps + g);
        const NUMBER *after = expected + (then * m->rests + shifted) * width;
        NUMBER rates = m->births + rate[theta];
        WIDE sum = (WIDE)m->births * after[m->types];
        sum += (WIDE)rate[theta] * (m->saving[theta * (m->capacity + 1) + y] + after[theta - own * width]);
        for (int64_t n = 0; n < seen->count; n++) {
            NUMBER of_slot = rate[seen->slot[n] * m->types + seen->type[n]];
            rates += of_slot;
            sum += (WIDE)of_slot * (seen->saving[n] + after[seen->type[n] - seen->vacated[n] * width]);
        }
        total += QUOTIENT(sum, rates, m->unit, m->share[g]);
    }
    return total;
}

INLINED void NAMED(keep_rows)(const struct NAMED(model) * m, const NUMBER *expected, NUMBER never, int64_t from,
                              int64_t to, NUMBER *kept) {
    int64_t digit[MOST_SLOTS] = {0};
    struct NAMED(others) seen;
    NAMED(begin)(m, from % m->rests, digit);
    for (int64_t row = from; row < to; row++, NAMED(step)(m, digit)) {
        NAMED(see)(m, digit, &seen);
        for (int64_t theta = 0; theta < m->types; theta++) {
            int64_t past = m->past[theta], room = m->capacity - seen.cached;
            bool fits = room >= (m->forced ? past : 0);
            NUMBER *value = kept + row * m->types + theta;
            *value = never;
            if (!fits) continue;
            int64_t most = smaller(past, room), least = m->every && !m->forced ? 0 : most;
            for (int64_t y = least; y <= most; y++) {
                NUMBER found = NAMED(keep)(m, &seen, row / m->rests, row % m->rests, theta, y, expected);
                if (found > *value) *value = found;
            }
        }
    }
}

/* Means after each row, and the least and the largest change of any; rows in which too much is cached are left. */
INLINED void NAMED(expect_rows)(const struct NAMED(model) * m, const int64_t *first, const int32_t *next,
                                const NUMBER *weight, const NUMBER *value, int64_t from, int64_t to,
                                NUMBER *expected, NUMBER *change) {
    int64_t digit[MOST_SLOTS] = {0};
    NAMED(begin)(m, from % m->rests, digit);
    for (int64_t row = from; row < to; row++, NAMED(step)(m, digit)) {
        int64_t cached = 0;
        for (int64_t k = 1; k < m->slots; k++) cached += m->cached_of[digit[k]];
        if (cached > m->capacity) continue;
        const NUMBER *after = value + row * m->types;
        for (int64_t e = 0; e <= m->types; e++) {
            NUMBER sum = 0, *mean = expected + row * (m->types + 1) + e;
            for (int64_t o = first[e]; o < first[e + 1]; o++) sum += weight[o] * after[next[o]];
            if (sum - *mean < change[0]) change[0] = sum - *mean;
            if (sum - *mean > change[1]) change[1] = sum - *mean;
            *mean = sum;
        }
    }
}

/* The running maximum along one slot, in blocks of states in which all slots above are the same. */
INLINED void NAMED(raise_slot)(int64_t digits, const int32_t *cached_of, int64_t stride, int64_t block_from,
                               int64_t block_to, int64_t from, int64_t to, NUMBER *value, int32_t *choice) {
    for (int64_t block = block_from; block < block_to; block++) {
        for (int64_t d = 1; d < digits; d++) {
            if (!cached_of[d]) continue; /* nothing less of this type can be cached */
            int64_t at = (block * digits + d) * stride;
            NUMBER *here = value + at, *less = here - stride;
            if (choice) {
                int32_t *chosen = choice + at;
                for (int64_t i = from; i < to; i++) {
                    if (less[i] > here[i]) chosen[i] = chosen[i - stride];
                    if (less[i] > here[i]) here[i] = less[i];
                }
            } else {
                for (int64_t i = from; i < to; i++) here[i] = less[i] > here[i] ? less[i] : here[i];
            }
        }
    }
}
