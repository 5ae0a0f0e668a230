/* What each turn reuses as a function of the capacity: clipped segments, found in one pass over the trace.

   A segment (start, length) reuses clip(C - start, 0, length) at capacity C. A turn has two: `first` and `second`
   are where they start, `split` is the length of the first and `reusable` that of both together.
   `teltheory.replay.curve` proves that the ranks of what is kept do not depend on C. */

#include "replay/bitset.h"
#include "replay/ladder.h"
#include "replay/occupancy.h"

/* Find the segment of each turn under LRU of slots with weights.

   What a slot's conversation leaves when it comes back is a hole in the order of recency. The next arrivals fill
   the holes, the most recent hole first, and only then push what is less recent further down (Lemma 2). */
void stack_distances(int64_t n, const int64_t weight[n], const int64_t previous[n], const int64_t history[n],
                     int64_t room[4 * n + 4], uint64_t words[n / 63 + 12], int64_t start[n], int64_t length[n]) {
    Sums sums = new_sums(n, room);
    Bitset holes = new_bitset(n, words);
    for (int64_t k = 0; k < n; k++) {
        int64_t p = previous[k], need = weight[k];
        start[k] = length[k] = 0;
        if (p >= 0) {
            int64_t own = weight[p];
            bool fills = is_empty(&holes) && need >= own; /* the hole that it would make, whole */
            start[k] = take(sums, p, where(fills, own), k);
            length[k] = smaller(own, history[k]);
            if (fills && own > 0)
                need = 0;
            else if (own > 0)
                set_bit(&holes, p);
        }
        while (need > 0 && !is_empty(&holes)) {
            int64_t hole = largest_bit(&holes), size = sums.node[sums.size + hole], filled = smaller(size, need);
            take(sums, hole, filled, k);
            need -= filled;
            if (filled == size) clear_bit(&holes, hole);
        }
        add_slot(sums, k, weight[k]);
    }
}

/* A slot's weight of two classes: what of a past is its budget, past the first `safe` blocks, and at most
   those. */
typedef struct {
    int64_t budget, surplus;
} Weights;

/* Slots with two weights, as a trace has them. A leaf of the tree is two slots; what one weighs is read off the
   trace. `following` is the turn at which a slot is removed. */
typedef struct {
    Weights *node;
    int64_t size;
    const int64_t *past, *following;
    int64_t safe;
} Pairs;

/* Both weights of a slot, 0 if it does not count. */
INLINED Weights weights(Pairs of, int64_t slot, bool counts) {
    int64_t past = where(counts, of.past[slot]);
    return (Weights){larger(past - of.safe, 0), smaller(past, of.safe)};
}

INLINED Weights both(Weights one, Weights two) {
    return (Weights){one.budget + two.budget, one.surplus + two.surplus};
}

INLINED void lower(Weights *node, Weights taken) {
    node->budget -= taken.budget;
    node->surplus -= taken.surplus;
}

/* Add the next slot and the one before it, at the next slot's own turn; its number is odd. */
INLINED void add_pair(Pairs of, int64_t slot) {
    int64_t at = of.size + (slot >> 1);
    of.node[at] = both(weights(of, slot - 1, of.following[slot - 1] > slot), weights(of, slot, true));
    for (; at & 1 && at > 1; at >>= 1) of.node[at >> 1] = both(of.node[at - 1], of.node[at]);
}

/* Take both weights from the slot that turn `now` removes; return the sums of the slots between the two. */
INLINED Weights take_both(Pairs of, int64_t slot, int64_t now) {
    int64_t beside = slot | 1, newest = now & -2; /* the other of the slot's pair, the other of the turn's */
    Weights found = both(weights(of, beside, (beside < now) & (of.following[beside] > now)),
                         weights(of, newest, (beside < newest) & (newest < now)));
    Weights taken = weights(of, slot, true);
    int64_t at = of.size + (slot >> 1), last = of.size + (now >> 1);
    for (; at + 1 < last; at >>= 1, last >>= 1) {
        Weights right = of.node[at | 1], left = of.node[last & -2];
        found.budget += where(~at & 1, right.budget) + where(last & 1, left.budget);
        found.surplus += where(~at & 1, right.surplus) + where(last & 1, left.surplus);
        lower(&of.node[at], taken);
    }
    for (; at < last; at >>= 1, last >>= 1) lower(&of.node[at], taken);
    return found;
}

