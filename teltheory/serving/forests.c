/* A forest on replicas, by policies that go by recency alone: runs are found as requests are sent.

   What runs are says `teltheory.replay.trees.runs`, and why two pointers that only move forward cut a strict cache
   `teltheory.replay.trees.recency`. A request is on one replica, so that of its slot there is one. Each replica
   has its own `through` of every node, its own pointers, and a list of its requests for them. A cache is closed
   towards the root: the deepest run that holds anything says how long a prefix is there.

   What a policy keeps of a path is known once its runs are: it is said of the path alone, and each run keeps as
   much as its slot did. Exclusive tiers are the differences of caches of S_i = C_0 + ... + C_i (rows
   `tiers.difference.*`): one cache a tier over the same runs, each with pointers of its own.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include "serving/queues.h"

typedef struct {
    int64_t n, tiers, forced, replicas;
    int64_t node_step, replica_step; /* of `through` */
    const int64_t *parent, *depth, *leaf, *ask, *end;
    int64_t *full, *least;                    /* NULL for whole paths, and for no surplus */
    int64_t *through, *top, *taken, *thief;   /* as `find_runs` has them; the first two begin as -1 */
    int64_t *reach, *following;               /* slot s holds (taken, reach], a row a tier; n for no next slot */
    int64_t *latest, *trim, *tail, *overflow; /* of replicas, but for the first a row a tier; -1, n, n, -S_i */
    int64_t *held;                            /* room for a number a tier */
    int64_t *cached, *written, *loaded;       /* of requests, but for `written` a row a tier or a slower one */
} Paths;

INLINED int64_t *through_of(const Paths *paths, int64_t r, int64_t node) {
    return &paths->through[node * paths->node_step + r * paths->replica_step];
}

/* The last request through a node that some request of the replica walked; `through` is one that did. */
INLINED int64_t slot_of_run(const Paths *paths, int64_t through, int64_t depth) {
    while (paths->taken[through] >= depth) through = paths->thief[through];
    return through;
}

INLINED void find_nothing(const Paths *paths) {
    for (int64_t i = 0; i < paths->tiers; i++) paths->held[i] = 0;
}

/* Let caches that found nothing further down look at a run; return whether the smallest found something. */
INLINED bool look_at_run(const Paths *paths, int64_t s, int64_t depth) {
    for (int64_t i = 0; i < paths->tiers; i++) {
        int64_t reach = smaller(depth, paths->reach[i * paths->n + s]);
        if (paths->held[i] == 0) paths->held[i] = where(reach > paths->taken[s], reach);
    }
    return paths->held[0] > 0;
}

/* Write what request k reuses of each tier, `step` numbers apart: what a cache has beyond the one before it. */
INLINED void write_reused(const Paths *paths, int64_t k, int64_t *reused, int64_t step) {
    int64_t before = 0;
    for (int64_t i = 0; i < paths->tiers; i++) {
        int64_t reach = smaller(paths->held[i], paths->ask[k]);
        reused[i * step] = reach - before;
        before = reach;
    }
}

INLINED bool found_of_path(const void *caches, int64_t r, int64_t k, int64_t *reused) {
    const Paths *paths = caches;
    int64_t node = paths->leaf[k];
    find_nothing(paths);
    while (node >= 0 && *through_of(paths, r, node) < 0) node = paths->parent[node];
    while (node >= 0) {
        int64_t s = slot_of_run(paths, *through_of(paths, r, node), paths->depth[node]);
        if (look_at_run(paths, s, paths->depth[node])) break;
        node = paths->top[s];
    }
    write_reused(paths, k, reused, 1);
    return paths->held[paths->tiers - 1] > 0;
}

/* Take all runs of request k from their slots, and find how long a prefix each cache has. */
INLINED void take_runs(const Paths *paths, int64_t r, int64_t k) {
    int64_t node = paths->leaf[k];
    find_nothing(paths);
    for (; node >= 0 && *through_of(paths, r, node) < 0; node = paths->parent[node])
        *through_of(paths, r, node) = k;
    while (node >= 0) {
        int64_t depth = paths->depth[node], *through = through_of(paths, r, node);
        int64_t s = slot_of_run(paths, *through, depth);
        look_at_run(paths, s, depth);
        if (paths->full) paths->full[k] = larger(paths->full[k], smaller(depth, paths->full[s]));
        if (paths->least) paths->least[k] = larger(paths->least[k], smaller(depth, paths->least[s]));
        *through = paths->thief[s] = k;
        paths->taken[s] = depth;
        int64_t above = paths->top[s];
        paths->top[s] = node;
        node = above;
    }
}

