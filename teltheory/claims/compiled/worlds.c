/* Claims on traces, checked on all tiny worlds: the second encoding of each of them, and its enumeration.

   The first encoding is the claim itself, in plain Python (`proofs_checks`, `teltheory.replay.chains.reference`,
   `teltheory.optimal.chains.brute_force`); `teltheory.claims.comparison` compares the two. This is one file of C
   with the headers of its folder: layout.h (a world as a record), simulator.h and readings.h (policies),
   optimum.h (every cache state, every set of steps), orders.h (every order of trimming) and checks.h (what is
   compared).

   Of a class one call enumerates the worlds whose turns visit conversations in one way: every way to split the
   tokens over pasts, prompts and responses, in lexicographic order, and every initial cache. It does so many
   worlds and can be called again for the next ones, as `split` and the row HELD say where it stands. Tallies add
   up in any order. */

#include "claims/compiled/checks.h"

_Static_assert(sizeof(Result) == 19 * sizeof(int64_t), "the number of numbers that Python makes room for");
_Static_assert(2 * POLICIES * 2 * LEVELS == 3840, "the number of results that Python makes room for");
_Static_assert(ROWS * WIDTH == 40, "the size of a world's rows");

enum { ALL_CAPACITIES, FIRST_PAST };
enum { ALL_THRESHOLDS, ZERO_ALONE };
enum { NO_ESTIMATE, UPPER_BOUNDS, FROM_XI, FROM_LONGEST, BELOW_LONGEST, MEAN_OF_ALL, MEAN_OF_CONTINUING };
enum { WITHIN, REFUTING, SUM };
enum { PARAMETERS = 3, MOST_NUMBERS = PARAMETERS + 4 * WIDTH };

/* What is tried of a world, and what came of it: the cases within the hypotheses, those that refute, and a sum
   of values with weights, modulo 2^64; and the smallest case that refutes, as C, xi, q_hat, past and held of
   each start, prompt and response of each turn. */
typedef struct {
    int64_t check, capacities, thresholds, estimates, least, tokens;
    int64_t *totals, *smallest;
} Plan;

/* Give the lengths to the starts, then above the least to prompts and responses. */
static void place(Tiny *tiny, int64_t least, const int64_t *split) {
    for (int64_t c = 0; c < tiny->starts; c++) tiny->start_past[c] = *split++;
    for (int64_t turn = 0; turn < tiny->turns; turn++) {
        tiny->prompt[turn] = least + *split++;
        tiny->response[turn] = least + (turn < tiny->turns - 1 ? *split++ : 0);
    }
}

/* Go to the next way to split the tokens; return whether there was one. */
static bool next_split(int64_t length, int64_t *split) {
    int64_t last = length - 1;
    while (last > 0 && split[last] == 0) last--;
    if (last == 0) return false;
    int64_t rest = split[last] - 1;
    split[last] = 0;
    split[last - 1]++;
    split[length - 1] = rest;
    return true;
}

/* Go to the next initial cache with the same pasts; return whether there was one. */
static bool next_held(Tiny *tiny) {
    for (int64_t c = 0; c < tiny->starts; c++) {
        if (tiny->start_held[c] < tiny->start_past[c]) {
            tiny->start_held[c]++;
            return true;
        }
        tiny->start_held[c] = 0;
    }
    return false;
}

/* Find the least and the largest estimate to try; none if the first is larger. */
static void find_estimates(const Tiny *tiny, const Plan *plan, int64_t *low, int64_t *high) {
    int64_t longest = tiny->longest, total = tiny->prompts, number = larger(1, tiny->continuing);
    *low = 0, *high = longest - 1;
    if (plan->estimates == NO_ESTIMATE) {
        *high = 0;
        return;
    }
    if (plan->estimates == UPPER_BOUNDS) {
        *low = longest, *high = larger(longest, tiny->xi);
    } else if (plan->estimates == FROM_XI) {
        *low = tiny->xi, *high = tiny->xi + 1;
    } else if (plan->estimates == FROM_LONGEST) {
        *low = longest, *high = plan->tokens + 1;
    } else if (plan->estimates != BELOW_LONGEST) { /* a mean, if it is whole */
        if (plan->estimates == MEAN_OF_ALL) total = sum_of(tiny->turns, tiny->prompt), number = tiny->turns;
        *low = total / number, *high = *low - (total % number > 0);
    }
    *low = larger(*low, plan->least);
}