/* Find both segments of each turn under T-LRU with least-recent trim, where no past ever shrinks (Lemma 1). */
void budget_distances(int64_t n, const int64_t past[n], const int64_t following[n], int64_t safe,
                      const int64_t previous[n], const int64_t history[n], int64_t room[4 * n + 4],
                      int64_t first[n], int64_t second[n], int64_t split[n]) {
    Pairs live = {(Weights *)room, leaves_of((n + 1) / 2), past, following, safe};
    int64_t all_budgets = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t p = previous[k];
        first[k] = second[k] = split[k] = 0;
        if (p >= 0) {
            Weights later = take_both(live, p, k);
            int64_t budget = weights(live, p, true).budget;
            first[k] = later.budget;
            second[k] = all_budgets + later.surplus;
            split[k] = smaller(budget, history[k]);
            all_budgets -= budget;
        }
        all_budgets += weights(live, k, true).budget;
        if (k & 1) add_pair(live, k);
    }
}

/* Write what each turn reuses and computes at one capacity. */
WIDENED
void segments_at(int64_t n, const int64_t first[n], const int64_t second[n], const int64_t split[n],
                 const int64_t reusable[n], const int64_t total[n], int64_t capacity,
                 int64_t cached[restrict n], int64_t uncached[restrict n]) {
    for (int64_t k = 0; k < n; k++) {
        int64_t reused = smaller(larger(capacity - first[k], 0), split[k]);
        reused += smaller(larger(capacity - second[k], 0), reusable[k] - split[k]);
        cached[k] = reused;
        uncached[k] = total[k] - reused;
    }
}

/* Note which segments begin (+) or end (-) at or before each capacity and after the one below it: `changes` has a
   row of three numbers for each (`note_change`), zeros at first. There is a capacity.

   Only what lowers a turn's excess above xi counts: at most total - xi, of the first segment first. The sum of all
   excess goes to the first row; the low part of less than 2**31 turns is below 2**63, so it is what the sum modulo
   2**64 has beyond the high part. */
void segments_reuse_changes(int64_t n, const int64_t first[n], const int64_t second[n], const int64_t split[n],
                            const int64_t reusable[n], const int64_t total[n], int64_t xi, int64_t sizes,
                            const int64_t capacities[sizes], const int64_t below[63 * 1024 + 1],
                            int64_t changes[3 * (sizes + 1)]) {
    Ladder rungs = {capacities, below};
    int64_t most = capacities[sizes - 1];
    uint64_t high_parts = 0, all = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t excess = total[k] - xi;
        if (excess <= 0) continue;
        high_parts += (uint64_t)excess >> 32;
        all += (uint64_t)excess;
        int64_t low = smaller(split[k], excess), high = smaller(reusable[k] - split[k], excess - low);
        if (low > 0 && first[k] < most) {
            note_change(changes, rungs, first[k], 1);
            note_change(changes, rungs, first[k] + low, -1);
        }
        if (high > 0 && second[k] < most) {
            note_change(changes, rungs, second[k], 1);
            note_change(changes, rungs, second[k] + high, -1);
        }
    }
    changes[1] += (int64_t)high_parts;
    changes[2] += (int64_t)(all - (high_parts << 32));
}

enum { BLOCK = 256 };

/* Write which turns of a block exceed xi, without a branch; return how many. */
INLINED int64_t exceeding(int64_t begin, int64_t end, const int64_t *total, int64_t xi, int64_t turns[BLOCK]) {
    int64_t found = 0, k = begin;
    for (; k + 4 <= end; k += 4) {
        int64_t one = total[k] > xi, two = one + (total[k + 1] > xi), three = two + (total[k + 2] > xi);
        int64_t *next = &turns[found];
        next[0] = k;
        next[one] = k + 1;
        next[two] = k + 2;
        next[three] = k + 3;
        found += three + (total[k + 3] > xi);
    }
    for (; k < end; k++) {
        turns[found] = k;
        found += total[k] > xi;
    }
    return found;
}

/* Count how many turns no longer exceed xi from each capacity on; last, how many exceed it at all of them. */
void segments_violation_ends(int64_t n, const int64_t first[n], const int64_t second[n], const int64_t split[n],
                             const int64_t reusable[n], const int64_t total[n], int64_t xi, int64_t sizes,
                             const int64_t capacities[sizes], const int64_t below[63 * 1024 + 1],
                             int64_t ends[sizes + 1]) {
    Ladder rungs = {capacities, below};
    int64_t turns[BLOCK];
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t found = exceeding(begin, smaller(begin + BLOCK, n), total, xi, turns);
        for (int64_t i = 0; i < found; i++) {
            int64_t k = turns[i], excess = total[k] - xi;
            int64_t value = excess + (excess > split[k] ? second[k] - split[k] : first[k]);
            ends[excess <= reusable[k] ? rung(rungs, value) : sizes]++;
        }
    }
}
