/* Private conversations in two tiers whose orders are by recency: pointers, as in one tier.

   `upper` is what the first tier holds of a slot, `both` what both tiers hold of it. If the second tier's policy
   keeps at least what the first's does (`teltheory.replay.tiers.rules.walks_forward`), each order is a walk over
   slots, least recent first, that never goes back:

   1. The first tier trims up to `trim` and evicts up to `tail`. It evicts if all surplus is gone, so that slots
      before `tail` are not in it.
   2. The second tier has surplus only of what the first one trimmed. It trims up to `below`, which waits at
      `trim`.
   3. It evicts first what the first tier evicted, up to `old`, which waits at `tail`; then what that trimmed or
      did not keep, up to `young`, which is beyond `tail` and waits at `trim`. */

#include "replay/tiers/steps.h"

/* What slots hold in the first tier and in both; and what `upper` was when it last began to change. */
typedef struct {
    int64_t *upper, *both, *before;
} InBoth;

typedef struct {
    int64_t trim, tail, below, old, young;
} Walks;

/* Slots that sank at a turn: those from `trim` to `trimmed`, from `tail` to `evicted`, and the last one. */
typedef struct {
    int64_t trim, trimmed, tail, evicted, last;
} Changed;

/* Walk on in the first tier until it fits; return the end of what was visited. Trimming stops at a row of budgets,
   eviction (WHOLE) at nothing. What slots hold is written down, unless they are `noted` or later. */
INLINED int64_t walk_first(const Seen *seen, InBoth slots, int64_t row, int64_t *walk, int64_t last, int64_t noted,
                           int64_t *overflow) {
    int64_t p = *walk, end = p;
    while (*overflow > 0 && p <= last) {
        int64_t upper = slots.upper[p];
        if (p < noted) slots.before[p] = upper;
        int64_t gone = row == WHOLE ? upper : larger(upper - worth(seen, row, 0, p), 0);
        int64_t taken = smaller(gone, *overflow);
        slots.upper[p] = upper - taken;
        *overflow -= taken;
        end = p + 1;
        p += taken == gone;
    }
    *walk = p;
    return end;
}

/* Walk on in the second tier, as far as `stop`; return what went that had just sunk. */
INLINED int64_t walk_second(const Seen *seen, InBoth slots, int64_t row, int64_t *walk, int64_t stop,
                            const Changed *changed, int64_t *overflow) {
    int64_t p = *walk, through = 0, end = smaller(stop, changed->last);
    while (*overflow > 0 && p <= end) {
        int64_t upper = slots.upper[p], both = slots.both[p];
        int64_t gone = larger(both - (row == WHOLE ? upper : larger(worth(seen, row, 1, p), upper)), 0);
        int64_t taken = smaller(gone, *overflow);
        slots.both[p] = both - taken;
        *overflow -= taken;
        if (p >= changed->tail) {
            bool trimmed = changed->trim <= p && p < changed->trimmed;
            if (trimmed || p < changed->evicted || p == changed->last)
                through += larger(slots.before[p] - both + taken, 0) - larger(slots.before[p] - both, 0);
        }
        p += taken == gone;
    }
    *walk = smaller(p, stop);
    return through;
}

/* Serve turn k, whose conversation has slot s, and fill its new one; add by how much the tiers grow. */
INLINED void arrive(const Seen *seen, InBoth slots, const Writes *moved, int64_t k, int64_t s, int64_t *used,
                    int64_t *total) {
    int64_t history = seen->history[k], past = seen->past[k], upper = 0, both = 0;
    if (s >= 0) {
        upper = slots.upper[s], both = slots.both[s];
        slots.upper[s] = slots.both[s] = 0;
    }
    int64_t reused = smaller(both, history), first = smaller(upper, history);
    moved->cached[k] = first;
    moved->cached[seen->n + k] = reused - first;
    moved->written[k] = past - reused;
    slots.upper[k] = slots.both[k] = past;
    *used += past - upper;
    *total += past - both;
}

