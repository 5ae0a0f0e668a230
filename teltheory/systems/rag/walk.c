/* The walk of a query through the graph of an HNSW index: which nodes it visits, in order.

   1. It starts at the entry point. On each level above the bottom one it goes to the nearest neighbour as long as
      that is nearer than where it is.
   2. On the bottom level it keeps the `width` nearest nodes that it has visited, and visits the neighbours of the
      nearest one that it has not opened yet, until all that it keeps are opened, or `enough` of them are nearer
      than the next.
   3. A node is visited when its distance from the query is computed. What the search has found at any time are the
      nearest of the nodes that it has visited on the bottom level.

   That is Faiss's own search (Malkov and Yashunin 2018, Algorithms 2 and 5; `HNSW.cpp`, with the bounded queue),
   node by node. Squares are added up in another order here, so that their last bits can differ, and with them the
   order of two documents at nearly the same distance. */

#include "base/numbers.h"

/* Node v's neighbours on level l start at first[v] + skipped[l] in `links`; -1 ends them. */
typedef struct {
    int64_t dimensions;
    const float *vectors;
    const int32_t *links;
    const int64_t *first, *skipped;
} Graph;

/* The nearest nodes that were visited, by distance, then by number; `width` of them at most. */
typedef struct {
    int64_t width, kept, *nodes;
    float *squares;
    bool *opened;
} Nearest;

static float square_of(const Graph *graph, int64_t node, const float *query) {
    const float *vector = graph->vectors + node * graph->dimensions;
    float total = 0;
    for (int64_t i = 0; i < graph->dimensions; i++) total += (vector[i] - query[i]) * (vector[i] - query[i]);
    return total;
}

/* Go down to the bottom level; return how many nodes are visited above it. */
static int64_t descend(const Graph *graph, const float *query, int64_t top, int64_t *here, float *square) {
    int64_t visited = 1;
    for (int64_t level = top; level > 0; level--) {
        for (bool moved = true; moved;) {
            moved = false;
            int64_t start = graph->first[*here];
            for (int64_t at = start + graph->skipped[level]; at < start + graph->skipped[level + 1]; at++) {
                int64_t node = graph->links[at];
                if (node < 0) break;
                visited++;
                float found = square_of(graph, node, query);
                if (found >= *square) continue;
                *here = node, *square = found, moved = true;
            }
        }
    }
    return visited;
}

/* Put a node at its place, if it has one. */
static void insert(Nearest *nearest, int64_t node, float square) {
    int64_t at = nearest->kept;
    for (; at > 0; at--) {
        float before = nearest->squares[at - 1];
        if (before < square || (before == square && nearest->nodes[at - 1] < node)) break;
    }
    if (at == nearest->width) return;
    int64_t last = smaller(nearest->kept, nearest->width - 1);
    for (int64_t i = last; i > at; i--) {
        nearest->nodes[i] = nearest->nodes[i - 1];
        nearest->squares[i] = nearest->squares[i - 1];
        nearest->opened[i] = nearest->opened[i - 1];
    }
    nearest->nodes[at] = node, nearest->squares[at] = square, nearest->opened[at] = false;
    nearest->kept = last + 1;
}

/* Walk one query; return how many nodes are visited above the bottom level, and in `visited` how many on it.

   The latter are written into `log` in their order, their squares into `logged`; the first of them is the last
   step above, and counts as visited there. `seen` is false everywhere, before and after. */
int64_t walk_hnsw(int64_t count, int64_t dimensions, int64_t ends, int64_t levels,
                  const float vectors[count * dimensions], const int32_t links[ends],
                  const int64_t first[count + 1], const int64_t skipped[levels], int64_t entry, int64_t top,
                  const float query[dimensions],
                  int64_t width, int64_t enough,
                  int64_t nodes[width], float squares[width], bool opened[width], bool seen[count],
                  int64_t log[count], float logged[count], int64_t visited[1]) {
    Graph graph = {dimensions, vectors, links, first, skipped};
    Nearest nearest = {width, 0, nodes, squares, opened};
    int64_t here = entry, made = 1;
    float square = square_of(&graph, entry, query);
    int64_t above = descend(&graph, query, top, &here, &square);
    log[0] = here, logged[0] = square, seen[here] = true;
    insert(&nearest, here, square);
    for (int64_t at = 0; at < smaller(nearest.kept, enough);) {
        opened[at] = true;
        int64_t start = first[nodes[at]];
        for (int64_t link = start; link < start + skipped[1] && links[link] >= 0; link++) {
            int64_t node = links[link];
            if (seen[node]) continue;
            seen[node] = true;
            square = square_of(&graph, node, query);
            log[made] = node, logged[made++] = square;
            insert(&nearest, node, square);
        }
        for (at = 0; at < nearest.kept && opened[at];) at++;
    }
    for (int64_t i = 0; i < made; i++) seen[log[i]] = false;
    visited[0] = made;
    return above;
}
