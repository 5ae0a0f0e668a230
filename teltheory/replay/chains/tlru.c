/* LRU and the T-LRU variants on chains: slots in order of recency, and pointers that only move forward.

   A turn's conversation leaves its old slot and gets a new one at the end (`teltheory.replay.chains.slots`). There
   are m slots of the initial cache and n of turns. Every slot before the tail was evicted and every slot after it
   lost nothing, so what a slot holds need not be stored: it follows from where the slot stands. A slot whose
   conversation came back holds nothing; `following` says so.

   1. LRU, Threshold-LRU and eager T-LRU: slots after the tail hold `full`; `rest` is the sum of that, and what the
      tail's own slot holds is what the capacity left it when `rest` was largest.
   2. Trimming by recency has a pointer of its own: slots before it hold `least`, slots after it `full`. Nothing is
      evicted before the pointer has passed every slot under the cut. `left` is what the tail's own slot holds,
      `over` the surplus that the trim pointer's own slot holds, `rest` everything else.
   3. Trimming in rounds keeps the surpluses in a tree (`replay/rounds.h`): O(log conversations) a turn, amortised.

   1 and 2 take amortised O(1) a turn and write nothing but the outcome. What decides their speed is how often the
   processor guesses a branch wrong, so they choose between values where they can instead of between ways, and each
   loop is compiled apart for optional and forced caching. Under forced caching a slot is exempt until the cut
   after the next turn; `exempt` has what it holds until then, and is NULL under optional caching. Without `least`
   a slot's surplus is `safe` at most.

   All sums are of lengths of one instance, which were checked to add up to less than 2**63. */

#include <stddef.h>

#include "base/numbers.h"
#include "replay/rounds.h"

/* What is held more when slot s is exempt and the slot before it no longer. */
INLINED int64_t under_exemption(const int64_t *exempt, const int64_t *full, int64_t s, int64_t k) {
    return exempt[s] + (k > 0 ? full[s - 1] - exempt[s - 1] : 0);
}

INLINED int64_t budget_of(const int64_t *full, const int64_t *least, int64_t safe, int64_t s) {
    return least ? least[s] : larger(full[s] - safe, 0);
}

INLINED void lru(int64_t n, int64_t m, const int64_t *history, const int64_t *prompt, const int64_t *full,
                 const int64_t *previous, const int64_t *following, int64_t capacity, int64_t *cached,
                 int64_t *uncached, const int64_t *exempt) {
    int64_t rest = sum_of(m, full), most = rest; /* of slots after the tail; its maximum since the tail moved */
    int64_t tail = -1; /* the least recent slot that may hold anything; it holds what `most` left it */
    for (int64_t k = 0; k < n; k++) {
        int64_t before = previous[k], whole = full[larger(before, 0)];
        /* Before the tail all is gone; the tail's slot is not in `rest`. */
        int64_t removed = where(before > tail, whole);
        int64_t held = before == tail ? smaller(whole, capacity - most) : removed;
        int64_t reused = smaller(held, history[k]);
        cached[k] = reused;
        uncached[k] = history[k] + prompt[k] - reused;
        rest -= removed;
        rest += exempt ? under_exemption(exempt, full, m + k, k) : full[m + k];
        if (exempt && k == n - 1) break; /* no cut after the last turn */
        if (rest > capacity) {
            while (rest > capacity) { /* the new tail's slot is the first without which the others fit */
                tail++;
                rest -= where(following[tail] > k, full[tail]);
            }
            most = rest;
        }
        most = larger(most, rest); /* what the tail's slot lost does not come back when others leave */
    }
}

void replay_lru(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n], const int64_t full[m + n],
                const int64_t previous[n], const int64_t following[m + n], int64_t capacity, int64_t cached[n],
                int64_t uncached[n], const int64_t *exempt /* [m + n] */) {
    if (exempt)
        lru(n, m, history, prompt, full, previous, following, capacity, cached, uncached, exempt);
    else
        lru(n, m, history, prompt, full, previous, following, capacity, cached, uncached, NULL);
}

