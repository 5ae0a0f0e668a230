/* Claims on the optimum of forests, checked on all small ones: the second encoding of each, and its enumeration.

   What is cached is a set of bits, one for each block. `least` is written from the problem's description alone,
   and tries every content of the cache: a request finds the leading blocks of its path that are cached;
   afterwards its whole path is at hand; any part of what is at hand may stay that fits (in a strict cache: that
   is closed towards the root; under forced caching: with the paths of the latest requests). What a request loses
   depends on how many leading blocks it finds. Nothing here is shared with the replays and optima of the
   package.

   Of a shape one call tries so many vectors of needs, each at every capacity, and can be called again for the
   next ones, as `at` says where it stands: the threshold, and the needs. */

#include <stdbool.h>
#include <stdint.h>

enum { MOST_BLOCKS = 16, MOST_REQUESTS = 32 };
enum { GREEDY, STRICT, LEAF_FIRST, CLOSED_NEEDS }; /* checks */
/* Every vector of needs up to what is known, at a threshold of the depth; or each excess is without a tail. */
enum { NEEDS, EXCESSES };
enum { OUTSIDE = -1, REFUTED, TRUE };
enum { WITHIN, REFUTING, SUM };
enum { CAPACITY, XI, TOTALS };

#define NEVER ((int64_t)1 << 40) /* the cost of a content that cannot come up */

/* Blocks, parents first, and the paths of requests, root first, of which `mask` is the set. Facts of the 2^B
   sets of blocks: how many blocks, and whether all parents are in; and working room, two costs a set. */
typedef struct {
    int64_t requests, blocks;
    const int64_t *parent;
    int64_t depth[MOST_BLOCKS], path[MOST_REQUESTS][MOST_BLOCKS], end[MOST_REQUESTS], mask[MOST_REQUESTS];
    int64_t *number, *closed, *costs, *after;
} Forest;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static Forest new_forest(int64_t n, int64_t blocks, const int64_t *parent, const int64_t *leaf, int64_t *room) {
    Forest tree = {.requests = n, .blocks = blocks, .parent = parent};
    int64_t sets = (int64_t)1 << blocks;
    tree.number = room, tree.closed = room + sets, tree.costs = room + 2 * sets, tree.after = room + 3 * sets;
    for (int64_t block = 0; block < blocks; block++)
        tree.depth[block] = 1 + (parent[block] >= 0 ? tree.depth[parent[block]] : 0);
    for (int64_t k = 0; k < n; k++) {
        tree.end[k] = leaf[k] >= 0 ? tree.depth[leaf[k]] : 0;
        for (int64_t block = leaf[k]; block >= 0; block = parent[block]) {
            tree.path[k][tree.depth[block] - 1] = block;
            tree.mask[k] |= (int64_t)1 << block;
        }
    }
    tree.number[0] = 0, tree.closed[0] = true;
    for (int64_t block = 0; block < blocks; block++) { /* the sets of which this is the last block */
        int64_t bit = (int64_t)1 << block, above = parent[block];
        for (int64_t rest = 0; rest < bit; rest++) {
            tree.number[bit | rest] = tree.number[rest] + 1;
            tree.closed[bit | rest] = tree.closed[rest] && (above < 0 || rest >> above & 1);
        }
    }
    return tree;
}

/* How many leading blocks of a path are held. */
static int64_t leading(const Forest *tree, int64_t k, int64_t held) {
    int64_t count = 0;
    while (count < tree->end[k] && held >> tree->path[k][count] & 1) count++;
    return count;
}

/* The set of blocks that the latest requests walk, request k the last of them. */
static int64_t staying(const Forest *tree, int64_t k, int64_t running) {
    int64_t stay = 0;
    for (int64_t j = larger(k + 1 - running, 0); j <= k; j++) stay |= tree->mask[j];
    return stay;
}

/* The costs after a request: any part of what is at hand may stay that is allowed. */
static void keep_any_part(Forest *tree, const int64_t *loss, int64_t k, int64_t capacity, int64_t stay,
                          bool strict) {
    int64_t sets = (int64_t)1 << tree->blocks;
    for (int64_t held = 0; held < sets; held++) tree->after[held] = NEVER;
    for (int64_t held = 0; held < sets; held++) {
        if (tree->costs[held] == NEVER) continue;
        int64_t cost = tree->costs[held] + loss[k * (tree->blocks + 1) + leading(tree, k, held)];
        int64_t at_hand = held | tree->mask[k], kept = at_hand;
        while (true) {
            if (tree->number[kept] <= capacity && (kept & stay) == stay && (tree->closed[kept] || !strict))
                tree->after[kept] = smaller(tree->after[kept], cost);
            if (kept == 0) break;
            kept = (kept - 1) & at_hand;
        }
    }
}

