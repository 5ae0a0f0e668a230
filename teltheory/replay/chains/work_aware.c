/* Work-Aware T-LRU on chains (`teltheory.policies.work_aware`): slots in order of recency, and two pointers.

   As in `tlru.c`, slots before the tail lost their budget and slots after it nothing of it, and so does the trim
   pointer with what is above the budgets. `left` and `over` are what the slots at the pointers still hold of
   either; `rest` is everything after them. Both pointers stand at the oldest that may go, or where nothing of
   theirs can go. What goes next has the smaller gain, in whole numbers: work / age of `over`,
   (work + unit) / age of `left`. Both pointers only move forward, so a turn takes amortised O(1).

   Under forced caching the newest slot is not under the cut; what a slot holds is not changed by that. */

#include <stddef.h>

#include "base/numbers.h"

/* Move a pointer to the next slot under the cut that holds something; return what it holds, 0 at the last one. */
INLINED int64_t forward(int64_t *at, int64_t last, int64_t k, const int64_t *following, const int64_t *more,
                        const int64_t *less, int64_t *rest) {
    int64_t held = 0;
    while (!held && *at < last) {
        ++*at;
        held = where(following[*at] > k, more[*at] - (less ? less[*at] : 0));
    }
    *rest -= held;
    return held;
}

/* How long the conversation of a slot has been silent at the next turn. */
INLINED int64_t age(int64_t slot, int64_t m, int64_t k) { return m + k + 1 - slot; }

void replay_work_aware(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                       const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                       int64_t capacity, int64_t cached[n], int64_t uncached[n], const int64_t least[m + n],
                       int64_t work, int64_t unit, int64_t forced) {
    int64_t rest = sum_of(m, full), tail = -1, trim = -1, left = 0, over = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t before = previous[k], slot = larger(before, 0);
        int64_t held = where(before > tail, least[slot]) + where(before > trim, full[slot] - least[slot]);
        rest -= held;
        if (before == tail) {
            held += left;
            left = 0;
        }
        if (before == trim) {
            held += over;
            over = 0;
        }
        int64_t reused = smaller(held, history[k]);
        cached[k] = reused;
        uncached[k] = history[k] + prompt[k] - reused;
        rest += full[m + k];
        if (forced && k == n - 1) break; /* no cut after the last turn */
        int64_t last = m + k - (forced != 0);
        while (rest + left + over > capacity) {
            if (!over) over = forward(&trim, last, k, following, full, least, &rest);
            if (!left) left = forward(&tail, last, k, following, least, NULL, &rest);
            int64_t overflow = rest + left + over - capacity;
            bool above = over && (!left || work * age(tail, m, k) <= (work + unit) * age(trim, m, k));
            if (above)
                over -= smaller(over, overflow);
            else
                left -= smaller(left, overflow);
        }
    }
}
