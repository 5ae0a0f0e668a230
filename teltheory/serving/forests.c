/* A forest on replicas, by policies that go by recency alone: runs are found as requests are sent, behind queues.

   What runs are says `teltheory.replay.trees.runs`, and why two pointers that only move forward cut a strict cache
   `teltheory.replay.trees.recency`. A request is on one replica, so that of its slot there is one, and each
   replica has
   its own `through` of every node, its own pointers, and a list of its requests for them. The cache is closed
   towards
   the root: the deepest run that holds anything says how long a prefix is there.

   What a policy keeps of a path is known once its runs are: it is said of the path alone, and each run keeps
   as much as
   its slot did.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include "serving/queues.h"

typedef struct {
    int64_t n, forced;
    int64_t node_step, replica_step; /* of `through` */
    const int64_t *parent, *depth, *leaf, *ask, *end;
    int64_t *full, *least;                                  /* NULL for whole paths, and for no surplus */
    int64_t *through, *top, *taken, *thief;                 /* as `find_runs` has them; the first two begin as
    -1 */
    int64_t *reach, *following;                             /* slot s holds (taken, reach]; n for no next one */
    int64_t *latest, *trim, *tail, *overflow;               /* of each replica, at first -1, n, n, -capacity */
    int64_t *cached, *written;
} Paths;

INLINED int64_t *through_of(const Paths *paths, int64_t r, int64_t node) {
    return &paths->through[node * paths->node_step + r * paths->replica_step];
}

/* The last request through a node that some request of the replica walked; `through` is one that did. */
INLINED int64_t slot_of_run(const Paths *paths, int64_t through, int64_t depth) {
    while (paths->taken[through] >= depth) through = paths->thief[through];
    return through;
}

/* How deep the cached part of a run reaches, 0 if there is none. */
INLINED int64_t held_of_run(const Paths *paths, int64_t s, int64_t depth) {
    int64_t reach = smaller(depth, paths->reach[s]);
    return where(reach > paths->taken[s], reach);
}

INLINED bool found_of_path(const void *caches, int64_t r, int64_t k, int64_t *reused) {
    const Paths *paths = caches;
    int64_t node = paths->leaf[k], held = 0;
    while (node >= 0 && *through_of(paths, r, node) < 0) node = paths->parent[node];
    while (node >= 0 && held == 0) {
        int64_t s = slot_of_run(paths, *through_of(paths, r, node), paths->depth[node]);
        held = held_of_run(paths, s, paths->depth[node]);
        node = paths->top[s];
    }
    *reused = smaller(held, paths->ask[k]);
    return *reused > 0;
}

/* Take all runs of request k from their slots; return how long the cached prefix was. */
INLINED int64_t take_runs(const Paths *paths, int64_t r, int64_t k) {
    int64_t node = paths->leaf[k], held = 0;
    for (; node >= 0 && *through_of(paths, r, node) < 0; node = paths->parent[node]) *through_of(paths, r,
    node) = k;
    while (node >= 0) {
        int64_t depth = paths->depth[node], *through = through_of(paths, r, node);
        int64_t s = slot_of_run(paths, *through, depth);
        if (held == 0) held = held_of_run(paths, s, depth);
        if (paths->full) paths->full[k] = larger(paths->full[k], smaller(depth, paths->full[s]));
        if (paths->least) paths->least[k] = larger(paths->least[k], smaller(depth, paths->least[s]));
        *through = paths->thief[s] = k;
        paths->taken[s] = depth;
        int64_t above = paths->top[s];
        paths->top[s] = node;
        node = above;
    }
    return held;
}

/* Take units of a replica's slots from a pointer on, down to a floor each, until there is no overflow. */
INLINED void lower(const Paths *paths, int64_t *pointer, int64_t last, int64_t *overflow, const int64_t *least) {
    while (*overflow > 0 && *pointer <= last) {
        int64_t s = *pointer, floor = least ? larger(least[s], paths->taken[s]) : paths->taken[s];
        int64_t gone = larger(paths->reach[s] - floor, 0), taken = smaller(gone, *overflow);
        paths->reach[s] -= taken;
        *overflow -= taken;
        if (*overflow > 0) *pointer = paths->following[s];
    }
}

INLINED void serve_path(const void *caches, int64_t r, int64_t k) {
    const Paths *paths = caches;
    int64_t before = paths->latest[r], held = take_runs(paths, r, k), *overflow = &paths->overflow[r];
    paths->cached[k] = smaller(held, paths->ask[k]);
    paths->written[k] = paths->end[k] - held;
    paths->reach[k] = paths->end[k];
    *overflow += paths->written[k];
    if (before >= 0) paths->following[before] = k;
    paths->following[k] = paths->n;
    paths->latest[r] = k;
    paths->trim[r] = smaller(paths->trim[r], k); /* n waited for the next one */
    paths->tail[r] = smaller(paths->tail[r], k);
    int64_t last = paths->forced ? before : k; /* the last slot under this cut, and this is its first */
    if (last < 0) return;
    int64_t floor = larger(paths->full ? paths->full[last] : paths->end[last], paths->taken[last]);
    int64_t gone = larger(paths->reach[last] - floor, 0);
    paths->reach[last] -= gone;
    *overflow -= gone;
    if (paths->least) lower(paths, &paths->trim[r], last, overflow, paths->least);
    lower(paths, &paths->tail[r], last, overflow, NULL);
}

/* Serve requests; `sent` is for the cache-aware router, and has nodes for it alone. */
void serve_forest(
    int64_t n, int64_t nodes, const int64_t parent[nodes], const int64_t depth[nodes], const int64_t leaf[n],
    const int64_t ask[n], const int64_t end[n], int64_t replicas, int64_t forced, int64_t *full /* [n] */,
    int64_t *least /* [n] */, int64_t through[nodes * replicas], int64_t top[n], int64_t taken[n], int64_t
    thief[n],
    int64_t reach[n], int64_t following[n], int64_t latest[replicas], int64_t trim[replicas],
    int64_t tail[replicas], int64_t overflow[replicas], int64_t cached[n], int64_t written[n], int64_t sessions,
    const int64_t options[3], const double price[6], const double arrival[n], const int64_t session[n],
    const int64_t inputs[n], double free[replicas], int64_t home[sessions], int64_t replica[n], double times[4
    * n],
    int64_t known, const int64_t limits[2], const double rates[3], const int64_t above[known],
    const int64_t length[known], const int64_t *last /* [n] */, const int64_t *asked /* [n] */,
    int64_t sent[(2 * replicas + 1) * known + 5 * replicas + n]) {
    const int64_t tiers = 1;
    int64_t reused[1];
    Queues queues = QUEUES;
    bool all = queues.way == SOONEST; /* looks at all replicas for one node, others at one replica */
    Paths paths = {
        n,     forced, all ? replicas : 1, all ? 1 : nodes, parent, depth,    leaf, ask,      end,    full,
        least, through, top,               taken,           thief,  reach, following, latest, trim, tail,
        overflow, cached, written,
    };
    Sent trees = nothing_sent(n, replicas, known, limits, rates, above, length, last, asked, inputs, sent);
    serve_all(&queues, &trees, &paths, found_of_path, serve_path, reused);
}
