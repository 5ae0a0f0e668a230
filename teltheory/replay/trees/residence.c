/* Policies whose order depends on what happened to a unit since it was added to the cache.

   Each unit that is cached and not held by a running request counts for one of two queues, and waits in that
   queue's heap while it may go: in a strict cache while no unit below it is cached. Policies of one order have the
   first queue alone. A unit gets its key when the request that read it ends, and its turn, which decides among
   equal keys, when it enters a queue: for most policies at each end. */

#include "replay/heap.h"
#include "replay/trees/layout.h"

enum { BY_ENTRY, BY_READS, PROTECTED, BY_PRIORITY, BY_VALUE, TWO_QUEUES, SECOND_CHANCES };

/* A policy. `weight` is the cost / size of each unit, or the priority of each request. The first queue loses a
   unit while it has more than `limit`, and the latest `ghosts` of those are remembered. */
typedef struct {
    int64_t kind;
    const double *weight;
    int64_t limit, ghosts;
    bool strict;
} Policy;

/* What left the first queue, oldest first, between begin and end; how many are still ghosts; and where each unit
   is in it, or -1. */
typedef struct {
    int64_t *order, *place, begin, end, number;
} Ghosts;

/* What is known of each unit, and of the whole: units that count for each queue, the clock, turns so far. `since`
   is the request that added the unit; under priorities the one of the greatest priority since then. */
typedef struct {
    bool *held, *counts, *entered;
    int64_t *children, *visit, *reads, *since, *queue;
    int64_t size[2], turns;
    double clock;
    Heaps heaps;
    Ghosts ghosts;
} Cached;

/* Whether a unit comes back; its ghost is gone then. */
static inline bool is_ghost(Ghosts *ghosts, int64_t u) {
    if (ghosts->place[u] < 0) return false;
    ghosts->place[u] = -1;
    ghosts->number--;
    return true;
}

static inline void remember(Ghosts *ghosts, int64_t u, int64_t most) {
    ghosts->order[ghosts->end] = u;
    ghosts->place[u] = ghosts->end++;
    if (++ghosts->number <= most) return;
    while (ghosts->place[ghosts->order[ghosts->begin]] != ghosts->begin) ghosts->begin++; /* it came back */
    is_ghost(ghosts, ghosts->order[ghosts->begin++]);
}

/* Read a unit; return 1 if it was not cached. */
static inline int64_t read_unit(const Layout *layout, const Policy *policy, Cached *cached, int64_t k, int64_t j) {
    int64_t u = layout->piece[j], q = cached->queue[u];
    bool resident = cached->held[u];
    if (cached->counts[u]) {
        pull(&cached->heaps, q, u);
        cached->counts[u] = false;
        cached->size[q]--;
    }
    if (!resident) {
        cached->held[u] = true;
        cached->entered[u] = false;
        cached->reads[u] = 0;
        cached->queue[u] = policy->kind >= TWO_QUEUES && is_ghost(&cached->ghosts, u);
        cached->since[u] = k;
        if (layout->parent[u] >= 0) cached->children[layout->parent[u]]++;
    } else if (policy->kind == BY_PRIORITY && policy->weight[k] > policy->weight[cached->since[u]]) {
        cached->since[u] = k;
    }
    cached->visit[u] = j;
    cached->reads[u]++;
    if (policy->kind == SECOND_CHANCES) cached->reads[u] = smaller(cached->reads[u], 4);
    return !resident;
}

/* Read the path of request k; write what it hits and what it adds. */
static inline void serve(const Layout *layout, const Policy *policy, Cached *cached, int64_t k) {
    int64_t begin = layout->start[k], end = layout->start[k + 1], hits = 0, added = 0;
    while (begin + hits < end && cached->held[layout->piece[begin + hits]]) hits++;
    for (int64_t j = end - 1; j >= begin; j--) added += read_unit(layout, policy, cached, k, j);
    layout->cached[k] = smaller(hits, layout->ask[k]);
    layout->written[k] = added;
}

/* By what a unit goes, the smallest first. */
static inline double key_of(const Policy *policy, const Cached *cached, int64_t u) {
    switch (policy->kind) {
    case BY_ENTRY: return (double)cached->since[u];
    case BY_READS: return (double)cached->reads[u];
    case PROTECTED: return cached->reads[u] >= 2;
    case BY_PRIORITY: return policy->weight[cached->since[u]];
    case BY_VALUE: return cached->clock + (double)cached->reads[u] * policy->weight[u];
    default: return 0;
    }
}

/* Let the path of a request that has ended count for the queues, unless a running one has read it since.

   A unit gets its key, and a place at the end of its queue unless it keeps the one that it has. */