/* The least sum of losses, from a set that is cached at first; `running` is 0 if not forced. */
static int64_t least(Forest *tree, const int64_t *loss, int64_t capacity, int64_t running, bool strict,
                     int64_t start) {
    int64_t sets = (int64_t)1 << tree->blocks;
    for (int64_t held = 0; held < sets; held++) tree->costs[held] = held == start ? 0 : NEVER;
    for (int64_t k = 0; k < tree->requests; k++) {
        int64_t stay = k < tree->requests - 1 ? staying(tree, k, running) : 0;
        keep_any_part(tree, loss, k, capacity, stay, strict);
        int64_t *before = tree->costs;
        tree->costs = tree->after;
        tree->after = before;
    }
    int64_t found = tree->costs[0];
    for (int64_t held = 1; held < sets; held++) found = smaller(found, tree->costs[held]);
    return found;
}

/* The next request through a block after request k if that needs it, else the number of requests. */
static int64_t needed_at(const Forest *tree, const int64_t *need, int64_t k, int64_t block) {
    for (int64_t later = k + 1; later < tree->requests; later++)
        if (tree->mask[later] >> block & 1) return tree->depth[block] <= need[later] ? later : tree->requests;
    return tree->requests;
}

/* The set of a block's children. */
static int64_t below(const Forest *tree, int64_t block) {
    int64_t children = 0;
    for (int64_t child = 0; child < tree->blocks; child++)
        if (tree->parent[child] == block) children |= (int64_t)1 << child;
    return children;
}

static int64_t first_to_go(const Forest *tree, const int64_t *need, int64_t k, int64_t held, int64_t free,
                           bool strict) {
    int64_t goes = -1, largest = -1;
    for (int64_t block = 0; block < tree->blocks; block++) {
        if (!(free >> block & 1) || (strict && below(tree, block) & held)) continue;
        int64_t urgency = needed_at(tree, need, k, block) * (tree->blocks + 1) + tree->depth[block];
        if (urgency > largest) goes = block, largest = urgency;
    }
    return goes;
}

/* What requests lose if first goes what its next request needs not, then the furthest, deepest first.

   In a strict cache only a block goes that has no cached block below. */
static int64_t furthest_goes(const Forest *tree, const int64_t *need, int64_t capacity, int64_t running,
                             bool strict) {
    int64_t held = 0, lost = 0;
    for (int64_t k = 0; k < tree->requests; k++) {
        lost += need[k] - smaller(need[k], leading(tree, k, held));
        held |= tree->mask[k];
        int64_t stay = staying(tree, k, running);
        while (k < tree->requests - 1 && tree->number[held] > capacity)
            held ^= (int64_t)1 << first_to_go(tree, need, k, held, held & ~stay, strict);
    }
    return lost;
}

static bool needed_between(const Forest *tree, const int64_t *need, int64_t s, int64_t e) {
    for (int64_t k = s + 1; k < e; k++) {
        int64_t shared = 0, most = smaller(tree->end[k], tree->end[e]);
        while (shared < most && tree->path[k][shared] == tree->path[e][shared]) shared++;
        if (shared > need[k]) return false;
    }
    return true;
}

/* Whether between a read of a block and the next, if that needs it, requests need what they share with it. */
static bool needs_are_closed(const Forest *tree, const int64_t *need) {
    for (int64_t e = 0; e < tree->requests; e++) {
        for (int64_t place = 0; place < smaller(need[e], tree->end[e]); place++) {
            int64_t k = e - 1;
            while (k >= 0 && !(tree->mask[k] >> tree->path[e][place] & 1)) k--;
            if (k >= 0 && !needed_between(tree, need, k, e)) return false;
        }
    }
    return true;
}

/* Put a check's values into `out`, the first entry their number; return OUTSIDE, TRUE or REFUTED. */
static int judge(Forest *tree, int64_t check, const int64_t *need, int64_t capacity, int64_t running,
                 int64_t *out) {
    int64_t loss[MOST_REQUESTS * (MOST_BLOCKS + 1)], blocks = tree->blocks; /* what is left of a need */
    for (int64_t k = 0; k < tree->requests; k++)
        for (int64_t found = 0; found <= blocks; found++)
            loss[k * (blocks + 1) + found] = larger(0, need[k] - found);
    out[0] = 0;
    if (check == CLOSED_NEEDS && !needs_are_closed(tree, need)) return OUTSIDE;
    bool strict = check != GREEDY;
    out[0] = 2;
    out[1] = check == STRICT ? least(tree, loss, capacity, running, true, 0)
                             : furthest_goes(tree, need, capacity, running, strict);
    out[2] = least(tree, loss, capacity, running, strict && check != STRICT, 0);
    if (check != CLOSED_NEEDS) return out[1] == out[2];
    out[0] = 3;
    out[3] = least(tree, loss, capacity, running, false, 0);
    return out[1] == out[2] && out[2] == out[3];
}

