/* Two queues of units that find their smallest and lose any: binary heaps by key, among equals by turn.

   No unit is before its parent, at (i - 1) / 2 in its heap. A unit's key and turn do not change while it is in
   one. */
#ifndef TELTHEORY_HEAP_H
#define TELTHEORY_HEAP_H

#include "base/numbers.h"

/* Units in the order of each heap, and how many; each unit's place in its heap, -1 if it is in none. */
typedef struct {
    int64_t *order[2], number[2];
    int64_t *place, *turn;
    double *key;
} Heaps;

static inline bool goes_before(const Heaps *heaps, int64_t u, int64_t v) {
    double first = heaps->key[u], second = heaps->key[v];
    return first < second || (first == second && heaps->turn[u] < heaps->turn[v]);
}

static inline void put(Heaps *heaps, int64_t q, int64_t i, int64_t u) {
    heaps->order[q][i] = u;
    heaps->place[u] = i;
}

/* Put a unit at a place and move it up or down to where it belongs. */
static inline void settle(Heaps *heaps, int64_t q, int64_t i, int64_t u) {
    const int64_t *order = heaps->order[q], number = heaps->number[q];
    for (; i > 0 && goes_before(heaps, u, order[(i - 1) / 2]); i = (i - 1) / 2)
        put(heaps, q, i, order[(i - 1) / 2]);
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child + 1 < number) child += goes_before(heaps, order[child + 1], order[child]);
        if (child >= number || !goes_before(heaps, order[child], u)) break;
        put(heaps, q, i, order[child]);
        i = child;
    }
    put(heaps, q, i, u);
}

/* Add a unit that is in neither heap. */
static inline void push(Heaps *heaps, int64_t q, int64_t u) { settle(heaps, q, heaps->number[q]++, u); }

/* Remove a unit if it is there; its key and turn must be what they were. */
static inline void pull(Heaps *heaps, int64_t q, int64_t u) {
    int64_t i = heaps->place[u];
    if (i < 0) return;
    heaps->place[u] = -1;
    int64_t last = heaps->order[q][--heaps->number[q]];
    if (last != u) settle(heaps, q, i, last);
}

#endif
