/* A radix tree of whole nodes, request by request (`teltheory.replay.radix.nodes` says what that is).

   A node of the tree is a range of depths on a chain of pieces (`teltheory.replay.trees.visits`), told by its
   first and its last piece. What begins with a piece is found by that piece, what begins inside one by the node
   that ends there. So a walk takes a step for each node on it, and nothing is done unit by unit. The nodes that
   may go wait in a heap by the policy's order; an entry whose node was used, pinned or evicted since is skipped
   when it comes up.

   A session claims the end of each path that it read, and gives up its nearest claim above; what goes hands its
   claims to the node above. So a node with nothing below it has a claim of each session that uses it.

   A request splits two nodes at most, one as it is read and one as it is added, and releases one leaf; a close
   lets the nodes that it gave up wait anew, of which each request claims one; what waits for any other reason
   takes the place of an entry that came up. So there are never more than 4 n entries. */

#include "base/numbers.h"

/* `inner` begins inside the last piece, -1 if nothing does, so also of a free place; `parent` is -1 for a root;
   `top` and `bottom` are the first and the last piece; `start` and `end` the depths between which its units lie;
   then how many nodes are below it and how many running requests go through it. `stamp` is when it was used last,
   2 k for what request k left unread and 2 k + 1 for what it read, -1 once it is gone; then the last request
   through it, the longest since it is there, and how many; the one that added it; and its order as it waits;
   how many sessions claim it, and the first of the requests by which they do. */
typedef struct {
    int64_t inner, parent, top, bottom, start, end, children, pins, stamp, read, mark, reads, since, order;
    int64_t claimed, claims;
} Node;

typedef struct {
    int64_t order, stamp, node;
} Entry;

enum { CONSTANT, VISIT, PAST, READ_BY, ADDED, WHEN };
enum { GONE = -2 }; /* what a request claims whose session was closed while it ran: nothing, for good */

/* What a policy says, for each value of the one thing that it looks at: nothing, the last visit to the node's
   first piece, or one of the node's own facts. */
typedef struct {
    int64_t looks_at;
    const int64_t *says;
} Rule;

typedef struct {
    Node *node;
    int64_t *begins; /* the node that begins with each piece, -1 if none does */
    int64_t *gone;   /* places of nodes that are gone */
    int64_t used, made, free;
    Entry *queue;
    int64_t waiting;
    const int64_t *parent, *above, *length, *level; /* of each piece */
    const int64_t *begin, *piece;                   /* the first visit of each request, the piece of each visit */
    Rule drops, budget, trimming, eviction;
    int64_t trims; /* trimming's ranks, which come before those of eviction */
    int64_t ranks; /* those of both */
    const int64_t *session; /* of each request, -1 for none */
    /* The node that each request claims, -1 for none; its neighbours among the claims of that node; the next claim
       of its session, and the first of each session. */
    int64_t *claimed, *before, *beside, *after, *first;
    int64_t chunk; /* units of a chunk, 0 for whole prompts */
    bool split, renew, eager;
} Radix;

static inline bool comes_first(Entry one, Entry other) {
    if (one.order != other.order) return one.order < other.order;
    return one.stamp != other.stamp ? one.stamp < other.stamp : one.node < other.node;
}

#include "replay/entries.h"

static inline int64_t ask_rule(const Radix *tree, const Rule *rule, const Node *node) {
    switch (rule->looks_at) {
    case VISIT: return rule->says[tree->begin[node->read] + tree->level[node->top]];
    case PAST: return rule->says[node->mark];
    case READ_BY: return rule->says[node->reads];
    case ADDED: return rule->says[node->since];
    case WHEN: return rule->says[node->stamp];
    default: return rule->says[0];
    }
}

/* Down to where paths through a node are worth keeping, -1 if the policy drops it. */
static inline int64_t reach_of(const Radix *tree, const Node *node) {
    return ask_rule(tree, &tree->drops, node) ? -1 : larger(ask_rule(tree, &tree->budget, node), 0);
}

static inline bool is_surplus(const Radix *tree, const Node *node, int64_t reach) {
    return reach < (tree->split ? node->end : node->start + 1);
}

static inline bool may_go(const Node *node) { return node->children == 0 && node->pins == 0; }

