/* The steps P of a proof that Tail-Optimized Belady is optimal, from its log of evictions.

   `teltheory.optimal.chains.greedy` has the construction and the theorem: P takes the latest eviction of something
   kept for a turn before the last step taken, until there is none, and one pass backwards over the log finds
   it. */

#include "base/numbers.h"

/* Write P in descending order and return how many steps it has; a row of the log is a turn r - 2 and a turn e
   - 1. */
int64_t greedy_steps(int64_t logged, const int64_t log[2 * logged], int64_t n, int64_t steps[n]) {
    int64_t taken = n + 1, count = 0;
    for (int64_t i = logged - 1; i >= 0; i--) {
        if (log[2 * i + 1] + 1 >= taken) continue;
        taken = log[2 * i] + 2;
        steps[count++] = taken;
    }
    return count;
}
