/* Which values a check of worlds puts, and whether they are as its claim says.

   Most checks compare what some policies do in a case (`COMPARISONS`); the others are written out, by the
   sections of `proofs_checks/tail_optimized`: Algorithm 1, orders of trimming, inclusion, Theorem B.1 and Figure
   1. */
#ifndef TELTHEORY_CLAIMS_CHECKS_H
#define TELTHEORY_CLAIMS_CHECKS_H

#include "claims/compiled/orders.h"
#include "claims/compiled/readings.h"

enum { AT_CAPACITY, ONE_MORE };
/* Estimates that are given: all; those that no continuing prompt exceeds, others; bounds up to xi; from xi on. */
enum { ANY, UPPER_BOUND, BELOW, CUTOFF, LARGE };
enum { TEL, EXCESSES, UNCACHED, REUSES };
enum { NO_MORE, SAME };

/* Estimates, what is put of each policy, how the lists compare, and the policies. Of more than three policies
   each list compares with the third one after it, of the others with the next one. */
typedef struct {
    int given, measure, relation, number, policies[9];
} Comparison;

/* In the order of `teltheory.claims.compiled.space.CHECKS`, and the written out checks after them. */
static const Comparison COMPARISONS[] = {
    {UPPER_BOUND, TEL, NO_MORE, 2, {ROUND_ROBIN, LRU}},
    {UPPER_BOUND, EXCESSES, NO_MORE, 2, {ROUND_ROBIN, LRU}},
    {ANY, TEL, NO_MORE, 2, {ROUND_ROBIN, LRU}},
    {LARGE, UNCACHED, SAME, 2, {ROUND_ROBIN, LRU}},
    {CUTOFF, TEL, NO_MORE, 3, {ROUND_ROBIN, THRESHOLD, LRU}},
    {CUTOFF, TEL, NO_MORE, 2, {ROUND_ROBIN, THRESHOLD}},
    {CUTOFF, TEL, NO_MORE, 2, {THRESHOLD, LRU}},
    {UPPER_BOUND, TEL, NO_MORE, 2, {AT_THE_BUDGET, LRU}},
    {UPPER_BOUND, TEL, NO_MORE, 2, {SINGLE_PASS, LRU}},
    {BELOW, EXCESSES, SAME, 2, {ROUND_ROBIN, LEAST_RECENT}},
    {UPPER_BOUND, EXCESSES, SAME, 2, {ROUND_ROBIN, EAGER}},
    {UPPER_BOUND, EXCESSES, SAME, 9,
     {ROUND_ROBIN, END_AWARE, LENGTH_AWARE, ROUND_ROBIN + 1, END_AWARE + 1, LENGTH_AWARE + 1, ROUND_ROBIN + 2,
      END_AWARE + 2, LENGTH_AWARE + 2}},
};
enum { LOWEST_X = sizeof COMPARISONS / sizeof *COMPARISONS, BOTH_LOOPS, TRIM_LOOP, LRU_LOOP, REPAIRED_TEXT };
enum { ALL_ORDERS = REPAIRED_TEXT + 1, ALL_BELOW, STACK_LRU, STACK_TLRU, STACK_ROUND_ROBIN };
enum { OPTIMAL = STACK_ROUND_ROBIN + 1, CERTIFIED, CAP_IS_NECESSARY, CAP_IS_ENOUGH, HITS };
enum { BUDGET = HITS + 1, BUDGET_EXISTS, BUDGET_EXISTS_REPAIRED };

/* What a policy does at `more` than the case's capacity, worked out once per capacity and level. */
static inline const Result *outcome(Tiny *tiny, int64_t policy, int more) {
    int64_t level = policy < FIRST_READING ? level_of(tiny, policy) : tiny->xi - tiny->estimate;
    Result *result = &tiny->results[(more * POLICIES + policy) * 2 * LEVELS + level + LEVELS];
    if (result->stamp == tiny->stamp) return result;
    result->stamp = tiny->stamp, result->cuts = 0, result->ended = ENDS;
    if (policy < FIRST_READING)
        simulate(tiny, policy, level, tiny->capacity + more, result->reused);
    else
        read_as(tiny, policy, level, tiny->capacity + more, result);
    return result;
}

static inline int64_t excess_of(const Tiny *tiny, const int64_t *reused, int64_t turn) {
    return larger(0, tiny->total[turn] - reused[turn] - tiny->xi);
}

static inline int64_t tel(const Tiny *tiny, const int64_t *reused) {
    int64_t total = 0;
    for (int64_t turn = 0; turn < tiny->turns; turn++) total += excess_of(tiny, reused, turn);
    return total;
}

/* Append the TEL, or what each turn exceeds xi by, computes or reuses. */
static inline void put_measure(Tiny *tiny, int measure, const Result *result) {
    const int64_t *reused = result->reused;
    if (measure == TEL) {
        put(tiny, tel(tiny, reused));
        return;
    }
    for (int64_t turn = 0; turn < tiny->turns; turn++) {
        int64_t value = measure == REUSES ? reused[turn] : tiny->total[turn] - reused[turn];
        put(tiny, measure == EXCESSES ? excess_of(tiny, reused, turn) : value);
    }
}

