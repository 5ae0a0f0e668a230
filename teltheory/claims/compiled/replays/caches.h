/* A replay of a tiny forest block by block under LRU or T-LRU; written on its own, to be compared.

   Blocks are numbered parents first. After each request (under forced caching: but the last) blocks go one at a
   time while too many are cached, each found by a look at all of them. */
#ifndef TELTHEORY_CLAIMS_CACHES_H
#define TELTHEORY_CLAIMS_CACHES_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST = 16 };                        /* most blocks, and most requests */
enum { LRU, HIGH_WATER, LAST, RESIDENT };  /* LRU, and T-LRU by its mark */

/* The parent and depth of each block; the last block and the length of each request's path, and its ask. */
typedef struct {
    int64_t requests, blocks;
    const int64_t *parent, *leaf;
    int64_t depth[MOST], end[MOST], *ask;
} Tiny;

/* Of each block: whether it is cached, its cached children, its last request and its mark. */
typedef struct {
    bool cached[MOST];
    int64_t children[MOST], last[MOST], mark[MOST];
} HeldBlocks;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static Tiny new_tiny(int64_t n, int64_t blocks, const int64_t *parent, const int64_t *leaf, int64_t *ask) {
    Tiny tiny = {.requests = n, .blocks = blocks, .parent = parent, .leaf = leaf, .ask = ask};
    for (int64_t block = 0; block < blocks; block++)
        tiny.depth[block] = 1 + (parent[block] >= 0 ? tiny.depth[parent[block]] : 0);
    for (int64_t k = 0; k < n; k++) tiny.end[k] = tiny.depth[leaf[k]];
    return tiny;
}

/* How many leading blocks of a request's input are cached. */
static int64_t leading(const Tiny *tiny, const HeldBlocks *held, int64_t k) {
    int64_t hits = tiny->ask[k];
    for (int64_t block = tiny->leaf[k]; block >= 0; block = tiny->parent[block])
        if (!held->cached[block]) hits = smaller(hits, tiny->depth[block] - 1);
    return hits;
}

/* Cache a request's path and mark it; return how many blocks are new. */
static int64_t take(const Tiny *tiny, HeldBlocks *held, int64_t policy, int64_t k) {
    int64_t new = 0;
    for (int64_t block = tiny->leaf[k]; block >= 0; block = tiny->parent[block]) {
        bool forgets = policy == LAST || (policy == RESIDENT && !held->cached[block]);
        held->mark[block] = forgets ? tiny->end[k] : larger(held->mark[block], tiny->end[k]);
        held->last[block] = k;
        if (!held->cached[block]) {
            new++;
            if (tiny->parent[block] >= 0) held->children[tiny->parent[block]]++;
        }
        held->cached[block] = true;
    }
    return new;
}

/* What goes: surplus before the rest, then the least recent, then the deepest. */
static int64_t next_block(const Tiny *tiny, const HeldBlocks *held, int64_t policy, int64_t level, bool strict,
                          int64_t exempt) {
    int64_t best = -1, least = 0;
    for (int64_t block = 0; block < tiny->blocks; block++) {
        if (!held->cached[block] || held->last[block] == exempt || (strict && held->children[block])) continue;
        bool kept = policy == LRU || tiny->depth[block] <= larger(0, held->mark[block] - level);
        int64_t order = (kept ? tiny->requests : 0) + held->last[block];
        order = order * (tiny->blocks + 1) - tiny->depth[block];
        if (best < 0 || order < least) best = block, least = order;
    }
    return best;
}

/* Write down what each request hits; `level` is xi - q_hat. */
static void replay_blocks(const Tiny *tiny, int64_t policy, int64_t level, int64_t capacity, bool strict,
                          bool forced, int64_t *hits) {
    HeldBlocks held = {0};
    int64_t used = 0, last = tiny->requests - 1;
    for (int64_t k = 0; k <= last; k++) {
        hits[k] = leading(tiny, &held, k);
        used += take(tiny, &held, policy, k);
        for (; used > capacity && !(forced && k == last); used--) {
            int64_t block = next_block(tiny, &held, policy, level, strict, forced ? k : -1);
            held.cached[block] = false;
            if (tiny->parent[block] >= 0) held.children[tiny->parent[block]]--;
        }
    }
}

#endif
