/* ET-LRU on chains: scores as `teltheory.policies.learned.scores` has them, in a heap of slots.

   What a slot holds is stored, as any slot may lose something; a slot whose conversation came back holds nothing.
   A slot's tokens have the score worth + log P(Q >= X - L + xi), and the law of Q has steps, so that tokens go by
   whole runs of equal score. Equal scores: the slot that comes first, which is the least recent.

   1. `replay_scores_in_order`, for the paper's belief: what a slot is worth never changes. Tokens of score -inf go
      first, from a pointer that only moves forward; a slot enters the heap at the first cut that needs more, and
      leaves it when it is popped empty. O(log slots) for each slot and each run.
   2. `replay_scores_at_cuts`, for the posterior and for the law learnt so far: the heap is built again at every
      cut that overflows, from the slots that hold anything. O(slots that do) a cut.

   Floats are added in the order in which the reference adds them, so that scores are equal where its are. */

#include <math.h>
#include <stddef.h>

#include "replay/chains/stored.h"

/* The steps of all laws, one law after the other: where each begins, and its logarithm. `first` is the first step
   of each law, and the end; `of_slot` the law of each slot's conversation, NULL if there is one. The first step of
   a law begins below everything, the others in 0 ... xi, so that no difference to a length is beyond int64. */
typedef struct {
    const int64_t *start;
    const double *log;
    const int64_t *first, *of_slot;
} Laws;

typedef struct {
    double score;
    int64_t slot;
} Entry;

/* What a slot's tokens score, and a heap of slots by their least score, with a score of inf after the last. */
typedef struct {
    Chains of;
    const int64_t *past;
    const double *worth;
    Laws laws;
    int64_t xi, size;
    Entry *heap;
} Scores;

/* Let an entry rise from a free leaf. */
INLINED void rise(Entry *heap, int64_t at, Entry one) {
    while (at > 0) {
        int64_t above = (at - 1) >> 1;
        Entry over = heap[above];
        if (over.score < one.score || (over.score == one.score && over.slot < one.slot)) break;
        heap[at] = over;
        at = above;
    }
    heap[at] = one;
}

/* Let the smaller children rise down to a leaf and put an entry there: fewer guesses than sinking it. */
INLINED void replace_root(Entry *heap, int64_t size, Entry one) {
    int64_t at = 0;
    for (int64_t child = 1; child < size; child = 2 * child + 1) {
        Entry left = heap[child], right = heap[child + 1];
        child += (right.score < left.score) | ((right.score == left.score) & (right.slot < left.slot));
        heap[at] = heap[child];
        at = child;
    }
    rise(heap, at, one);
}

