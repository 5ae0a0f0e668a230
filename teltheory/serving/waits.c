/* Waits in order of arrival (Lindley 1952): start = max(arrival, free), free = start + service.

   `free` is when each replica has served all that was sent there before; -inf for nothing. */

#include "base/numbers.h"

void add_waits(int64_t n, int64_t replicas, const double arrival[n], const int64_t replica[n],
               const double service[n], double start[n], double free[replicas]) {
    for (int64_t k = 0; k < n; k++) {
        double *until = &free[replica[k]];
        start[k] = arrival[k] > *until ? arrival[k] : *until;
        *until = start[k] + service[k];
    }
}