/* Let a node wait for eviction: surplus before the rest, then by the policy's order, then by recency. */
static inline void let_wait(Radix *tree, int64_t at) {
    Node *node = &tree->node[at];
    if (is_surplus(tree, node, reach_of(tree, node)))
        node->order = ask_rule(tree, &tree->trimming, node);
    else
        node->order = tree->trims + ask_rule(tree, &tree->eviction, node);
    node->order += node->claimed * tree->ranks;
    push_entry(tree->queue, &tree->waiting, (Entry){node->order, node->stamp, at});
}

static inline int64_t ends_at(const Radix *tree, int64_t piece) {
    return tree->above[piece] + tree->length[piece];
}

/* Request k's visit to the piece that has the first unit below a node. */
static inline int64_t visit_below(const Radix *tree, int64_t at, int64_t k) {
    if (at < 0) return tree->begin[k];
    int64_t bottom = tree->node[at].bottom;
    return tree->begin[k] + tree->level[bottom] + (ends_at(tree, bottom) == tree->node[at].end);
}

static inline bool on_path(const Radix *tree, int64_t piece, int64_t k) {
    int64_t j = tree->begin[k] + tree->level[piece];
    return j < tree->begin[k + 1] && tree->piece[j] == piece;
}

/* Let what leads to a node's first unit lead to another node, or to none. */
static inline void link_to(Radix *tree, int64_t at, int64_t to) {
    const Node *node = &tree->node[at];
    if (node->start == tree->above[node->top])
        tree->begins[node->top] = to;
    else
        tree->node[node->parent].inner = to;
}

static inline int64_t free_place(Radix *tree) { return tree->free > 0 ? tree->gone[--tree->free] : tree->made++; }

/* Split a node where request k's path leaves it, at `limit` at the latest; return the part above. */
static int64_t split_node(Radix *tree, int64_t at, int64_t k, int64_t limit) {
    int64_t shared = tree->node[at].bottom, below = -1, new = free_place(tree);
    Node *node = &tree->node[at], *part = &tree->node[new];
    for (; tree->above[shared] >= limit || !on_path(tree, shared, k); shared = tree->parent[shared])
        below = shared;
    int64_t cut = smaller(smaller(limit, node->end), ends_at(tree, shared));
    *part = *node;
    part->inner = part->claims = -1;
    part->claimed = 0;
    link_to(tree, new, new);
    part->end = cut;
    part->bottom = shared;
    part->children = 1;
    node->start = cut;
    node->parent = new;
    if (tree->renew) node->stamp = 2 * k;
    node->top = cut < ends_at(tree, shared) ? shared : below;
    link_to(tree, at, at);
    if (may_go(node)) let_wait(tree, at);
    return new;
}

/* Walk down from a node along request k's path to at most `limit`; return the last node on it. */
static int64_t walk(Radix *tree, int64_t at, int64_t k, int64_t limit) {
    int64_t depth = at >= 0 ? tree->node[at].end : 0;
    while (depth < limit) {
        int64_t p = tree->piece[visit_below(tree, at, k)];
        int64_t child = tree->above[p] == depth ? tree->begins[p] : tree->node[at].inner;
        if (child < 0) break;
        depth = tree->node[child].end;
        if (depth > limit || !on_path(tree, tree->node[child].bottom, k)) return split_node(tree, child, k, limit);
        at = child;
    }
    return at;
}

/* Add the units from `start` to `end` of request k's path below a node; return the new node. */
static int64_t add_node(Radix *tree, int64_t at, int64_t k, int64_t start, int64_t end) {
    int64_t new = free_place(tree), j = visit_below(tree, at, k);
    Node *node = &tree->node[new];
    node->parent = at;
    node->top = tree->piece[j];
    while (ends_at(tree, tree->piece[j]) < end) j++;
    node->bottom = tree->piece[j];
    node->start = start;
    node->end = end;
    node->children = node->pins = node->mark = node->reads = node->claimed = 0;
    node->claims = -1;
    node->since = k;
    link_to(tree, new, new);
    if (at >= 0) tree->node[at].children++;
    tree->used += end - start;
    return new;
}

/* Add request k's path below a node on it, its input by chunks; return its leaf. */
static int64_t insert(Radix *tree, int64_t at, int64_t k, int64_t ask, int64_t end) {
    int64_t depth = at >= 0 ? tree->node[at].end : 0;
    while (depth < ask) {
        int64_t upto = tree->chunk > 0 && ask - depth > tree->chunk ? depth + tree->chunk : ask;
        at = add_node(tree, at, k, depth, upto);
        depth = upto;
    }
    at = walk(tree, at, k, end);
    depth = at >= 0 ? tree->node[at].end : 0;
    return depth < end ? add_node(tree, at, k, depth, end) : at;
}