INLINED void least_recent(int64_t n, int64_t m, const int64_t *history, const int64_t *prompt, const int64_t *full,
                          const int64_t *previous, const int64_t *following, int64_t capacity, int64_t *cached,
                          int64_t *uncached, const int64_t *exempt, const int64_t *least, int64_t safe) {
    int64_t rest = sum_of(m, full); /* budgets after the tail and surpluses after the trim pointer */
    /* The last slots that may have lost budget (tail) and surplus (trim), and what they still have of it. */
    int64_t tail = -1, trim = -1, left = 0, over = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t before = previous[k], slot = larger(before, 0), budget = budget_of(full, least, safe, slot);
        int64_t within = where(before > tail, budget); /* at a pointer's slot `left` or `over` counts instead */
        int64_t surplus = where(before > trim, full[slot] - budget);
        rest -= within + surplus;
        int64_t held = within + surplus;
        if (before == tail) { /* rare, so a branch costs nothing */
            held += left;
            left = 0;
        }
        if (before == trim) {
            held += over;
            over = 0;
        }
        int64_t reused = smaller(held, history[k]);
        cached[k] = reused;
        uncached[k] = history[k] + prompt[k] - reused;
        int64_t last = exempt ? m + k - 1 : m + k; /* the last slot under this cut */
        rest += exempt ? under_exemption(exempt, full, m + k, k) : full[m + k];
        if (exempt && k == n - 1) break;
        while (rest + left > capacity && trim < last) { /* as if `over` went whole; below what fits stays */
            trim++;
            surplus = full[trim] - budget_of(full, least, safe, trim);
            over = where(following[trim] > k, surplus);
            rest -= over;
        }
        if (rest + left + over > capacity) over = larger(capacity - rest - left, 0);
        while (rest > capacity) { /* all surplus is gone, and budgets alone do not fit */
            tail++;
            budget = budget_of(full, least, safe, tail);
            left = where(following[tail] > k, budget);
            rest -= left;
        }
        if (rest + left > capacity) left = capacity - rest;
    }
}

void replay_least_recent_trim(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                              const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                              int64_t capacity, int64_t cached[n], int64_t uncached[n],
                              const int64_t *exempt /* [m + n] */, const int64_t *least /* [m + n] */,
                              int64_t safe) {
#define ASKED(exempt, least) \
    least_recent(n, m, history, prompt, full, previous, following, capacity, cached, uncached, exempt, least, safe)
    if (exempt)
        ASKED(exempt, least);
    else if (least)
        ASKED(NULL, least);
    else
        ASKED(NULL, NULL);
#undef ASKED
}

/* Replay with trimming in rounds; `rank` numbers each slot's conversation by first arrival, below `leaves`.

   A slot holds its budget, and its surplus while that is in the tree, which has room for 4 * leaves nodes. */
void replay_round_robin_trim(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                             const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                             int64_t capacity, int64_t cached[n], int64_t uncached[n],
                             const int64_t *exempt /* [m + n] */, const int64_t *least /* [m + n] */, int64_t safe,
                             const int64_t rank[m + n], int64_t leaves, int64_t nodes[12 * leaves]) {
    int64_t room = capacity - sum_of(m, full); /* below 0 between a turn and its cut only */
    Tree tree = new_tree(leaves, nodes);
    for (int64_t s = 0; s < m; s++) exchange(tree, rank[s], full[s] - budget_of(full, least, safe, s));
    int64_t tail = 0, gone = 0; /* the first slot that still has budget, and what it lost of that */
    for (int64_t k = 0; k < n; k++) {
        int64_t before = previous[k];
        int64_t content = 0; /* of the old slot: budget from the tail on, and surplus in the tree */
        if (before >= tail) content = budget_of(full, least, safe, before) - (before == tail ? gone : 0);
        int64_t surplus = exempt ? 0 : full[m + k] - budget_of(full, least, safe, m + k);
        content += exchange(tree, rank[m + k], surplus);
        int64_t reused = smaller(content, history[k]);
        cached[k] = reused;
        uncached[k] = history[k] + prompt[k] - reused;
        room += content;
        if (exempt) {
            room -= under_exemption(exempt, full, m + k, k);
            if (k == n - 1) break;
            if (k > 0) { /* the slot before is exempt no longer: its surplus may go (one never cut has none) */
                surplus = full[m + k - 1] - budget_of(full, least, safe, m + k - 1);
                exchange(tree, rank[m + k - 1], surplus);
            }
        } else {
            room -= full[m + k];
        }
        if (room >= 0) continue;
        int64_t overflow = trim_rounds(tree, -room);
        while (overflow) { /* evict from the tail on */
            int64_t left = following[tail] > k ? budget_of(full, least, safe, tail) - gone : 0;
            int64_t taken = smaller(left, overflow);
            overflow -= taken;
            gone = taken < left ? gone + taken : 0;
            tail += taken == left;
        }
        room = 0;
    }
}
