/* The runs of paths, and LRU, T-LRU and what else goes by recency alone over them.

   What runs are and how they are found says `teltheory.replay.trees.runs`; what a cache holds of them, and why two
   pointers that only move forward lower it, `teltheory.replay.trees.recency`. All loops take O(runs) together.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include <stddef.h>

#include "base/numbers.h"

enum { NEW_REQUEST = -2 };

static void measure_depths(int64_t nodes, const int64_t *parent, const int64_t *length, int64_t *depth) {
    for (int64_t v = 0; v < nodes; v++) depth[v] = length[v] + (parent[v] >= 0 ? depth[parent[v]] : 0);
}

static void turn_round(int64_t *values, int64_t low, int64_t high) {
    for (; low < high; low++, high--) {
        int64_t value = values[low];
        values[low] = values[high];
        values[high] = value;
    }
}

/* Find the runs of all requests; return how many, or -1 where there is room for no more.

   `at` is where to go on with more room: the request, its node, and the runs so far; at first 0, -2, 0. A node was
   last known to be walked by `through`; from the path of request s all down to taken[s] was taken, last by
   thief[s], and from top[s] on goes the run above. At first all of `through` and `top` are -1 and the rest 0. */
int64_t find_runs(int64_t nodes, int64_t n, const int64_t parent[nodes], const int64_t length[nodes],
                  const int64_t leaf[n], int64_t at[3], int64_t depth[nodes], int64_t through[nodes],
                  int64_t top[n], int64_t taken[n], int64_t thief[n], int64_t end[n], int64_t start[n + 1],
                  int64_t room, int64_t slot[room], int64_t to[room]) {
    int64_t node = at[1], found = at[2];
    if (node == NEW_REQUEST) measure_depths(nodes, parent, length, depth);
    for (int64_t k = at[0]; k < n; k++, node = NEW_REQUEST) {
        if (node == NEW_REQUEST) {
            node = leaf[k];
            end[k] = node >= 0 ? depth[node] : 0;
            for (; node >= 0 && through[node] < 0; node = parent[node]) through[node] = k;
        }
        while (node >= 0) {
            if (found == room) {
                at[0] = k;
                at[1] = node;
                at[2] = found;
                return -1;
            }
            int64_t s = through[node], reached = depth[node];
            while (taken[s] >= reached) s = thief[s];
            slot[found] = s;
            to[found++] = reached;
            through[node] = thief[s] = k;
            taken[s] = reached;
            int64_t next = top[s];
            top[s] = node;
            node = next;
        }
        start[k + 1] = found;
        turn_round(slot, start[k], found - 1); /* they were found from the leaf up */
        turn_round(to, start[k], found - 1);
    }
    return found;
}

/* Turn how far each request reaches into its path into how far any so far did.

   A run was last reached by its slot, with which it shares all units above it. */
void raise_to_highest(int64_t n, int64_t runs, const int64_t start[n + 1], const int64_t slot[runs],
                      const int64_t to[runs], int64_t reached[n]) {
    for (int64_t k = 0; k < n; k++) {
        int64_t most = reached[k];
        for (int64_t j = start[k]; j < start[k + 1]; j++) most = larger(most, smaller(to[j], reached[slot[j]]));
        reached[k] = most;
    }
}

/* Take units of slots from a pointer on, down to a floor each, until there is no overflow; return what is left. */
INLINED int64_t lower(int64_t *pointer, int64_t last, int64_t overflow, int64_t *reach, const int64_t *taken,
                      const int64_t *least) {
    while (overflow > 0 && *pointer <= last) {
        int64_t s = *pointer, floor = least ? larger(least[s], taken[s]) : taken[s];
        int64_t gone = larger(reach[s] - floor, 0);
        if (gone >= overflow) {
            reach[s] -= overflow;
            return 0;
        }
        reach[s] -= gone;
        overflow -= gone;
        ++*pointer;
    }
    return overflow;
}

INLINED void by_recency(int64_t n, const int64_t *end, const int64_t *start, const int64_t *slot,
                        const int64_t *to, const int64_t *full, const int64_t *least, const int64_t *ask,
                        int64_t capacity, int64_t exempt, int64_t *hits, int64_t *written, int64_t *taken,
                        int64_t *reach) {
    int64_t overflow = -capacity, trim = 0, tail = 0; /* the first slots that may have surplus, and anything */
    for (int64_t k = 0; k < n; k++) {
        int64_t leading = 0, above = 0, cached = 0;
        for (int64_t j = start[k]; j < start[k + 1]; j++) {
            int64_t s = slot[j], below = to[j];
            int64_t units = larger(smaller(below, reach[s]) - above, 0);
            leading += where(leading == above, units);
            cached += units;
            taken[s] = above = below;
        }
        hits[k] = smaller(leading, ask[k]);
        written[k] = end[k] - cached;
        reach[k] = end[k];
        overflow += end[k] - cached;
        int64_t last = k - exempt; /* the last slot under this cut, and this is its first */
        if (last < 0) continue;
        int64_t floor = larger(full[last], taken[last]);
        if (reach[last] > floor) {
            overflow -= reach[last] - floor;
            reach[last] = floor;
        }
        if (least) overflow = lower(&trim, last, overflow, reach, taken, least);
        overflow = lower(&tail, last, overflow, reach, taken, NULL);
    }
}

/* Write what each request hits and what of its path was not cached; the latest `exempt` paths are not cut.

   Slot s holds the depths (taken, reach] of its path; all are 0 at first. */
void replay_runs(int64_t n, int64_t runs, const int64_t end[n], const int64_t start[n + 1],
                 const int64_t slot[runs], const int64_t to[runs], const int64_t full[n],
                 const int64_t *least /* [n] */, const int64_t ask[n], int64_t capacity, int64_t exempt,
                 int64_t hits[n], int64_t written[n], int64_t taken[n], int64_t reach[n]) {
    if (least)
        by_recency(n, end, start, slot, to, full, least, ask, capacity, exempt, hits, written, taken, reach);
    else
        by_recency(n, end, start, slot, to, full, NULL, ask, capacity, exempt, hits, written, taken, reach);
}
