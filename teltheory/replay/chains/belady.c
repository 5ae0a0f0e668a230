/* Belady and Tail-Optimized Belady on chains: the furthest next turn, found in a bitset.

   What a slot holds is stored, as any slot may lose something. A turn that has come stays in the set of those to
   come; its conversation's old slot holds nothing any more and is passed over. What never returns is kept only as
   a sum: it goes first, and nothing asks which of it went; so its cap has to be 0. The caps are trimmed from a
   pointer on that only moves forward: slots before it hold at most their cap.

   If a log is asked for, it says after which turn (first column) what was kept for which turn (second column) lost
   something to an eviction, in the order in which that happened; trimming to caps is not in it. An eviction
   empties its slot or ends the overflow, so there are m + 2 n at most. `teltheory.optimal.chains.greedy` finds the
   proof that nothing is better in it (Theorem B.1). */

#include <stddef.h>

#include "replay/bitset.h"
#include "replay/chains/stored.h"

/* Evict until the overflow is gone; return the number of log entries. */
INLINED int64_t evict_furthest(const Chains *of, const Bitset *waiting, int64_t overflow, int64_t k, int64_t *log,
                               int64_t logged) {
    while (overflow > 0) {
        int64_t turn = largest_bit(waiting), slot = of->previous[turn];
        int64_t held = of->holds[slot], taken = smaller(held, overflow);
        of->holds[slot] = held - taken;
        overflow -= taken;
        if (log && taken > 0) {
            log[2 * logged] = k;
            log[2 * logged + 1] = turn;
            logged++;
        }
        if (taken == held) clear_bit(waiting, turn);
    }
    return logged;
}

/* Let a slot wait for its next turn; return what it holds if it has none, which it then does not hold. */
INLINED int64_t await(const Chains *of, const Bitset *waiting, int64_t s) {
    if (of->following[s] < of->n) {
        set_bit(waiting, of->following[s]);
        return 0;
    }
    int64_t held = of->holds[s];
    of->holds[s] = 0;
    return held;
}

INLINED int64_t belady(const Chains *of, const int64_t *cap, bool forced, uint64_t *words, int64_t *log) {
    int64_t overflow = overflow_at_start(of), ended = 0, trim = 0, logged = 0;
    Bitset waiting = new_bitset(of->n, words);
    for (int64_t s = 0; s < of->m; s++) ended += await(of, &waiting, s);
    for (int64_t k = 0; k < of->n; k++) {
        overflow += serve(of, k);
        if (forced && k == of->n - 1) break;                /* no cut after the last turn */
        int64_t last = forced ? of->m + k - 1 : of->m + k; /* the last slot under this cut */
        if (last >= of->m) ended += await(of, &waiting, last);
        if (overflow <= 0) continue;
        int64_t gone = smaller(ended, overflow);
        ended -= gone;
        overflow = trim_to(of, cap, &trim, last + 1, overflow - gone);
        logged = evict_furthest(of, &waiting, overflow, k, log, logged);
        overflow = 0;
    }
    return logged;
}

/* Replay; return the number of log entries. */
int64_t replay_belady(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                      const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                      int64_t capacity, int64_t cached[n], int64_t uncached[n], const int64_t cap[m + n],
                      int64_t holds[m + n], int64_t forced, uint64_t words[n / 63 + 12],
                      int64_t *log /* [2 * (m + 2 * n)] */) {
    Chains of = {n, m, history, prompt, full, previous, following, capacity, cached, uncached, holds};
    if (log) return belady(&of, cap, forced, words, log);
    return forced ? belady(&of, cap, true, words, NULL) : belady(&of, cap, false, words, NULL);
}
