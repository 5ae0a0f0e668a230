/* Module sets: one slot a use, and a cut after the last use of each request.

   What a slot holds is stored; a slot whose item came back holds nothing and is passed over. A slot enters at its
   first cut, where it is lowered to `full`, which is what is kept of it; `least` of that is no surplus.

   1. Policies with fixed orders of trimming and eviction. A slot waits in a bitset of places for each while it may
      lose something there. O(log uses) for each slot that loses something.
   2. Round-robin trimming of tokens, then eviction by recency. Surpluses are in a segment tree over the items
      (`replay/rounds.h`), the rest behind a pointer that only moves forward.
   3. Policies whose order depends on what happened since an item was added. Items wait in a heap by key, among
      equals the least recent first.

   Whole items go at once, so that more may be freed than overflows. The sizes of all uses add up to less than
   2^63. */

#include <stddef.h>

#include "replay/bitset.h"
#include "replay/heap.h"
#include "replay/rounds.h"

enum { BY_ENTRY, BY_READS, PROTECTED, BY_VALUE };

/* Use p is of item `item[p]` of size `size[p]`, whose use before is `previous[p]`; request k of n has the uses
   from `offsets[k]` to `offsets[k + 1]`. */
typedef struct {
    int64_t n, uses, capacity, forced, whole;
    const int64_t *offsets, *item, *size, *previous;
    int64_t *cached;
} Sets;

/* The first use that is exempt from the cut after request k. */
static inline int64_t exempt_from(const Sets *sets, int64_t k) { return sets->offsets[sets->forced ? k : k + 1]; }

/* Whether there is a cut after request k: under forced caching there is none after the last one. */
static inline bool is_cut(const Sets *sets, int64_t k) { return !sets->forced || k < sets->n - 1; }

/* Serve request k from the old slots of its items, fill the new ones; return by how much the cache grows. */
INLINED int64_t serve(const Sets *sets, int64_t *holds, int64_t k) {
    int64_t reused = 0, grown = 0;
    for (int64_t p = sets->offsets[k]; p < sets->offsets[k + 1]; p++) {
        int64_t before = sets->previous[p];
        if (before >= 0) {
            reused += holds[before];
            holds[before] = 0;
        }
        holds[p] = sets->size[p];
        grown += sets->size[p];
    }
    sets->cached[k] = reused;
    return grown - reused;
}

/* Slots by their places in an order, and the places of those that wait. */
typedef struct {
    int64_t *slot;
    Bitset waiting;
} Order;

INLINED Order new_order(int64_t uses, const int64_t *places, int64_t *slot, uint64_t *words) {
    for (int64_t s = 0; s < uses; s++) slot[places[s]] = s;
    return (Order){slot, new_bitset(uses, words)};
}

/* Lower slots to the floor (NULL: to nothing), in order, until there is no overflow; return what is left of that.
   */
INLINED int64_t lower(const Sets *sets, int64_t *holds, const int64_t *floor, Order *order, int64_t overflow) {
    while (overflow > 0 && !is_empty(&order->waiting)) {
        int64_t place = largest_bit(&order->waiting), s = order->slot[place];
        int64_t above = floor ? larger(holds[s] - floor[s], 0) : holds[s];
        int64_t taken = sets->whole ? above : smaller(above, overflow);
        holds[s] -= taken;
        overflow -= taken;
        if (taken == above) clear_bit(&order->waiting, place);
    }
    return overflow;
}

/* Replay a policy by `full`, `least` and the places of slots in its two orders, the largest first. */
void replay_sets_by_orders(int64_t n, int64_t uses, const int64_t offsets[n + 1], const int64_t item[uses],
                           const int64_t size[uses], const int64_t previous[uses], int64_t capacity,
                           int64_t forced, int64_t whole, int64_t cached[n], const int64_t full[uses],
                           const int64_t least[uses], const int64_t trimming[uses], const int64_t eviction[uses],
                           int64_t holds[uses], int64_t slots[2 * uses], uint64_t words[2 * (uses / 63 + 12)]) {
    Sets sets = {n, uses, capacity, forced, whole, offsets, item, size, previous, cached};
    Order trim = new_order(uses, trimming, slots, words);
    Order evict = new_order(uses, eviction, slots + uses, words + uses / 63 + 12);
    int64_t overflow = -capacity, entered = 0;
    for (int64_t k = 0; k < n; k++) {
        overflow += serve(&sets, holds, k);
        for (; entered < exempt_from(&sets, k); entered++) {
            int64_t gone = larger(holds[entered] - full[entered], 0);
            holds[entered] -= gone;
            overflow -= gone;
            if (holds[entered] > least[entered]) set_bit(&trim.waiting, trimming[entered]);
            if (holds[entered] > 0) set_bit(&evict.waiting, eviction[entered]);
        }
        if (!is_cut(&sets, k)) break;
        overflow = lower(&sets, holds, least, &trim, overflow);
        overflow = lower(&sets, holds, NULL, &evict, overflow);
    }
}

