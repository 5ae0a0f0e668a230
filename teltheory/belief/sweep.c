/* Sweeps of the finite model with forgetting in doubles: values, decisions, and values of policies.

   Of theta all that has room is kept: values that begin with 0 rise with what is cached, so no less is better. */

#include "base/numbers.h"

#define NAMED(name) float_##name
#define NUMBER double
#define WIDE double
#define QUOTIENT(sum, rates, unit, share) ((share) * (sum) / (rates))
#include "belief/sweep.h"

/* Means after the rows from ... to - 1; `change` begins with infinity and its negative. */
void belief_expect(int64_t slots, int64_t digits, int64_t types, int64_t histories, int64_t rests,
                   int64_t capacity,
                   const int32_t cached_of[digits], int64_t outcomes, const int64_t first[types + 2],
                   const int32_t next[outcomes], const double weight[outcomes],
                   const double value[histories * rests * types], int64_t from, int64_t to,
                   double expected[histories * rests * (types + 1)], double change[2]) {
    struct float_model m = {.slots = slots, .digits = digits, .types = types, .rests = rests,
                            .capacity = capacity};
    (void)histories;
    (void)outcomes;
    m.cached_of = cached_of;
    float_expect_rows(&m, first, next, weight, value, from, to, expected, change);
}

/* The value of keeping, for the rows from ... to - 1; minus infinity where it does not fit. */
void belief_keep(int64_t slots, int64_t digits, int64_t types, int64_t gaps, int64_t histories, int64_t rests,
                 int64_t capacity, int64_t forced, const int32_t type_of[digits], const int32_t cached_of[digits],
                 const int32_t first_digit[types], const int32_t past[types], const double share[gaps],
                 const double rate[histories * gaps * slots * types], const double saving[types * (capacity + 1)],
                 double births, const double expected[histories * rests * (types + 1)], double never, int64_t from,
                 int64_t to, double kept[histories * rests * types]) {
    struct float_model m = {slots,       digits, types, gaps, histories, rests, capacity, forced, type_of,
                            cached_of,
                            first_digit, past,   share, rate, saving,    births, 1, false};
    float_keep_rows(&m, expected, never, from, to, kept);
}

void belief_raise(int64_t digits, int64_t states, int64_t stride, const int32_t cached_of[digits],
                  int64_t block_from, int64_t block_to, int64_t from, int64_t to, double value[states],
                  int32_t *choice /* [states] */) {
    (void)states;
    float_raise_slot(digits, cached_of, stride, block_from, block_to, from, to, value, choice);
}

/* The value of the decision of each state, given that of each thing to keep. */
void belief_follow(int64_t states, const int32_t choice[states], const double kept[states], int64_t from,
                   int64_t to,
                   double value[states]) {
    for (int64_t s = from; s < to; s++) value[s] = kept[choice[s]];
}

/* What a rule keeps at each state of the rows from ... to - 1. It gives up one token after the other, always the
   last one of a conversation whose rank, by history, slot, type and tokens there, is lowest; of equal ones that of
   the least recent conversation. */
void belief_evict(int64_t slots, int64_t digits, int64_t types, int64_t histories, int64_t rests, int64_t capacity,
                  int64_t forced, int64_t longest, const int32_t type_of[digits], const int32_t cached_of[digits],
                  const int32_t past[types], const int32_t rank[histories * slots * types * (longest + 1)],
                  int64_t from, int64_t to, int32_t choice[histories * rests * types]) {
    struct float_model m = {.slots = slots, .digits = digits};
    int64_t digit[MOST_SLOTS] = {0}, tokens[MOST_SLOTS], type[MOST_SLOTS];
    float_begin(&m, from % rests, digit);
    for (int64_t row = from; row < to; row++, float_step(&m, digit)) {
        const int32_t *ranks = rank + row / rests * slots * types * (longest + 1);
        for (int64_t theta = 0; theta < types; theta++) {
            int64_t over = past[theta] - capacity, then = row;
            for (int64_t k = 0; k < slots; k++) {
                type[k] = k ? type_of[digit[k]] : theta;
                tokens[k] = k ? cached_of[digit[k]] : past[theta];
                over += where(k > 0, tokens[k]);
            }
            for (; over > 0; over--) {
                int64_t worst = -1, lowest = INT64_MAX, place = 1, step = 0;
                for (int64_t k = 0; k < slots; place *= k ? digits : 1, k++) {
                    if (!tokens[k] || (forced && !k)) continue;
                    int64_t found = ranks[(k * types + type[k]) * (longest + 1) + tokens[k]];
                    if (found <= lowest) worst = k, lowest = found, step = where(k > 0, place);
                }
                tokens[worst]--;
                then -= step; /* one token less is the digit below */
            }
            choice[row * types + theta] = (int32_t)(then * types + theta);
        }
    }
}
