/* Tail-Optimized Belady over reuse intervals (`teltheory.optimal.trees.greedy`), in O(n log n).

   Before each step `alive` has what is held of the intervals that end at each step, `held` their sum, and
   `waiting` the steps where that is not 0: of what is held, what ends last goes first. */

#include "replay/bitset.h"

/* Write what is dropped by its end, and a row of the log for each eviction: its step less 2, its end less 1;
   return how many. Intervals come in the order of their first steps. `dropped` and `alive` are 0 at first. An
   eviction takes all that is alive at its end, or is the last one of its step, so that m + steps rows are
   enough. */
int64_t furthest_goes(int64_t m, const int64_t first[m], const int64_t last[m], const int64_t most[m],
                      int64_t steps, const int64_t room[steps], int64_t dropped[steps],
                      int64_t log[2 * (m + steps)], int64_t alive[steps], uint64_t words[steps / 63 + 12]) {
    Bitset waiting = new_bitset(steps, words);
    int64_t held = 0, entered = 0, evictions = 0;
    for (int64_t step = 1; step < steps; step++) {
        for (; entered < m && first[entered] <= step; entered++) {
            int64_t end = last[entered];
            if (first[entered] > end) continue;
            alive[end] += most[entered];
            held += most[entered];
            set_bit(&waiting, end);
        }
        while (held > room[step]) {
            int64_t end = largest_bit(&waiting), taken = smaller(alive[end], held - room[step]);
            alive[end] -= taken;
            dropped[end] += taken;
            held -= taken;
            if (alive[end] == 0) clear_bit(&waiting, end);
            log[2 * evictions] = step - 2;
            log[2 * evictions++ + 1] = end - 1;
        }
        held -= alive[step];
        alive[step] = 0;
        clear_bit(&waiting, step);
    }
    return evictions;
}
