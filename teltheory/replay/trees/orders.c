/* A forest under any orders: strict caches and caches with holes, of which `teltheory.replay.trees.rules` asks a
   policy.

   Each piece holds a prefix of its units. A piece *waits* in two bitsets of places in the policy's orders: for
   trimming while it holds more than is worth keeping, for eviction while it holds anything; in a strict cache only
   while no piece below it holds anything. A piece that loses its last unit may free its parent. O(log visits) for
   each visit and each piece that loses something.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include "replay/bitset.h"
#include "replay/trees/layout.h"

/* Some pieces, by places in an order, the largest first. */
typedef struct {
    Bitset places;
    bool *waits;
    int64_t number;
    const int64_t *place; /* of a visit */
    const int64_t *visit; /* at a place */
} Waiting;

/* What each piece holds, its last visit, how many pieces below it hold anything, its resident mark, who waits; and
   of each visit how much is kept, overflow or not, and how much of that is no surplus. */
typedef struct {
    int64_t *units, *visit, *children, *mark;
    Waiting to_trim, to_evict;
    int64_t *full, *least;
    int64_t safe; /* what T-LRU with resident marks calls safe of a past; otherwise -1 */
    bool eager, strict;
} Held;

static inline void enter(Waiting *waiting, int64_t p, int64_t j) {
    if (waiting->waits[p]) return;
    set_bit(&waiting->places, waiting->place[j]);
    waiting->waits[p] = true;
    waiting->number++;
}

static inline void leave(Waiting *waiting, int64_t p, int64_t j) {
    if (!waiting->waits[p]) return;
    clear_bit(&waiting->places, waiting->place[j]);
    waiting->waits[p] = false;
    waiting->number--;
}

/* Let a piece wait that may lose units. */
static inline void let_wait(Held *held, int64_t p, int64_t j) {
    if (held->units[p] > held->least[j]) enter(&held->to_trim, p, j);
    if (held->units[p] > 0) enter(&held->to_evict, p, j);
}

/* Set the mark of a piece of one unit, which forgets it if the unit was not cached, and what follows of it. */
static inline void mark_resident(const Layout *layout, Held *held, int64_t k, int64_t j) {
    int64_t p = layout->piece[j];
    held->mark[p] = larger(held->units[p] > 0 ? held->mark[p] : 0, layout->end[k]);
    bool kept = layout->above[p] < larger(held->mark[p] - held->safe, 0);
    held->least[j] = smaller(held->full[j], kept);
    if (held->eager) held->full[j] = held->least[j];
}

/* Fill the path of request k; write what it hits and what it adds. */
static inline void serve(const Layout *layout, Held *held, int64_t k) {
    int64_t hits = 0, added = 0;
    bool leading = true;
    for (int64_t j = layout->start[k]; j < layout->start[k + 1]; j++) {
        int64_t p = layout->piece[j], before = held->units[p], length = layout->length[p];
        if (held->visit[p] >= 0) {
            leave(&held->to_trim, p, held->visit[p]);
            leave(&held->to_evict, p, held->visit[p]);
        }
        if (held->safe >= 0) mark_resident(layout, held, k, j);
        hits += where(leading, before);
        leading = leading && before == length;
        if (before == 0 && layout->parent[p] >= 0) held->children[layout->parent[p]]++;
        added += length - before;
        held->units[p] = length;
        held->visit[p] = j;
    }
    layout->cached[k] = smaller(hits, layout->ask[k]);
    layout->written[k] = added;
}

/* Bring a path under its first cut, the deepest piece first; return the units that are dropped at once. */
static inline int64_t drop(const Layout *layout, Held *held, int64_t ended) {
    int64_t dropped = 0;
    for (int64_t j = layout->start[ended + 1] - 1; j >= layout->start[ended]; j--) {
        int64_t p = layout->piece[j];
        if (held->visit[p] != j || (held->strict && held->children[p] > 0)) continue;
        dropped += held->units[p] - held->full[j];
        held->units[p] = held->full[j];
        let_wait(held, p, j);
        if (held->units[p] == 0 && layout->parent[p] >= 0) held->children[layout->parent[p]]--;
    }
    return dropped;
}

/* Take units of the piece that visit j left, down to the floor; return how many. */
static inline int64_t take(Held *held, int64_t p, int64_t j, int64_t floor, int64_t overflow) {
    int64_t taken = smaller(held->units[p] - floor, overflow);
    held->units[p] -= taken;
    if (held->units[p] <= held->least[j]) leave(&held->to_trim, p, j);
    if (held->units[p] == 0) leave(&held->to_evict, p, j);
    return taken;
}

/* Tell the parent of an empty piece; in a strict cache it may now wait, if its last visit is under this cut. */
static inline void free_parent(const Layout *layout, Held *held, int64_t p, int64_t exempt) {
    int64_t above = layout->parent[p];
    if (above < 0) return;
    held->children[above]--;
    int64_t i = held->visit[above];
    if (held->strict && held->children[above] == 0 && i < exempt) let_wait(held, above, i);
}

/* Lose units, surplus before the rest, until there is no overflow; visits from `exempt` on lose none. */
static inline void cut(const Layout *layout, Held *held, int64_t overflow, int64_t exempt) {
    while (overflow > 0) {
        bool trims = held->to_trim.number > 0;
        Waiting *first = trims ? &held->to_trim : &held->to_evict;
        int64_t j = first->visit[largest_bit(&first->places)], p = layout->piece[j];
        overflow -= take(held, p, j, trims ? held->least[j] : 0, overflow);
        if (held->units[p] == 0) free_parent(layout, held, p, exempt);
    }
}

/* Replay a policy by what it says of every visit; nobody sees the last cut, for which there may be no room.

   `units` has what each piece holds, its mark, and how many below it hold anything, all 0 at first; `visit` is -1
   then. `full` and `least` of visits change where marks are resident (`safe` is 0 or more). */
void replay_orders(int64_t n, int64_t pieces, int64_t visits, const int64_t parent[pieces],
                   const int64_t length[pieces], const int64_t above[pieces], const int64_t start[n + 1],
                   const int64_t piece[visits], const int64_t ask[n], const int64_t end[n], int64_t capacity,
                   int64_t exempt, int64_t cached[n], int64_t written[n], int64_t full[visits],
                   int64_t least[visits], const int64_t trimming[visits], const int64_t trimmed[visits],
                   const int64_t eviction[visits], const int64_t evicted[visits], int64_t safe, int64_t eager,
                   int64_t strict,
                   int64_t units[3 * pieces], int64_t visit[pieces], bool waits[2 * pieces],
                   uint64_t to_trim[visits / 63 + 12], uint64_t to_evict[visits / 63 + 12]) {
    Layout layout = {parent, length, above, start, piece, ask, end, cached, written};
    Held held = {units, visit, units + pieces, units + 2 * pieces,
                 {new_bitset(visits, to_trim), waits, 0, trimming, trimmed},
                 {new_bitset(visits, to_evict), waits + pieces, 0, eviction, evicted},
                 full, least, safe, eager, strict};
    int64_t overflow = -capacity;
    for (int64_t k = 0; k < n; k++) {
        serve(&layout, &held, k);
        overflow += written[k];
        int64_t ended = k - exempt;
        if (ended < 0 || k == n - 1) continue;
        overflow -= drop(&layout, &held, ended);
        cut(&layout, &held, overflow, start[ended + 1]);
        overflow = smaller(overflow, 0);
    }
}
