/* A forest in exclusive tiers, under any orders: the pieces of ``replay/trees/orders.c`` in several tiers.

   Each piece (`teltheory.replay.trees.visits`) has its first units in tier 0, the next in tier 1, and so on. A
   piece *waits* in a tier, in two sets of places in that tier's orders, while it is a leaf of the tier, which is
   if no piece below it has units there: for trimming while what tiers 0 to it hold is more than is worth keeping
   there, for eviction while the tier holds anything of it. Surplus goes before the rest, of a piece the deepest
   unit.

   What leaves a tier is the head of the piece's part of the next, which is cut at once; from the last it is
   gone. A piece that has left a tier may make its parent a leaf. Several units of a piece that go one after the
   other are as one step: while they arrive, each goes through or leaves in its place what the order says, and
   nobody else comes.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include "replay/tiers/members.h"

enum { TRIM, EVICT };

/* What is read: of pieces, requests and visits; and a row a tier of what of a piece is kept, overflow or not, of
   what is no surplus, and two of places, with the visits at them. */
typedef struct {
    int64_t n, tiers, pieces, visits;
    const int64_t *parent, *length, *start, *piece, *ask, *end;
    const int64_t *capacity, *full, *least, *place, *at;
} Read;

/* What is written of requests, a row a tier, or a row a slower tier. */
typedef struct {
    int64_t *cached, *written, *copied, *loaded;
} Moved;

/* What each tier holds of a piece, how many pieces right below it have units there, and how much of what it holds
   sank there in this step, a row a piece; a piece's last visit; what tiers hold in all; the pieces that sank; who
   waits; and the first visit that no cut of tier 0 touches. */
typedef struct {
    int64_t *units, *children, *sunk, *visit, *used, *changed, number, exempt;
    Members waiting;
} Tree;

/* Units of a piece that tiers 0 to i hold. */
static inline int64_t down_to(const Read *read, const Tree *tree, int64_t i, int64_t p) {
    return sum_of(i + 1, &tree->units[p * read->tiers]);
}

static inline int64_t place_of(const Read *read, int64_t i, int64_t way, int64_t j) {
    return read->place[(2 * i + way) * read->visits + j];
}

/* Let a piece wait in a tier for what it may lose there, and for nothing else. */
static inline void let_wait(const Read *read, Tree *tree, int64_t i, int64_t p) {
    int64_t j = tree->visit[p], units = tree->units[p * read->tiers + i];
    bool leaf = units > 0 && tree->children[p * read->tiers + i] == 0 && (i > 0 || j < tree->exempt);
    bool surplus = leaf && down_to(read, tree, i, p) > read->least[i * read->visits + j];
    if (surplus)
        enter(&tree->waiting, 2 * i + TRIM, place_of(read, i, TRIM, j));
    else
        leave(&tree->waiting, 2 * i + TRIM, place_of(read, i, TRIM, j));
    if (leaf)
        enter(&tree->waiting, 2 * i + EVICT, place_of(read, i, EVICT, j));
    else
        leave(&tree->waiting, 2 * i + EVICT, place_of(read, i, EVICT, j));
}

/* Count a piece among, or no longer among, those below its parent that have units in a tier. */
static inline void count_child(const Read *read, Tree *tree, int64_t i, int64_t p, int64_t change) {
    if (read->parent[p] >= 0) tree->children[read->parent[p] * read->tiers + i] += change;
}

static void cut(const Read *read, Tree *tree, int64_t i);

/* Take units of a piece out of a tier, the deepest that it holds there, and let them sink. */
static void sink(const Read *read, Tree *tree, int64_t i, int64_t p, int64_t taken) {
    int64_t *units = &tree->units[p * read->tiers + i];
    units[0] -= taken;
    tree->used[i] -= taken;
    if (i + 1 < read->tiers) {
        bool first = units[1] == 0;
        if (sum_of(read->tiers - 1, &tree->sunk[p * read->tiers + 1]) == 0) tree->changed[tree->number++] = p;
        if (first) count_child(read, tree, i + 1, p, 1);
        tree->sunk[p * read->tiers + i + 1] += taken;
        tree->used[i + 1] += taken;
        units[1] += taken;
        int64_t kept = read->full[(i + 1) * read->visits + tree->visit[p]], gone = 0;
        if (first && tree->children[p * read->tiers + i + 1] == 0) /* leaves, one after the other */
            gone = smaller(larger(down_to(read, tree, i + 1, p) - kept, 0), taken);
        if (gone > 0) sink(read, tree, i + 1, p, gone);
        let_wait(read, tree, i + 1, p);
        cut(read, tree, i + 1);
    }
    let_wait(read, tree, i, p);
    if (units[0] > 0) return;
    count_child(read, tree, i, p, -1);
    if (read->parent[p] >= 0) let_wait(read, tree, i, read->parent[p]);
}

