/* Sums over the slots that are more recent than one, as slots are added at the end and removed anywhere.

   A binary tree over the slots; node 1 is the root, the leaf of slot s is node size + s. A node gets its sum when
   the last slot below it is added. It is not read before, or what is read is masked, so adding takes amortised
   O(1). What lies between a slot and the end is found, and a weight taken from the slot, in one climb of
   O(log distance): a reuse that is near costs little however long the trace. */
#ifndef TELTHEORY_OCCUPANCY_H
#define TELTHEORY_OCCUPANCY_H

#include "base/numbers.h"

typedef struct {
    int64_t *node;
    int64_t size;
} Sums;

/* How many leaves a tree of so many slots has: less than 2 * slots, and 1 without a slot. */
static inline int64_t leaves_of(int64_t slots) {
    int64_t size = 1;
    while (size < slots) size *= 2;
    return size;
}

/* The tree of slots that are still to be added, in room for 4 * slots + 4 numbers. */
static inline Sums new_sums(int64_t slots, int64_t *room) { return (Sums){room, leaves_of(slots)}; }

/* Add the next slot, with its weight. */
static inline void add_slot(Sums sums, int64_t slot, int64_t weight) {
    int64_t at = sums.size + slot;
    sums.node[at] = weight;
    for (; at & 1 && at > 1; at >>= 1) sums.node[at >> 1] = sums.node[at - 1] + sums.node[at];
}

/* Take a weight from a slot; return the sum of the slots after it, before `end`, the next slot to be added. */
static inline int64_t take(Sums sums, int64_t slot, int64_t weight, int64_t end) {
    int64_t at = sums.size + slot, last = sums.size + end, found = 0;
    for (; at + 1 < last; at >>= 1, last >>= 1) {
        found += where(~at & 1, sums.node[at | 1]) + where(last & 1, sums.node[last & -2]);
        sums.node[at] -= weight;
    }
    for (; at < last; at >>= 1, last >>= 1) sums.node[at] -= weight;
    return found;
}

#endif