/* The step that a length is on: at once where the steps below it are one length each. */
INLINED int64_t step_of(Laws laws, int64_t law, int64_t length) {
    int64_t low = laws.first[law], high = laws.first[law + 1] - 1;
    if (low < high) {
        int64_t beyond = length - laws.start[low + 1];
        high = beyond < 0 ? low : low + smaller(high - low, beyond + 1);
        if (laws.start[high] <= length) low = high;
    }
    while (low < high) {
        int64_t middle = (low + high + 1) >> 1;
        if (laws.start[middle] <= length)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

INLINED int64_t law_of(Laws laws, int64_t slot) { return laws.of_slot ? laws.of_slot[slot] : 0; }

/* Put a slot into the heap, by its last token. */
INLINED void push(Scores *by, int64_t slot) {
    int64_t length = by->of.holds[slot] - by->past[slot] + by->xi;
    double log = by->laws.log[step_of(by->laws, law_of(by->laws, slot), length)];
    by->heap[by->size + 1].score = INFINITY;
    rise(by->heap, by->size++, (Entry){by->worth[slot] + log, slot});
}

/* Evict what has the smallest score until the overflow is gone, a run of equal score at a time. */
INLINED void evict(Scores *by, int64_t overflow) {
    while (overflow > 0) {
        int64_t slot = by->heap[0].slot, held = by->of.holds[slot], above = by->past[slot] - by->xi;
        int64_t law = law_of(by->laws, slot), step = step_of(by->laws, law, held - above);
        int64_t floor = step > by->laws.first[law] ? larger(above + by->laws.start[step] - 1, 0) : 0;
        int64_t taken = smaller(held - floor, overflow);
        overflow -= taken;
        by->of.holds[slot] = held - taken;
        if (held - taken > floor) break;
        Entry next = {by->worth[slot] + by->laws.log[larger(step - 1, 0)], slot};
        if (floor == 0) { /* nothing is left */
            next = by->heap[--by->size];
            by->heap[by->size].score = INFINITY;
        }
        replace_root(by->heap, by->size, next);
    }
}

/* Replay ET-LRU with the paper's belief. `worth` is what slots are worth, `least` what a slot holds once its
   tokens of score -inf are gone. */
void replay_scores_in_order(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                            const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                            int64_t capacity, int64_t cached[n], int64_t uncached[n], int64_t holds[m + n],
                            const int64_t past[m + n], int64_t xi, const double worth[m + n], int64_t steps,
                            const int64_t start[steps], const double log[steps], int64_t laws,
                            const int64_t first[laws + 1], const int64_t *of_slot /* [m + n] */,
                            int64_t heap[2 * (m + n + 1)], int64_t forced, const int64_t least[m + n]) {
    Chains of = {n, m, history, prompt, full, previous, following, capacity, cached, uncached, holds};
    Scores by = {of, past, worth, {start, log, first, of_slot}, xi, 0, (Entry *)heap};
    int64_t overflow = overflow_at_start(&of), trim = 0, entered = 0;
    for (int64_t k = 0; k < n; k++) {
        overflow += serve(&of, k);
        if (forced && k == n - 1) break; /* no cut after the last turn */
        int64_t end = m + k + !forced;
        overflow = trim_to(&of, least, &trim, end, overflow);
        if (overflow <= 0) continue;
        for (; entered < end; entered++)
            if (holds[entered] > 0) push(&by, entered);
        evict(&by, overflow);
        overflow = 0;
    }
}

/* log(rate * P(alive given a silence)), as `teltheory.policies.learned.scores` has it. */
INLINED double log_bayes_rate(double rate, double death_rate, double silence) {
    double leaving = death_rate + rate, exponent = leaving * silence;
    if (exponent > 600) return log(rate * leaving) - (exponent + log(death_rate));
    return log(rate * leaving) - log(rate + death_rate * exp(exponent));
}

/* Write the logarithms of the empirical law of what was counted; nothing seen yet counts as a prompt of 0. */
static void learn(int64_t steps, double *logs, const int64_t *counts) {
    int64_t total = sum_of(steps, counts), left = total;
    for (int64_t step = 1; step < steps; step++) {
        left -= counts[step - 1];
        logs[step] = left > 0 ? log((double)left / (double)total) : -INFINITY;
    }
}

/* Replay ET-LRU with what slots are worth at each cut: with times (`since` and `rate` of slots, `now` of turns)
   worth is written, with `place` the logarithms are. A turn counts at its place, nowhere if that is -1. */
void replay_scores_at_cuts(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                           const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                           int64_t capacity, int64_t cached[n], int64_t uncached[n], int64_t holds[m + n],
                           const int64_t past[m + n], int64_t xi, double worth[m + n], int64_t steps,
                           const int64_t start[steps], double logs[steps], int64_t laws,
                           const int64_t first[laws + 1], const int64_t *of_slot /* [m + n] */,
                           int64_t heap[2 * (m + n + 1)], int64_t forced, int64_t waiting[m + n],
                           const double *since /* [m + n] */, const double *rate /* [m + n] */,
                           const double *now /* [n] */, double death_rate, const int64_t *place /* [n] */,
                           int64_t *counts /* [steps] */) {
    Chains of = {n, m, history, prompt, full, previous, following, capacity, cached, uncached, holds};
    Scores by = {of, past, worth, {start, logs, first, of_slot}, xi, 0, (Entry *)heap};
    int64_t overflow = overflow_at_start(&of), alive = 0, entered = 0;
    for (int64_t k = 0; k < n; k++) {
        overflow += serve(&of, k);
        if (place && place[k] >= 0) counts[place[k]]++;
        if (forced && k == n - 1) break;
        for (; entered < m + k + !forced; entered++) waiting[alive++] = entered;
        if (overflow <= 0) continue;
        if (place) learn(steps, logs, counts);
        alive = still_holding(&of, waiting, alive);
        by.size = 0;
        for (int64_t i = 0; i < alive; i++) {
            int64_t s = waiting[i];
            if (since) worth[s] = log_bayes_rate(rate[s], death_rate, now[k] - since[s]);
            push(&by, s);
        }
        evict(&by, overflow);
        overflow = 0;
    }
}