/* Replay round-robin trimming; `rank` numbers each use's item by first use. A slot holds no surplus itself. */
void replay_sets_in_rounds(int64_t n, int64_t uses, const int64_t offsets[n + 1], const int64_t item[uses],
                           const int64_t size[uses], const int64_t previous[uses], int64_t capacity,
                           int64_t forced, int64_t whole, int64_t cached[n], const int64_t full[uses],
                           const int64_t least[uses], const int64_t rank[uses], int64_t holds[uses],
                           int64_t leaves, int64_t nodes[12 * leaves]) {
    Sets sets = {n, uses, capacity, forced, whole, offsets, item, size, previous, cached};
    Tree tree = new_tree(leaves, nodes);
    int64_t overflow = -capacity, entered = 0, tail = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t trimmable = 0;
        for (int64_t p = offsets[k]; p < offsets[k + 1]; p++) trimmable += exchange(tree, rank[p], 0);
        overflow += serve(&sets, holds, k) - trimmable;
        cached[k] += trimmable;
        for (; entered < exempt_from(&sets, k); entered++) {
            if (holds[entered] == 0) continue; /* its item came back */
            overflow -= holds[entered] - full[entered];
            holds[entered] = least[entered];
            exchange(tree, rank[entered], full[entered] - least[entered]);
        }
        if (!is_cut(&sets, k)) break;
        if (overflow > 0) overflow = trim_rounds(tree, overflow);
        while (overflow > 0) {
            int64_t taken = smaller(holds[tail], overflow);
            holds[tail] -= taken;
            overflow -= taken;
            tail += holds[tail] == 0;
        }
    }
}

/* Replay FIFO, LFU, SLRU or a greedy-dual policy of a weight for each item.

   Of each item it is known how many tokens are held, its reads and its first use since it was added, and its key,
   its last use and its place in the heap. */
void replay_sets_by_residence(int64_t n, int64_t uses, const int64_t offsets[n + 1], const int64_t item[uses],
                              const int64_t size[uses], const int64_t previous[uses], int64_t capacity,
                              int64_t forced, int64_t whole, int64_t cached[n], int64_t kind, int64_t items,
                              const double weight[items], int64_t holds[items], int64_t reads[items],
                              int64_t since[items], int64_t turn[items], int64_t order[items],
                              int64_t place[items], double key[items]) {
    Sets sets = {n, uses, capacity, forced, whole, offsets, item, size, previous, cached};
    Heaps heaps = {.order = {order}, .place = place, .turn = turn, .key = key};
    int64_t overflow = -capacity, entered = 0;
    double clock = 0.0;
    for (int64_t k = 0; k < n; k++) {
        cached[k] = 0;
        for (int64_t p = offsets[k]; p < offsets[k + 1]; p++) {
            int64_t i = item[p], held = holds[i];
            pull(&heaps, 0, i);
            since[i] = held ? since[i] : p;
            reads[i] = held ? reads[i] + 1 : 1;
            holds[i] = size[p];
            turn[i] = p;
            cached[k] += held;
            overflow += size[p] - held;
        }
        for (; entered < exempt_from(&sets, k); entered++) {
            int64_t i = item[entered];
            if (turn[i] != entered) continue; /* it came back */
            key[i] = kind == BY_ENTRY    ? (double)since[i]
                     : kind == BY_READS  ? (double)reads[i]
                     : kind == PROTECTED ? (double)(reads[i] >= 2)
                                         : clock + (double)reads[i] * weight[i];
            push(&heaps, 0, i);
        }
        if (!is_cut(&sets, k)) break;
        while (overflow > 0) {
            int64_t i = order[0], taken = whole ? holds[i] : smaller(holds[i], overflow);
            if (kind == BY_VALUE && key[i] > clock) clock = key[i];
            holds[i] -= taken;
            overflow -= taken;
            if (holds[i] == 0) pull(&heaps, 0, i);
        }
    }
}
