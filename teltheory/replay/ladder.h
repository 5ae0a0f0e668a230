/* Ascending capacities, and how many of them are below a value (`teltheory.replay.chains.segments.Ladder`).

   `below` says it of the smallest value of each cell. A cell has the values of one bit length with the same next
   10 bits, so that cells are as fine among small values as among large ones; inside a cell a search goes on. */
#ifndef TELTHEORY_LADDER_H
#define TELTHEORY_LADDER_H

#include "base/numbers.h"

typedef struct {
    const int64_t *capacities, *below;
} Ladder;

/* The cell of a value: the exponent and the first 10 bits of a float that is it, or has its first 53 bits. */
static inline int64_t cell_of(int64_t value) {
    union {
        double number;
        uint64_t bits;
    } as = {.number = (double)(value >> 53 ? value & -1024 : larger(value, 1))};
    return (int64_t)(as.bits >> 42) - (1023 << 10);
}

static inline int64_t rung(Ladder rungs, int64_t value) {
    int64_t cell = cell_of(value), low = rungs.below[cell], high = rungs.below[cell + 1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (rungs.capacities[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add (1) or take away (-1) what begins or ends at a value: how many, and the sum of where, its high part in units
   of 2**32 and its low part, so that no sum is beyond int64. */
static inline void note_change(int64_t *changes, Ladder rungs, int64_t value, int64_t sign) {
    int64_t *at = &changes[3 * rung(rungs, value)];
    at[0] += sign;
    at[1] += sign * (value >> 32);
    at[2] += sign * (value & 0xFFFFFFFF);
}

#endif