static inline void release(const Layout *layout, const Policy *policy, Cached *cached, int64_t ended) {
    for (int64_t j = layout->start[ended + 1] - 1; j >= layout->start[ended]; j--) {
        int64_t u = layout->piece[j], q = cached->queue[u];
        if (cached->visit[u] != j) continue;
        cached->heaps.key[u] = key_of(policy, cached, u);
        bool stays = policy->kind == SECOND_CHANCES || (policy->kind == TWO_QUEUES && q == 0);
        if (!(cached->entered[u] && stays)) cached->heaps.turn[u] = ++cached->turns;
        cached->entered[u] = cached->counts[u] = true;
        cached->size[q]++;
        if (!policy->strict || cached->children[u] == 0) push(&cached->heaps, q, u);
    }
}

/* The queue that loses a unit: the first if it is due, unless only the other has one that may go. */
static inline int64_t losing_queue(const Cached *cached, bool due) {
    const int64_t *waiting = cached->heaps.number;
    return !(waiting[1] == 0 || (waiting[0] > 0 && due));
}

/* Give the next unit of a queue a place at the end of the large one, if it was read often enough. */
static inline bool move_on(const Policy *policy, Cached *cached, int64_t q) {
    int64_t u = cached->heaps.order[q][0];
    if (policy->kind != SECOND_CHANCES || cached->reads[u] <= (q == 1 ? 1 : 2)) return false;
    pull(&cached->heaps, q, u);
    cached->reads[u] = q == 1 ? cached->reads[u] - 1 : 1;
    cached->size[q]--;
    cached->size[1]++;
    cached->queue[u] = 1;
    cached->heaps.turn[u] = ++cached->turns;
    push(&cached->heaps, 1, u);
    return true;
}

/* Remove the next unit of a queue; in a strict cache its parent may be the next. */
static inline void evict(const Layout *layout, const Policy *policy, Cached *cached, int64_t q) {
    int64_t u = cached->heaps.order[q][0], above = layout->parent[u];
    pull(&cached->heaps, q, u);
    cached->held[u] = cached->counts[u] = false;
    cached->size[q]--;
    if (policy->kind == BY_VALUE && cached->heaps.key[u] > cached->clock) cached->clock = cached->heaps.key[u];
    if (policy->kind >= TWO_QUEUES && q == 0) remember(&cached->ghosts, u, policy->ghosts);
    if (above < 0) return;
    cached->children[above]--;
    if (policy->strict && cached->children[above] == 0 && cached->counts[above])
        push(&cached->heaps, cached->queue[above], above);
}

/* Replay a policy on pieces of one unit; nobody sees the last cut, for which there may be no room.

   All of `numbers` and `facts` are 0 at first, all of `places` -1. There are as many weights as the kind looks
   at. */
void replay_residence(int64_t n, int64_t units, int64_t visits, const int64_t parent[units],
                      const int64_t length[units], const int64_t above[units], const int64_t start[n + 1],
                      const int64_t piece[visits], const int64_t ask[n], const int64_t end[n], int64_t capacity,
                      int64_t exempt, int64_t cached[n], int64_t written[n], int64_t kind, int64_t weights,
                      const double weight[weights], int64_t limit, int64_t ghosts, int64_t strict,
                      int64_t numbers[7 * units], int64_t places[3 * units], bool facts[3 * units],
                      double key[units], int64_t ghost[visits + 1]) {
    Layout layout = {parent, length, above, start, piece, ask, end, cached, written};
    Policy policy = {kind, weight, limit, ghosts, strict};
    Heaps heaps = {{numbers + 5 * units, numbers + 6 * units}, {0, 0}, places, numbers, key};
    Cached state = {.held = facts, .counts = facts + units, .entered = facts + 2 * units,
                    .children = numbers + units, .visit = places + units, .reads = numbers + 2 * units,
                    .since = numbers + 3 * units, .queue = numbers + 4 * units, .heaps = heaps,
                    .ghosts = {ghost, places + 2 * units, 0, 0, 0}};
    int64_t overflow = -capacity;
    for (int64_t k = 0; k < n; k++) {
        serve(&layout, &policy, &state, k);
        overflow += written[k];
        int64_t ended = k - exempt;
        if (ended < 0 || k == n - 1) continue;
        release(&layout, &policy, &state, ended);
        for (; overflow > 0; overflow--) {
            bool due = state.size[0] > limit;
            int64_t q = losing_queue(&state, due);
            while (move_on(&policy, &state, q)) q = losing_queue(&state, due);
            evict(&layout, &policy, &state, q);
        }
    }
}