/* Whether a case is smaller: all totals, then C, xi and the totals one by one. */
static bool is_smaller(int64_t length, const int64_t *row, const int64_t *other) {
    int64_t difference = 0;
    for (int64_t i = TOTALS; i < length; i++) difference += row[i] - other[i];
    for (int64_t i = 0; i < length && difference == 0; i++) difference = row[i] - other[i];
    return difference < 0;
}

static void count(int answer, const int64_t *out, int64_t length, const int64_t *row, int64_t *totals,
                  int64_t *smallest) {
    if (answer == OUTSIDE) return;
    uint64_t weight = (uint64_t)(1 + row[CAPACITY] + 31 * row[XI]), values = 0;
    for (int64_t i = TOTALS; i < length; i++) weight += (uint64_t)(i * row[i]);
    for (int64_t i = 1; i <= out[0]; i++) values += (uint64_t)(i * out[i]);
    totals[WITHIN]++;
    totals[SUM] = (int64_t)((uint64_t)totals[SUM] + weight * values);
    if (answer != REFUTED) return;
    totals[REFUTING]++;
    if (totals[REFUTING] > 1 && !is_smaller(length, row, smallest)) return;
    for (int64_t i = 0; i < length; i++) smallest[i] = row[i];
}

/* Go to the next vector of needs; return whether there was one. */
static bool next_need(int64_t n, const int64_t *known, int64_t *need) {
    for (int64_t k = 0; k < n; k++) {
        if (need[k] < known[k]) {
            need[k]++;
            return true;
        }
        need[k] = 0;
    }
    return false;
}

/* Check the next vectors of needs; return whether there are more. Totals are the cases within the hypotheses,
   those that refute, and a sum of their values with weights; the smallest case that refutes is C, xi and totals.
   */
int64_t tally_small_forest(int64_t vectors, int64_t check, int64_t demands, int64_t running,
                           int64_t least_capacity, int64_t most_xi, int64_t n, int64_t blocks,
                           const int64_t parent[blocks], const int64_t leaf[n], const int64_t known[n],
                           int64_t at[1 + n], int64_t totals[3], int64_t smallest[2 + n],
                           int64_t room[4 << blocks]) {
    Forest tree = new_forest(n, blocks, parent, leaf, room);
    int64_t *need = at + 1, row[TOTALS + MOST_REQUESTS], out[4];
    for (int64_t k = 0; k < n - 1; k++) /* every path that no cut touches has to fit */
        least_capacity = larger(least_capacity, tree.number[staying(&tree, k, running)]);
    for (; vectors > 0; vectors--) {
        row[XI] = at[0];
        for (int64_t k = 0; k < n; k++) {
            if (demands == EXCESSES) need[k] = larger(tree.end[k] - at[0], 0);
            row[TOTALS + k] = demands == NEEDS ? at[0] + need[k] : tree.end[k];
        }
        for (row[CAPACITY] = least_capacity; row[CAPACITY] <= blocks; row[CAPACITY]++)
            count(judge(&tree, check, need, row[CAPACITY], running, out), out, TOTALS + n, row, totals, smallest);
        if (demands == NEEDS && next_need(n, known, need)) continue;
        if (++at[0] > most_xi) return false;
    }
    return true;
}

/* Check one case: return OUTSIDE, TRUE or REFUTED; write how many values there are, and the values. */
int64_t judge_small_forest(int64_t check, int64_t capacity, int64_t running, int64_t n, int64_t blocks,
                           const int64_t parent[blocks], const int64_t leaf[n], const int64_t need[n],
                           int64_t values[4], int64_t room[4 << blocks]) {
    Forest tree = new_forest(n, blocks, parent, leaf, room);
    return judge(&tree, check, need, capacity, running, values);
}

/* The least sum of losses, which are given for each request if it finds 0 ... B leading blocks. */
int64_t least_loss_in_small_forest(int64_t capacity, int64_t running, int64_t strict, int64_t start, int64_t n,
                                   int64_t blocks, const int64_t parent[blocks], const int64_t leaf[n],
                                   const int64_t loss[n * (blocks + 1)], int64_t room[4 << blocks]) {
    Forest tree = new_forest(n, blocks, parent, leaf, room);
    return least(&tree, loss, capacity, running, strict, start);
}
