/* Every way in which an overflow can be taken from the surpluses, on tiny worlds.

   The set of reachable cache states is an array of flags over the states of optimum.h; recency and pasts are the
   same in all of them. */
#ifndef TELTHEORY_CLAIMS_ORDERS_H
#define TELTHEORY_CLAIMS_ORDERS_H

#include "claims/compiled/optimum.h"
#include "claims/compiled/simulator.h"

/* Count up in `taken`, each digit up to the surplus; return whether there was one more. */
static inline bool next_taking(Tiny *tiny) {
    for (int64_t c = 0; c < tiny->known; c++) {
        if (tiny->taken[c] < tiny->surplus[c]) {
            tiny->taken[c]++;
            return true;
        }
        tiny->taken[c] = 0;
    }
    return false;
}

/* The state after what was taken is trimmed and the rest evicted, least recent first. */
static inline int64_t evicted_state(const Tiny *tiny, int64_t over) {
    int64_t index = 0;
    for (int64_t i = 0; i < tiny->known; i++) {
        int64_t c = tiny->order[i], kept = tiny->cached[c] - tiny->taken[c], evicted = smaller(kept, over);
        over -= evicted;
        index += (kept - evicted) * tiny->stride[c];
    }
    return index;
}

static inline void cut_in_every_way(Tiny *tiny, int kind, int64_t level, int64_t *after) {
    int64_t over = larger(0, sum_of(tiny->known, tiny->cached) - tiny->capacity);
    find_surplus(tiny, kind, level, -1);
    for (int64_t c = 0; c < tiny->known; c++) tiny->taken[c] = 0;
    int64_t amount = smaller(over, sum_of(tiny->known, tiny->surplus));
    do {
        if (sum_of(tiny->known, tiny->taken) == amount) after[evicted_state(tiny, over - amount)] = true;
    } while (next_taking(tiny));
}

static inline void cut_states(Tiny *tiny, int64_t size, const int64_t *reachable, int64_t *after, int64_t turn,
                              int kind, int64_t level) {
    int64_t arriving = tiny->label[turn];
    int64_t whole = kind == EXACT && tiny->next[turn] == tiny->turns ? 0 : tiny->cached[arriving];
    for (int64_t index = 0; index < size; index++) after[index] = false;
    for (int64_t index = 0; index < size; index++) {
        if (!reachable[index]) continue;
        for (int64_t c = 0; c < tiny->known; c++) tiny->cached[c] = c == arriving ? whole : digit(tiny, index, c);
        cut_in_every_way(tiny, kind, level, after);
    }
}

/* Append the smallest excess of each turn over all orders, then the largest.

   With EXACT budgets know the next prompt, and conversations are dropped right after their last turn. */
static inline void put_fewest_and_most(Tiny *tiny, int kind, int64_t level) {
    int64_t n = tiny->turns, size = find_strides(tiny), *reachable = tiny->states, *after = reachable + size;
    int64_t *fewest = tiny->values + tiny->number, *most = fewest + n;
    for (int64_t index = 0; index < size; index++) reachable[index] = index == 0;
    begin(tiny);
    for (int64_t turn = 0; turn < n; turn++) {
        fewest[turn] = tiny->total[turn], most[turn] = -1;
        for (int64_t index = 0; index < size; index++) {
            if (!reachable[index]) continue;
            int64_t excess = larger(0, tiny->total[turn] - digit(tiny, index, tiny->label[turn]) - tiny->xi);
            fewest[turn] = smaller(fewest[turn], excess);
            most[turn] = larger(most[turn], excess);
        }
        arrive(tiny, turn);
        if (turn == n - 1) break;
        cut_states(tiny, size, reachable, after, turn, kind, level);
        int64_t *before = reachable;
        reachable = after;
        after = before;
    }
    tiny->number += 2 * n;
}

#endif