/* Keep the case where it is the first or smaller than the one before. */
static void keep_smaller(const Tiny *tiny, const Plan *plan) {
    int64_t key[MOST_NUMBERS] = {tiny->capacity, tiny->xi, tiny->estimate}, at = PARAMETERS, i = 0;
    for (int64_t c = 0; c < tiny->starts; c++) key[at++] = tiny->start_past[c], key[at++] = tiny->start_held[c];
    for (int64_t turn = 0; turn < tiny->turns; turn++)
        key[at++] = tiny->prompt[turn], key[at++] = tiny->response[turn];
    while (i < at - 1 && key[i] == plan->smallest[i]) i++;
    if (plan->totals[REFUTING] > 1 && key[i] >= plan->smallest[i]) return;
    for (i = 0; i < at; i++) plan->smallest[i] = key[i];
}

static void count(const Tiny *tiny, const Plan *plan, int answer) {
    if (answer == OUTSIDE) return;
    plan->totals[WITHIN]++;
    uint64_t values = 0;
    for (int64_t i = 0; i < tiny->number; i++) values += (uint64_t)(i + 1) * (uint64_t)tiny->values[i];
    values *= (uint64_t)(1 + tiny->capacity + 31 * tiny->xi + 961 * tiny->estimate);
    plan->totals[SUM] = (int64_t)((uint64_t)plan->totals[SUM] + values);
    if (answer == REFUTED) {
        plan->totals[REFUTING]++;
        keep_smaller(tiny, plan);
    }
}

/* Check a world under every capacity, threshold and estimate. */
static void tally_world(Tiny *tiny, const Plan *plan) {
    int64_t least = larger(plan->least, tiny->least_capacity), most = plan->tokens;
    if (plan->capacities == FIRST_PAST) least = most = tiny->after[0];
    bool zero = plan->thresholds == ZERO_ALONE;
    for (tiny->capacity = least; tiny->capacity <= most; tiny->capacity++) {
        tiny->stamp++;
        for (tiny->xi = zero ? 0 : plan->least; tiny->xi <= (zero ? 0 : plan->tokens); tiny->xi++) {
            int64_t low, high;
            find_estimates(tiny, plan, &low, &high);
            for (tiny->estimate = low; tiny->estimate <= high; tiny->estimate++)
                count(tiny, plan, judge(tiny, plan->check));
        }
    }
}

/* Check the next worlds; return whether there are more. `states` is how many a world has at most. */
int64_t tally_worlds(int64_t worlds, int64_t check, int64_t capacities, int64_t thresholds, int64_t estimates,
                     int64_t forced, int64_t least, int64_t tokens, int64_t turns, int64_t starts,
                     int64_t rows[40], int64_t split[2 * turns - 1 + starts], int64_t totals[3],
                     int64_t smallest[3 + 2 * starts + 2 * turns], int64_t results[19 * 3840], int64_t states,
                     int64_t room[2 * states]) {
    (void)states;
    Plan plan = {check, capacities, thresholds, estimates, least, tokens, totals, smallest};
    Tiny tiny = new_tiny(turns, starts, forced, rows, results, room);
    for (; worlds > 0; worlds--) {
        place(&tiny, least, split);
        describe(&tiny);
        tally_world(&tiny, &plan);
        if (!next_held(&tiny) && !next_split(2 * turns - 1 + starts, split)) return false;
    }
    return true;
}

static Tiny of_case(int64_t turns, int64_t starts, int64_t *rows, const int64_t *numbers, int64_t *results,
                    int64_t *room) {
    Tiny tiny = new_tiny(turns, starts, numbers[3], rows, results, room);
    tiny.capacity = numbers[0], tiny.xi = numbers[1], tiny.estimate = numbers[2];
    describe(&tiny);
    return tiny;
}

/* Check one case, of which `numbers` are C, xi, q_hat and whether caching is forced: return OUTSIDE, TRUE or
   REFUTED; write how many values there are, and the values. */
int64_t judge_world(int64_t check, int64_t turns, int64_t starts, int64_t rows[40], const int64_t numbers[4],
                    int64_t results[19 * 3840], int64_t states, int64_t room[2 * states], int64_t values[129]) {
    (void)states;
    Tiny tiny = of_case(turns, starts, rows, numbers, results, room);
    int answer = judge(&tiny, check);
    values[0] = tiny.number;
    for (int64_t i = 0; i < tiny.number; i++) values[1 + i] = tiny.values[i];
    return answer;
}

/* Write down what a policy does in a case: what turns reuse, the lowest X after each cut, how many cuts, how it
   ended. */
void replay_tiny_world(int64_t policy, int64_t turns, int64_t starts, int64_t rows[40], const int64_t numbers[4],
                       int64_t results[19 * 3840], int64_t result[19]) {
    Tiny tiny = of_case(turns, starts, rows, numbers, results, result);
    *(Result *)result = *outcome(&tiny, policy, AT_CAPACITY);
}