/* Make the nodes down to a request's leaf the most recent, and pin them. */
static void use(Radix *tree, int64_t leaf, int64_t k, int64_t end) {
    for (int64_t at = leaf; at >= 0; at = tree->node[at].parent) {
        Node *node = &tree->node[at];
        node->stamp = 2 * k + 1;
        node->read = k;
        node->mark = larger(node->mark, end);
        node->reads++;
        node->pins++;
    }
}

/* Pin the path down to a node, or unpin it. */
static inline void pin(Radix *tree, int64_t at, int64_t by) {
    for (; at >= 0; at = tree->node[at].parent) tree->node[at].pins += by;
}

/* Let request k claim a node for its session. */
static inline void claim(Radix *tree, int64_t k, int64_t at) {
    tree->claimed[k] = at;
    tree->before[k] = -1;
    tree->beside[k] = tree->node[at].claims;
    if (tree->beside[k] >= 0) tree->before[tree->beside[k]] = k;
    tree->node[at].claims = k;
    tree->node[at].claimed++;
}

static inline void give_up(Radix *tree, int64_t k) {
    tree->node[tree->claimed[k]].claimed--;
    if (tree->beside[k] >= 0) tree->before[tree->beside[k]] = tree->before[k];
    if (tree->before[k] >= 0)
        tree->beside[tree->before[k]] = tree->beside[k];
    else
        tree->node[tree->claimed[k]].claims = tree->beside[k];
    tree->claimed[k] = -1;
}

/* Take a claim out of those of its session. */
static inline void forget(Radix *tree, int64_t k) {
    int64_t *link = &tree->first[tree->session[k]];
    while (*link != k) link = &tree->after[*link];
    *link = tree->after[k];
}

/* Claim the leaf of a request that has ended, and give up its session's nearest claim above. */
static void claim_end(Radix *tree, int64_t k, int64_t leaf) {
    int64_t session = tree->session[k], nearest = -1;
    if (session < 0 || leaf < 0 || tree->claimed[k] == GONE) return;
    for (int64_t i = tree->first[session]; i >= 0; i = tree->after[i]) {
        const Node *node = &tree->node[tree->claimed[i]];
        if (tree->claimed[i] == leaf) return;
        if (on_path(tree, node->bottom, k) && (nearest < 0 || node->end > tree->node[tree->claimed[nearest]].end))
            nearest = i;
    }
    if (nearest >= 0) {
        forget(tree, nearest);
        give_up(tree, nearest);
    }
    claim(tree, k, leaf);
    tree->after[k] = tree->first[session];
    tree->first[session] = k;
}

/* Hand the claims of a node that goes to the one above, if their sessions have none there. */
static void hand_up(Radix *tree, int64_t at) {
    for (int64_t k = tree->node[at].claims, above = tree->node[at].parent; k >= 0; k = tree->node[at].claims) {
        int64_t i = above >= 0 ? tree->first[tree->session[k]] : -1;
        while (i >= 0 && tree->claimed[i] != above) i = tree->after[i];
        give_up(tree, k);
        if (above >= 0 && i < 0)
            claim(tree, k, above);
        else
            forget(tree, k);
    }
}

/* Close the session of a request: it claims nothing, and what of it runs never will. */
static void close_session(Radix *tree, int64_t request, int64_t k, int64_t running) {
    int64_t session = tree->session[request];
    if (session < 0) return;
    for (int64_t i = larger(k - running + 1, 0); i <= request; i++)
        if (tree->session[i] == session) tree->claimed[i] = GONE;
    while (tree->first[session] >= 0) {
        int64_t i = tree->first[session], at = tree->claimed[i];
        forget(tree, i);
        give_up(tree, i);
        if (may_go(&tree->node[at])) let_wait(tree, at);
    }
}

/* Evict a node, or what lies deeper than its budget if nodes are cut there; return what may go next. */
static int64_t evict(Radix *tree, int64_t at, int64_t reach) {
    Node *node = &tree->node[at];
    tree->used -= node->end - node->start;
    if (tree->split && node->start < reach && reach < node->end) {
        node->end = reach;
        tree->used += reach - node->start;
        while (tree->above[node->bottom] >= reach) node->bottom = tree->parent[node->bottom];
        return at;
    }
    link_to(tree, at, -1);
    hand_up(tree, at);
    if (node->parent >= 0) tree->node[node->parent].children--;
    node->stamp = -1;
    tree->gone[tree->free++] = at;
    return node->parent;
}

