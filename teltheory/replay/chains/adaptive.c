/* T-LRU with a threshold that changes between turns.

   What a slot holds is stored, as the surplus of each changes with the threshold. A cut goes over the slots that
   hold anything, least recent first (`waiting`): O(slots that do) for a cut that overflows, and for every cut with
   eager trimming.

   A cut is made when the next turn arrives, not before: an update of the threshold then stands between the turn
   that it follows and that turn's cut, and the cut after the last turn, which changes no outcome, is never
   made. */

#include "replay/chains/stored.h"
#include "replay/rounds.h"

/* A slot's tokens above its budget, which is all of its past but at most `safe`. */
INLINED int64_t surplus_of(const Chains *of, const int64_t *past, int64_t safe, int64_t s) {
    return larger(of->holds[s] - larger(past[s] - safe, 0), 0);
}

/* Trim in rounds: the tree has surpluses during a cut alone. */
static int64_t trim_in_rounds(const Chains *of, const int64_t *past, int64_t safe, const int64_t *waiting,
                              int64_t alive, Tree tree, const int64_t *rank, int64_t overflow) {
    for (int64_t i = 0; i < alive; i++) {
        int64_t s = waiting[i], surplus = surplus_of(of, past, safe, s);
        of->holds[s] -= surplus;
        exchange(tree, rank[s], surplus);
    }
    overflow = trim_rounds(tree, overflow);
    for (int64_t i = 0; i < alive; i++) of->holds[waiting[i]] += exchange(tree, rank[waiting[i]], 0);
    return overflow;
}

/* Trim the least recent first, or all surplus at once; what overflows is below 0 then if there was more of it. */
static int64_t trim_by_recency(const Chains *of, const int64_t *past, int64_t safe, const int64_t *waiting,
                               int64_t alive, bool eager, int64_t overflow) {
    for (int64_t i = 0; i < alive && (eager || overflow > 0); i++) {
        int64_t surplus = surplus_of(of, past, safe, waiting[i]);
        int64_t taken = eager ? surplus : smaller(surplus, overflow);
        of->holds[waiting[i]] -= taken;
        overflow -= taken;
    }
    return overflow;
}

/* Cut after the turn before each of the turns first, ..., end - 1, and serve it.

   `place` is what is carried from call to call, zeros before turn 0: how many slots came under a cut, how many of
   them are in `waiting`, and what is held above the capacity. */
void serve_at_threshold(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                        const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                        int64_t capacity, int64_t cached[n], int64_t uncached[n], int64_t holds[m + n],
                        const int64_t past[m + n], int64_t waiting[m + n], const int64_t rank[m + n],
                        int64_t leaves, int64_t nodes[12 * leaves], int64_t forced, int64_t rounds, int64_t eager,
                        int64_t place[3], int64_t safe, int64_t first, int64_t end) {
    Chains of = {n, m, history, prompt, full, previous, following, capacity, cached, uncached, holds};
    Tree tree = first ? tree_of(leaves, nodes) : new_tree(leaves, nodes);
    int64_t entered = place[0], alive = place[1], overflow = first ? place[2] : overflow_at_start(&of);
    for (int64_t k = first; k < end; k++) {
        for (; k && entered < m + k - (forced != 0); entered++) waiting[alive++] = entered;
        if (k && (overflow > 0 || eager)) {
            alive = still_holding(&of, waiting, alive);
            overflow = rounds ? trim_in_rounds(&of, past, safe, waiting, alive, tree, rank, overflow)
                              : trim_by_recency(&of, past, safe, waiting, alive, eager, overflow);
            for (int64_t i = 0; i < alive && overflow > 0; i++) { /* evict */
                int64_t taken = smaller(holds[waiting[i]], overflow);
                holds[waiting[i]] -= taken;
                overflow -= taken;
            }
        }
        overflow += serve(&of, k);
    }
    place[0] = entered;
    place[1] = alive;
    place[2] = overflow;
}
