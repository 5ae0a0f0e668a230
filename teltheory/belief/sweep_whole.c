/* One sweep of the finite model with forgetting in whole numbers: what certificates rest on.

   Values are multiples of 2^-b, rates and laws whole numbers over one denominator each; the quotient is rounded
   down,
   for each gap. Python chooses b and the rates so that no number here reaches 2^62, and no sum of products
   2^126. */

#include "base/numbers.h"

#define NAMED(name) whole_##name
#define NUMBER int64_t
#define WIDE __int128
#define QUOTIENT(sum, rates, unit, share) down((sum) * (share), (__int128)(rates) * (unit))

/* Rounded towards minus infinity; the divisor is above 0. */
INLINED int64_t down(__int128 above, __int128 below) {
    return (int64_t)(above / below) - (above % below < 0);
}

#include "belief/sweep.h"

void belief_expect_whole(int64_t slots, int64_t digits, int64_t types, int64_t histories, int64_t rests,
                         int64_t capacity, const int32_t cached_of[digits], int64_t outcomes,
                         const int64_t first[types + 2], const int32_t next[outcomes],
                         const int64_t weight[outcomes], const int64_t value[histories * rests * types],
                             int64_t from,
                         int64_t to, int64_t expected[histories * rests * (types + 1)], int64_t change[2]) {
    struct whole_model m = {.slots = slots, .digits = digits, .types = types, .rests = rests,
                            .capacity = capacity};
    (void)histories;
    (void)outcomes;
    m.cached_of = cached_of;
    whole_expect_rows(&m, first, next, weight, value, from, to, expected, change);
}

void belief_keep_whole(int64_t slots, int64_t digits, int64_t types, int64_t gaps, int64_t histories,
                       int64_t rests,
                       int64_t capacity, int64_t forced, const int32_t type_of[digits],
                       const int32_t cached_of[digits], const int32_t first_digit[types],
                           const int32_t past[types],
                       const int64_t share[gaps], const int64_t rate[histories * gaps * slots * types],
                       const int64_t saving[types * (capacity + 1)], int64_t births, int64_t unit, int64_t every,
                       const int64_t expected[histories * rests * (types + 1)], int64_t never, int64_t from,
                       int64_t to, int64_t kept[histories * rests * types]) {
    struct whole_model m = {slots,       digits, types, gaps, histories, rests, capacity, forced, type_of,
                            cached_of,
                            first_digit, past,   share, rate, saving,    births, unit,    every};
    whole_keep_rows(&m, expected, never, from, to, kept);
}

void belief_raise_whole(int64_t digits, int64_t states, int64_t stride, const int32_t cached_of[digits],
                        int64_t block_from, int64_t block_to, int64_t from, int64_t to, int64_t value[states],
                        int32_t *choice /* [states] */) {
    (void)states;
    whole_raise_slot(digits, cached_of, stride, block_from, block_to, from, to, value, choice);
}
