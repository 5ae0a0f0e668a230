/* A replay of a tiny forest in a radix tree of whole nodes; written on its own, to be compared.

   A node is told by its first block: each cached block knows the first block of its node, and what is known of a
   node stands with that block. */
#ifndef TELTHEORY_CLAIMS_NODES_H
#define TELTHEORY_CLAIMS_NODES_H

#include "claims/compiled/replays/caches.h"

enum { NOWHERE = -1 };

/* Of each block the first one of its node, -1 if it is not cached, and the longest path ever; of a node its
   stamp (2 k for what request k left unread, 2 k + 1 for what it read) and its mark. A request's path is beside
   them. */
typedef struct {
    int64_t first[MOST], longest[MOST], stamp[MOST], mark[MOST], path[MOST];
} NodeTree;

/* Down to where a path is cached, from a place on. */
static int64_t cached_from(const NodeTree *tree, int64_t start, int64_t limit) {
    while (start < limit && tree->first[tree->path[start]] >= 0) start++;
    return start;
}

/* Let a node end at a depth of a path; what it has below is a node of its own, with a stamp if given. */
static void split(const Tiny *tiny, NodeTree *tree, int64_t policy, int64_t depth, int64_t stamp) {
    int64_t node = depth > 0 ? tree->first[tree->path[depth - 1]] : NOWHERE, below = NOWHERE;
    for (int64_t block = 0; block < tiny->blocks; block++)
        if (node >= 0 && tree->first[block] == node && tiny->depth[block] == depth + 1) below = block;
    if (below < 0) return;
    for (int64_t block = 0; block < tiny->blocks; block++)
        if (tree->first[block] == node && tiny->depth[block] > depth) tree->first[block] = below;
    tree->stamp[below] = stamp < 0 ? tree->stamp[node] : stamp;
    tree->mark[below] = policy == HIGH_WATER ? tree->longest[below] : tree->mark[node];
}

/* Whether a node is off the path that is read and has none below it. */
static bool may_go(const Tiny *tiny, const NodeTree *tree, int64_t node, int64_t read) {
    for (int64_t depth = 0; depth < read; depth++)
        if (tree->first[tree->path[depth]] == node) return false;
    for (int64_t block = 0; block < tiny->blocks; block++) {
        int64_t above = tiny->parent[block];
        if (tree->first[block] == block && above >= 0 && tree->first[above] == node) return false;
    }
    return true;
}

/* The node that goes; -1 if there is none. */
static int64_t next_node(const Tiny *tiny, const NodeTree *tree, int64_t policy, int64_t level, int64_t read) {
    int64_t best = NOWHERE, least = 0;
    for (int64_t node = 0; node < tiny->blocks; node++) {
        if (tree->first[node] != node || !may_go(tiny, tree, node, read)) continue;
        bool kept = policy == LRU || tiny->depth[node] <= larger(0, tree->mark[node] - level);
        int64_t order = (kept ? 2 * tiny->requests : 0) + tree->stamp[node];
        if (best < 0 || order < least) best = node, least = order;
    }
    return best;
}

/* Evict a node; return how many blocks it had. */
static int64_t evict(const Tiny *tiny, NodeTree *tree, int64_t node) {
    int64_t gone = 0;
    for (int64_t block = 0; block < tiny->blocks; block++) {
        if (tree->first[block] != node) continue;
        tree->first[block] = NOWHERE;
        gone++;
    }
    return gone;
}

static void add(NodeTree *tree, int64_t start, int64_t end) {
    for (int64_t depth = start; depth < end; depth++) tree->first[tree->path[depth]] = tree->path[start];
    if (start < end) tree->mark[tree->path[start]] = 0;
}

/* Add the rest of a request's input, a node a chunk, then of its output what is not there; return how much. */
static int64_t insert(const Tiny *tiny, NodeTree *tree, int64_t policy, int64_t k, int64_t chunk,
                      int64_t stamp) {
    int64_t ask = tiny->ask[k], end = tiny->end[k], depth = cached_from(tree, 0, ask), new = ask - depth;
    while (depth < ask) {
        int64_t upto = chunk > 0 ? smaller(ask, depth + chunk) : ask;
        add(tree, depth, upto);
        depth = upto;
    }
    depth = cached_from(tree, ask, end);
    split(tiny, tree, policy, depth, stamp);
    add(tree, depth, end);
    return new + end - depth;
}

/* Make a request's nodes the most recent, and mark them. */
static void use(const Tiny *tiny, NodeTree *tree, int64_t policy, int64_t k) {
    int64_t end = tiny->end[k];
    for (int64_t depth = 0; depth < end; depth++) {
        int64_t block = tree->path[depth];
        tree->longest[block] = larger(tree->longest[block], end);
        if (tree->first[block] != block) continue;
        tree->stamp[block] = 2 * k + 1;
        int64_t longest = policy == HIGH_WATER ? tree->longest[block] : larger(tree->mark[block], end);
        tree->mark[block] = policy == LAST ? end : longest;
    }
}

/* Write down what each request hits; return whether all fit. `chunk` is 0 for whole prompts. */
static bool replay_nodes(const Tiny *tiny, int64_t policy, int64_t level, int64_t capacity, int64_t chunk,
                         bool renew, int64_t *hits) {
    NodeTree tree = {0};
    int64_t used = 0;
    for (int64_t block = 0; block < tiny->blocks; block++) tree.first[block] = NOWHERE;
    for (int64_t k = 0; k < tiny->requests; k++) {
        int64_t stamp = renew ? 2 * k : -1;
        for (int64_t block = tiny->leaf[k]; block >= 0; block = tiny->parent[block])
            tree.path[tiny->depth[block] - 1] = block;
        int64_t read = hits[k] = cached_from(&tree, 0, tiny->ask[k]);
        split(tiny, &tree, policy, read, stamp);
        while (used + tiny->end[k] - read > capacity) {
            int64_t victim = next_node(tiny, &tree, policy, level, read);
            if (victim < 0) return false;
            used -= evict(tiny, &tree, victim);
        }
        used += insert(tiny, &tree, policy, k, chunk, stamp);
        use(tiny, &tree, policy, k);
    }
    return true;
}

#endif