/* Whether the values of number `first` on are those of number `second` on, or no more. */
static inline bool agree(const Tiny *tiny, int64_t first, int64_t second, int64_t length, int relation) {
    for (int64_t i = 0; i < length; i++) {
        int64_t more = tiny->values[first + i] - tiny->values[second + i];
        if (more > 0 || (more && relation == SAME)) return false;
    }
    return true;
}

/* Whether the case's estimate is one of those that are given. */
static inline bool within(const Tiny *tiny, int given) {
    bool bound = tiny->estimate >= tiny->longest;
    if (given == BELOW) return !bound;
    if (given == LARGE) return tiny->estimate >= tiny->xi;
    return given == ANY || (bound && (given == UPPER_BOUND || tiny->xi >= tiny->estimate));
}

static inline int compared(Tiny *tiny, const Comparison *row) {
    if (!within(tiny, row->given)) return OUTSIDE;
    for (int i = 0; i < row->number; i++)
        put_measure(tiny, row->measure, outcome(tiny, row->policies[i], AT_CAPACITY));
    int64_t length = tiny->number / row->number * (row->number > 3 ? 3 : 1);
    return agree(tiny, 0, length, tiny->number - length, row->relation);
}

/* Append the lowest X after each cut; return the lowest of them, 0 at most. */
static inline int64_t put_lowest(Tiny *tiny, const Result *result) {
    int64_t lowest = 0;
    for (int64_t cut = 0; cut < result->cuts; cut++) {
        put(tiny, result->lowest[cut]);
        lowest = smaller(lowest, result->lowest[cut]);
    }
    return lowest;
}

static inline int repaired(Tiny *tiny) {
    if (!within(tiny, UPPER_BOUND)) return OUTSIDE;
    const Result *result = outcome(tiny, REPAIRED, AT_CAPACITY);
    bool endless = result->ended != ENDS;
    put(tiny, endless);
    int64_t lowest = put_lowest(tiny, result), ours = endless ? -1 : tel(tiny, result->reused);
    int64_t lru = tel(tiny, outcome(tiny, LRU, AT_CAPACITY)->reused);
    put(tiny, ours);
    put(tiny, lru);
    return endless || lowest < 0 || ours > lru ? REFUTED : TRUE;
}

static inline int algorithm_1(Tiny *tiny, int64_t check) {
    if (check == LOWEST_X) return put_lowest(tiny, outcome(tiny, PRINTED, AT_CAPACITY)) >= 0;
    if (check == REPAIRED_TEXT) return repaired(tiny);
    if (check != LRU_LOOP) put(tiny, outcome(tiny, PRINTED_TRIM, AT_CAPACITY)->ended == ENDLESS_TRIM);
    if (check != TRIM_LOOP) put(tiny, outcome(tiny, PRINTED_LRU, AT_CAPACITY)->ended == ENDLESS_LRU);
    return sum_of(tiny->number, tiny->values) ? REFUTED : TRUE;
}

/* Compare the smallest excess of each turn over all orders of trimming with the largest. */
static inline int orders(Tiny *tiny, int64_t check) {
    int64_t n = tiny->turns;
    if (!within(tiny, check == ALL_BELOW ? BELOW : UPPER_BOUND)) return OUTSIDE;
    put_fewest_and_most(tiny, ESTIMATED, tiny->xi - tiny->estimate);
    if (check == ALL_ORDERS) {
        put_fewest_and_most(tiny, EXACT, tiny->xi);
        return agree(tiny, 0, n, n, SAME) && agree(tiny, 2 * n, 3 * n, n, SAME);
    }
    put_measure(tiny, EXCESSES, outcome(tiny, LEAST_RECENT, AT_CAPACITY));
    put_measure(tiny, EXCESSES, outcome(tiny, LATEST_FIRST, AT_CAPACITY));
    return agree(tiny, 0, n, n, SAME);
}

/* clip(C - S, 0, b) + clip(C - S', 0, L - b), from the pasts by recency, most recent first. */
static inline int64_t formula(const Tiny *tiny, int64_t turn, int64_t xi) {
    int64_t before = 0, surplus = 0, budgets = 0, length = -1;
    for (int64_t i = tiny->known - 1; i >= 0; i--) {
        int64_t c = tiny->order[i], safe = larger(0, tiny->past[c] - xi);
        budgets += safe;
        if (c == tiny->label[turn]) {
            length = tiny->past[c];
        } else if (length < 0) {
            before += safe;
            surplus += tiny->past[c] - safe;
        }
    }
    int64_t safe = larger(0, length - xi), low = smaller(larger(tiny->capacity - before, 0), safe);
    return low + smaller(larger(tiny->capacity - budgets - surplus, 0), larger(length, 0) - safe);
}