/* Let leaves of a tier go until it fits. */
static void cut(const Read *read, Tree *tree, int64_t i) {
    while (tree->used[i] > read->capacity[i]) {
        int64_t which = 2 * i + TRIM, place = largest(&tree->waiting, which), surplus = 0;
        if (place < 0) place = largest(&tree->waiting, ++which);
        int64_t j = read->at[which * read->visits + place], p = read->piece[j];
        int64_t units = tree->units[p * read->tiers + i];
        if (which == 2 * i + TRIM) surplus = down_to(read, tree, i, p) - read->least[i * read->visits + j];
        if (surplus > 0) units = smaller(units, surplus);
        sink(read, tree, i, p, smaller(units, tree->used[i] - read->capacity[i]));
    }
}

/* Move the path of request k to tier 0, the root first; write what it finds. */
static void serve(const Read *read, Tree *tree, const Moved *moved, int64_t k) {
    int64_t tiers = read->tiers, left = read->ask[k], path = 0;
    for (int64_t i = 0; i < tiers; i++) moved->cached[i * read->n + k] = 0;
    for (int64_t j = read->start[k]; j < read->start[k + 1]; j++) {
        int64_t p = read->piece[j], *units = &tree->units[p * tiers], before = tree->visit[p];
        for (int64_t i = 0; i < tiers; i++) {
            if (units[i] == 0) continue;
            moved->cached[i * read->n + k] += units[i];
            path += units[i];
            tree->used[i] -= units[i];
            units[i] = 0;
            count_child(read, tree, i, p, -1);
            leave(&tree->waiting, 2 * i + TRIM, place_of(read, i, TRIM, before));
            leave(&tree->waiting, 2 * i + EVICT, place_of(read, i, EVICT, before));
        }
        units[0] = read->length[p];
        tree->used[0] += units[0];
        count_child(read, tree, 0, p, 1);
        tree->visit[p] = j;
    }
    moved->written[k] = read->end[k] - path;
    for (int64_t i = 0; i < tiers; i++) { /* of the input, the path's first units */
        int64_t *found = &moved->cached[i * read->n + k];
        if (i > 0) moved->loaded[(i - 1) * read->n + k] = *found;
        *found = smaller(*found, left);
        left -= *found;
    }
}

/* Bring a path under its first cut, the deepest piece first: let sink what is not kept, overflow or not. */
static void release(const Read *read, Tree *tree, int64_t ended) {
    for (int64_t j = read->start[ended + 1] - 1; j >= read->start[ended]; j--) {
        int64_t p = read->piece[j], at = p * read->tiers;
        if (tree->visit[p] != j) continue;
        let_wait(read, tree, 0, p);
        if (tree->children[at] == 0 && tree->units[at] > read->full[j])
            sink(read, tree, 0, p, tree->units[at] - read->full[j]);
    }
}

/* Write what sank to each tier in this step and is there; a piece's units arrive above those that go. */
static void settle(const Read *read, Tree *tree, const Moved *moved, int64_t k) {
    for (int64_t i = 1; i < read->tiers; i++) moved->copied[(i - 1) * read->n + k] = 0;
    while (tree->number > 0) {
        int64_t p = tree->changed[--tree->number];
        for (int64_t i = 1; i < read->tiers; i++) {
            int64_t at = p * read->tiers + i;
            moved->copied[(i - 1) * read->n + k] += smaller(tree->sunk[at], tree->units[at]);
            tree->sunk[at] = 0;
        }
    }
}

/* Replay; under forced caching a path is left out of its own cut, and the last may not fit: then nothing is cut.

   `state` has what tiers hold of pieces, children and what sank, a row a piece, and what they hold in all, all 0
   at first; `visit` and `high` are -1 then, and `bits` are 0. */
void replay_tree_in_tiers(int64_t n, int64_t tiers, int64_t pieces, int64_t visits, const int64_t parent[pieces],
                          const int64_t length[pieces], const int64_t start[n + 1], const int64_t piece[visits],
                          const int64_t ask[n], const int64_t end[n], const int64_t capacity[tiers],
                          const int64_t full[tiers * visits],
                          const int64_t least[tiers * visits], const int64_t place[2 * tiers * visits],
                          const int64_t at[2 * tiers * visits], int64_t forced,
                          int64_t state[(3 * pieces + 1) * tiers], int64_t visit[pieces], int64_t changed[pieces],
                          uint64_t bits[2 * tiers * (visits / 63 + 12)], int64_t high[2 * tiers],
                          int64_t cached[tiers * n], int64_t written[n], int64_t copied[(tiers - 1) * n],
                          int64_t loaded[(tiers - 1) * n]) {
    Read read = {n,   tiers, pieces,   visits, parent, length, start, piece,
                 ask, end,   capacity, full,   least,  place,  at};
    Moved moved = {cached, written, copied, loaded};
    int64_t size = pieces * tiers;
    Tree tree = {state, state + size, state + 2 * size, visit, state + 3 * size, changed, 0, 0,
                 members_below(visits, bits, high)};
    for (int64_t k = 0; k < n; k++) {
        serve(&read, &tree, &moved, k);
        int64_t ended = forced ? k - 1 : k;
        tree.exempt = start[ended + 1];
        if (!forced || end[k] <= capacity[0]) {
            if (ended >= 0) release(&read, &tree, ended);
            cut(&read, &tree, 0);
        }
        settle(&read, &tree, &moved, k);
    }
}
