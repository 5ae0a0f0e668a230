/* Pieces of a forest and the visits to them, as `teltheory.replay.trees.visits` defines them.

   Pieces and nodes are numbered so that a parent comes before its children. */

#include "base/numbers.h"

/* Write the piece of each node, and the parent, the begin and the length of each piece; return how many there are.

   A node is in its parent's piece if the parent is `joined` with its only child. */
int64_t join_nodes(int64_t nodes, const int64_t parent[nodes], const int64_t size[nodes],
                   const int64_t depth[nodes], const bool joined[nodes], int64_t piece[nodes],
                   int64_t before[nodes], int64_t above[nodes], int64_t length[nodes]) {
    int64_t pieces = 0;
    for (int64_t v = 0; v < nodes; v++) {
        int64_t p = parent[v];
        if (p >= 0 && joined[p]) {
            piece[v] = piece[p];
            length[piece[v]] += size[v];
            continue;
        }
        piece[v] = pieces;
        before[pieces] = p >= 0 ? piece[p] : -1;
        above[pieces] = depth[v] - size[v];
        length[pieces++] = size[v];
    }
    return pieces;
}

/* Write how many pieces lie above each on its path. */
void measure_levels(int64_t pieces, const int64_t parent[pieces], int64_t level[pieces]) {
    for (int64_t p = 0; p < pieces; p++) level[p] = parent[p] >= 0 ? level[parent[p]] + 1 : 0;
}

/* Write the pieces of each request, root first, and the visit before to each; `last` is -1 at first. */
void walk_paths(int64_t n, int64_t pieces, int64_t visits, const int64_t parent[pieces], const int64_t leaf[n],
                const int64_t start[n + 1], int64_t piece[visits], int64_t previous[visits],
                int64_t last[pieces]) {
    for (int64_t k = 0; k < n; k++) {
        int64_t p = leaf[k];
        for (int64_t j = start[k + 1] - 1; j >= start[k]; j--, p = parent[p]) {
            piece[j] = p;
            previous[j] = last[p];
            last[p] = j;
        }
    }
}

/* Turn a fact of each visit into the largest of any so far to its piece. */
void raise_to_largest(int64_t visits, const int64_t previous[visits], int64_t values[visits]) {
    for (int64_t j = 0; j < visits; j++)
        if (previous[j] >= 0) values[j] = larger(values[j], values[previous[j]]);
}

/* Count the visits to each visit's piece so far. */
void count_visits(int64_t visits, const int64_t previous[visits], int64_t counts[visits]) {
    for (int64_t j = 0; j < visits; j++) counts[j] = previous[j] >= 0 ? counts[previous[j]] + 1 : 1;
}

/* Make a new block of each fresh visit: write its parent, the piece that it was, and the last one of each
   request. */
void rename_fresh(int64_t n, int64_t pieces, int64_t visits, int64_t blocks, const int64_t start[n + 1],
                  const int64_t piece[visits], const bool fresh[visits], int64_t above[blocks],
                  int64_t old[blocks], int64_t leaf[n], int64_t name[pieces]) {
    int64_t block = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t deepest = -1;
        for (int64_t j = start[k]; j < start[k + 1]; j++) {
            if (fresh[j]) {
                above[block] = deepest;
                old[block] = piece[j];
                name[piece[j]] = block++;
            }
            deepest = name[piece[j]];
        }
        leaf[k] = deepest;
    }
}