/* Compare what is reused at C with C + 1, and with the formula. */
static inline int inclusion(Tiny *tiny, int64_t check) {
    int64_t n = tiny->turns, policy = check == STACK_LRU ? LRU : check == STACK_TLRU ? LEAST_RECENT : ROUND_ROBIN;
    put_measure(tiny, REUSES, outcome(tiny, policy, AT_CAPACITY));
    put_measure(tiny, REUSES, outcome(tiny, policy, ONE_MORE));
    bool included = agree(tiny, 0, n, n, NO_MORE);
    if (check == STACK_ROUND_ROBIN) return included;
    begin(tiny);
    for (int64_t turn = 0; turn < n; turn++) {
        put(tiny, formula(tiny, turn, check == STACK_LRU ? 0 : tiny->xi));
        arrive(tiny, turn);
    }
    return included && agree(tiny, 0, 2 * n, n, SAME);
}

static inline int cap_is_necessary(Tiny *tiny) {
    int64_t cost = least_cost(tiny, MOST_ABOVE), least = (cost + UNIT - 1) / UNIT; /* rounded up: cost > -UNIT */
    int64_t above = UNIT * least - cost;
    put(tiny, least);
    put(tiny, above);
    const Result *lru = outcome(tiny, LRU, AT_CAPACITY);
    put_measure(tiny, TEL, lru);
    put_measure(tiny, REUSES, lru);
    for (int64_t turn = 0; turn < tiny->turns; turn++) put(tiny, larger(0, tiny->total[turn] - tiny->xi));
    return above == 0;
}

static inline int cap_is_enough(Tiny *tiny, int64_t most) {
    int64_t cost = least_cost(tiny, FEWEST_ABOVE), capped = most + least_cost(tiny, CAPPED_REUSE);
    put(tiny, cost / UNIT);
    put(tiny, cost % UNIT);
    put(tiny, capped);
    return cost % UNIT == 0 && capped == cost / UNIT;
}

/* Evict a block of the conversation that is needed furthest ahead. */
static inline void evict_furthest_block(Tiny *tiny) {
    int64_t furthest = -1;
    for (int64_t c = 0; c < tiny->known; c++)
        if (tiny->cached[c] && (furthest < 0 || tiny->upcoming[c] > tiny->upcoming[furthest])) furthest = c;
    tiny->cached[furthest]--;
}

/* Compare Belady with the optimum, and with evicting block by block what is needed furthest ahead. */
static inline int hits(Tiny *tiny) {
    int64_t n = tiny->turns;
    put_measure(tiny, REUSES, outcome(tiny, BELADY, AT_CAPACITY));
    int64_t found = sum_of(n, tiny->values);
    begin(tiny);
    for (int64_t turn = 0; turn < n; turn++) {
        put(tiny, arrive(tiny, turn));
        while (sum_of(tiny->known, tiny->cached) > tiny->capacity) evict_furthest_block(tiny);
    }
    put(tiny, found);
    put(tiny, sum_of(n, tiny->total) - least_cost(tiny, EXCESS));
    return agree(tiny, 0, n, n, SAME) && found == tiny->values[tiny->number - 1];
}

/* Compare Tail-Optimized Belady, optima and bounds. */
static inline int hindsight(Tiny *tiny, int64_t check) {
    if (check == HITS) return hits(tiny);
    if (check == CAP_IS_NECESSARY) return cap_is_necessary(tiny);
    int64_t most = 0;
    for (int64_t turn = 0; turn < tiny->turns; turn++) most += larger(0, tiny->total[turn] - tiny->xi);
    if (check == CAP_IS_ENOUGH) return cap_is_enough(tiny, most);
    int64_t best = tel(tiny, outcome(tiny, TAIL_OPTIMIZED, AT_CAPACITY)->reused);
    put(tiny, check == CERTIFIED ? most - best : best);
    put(tiny, check == CERTIFIED ? least_bound(tiny) : least_cost(tiny, EXCESS));
    return tiny->values[0] == tiny->values[1];
}

/* Replay a second turn with 0, 1, ... L blocks of the first kept. */
static inline int figure_1(Tiny *tiny, int64_t check) {
    int64_t length = tiny->after[0], least = tiny->total[1], needed = length + tiny->prompt[1] - tiny->xi;
    if (check != BUDGET && needed <= 0) return OUTSIDE;
    if (check == BUDGET_EXISTS_REPAIRED && tiny->xi < tiny->prompt[1]) return OUTSIDE;
    bool as_stated = true;
    int64_t reused[WIDTH];
    for (int64_t kept = 0; kept <= length; kept++) {
        simulate(tiny, LRU, 0, kept, reused);
        int64_t excess = excess_of(tiny, reused, 1);
        put(tiny, excess);
        least = smaller(least, excess);
        as_stated = as_stated && excess == larger(0, needed - kept);
    }
    put(tiny, needed);
    return check == BUDGET ? as_stated : least == 0;
}

/* Check a case: write down its values, and return OUTSIDE, TRUE or REFUTED. */
static inline int judge(Tiny *tiny, int64_t check) {
    tiny->number = 0;
    if (check < LOWEST_X) return compared(tiny, &COMPARISONS[check]);
    if (check <= REPAIRED_TEXT) return algorithm_1(tiny, check);
    if (check <= ALL_BELOW) return orders(tiny, check);
    if (check <= STACK_ROUND_ROBIN) return inclusion(tiny, check);
    return check <= HITS ? hindsight(tiny, check) : figure_1(tiny, check);
}

#endif