/* Take units of a replica's slots from a pointer on, down to a floor each, until there is no overflow. */
INLINED void lower(const Paths *paths, int64_t *reach, int64_t *pointer, int64_t last, int64_t *overflow,
                   const int64_t *least) {
    while (*overflow > 0 && *pointer <= last) {
        int64_t s = *pointer, floor = least ? larger(least[s], paths->taken[s]) : paths->taken[s];
        int64_t gone = larger(reach[s] - floor, 0), taken = smaller(gone, *overflow);
        reach[s] -= taken;
        *overflow -= taken;
        if (*overflow > 0) *pointer = paths->following[s];
    }
}

/* Cut cache i of a replica after request k; `last` is the last slot under this cut, which is its first. */
INLINED void cut_cache(const Paths *paths, int64_t i, int64_t r, int64_t k, int64_t last) {
    int64_t *reach = &paths->reach[i * paths->n], which = i * paths->replicas + r;
    int64_t *trim = &paths->trim[which], *tail = &paths->tail[which], *overflow = &paths->overflow[which];
    *trim = smaller(*trim, k); /* n waited for the next one */
    *tail = smaller(*tail, k);
    if (last < 0) return;
    int64_t floor = larger(paths->full ? paths->full[last] : paths->end[last], paths->taken[last]);
    int64_t gone = larger(reach[last] - floor, 0);
    reach[last] -= gone;
    *overflow -= gone;
    if (paths->least) lower(paths, reach, trim, last, overflow, paths->least);
    lower(paths, reach, tail, last, overflow, NULL);
}

INLINED void serve_path(const void *caches, int64_t r, int64_t k) {
    const Paths *paths = caches;
    int64_t before = paths->latest[r], end = paths->end[k], written = 0;
    take_runs(paths, r, k);
    write_reused(paths, k, &paths->cached[k], paths->n);
    if (before >= 0) paths->following[before] = k;
    paths->following[k] = paths->n;
    paths->latest[r] = k;
    for (int64_t i = 0; i < paths->tiers; i++) {
        int64_t fresh = end - paths->held[i];
        if (i > 0) paths->loaded[(i - 1) * paths->n + k] = written - fresh;
        written = fresh;
        paths->reach[i * paths->n + k] = end;
        paths->overflow[i * paths->replicas + r] += fresh;
        cut_cache(paths, i, r, k, paths->forced ? before : k);
    }
    paths->written[k] = written;
}

/* Serve requests; `sent` is for the cache-aware router, and has nodes for it alone. */
void serve_forest(
    int64_t n, int64_t nodes, const int64_t parent[nodes], const int64_t depth[nodes], const int64_t leaf[n],
    const int64_t ask[n], const int64_t end[n], int64_t tiers, int64_t replicas, int64_t forced,
    int64_t *full /* [n] */, int64_t *least /* [n] */, int64_t through[nodes * replicas], int64_t top[n],
    int64_t taken[n], int64_t thief[n], int64_t reach[tiers * n], int64_t following[n], int64_t latest[replicas],
    int64_t trim[tiers * replicas], int64_t tail[tiers * replicas], int64_t overflow[tiers * replicas],
    int64_t held[2 * tiers], int64_t cached[tiers * n], int64_t written[n], int64_t loaded[(tiers - 1) * n],
    int64_t sessions, const int64_t options[3], const double price[5 + tiers], const double arrival[n],
    const int64_t session[n], const int64_t inputs[n], double free[replicas], int64_t home[sessions],
    int64_t replica[n], double times[4 * n], int64_t known, const int64_t limits[2], const double rates[3],
    const int64_t above[known], const int64_t length[known], const int64_t *last /* [n] */,
    const int64_t *asked /* [n] */, int64_t sent[(2 * replicas + 1) * known + 5 * replicas + n]) {
    Queues queues = QUEUES;
    bool all = queues.way == SOONEST; /* looks at all replicas for one node, others at one replica */
    Paths paths = {
        n,    tiers, forced, replicas, all ? replicas : 1, all ? 1 : nodes, parent, depth, leaf, ask, end,
        full, least, through, top, taken, thief, reach, following, latest, trim, tail, overflow,
        held, cached, written, loaded,
    };
    Sent trees = nothing_sent(n, replicas, known, limits, rates, above, length, last, asked, inputs, sent);
    serve_all(&queues, &trees, &paths, found_of_path, serve_path, held + tiers);
}