/* Unpin the path of a request, which has ended; what the policy does not keep of it goes, the deepest first. */
static void release(Radix *tree, int64_t k, int64_t at) {
    pin(tree, at, -1);
    claim_end(tree, k, at);
    while (at >= 0 && may_go(&tree->node[at])) {
        int64_t reach = reach_of(tree, &tree->node[at]);
        if (reach >= 0 && !(tree->eager && is_surplus(tree, &tree->node[at], reach))) {
            let_wait(tree, at);
            return;
        }
        at = evict(tree, at, reach);
    }
}

/* Evict the first node that waits, or skip its entry if it is out of date. */
static void evict_next(Radix *tree) {
    Entry first = pop_entry(tree->queue, &tree->waiting);
    const Node *node = &tree->node[first.node];
    if (node->stamp != first.stamp || node->order != first.order || !may_go(node)) return;
    int64_t at = evict(tree, first.node, reach_of(tree, node));
    if (at >= 0 && may_go(&tree->node[at])) let_wait(tree, at);
}

/* Replay the requests; return -1, or the first that does not fit, and write what it needs: what stays, and its
   own.

   A rule is what it looks at, and what it says of each value of that. `closed` are the requests whose sessions are
   closed, of which those from `closing[k]` to `closing[k + 1]` count at request k. `numbers`, `begins`, `claims`
   and `first` are -1 at first. */
int64_t replay_radix(int64_t n, int64_t pieces, int64_t visits, const int64_t parent[pieces],
                     const int64_t above[pieces], const int64_t length[pieces], const int64_t level[pieces],
                     const int64_t begin[n + 1], const int64_t piece[visits], int64_t drops, int64_t d,
                     const int64_t dropped[d], int64_t budget, int64_t b, const int64_t reaches[b], int64_t trims,
                     int64_t t, const int64_t trimming[t], int64_t evicts, int64_t e, const int64_t eviction[e],
                     int64_t ranks, int64_t all, int64_t chunk, int64_t split, int64_t renew, int64_t eager,
                     const int64_t session[n], const int64_t closing[n + 1], int64_t c, const int64_t closed[c],
                     int64_t places, int64_t capacity, int64_t running, const int64_t ask[n], int64_t cached[n],
                     int64_t written[n], int64_t needed[2], int64_t numbers[16 * places], int64_t begins[pieces],
                     int64_t gone[places], int64_t leaves[n], int64_t queue[12 * n], int64_t claims[4 * n],
                     int64_t s, int64_t first[s]) {
    Radix tree = {.node = (Node *)numbers, .begins = begins, .gone = gone, .queue = (Entry *)queue,
                  .parent = parent, .above = above, .length = length, .level = level, .begin = begin,
                  .piece = piece, .drops = {drops, dropped}, .budget = {budget, reaches},
                  .trimming = {trims, trimming}, .eviction = {evicts, eviction}, .trims = ranks, .ranks = all,
                  .chunk = chunk, .split = split, .renew = renew, .eager = eager, .session = session,
                  .claimed = claims, .before = claims + n, .beside = claims + 2 * n, .after = claims + 3 * n,
                  .first = first};
    for (int64_t k = 0; k < n; k++) {
        int64_t end = begin[k + 1] > begin[k] ? ends_at(&tree, piece[begin[k + 1] - 1]) : 0;
        int64_t at = walk(&tree, -1, k, ask[k]);
        cached[k] = at >= 0 ? tree.node[at].end : 0;
        pin(&tree, at, 1);
        if (k >= running) release(&tree, k - running, leaves[k - running]);
        for (int64_t i = closing[k]; i < closing[k + 1]; i++) close_session(&tree, closed[i], k, running);
        while (end - cached[k] > capacity - tree.used) {
            if (tree.waiting == 0) {
                needed[0] = tree.used;
                needed[1] = end - cached[k];
                return k;
            }
            evict_next(&tree);
        }
        pin(&tree, at, -1);
        int64_t before = tree.used;
        leaves[k] = insert(&tree, at, k, ask[k], end);
        written[k] = tree.used - before;
        use(&tree, leaves[k], k, end);
    }
    return -1;
}
