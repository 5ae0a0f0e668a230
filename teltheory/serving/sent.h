/* The cache-aware router: it guesses from what it sent where what every replica has cached.

   What it does says `teltheory.serving.cache_aware`. A replica's tree is a number a node of the forest of
   inputs: how many of the node's first tokens were sent there, 0 for none, and the last request that used it. A
   node that was last used by request t is on its path. So leaves go, least recently used first and of one
   request the deepest first, by walks up the paths of requests t = 0, 1, ..., and `oldest` never goes back. */
#ifndef TELTHEORY_SENT_H
#define TELTHEORY_SENT_H

#include <math.h>

#include "base/numbers.h"

typedef struct {
    int64_t n, replicas, nodes, most_apart, most_tokens;
    double threshold, most_times, interval;
    const int64_t *parent, *length, *leaf, *ask, *inputs; /* in tokens */
    int64_t *path;                                        /* room for the nodes of one */
    int64_t *tokens, *used;                               /* of each node, a row a replica */
    int64_t *size, *oldest;                               /* of each replica: all tokens; see above */
    /* who waits at each replica, and how many; who is the next there */
    int64_t *head, *tail, *pending, *following;
    double next_eviction;
} Sent;

/* All trees empty and nobody waiting, on numbers that are 0; there are (2 replicas + 1) nodes + 5 replicas + n. */
static inline Sent nothing_sent(int64_t n, int64_t replicas, int64_t nodes, const int64_t *limits,
                                const double *rates, const int64_t *parent, const int64_t *length,
                                const int64_t *leaf, const int64_t *ask, const int64_t *inputs, int64_t *numbers) {
    int64_t trees = replicas * nodes, *each = numbers + nodes + 2 * trees;
    return (Sent){
        .n = n, .replicas = replicas, .nodes = nodes, .most_apart = limits[0], .most_tokens = limits[1],
        .threshold = rates[0], .most_times = rates[1], .interval = rates[2], .parent = parent, .length = length,
        .leaf = leaf, .ask = ask, .inputs = inputs, .path = numbers, .tokens = numbers + nodes,
        .used = numbers + nodes + trees, .size = each, .oldest = each + replicas, .head = each + 2 * replicas,
        .tail = each + 3 * replicas, .pending = each + 4 * replicas, .following = each + 5 * replicas,
        .next_eviction = -INFINITY,
    };
}

/* The first replica with the least number. */
static inline int64_t first_least(int64_t replicas, const int64_t *numbers) {
    int64_t chosen = 0;
    for (int64_t r = 1; r < replicas; r++) chosen = numbers[r] < numbers[chosen] ? r : chosen;
    return chosen;
}

/* Let a tree that is too large lose leaves. */
static inline void shrink(const Sent *sent, int64_t r) {
    int64_t *tokens = &sent->tokens[r * sent->nodes], *used = &sent->used[r * sent->nodes];
    while (sent->size[r] > sent->most_tokens) {
        int64_t t = sent->oldest[r], node = sent->leaf[t];
        for (; node >= 0 && sent->size[r] > sent->most_tokens; node = sent->parent[node]) {
            if (used[node] != t) continue;
            sent->size[r] -= tokens[node];
            tokens[node] = 0;
        }
        sent->oldest[r] += node < 0;
    }
}

/* Write the path of request k, the leaf first; return how many nodes it has. */
static inline int64_t walk(const Sent *sent, int64_t k) {
    int64_t nodes = 0;
    for (int64_t node = sent->leaf[k]; node >= 0; node = sent->parent[node]) sent->path[nodes++] = node;
    return nodes;
}

/* Most first tokens of a node that any replica was sent. */
static inline int64_t most_sent(const Sent *sent, int64_t node) {
    int64_t most = 0;
    for (int64_t r = 0; r < sent->replicas; r++) most = larger(most, sent->tokens[r * sent->nodes + node]);
    return most;
}

/* The replica of the longest prefix that was sent anywhere, if it is long enough; else that of the smallest
   tree. */
static inline int64_t match(const Sent *sent, int64_t k, int64_t nodes) {
    int64_t matched = 0, end = nodes, found = 0, owner = 0, left = sent->ask[k];
    while (end > 0 && left > 0) { /* path[end] is the deepest node that matched */
        int64_t node = sent->path[end - 1], length = sent->length[node];
        int64_t known = smaller(smaller(length, left), most_sent(sent, node));
        if (known == 0) break;
        matched += known;
        left -= smaller(length, left);
        found = known;
        end--;
        if (known < length) break;
    }
    int64_t smallest = first_least(sent->replicas, sent->size);
    if (matched == 0) return smallest;
    while (sent->tokens[owner * sent->nodes + sent->path[end]] < found) owner++;
    for (int64_t i = end; i < nodes; i++) sent->used[owner * sent->nodes + sent->path[i]] = k;
    return (double)matched > sent->threshold * (double)sent->inputs[k] ? owner : smallest;
}

/* Remember that the input of request k was sent to a replica. */
static inline void insert(const Sent *sent, int64_t k, int64_t nodes, int64_t r) {
    int64_t *tokens = &sent->tokens[r * sent->nodes], *used = &sent->used[r * sent->nodes];
    for (int64_t left = sent->ask[k]; nodes > 0 && left > 0; nodes--) {
        int64_t node = sent->path[nodes - 1], some = smaller(sent->length[node], left);
        left -= some;
        sent->size[r] += larger(some - tokens[node], 0);
        tokens[node] = larger(some, tokens[node]);
        used[node] = k;
    }
    int64_t *place = sent->pending[r] ? &sent->following[sent->tail[r]] : &sent->head[r];
    *place = sent->tail[r] = k;
    sent->pending[r]++;
}

/* Forget those who wait no longer when a request comes. */
static inline void finish(const Sent *sent, double now, const double *start, const double *service) {
    for (int64_t r = 0; r < sent->replicas; r++) {
        for (int64_t k = sent->head[r]; sent->pending[r] && start[k] + service[k] <= now; k = sent->following[k]) {
            sent->pending[r]--;
            sent->head[r] = sent->following[k];
        }
    }
}

/* Return the replica of request k, and remember that its input was sent there. */
static inline int64_t by_what_was_sent(Sent *sent, int64_t k, double now, const double *start,
                                       const double *service) {
    finish(sent, now, start, service);
    if (sent->interval != 0 && now >= sent->next_eviction) {
        sent->next_eviction = now + sent->interval;
        for (int64_t r = 0; r < sent->replicas; r++) shrink(sent, r);
    }
    int64_t nodes = walk(sent, k), idle = first_least(sent->replicas, sent->pending);
    int64_t least = sent->pending[idle], most = 0;
    for (int64_t r = 0; r < sent->replicas; r++) most = larger(most, sent->pending[r]);
    bool uneven = most - least > sent->most_apart && (double)most > sent->most_times * (double)least;
    int64_t chosen = uneven ? idle : match(sent, k, nodes);
    insert(sent, k, nodes, chosen);
    return chosen;
}

#endif