/* Bring a slot under its first cut, which subtracts from the first tier and from both; return what sinks. */
INLINED int64_t enter_both(const Seen *seen, InBoth slots, int64_t s, int64_t *used, int64_t *total) {
    int64_t upper = slots.upper[s], both = slots.both[s], first = seen->full[0], second = seen->full[1];
    slots.before[s] = both;
    if (first == WHOLE && second == WHOLE) return 0;
    int64_t above = smaller(upper, worth(seen, first, 0, s));
    int64_t kept = smaller(both, larger(worth(seen, second, 1, s), above));
    slots.upper[s] = above;
    slots.both[s] = slots.before[s] = kept;
    *used -= upper - above;
    *total -= both - kept;
    return upper - above - (both - kept);
}

/* Cut the first tier, which overflows. */
INLINED void cut_first(const Seen *seen, InBoth slots, Walks *walks, Changed *changed, int64_t overflow) {
    int64_t least = seen->least[0], last = changed->last, noted = last;
    if (least != WHOLE) {
        changed->trimmed = walk_first(seen, slots, least, &walks->trim, last, last, &overflow);
        noted = smaller(changed->trim, last);
    }
    changed->evicted = walk_first(seen, slots, WHOLE, &walks->tail, last, noted, &overflow);
}

/* Cut the second tier, which overflows; return what goes that had just sunk. */
INLINED int64_t cut_second(const Seen *seen, InBoth slots, Walks *walks, const Changed *changed,
                           int64_t overflow) {
    int64_t least = seen->least[1], stop = seen->least[0] != WHOLE ? walks->trim : changed->last, through = 0;
    if (least != WHOLE) through = walk_second(seen, slots, least, &walks->below, stop, changed, &overflow);
    through += walk_second(seen, slots, WHOLE, &walks->old, walks->tail, changed, &overflow);
    walks->young = larger(walks->young, walks->tail + 1);
    return through + walk_second(seen, slots, WHOLE, &walks->young, stop, changed, &overflow);
}

INLINED void each_turn(Seen seen, InBoth slots, Writes moved, const int64_t *previous, int64_t forced) {
    int64_t fast = seen.capacity[0], slow = seen.capacity[1], used = 0, total = 0;
    Walks walks = {0, 0, 0, 0, 0};
    for (int64_t k = 0; k < seen.n; k++) {
        int64_t last = forced ? k - 1 : k, sunk = 0;
        arrive(&seen, slots, &moved, k, previous[k], &used, &total);
        if (forced && seen.past[k] > fast) { /* the last turn */
            moved.copied[k] = 0;
            break;
        }
        if (last >= 0) sunk = enter_both(&seen, slots, last, &used, &total);
        Changed changed = {walks.trim, walks.trim, walks.tail, walks.tail, last};
        if (used > fast) {
            cut_first(&seen, slots, &walks, &changed, used - fast);
            sunk += used - fast;
            used = fast;
        }
        int64_t overflow = total - slow - (seen.inclusive ? 0 : used);
        if (overflow > 0) {
            sunk -= cut_second(&seen, slots, &walks, &changed, overflow);
            total -= overflow;
        }
        moved.copied[k] = sunk;
        int64_t found = moved.cached[k] + moved.cached[seen.n + k];
        if (seen.inclusive) moved.copied[k] = larger(slots.both[k] - found, 0);
    }
}

/* Replay, given the slot that each turn's conversation had before, -1 for none. */
void replay_two_tiers_by_recency(int64_t n, int64_t tiers, int64_t rules, int64_t orders,
                                 const int64_t capacity[tiers], int64_t inclusive, const int64_t history[n],
                                 const int64_t past[n], const int64_t kept[rules * n], const int64_t full[tiers],
                                 const int64_t least[tiers], const int64_t safe[tiers], const int64_t up[tiers],
                                 const int64_t down[tiers], const int64_t place[orders * n],
                                 const int64_t at[orders * n], const int64_t order[2 * tiers], int64_t upper[n],
                                 int64_t both[n], int64_t before[n], int64_t cached[tiers * n],
                                 int64_t written[n], int64_t copied[n], const int64_t previous[n],
                                 int64_t forced) {
    Seen seen = {n,     tiers, inclusive, capacity, history, past,  kept, full,
                 least, safe,  up,        down,     place,   at,    order};
    each_turn(seen, (InBoth){upper, both, before}, (Writes){cached, written, copied}, previous, forced);
}
