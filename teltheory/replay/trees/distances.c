/* Every capacity of a forest at once: the segments of all paths, and what follows of them at some capacities.

   `teltheory.replay.trees.distances` has the ranking, the lemma that the cache of capacity C is its first C units,
   and what a segment is: one that begins at `start` reuses clip(C - start, 0, length). Segments rise along a path.
   O(log distance) for each run.

   All sums are of lengths of one forest, which were checked to add up to less than 2**63. */

#include <stddef.h>

#include "replay/ladder.h"
#include "replay/occupancy.h"

INLINED int64_t distances(int64_t n, const int64_t *begin, const int64_t *slot, const int64_t *to,
                          const int64_t *full, const int64_t *least, Sums budgets, Sums surpluses, int64_t *offset,
                          int64_t *start, int64_t *length) {
    int64_t found = 0, all_budgets = 0;
    offset[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        /* What budgets and surpluses lost to this request, which is still in the ranks. */
        int64_t above = 0, gone = 0, lost = 0;
        for (int64_t j = begin[k]; j < begin[k + 1]; j++) {
            int64_t s = slot[j], below = to[j];
            int64_t within = smaller(below, least ? least[s] : full[s]) - above;
            if (within > 0) {
                start[found] = gone + take(budgets, s, within, k);
                length[found++] = within;
                gone += within;
            }
            int64_t surplus = least ? smaller(below, full[s]) - larger(above, least[s]) : 0;
            if (surplus > 0) {
                start[found] = all_budgets + lost + take(surpluses, s, surplus, k);
                length[found++] = surplus;
                lost += surplus;
            }
            above = below;
        }
        offset[k + 1] = found;
        add_slot(budgets, k, least ? least[k] : full[k]);
        if (!least) continue;
        all_budgets += least[k] - gone;
        add_slot(surpluses, k, full[k] - least[k]);
    }
    return found;
}

/* Write the segments of every request, which are no more than there is room for; return how many there are.

   Without `least` a run has one segment, with it two at most. */
int64_t path_distances(int64_t n, int64_t runs, const int64_t begin[n + 1], const int64_t slot[runs],
                       const int64_t to[runs], const int64_t full[n], const int64_t *least /* [n] */,
                       int64_t sums[4 * n + 4], int64_t *others /* [4 * n + 4] */, int64_t offset[n + 1],
                       int64_t room, int64_t start[room], int64_t length[room]) {
    Sums budgets = new_sums(n, sums), surpluses = new_sums(n, others);
    if (least) return distances(n, begin, slot, to, full, least, budgets, surpluses, offset, start, length);
    return distances(n, begin, slot, to, full, NULL, budgets, surpluses, offset, start, length);
}

/* Write what each request reuses and adds at one capacity. */
void paths_at(int64_t n, int64_t segments, const int64_t offset[n + 1], const int64_t start[segments],
              const int64_t length[segments], const int64_t ask[n], const int64_t end[n], int64_t capacity,
              int64_t cached[n], int64_t written[n]) {
    for (int64_t k = 0; k < n; k++) {
        int64_t held = 0;
        for (int64_t j = offset[k]; j < offset[k + 1]; j++)
            held += smaller(larger(capacity - start[j], 0), length[j]);
        cached[k] = smaller(held, ask[k]);
        written[k] = end[k] - held;
    }
}

/* Note which segments begin (+) or end (-) at or before each capacity and after the one below it: `changes` has a
   row of three numbers for each (`note_change`), zeros at first. There is a capacity.

   Only what lowers a request's excess above xi counts: at most total - xi of its input, the first segments
   first. The sum of all excess goes to the first row, each excess in the two parts of a sum. */
void path_reuse_changes(int64_t n, int64_t segments, const int64_t offset[n + 1], const int64_t start[segments],
                        const int64_t length[segments], const int64_t ask[n], const int64_t total[n], int64_t xi,
                        int64_t sizes, const int64_t capacities[sizes], const int64_t below[63 * 1024 + 1],
                        int64_t changes[3 * (sizes + 1)]) {
    Ladder rungs = {capacities, below};
    int64_t most = capacities[sizes - 1];
    for (int64_t k = 0; k < n; k++) {
        int64_t excess = total[k] - xi, counts = smaller(excess, ask[k]);
        if (excess <= 0) continue;
        changes[1] += excess >> 32;
        changes[2] += excess & 0xffffffff;
        for (int64_t j = offset[k]; j < offset[k + 1]; j++) {
            int64_t lowers = smaller(length[j], counts);
            if (lowers <= 0 || start[j] >= most) break;
            note_change(changes, rungs, start[j], 1);
            note_change(changes, rungs, start[j] + lowers, -1);
            counts -= lowers;
        }
    }
}

/* Count how many requests no longer exceed xi from each capacity on; last, how many exceed it at all of them. */
void path_violation_ends(int64_t n, int64_t segments, const int64_t offset[n + 1], const int64_t start[segments],
                         const int64_t length[segments], const int64_t ask[n], const int64_t total[n], int64_t xi,
                         int64_t sizes, const int64_t capacities[sizes], const int64_t below[63 * 1024 + 1],
                         int64_t ends[sizes + 1]) {
    Ladder rungs = {capacities, below};
    for (int64_t k = 0; k < n; k++) {
        int64_t excess = total[k] - xi, place = sizes;
        if (excess <= 0) continue;
        if (excess <= ask[k]) { /* otherwise no reuse of the input is enough */
            for (int64_t j = offset[k]; j < offset[k + 1]; j++) {
                if (excess <= length[j]) {
                    place = rung(rungs, start[j] + excess);
                    break;
                }
                excess -= length[j];
            }
        }
        ends[place]++;
    }
}
