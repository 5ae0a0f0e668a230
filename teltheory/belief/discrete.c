/* The finite model as rows, one for each state and each decision that leaves no room: for solvers that want a
   matrix.

   States in which more than C is cached come after no decision, and are left out; the others are numbered by
   place.
   Without arrays the states are numbered, and the rows and the chances in them are only counted. */

#include <stddef.h>

#include "base/numbers.h"

#define NAMED(name) row_##name
#define NUMBER double
#define WIDE double
#define QUOTIENT(sum, rates, unit, share) ((share) * (sum) / (rates))
#include "belief/sweep.h"

struct rows {
    double *reward, *chance;
    int32_t *number, *next_state, *state, *action;
    int64_t *ends, pairs, chances;
};

struct law {
    const int64_t *first;
    const int32_t *next;
    const double *weight;
};

/* Add the chances of a turn of one type, with probability p, into the states that begin at a place. */
INLINED void add(struct rows *out, const struct law *law, int64_t type, double p, int64_t place) {
    for (int64_t o = law->first[type]; o < law->first[type + 1]; o++, out->chances++) {
        if (!out->chance) continue;
        out->chance[out->chances] = p * law->weight[o];
        out->next_state[out->chances] = out->number[place + law->next[o]];
    }
}

/* The row of keeping y of theta, and of the others what is seen. */
INLINED void add_row(const struct row_model *m, const struct law *law, const struct row_others *seen,
                     int64_t history,
                     int64_t rest, int64_t theta, int64_t y, int64_t state, struct rows *out) {
    int64_t kept = m->slots > 1, low = kept ? m->rests / m->digits : 1;
    int64_t own = kept * (m->first_digit[theta] + y), shifted = kept * (m->digits * (rest % low)) + own;
    double reward = 0, saved = m->saving[theta * (m->capacity + 1) + y];
    for (int64_t g = 0; g < m->gaps; g++) {
        const double *rate = m->rate + (history * m->gaps + g) * m->slots * m->types;
        int64_t then = kept * (history % (m->histories / (kept ? m->gaps : 1)) * m->gaps + g);
        int64_t place = (then * m->rests + shifted) * m->types;
        double rates = m->births + rate[theta];
        for (int64_t n = 0; n < seen->count; n++) rates += rate[seen->slot[n] * m->types + seen->type[n]];
        add(out, law, m->types, m->share[g] * m->births / rates, place);
        add(out, law, theta, m->share[g] * rate[theta] / rates, place - own * m->types);
        reward += m->share[g] * rate[theta] / rates * saved;
        for (int64_t n = 0; n < seen->count; n++) {
            double p = m->share[g] * rate[seen->slot[n] * m->types + seen->type[n]] / rates;
            add(out, law, seen->type[n], p, place - seen->vacated[n] * m->types);
            reward += p * seen->saving[n];
        }
    }
    if (out->reward) {
        out->reward[out->pairs] = reward;
        out->state[out->pairs] = out->number[state];
        out->action[out->pairs] = out->number[(history * m->rests + rest) * m->types + theta];
        out->ends[out->pairs + 1] = out->chances;
    }
    out->pairs++;
}

void belief_pairs(int64_t slots, int64_t digits, int64_t types, int64_t gaps, int64_t histories, int64_t rests,
                  int64_t capacity, int64_t forced, const int32_t type_of[digits], const int32_t cached_of[digits],
                  const int32_t first_digit[types], const int32_t past[types], const double share[gaps],
                  const double rate[histories * gaps * slots * types], const double saving[types * (capacity + 1)],
                  double births, int64_t outcomes, const int64_t first[types + 2], const int32_t next[outcomes],
                  const double weight[outcomes], int64_t pairs, int64_t chances, int64_t counted[3],
                  int32_t number[histories * rests * types],
                  double *reward /* [pairs] */, double *chance /* [chances] */,
                  int32_t *next_state /* [chances] */,
                  int64_t *ends /* [pairs + 1] */, int32_t *state /* [pairs] */, int32_t *action /* [pairs] */) {
    struct row_model m = {slots,       digits, types, gaps, histories, rests, capacity, forced, type_of, cached_of,
                          first_digit, past,   share, rate, saving,    births, 1, false};
    struct rows out = {reward, chance, number, next_state, state, action, ends, 0, 0};
    int64_t states = 0;
    struct law law = {first, next, weight};
    (void)outcomes;
    (void)pairs;
    (void)chances;
    for (int64_t place = 0; place < histories * rests * types; place++) {
        int64_t theta = place % types, row = place / types, digit[MOST_SLOTS] = {0}, kept[MOST_SLOTS] = {0};
        row_begin(&m, row % rests, digit);
        int64_t all = past[theta];
        for (int64_t k = 1; k < slots; k++) all += cached_of[digit[k]];
        number[place] = -1;
        if (all - past[theta] > capacity) continue;
        number[place] = (int32_t)states++;
        for (;;) { /* everything that may be kept of the others, as digits below those of the state */
            int64_t lower[MOST_SLOTS] = {0}, rest = 0, at = 1, k = 1;
            for (int64_t j = 1; j < slots; j++, at *= digits) lower[j] = digit[j] - kept[j], rest += lower[j] * at;
            struct row_others seen;
            row_see(&m, lower, &seen);
            int64_t y = smaller(past[theta], capacity - seen.cached);
            if (y >= (forced ? past[theta] : 0) && y + seen.cached == smaller(all, capacity))
                add_row(&m, &law, &seen, row / rests, rest, theta, y, place, &out);
            while (k < slots && kept[k] == cached_of[digit[k]]) kept[k++] = 0;
            if (k >= slots) break;
            kept[k]++;
        }
    }
    counted[0] = out.pairs;
    counted[1] = out.chances;
    counted[2] = states;
}
