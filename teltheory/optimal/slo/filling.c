/* Plans that fill what fits (`teltheory.optimal.slo.filling`). */

#include "base/numbers.h"

/* Add to a plan, interval by interval, what fits into what is free; plan and free change in place.

   Interval k has the treads `start[k]` to `start[k + 1]`, tread i the rows `begin[i]` to `end[i]`. It gets all
   that it can use or, in part, as much as there is; its treads get the same, as far as they can use it. */
void fill_in_order(int64_t intervals, int64_t treads, int64_t rows, const int64_t order[intervals],
                   const int64_t start[intervals + 1], const int64_t begin[treads], const int64_t end[treads],
                   const int64_t most[treads], int64_t free[rows], int64_t plan[treads], int64_t in_part) {
    for (int64_t j = 0; j < intervals; j++) {
        int64_t first = start[order[j]], beyond = start[order[j] + 1], more = most[beyond - 1] - plan[beyond - 1];
        for (int64_t i = first; i < beyond && more > 0; i++) {
            int64_t wanted = most[i] - plan[i];
            for (int64_t row = begin[i]; row < end[i]; row++) {
                if (free[row] >= wanted) continue;
                more = in_part ? smaller(more, free[row]) : 0;
                if (more == 0) break;
            }
        }
        for (int64_t i = first; i < beyond && more > 0; i++) {
            int64_t given = smaller(more, most[i] - plan[i]);
            plan[i] += given;
            for (int64_t row = begin[i]; row < end[i]; row++) free[row] -= given;
        }
    }
}
