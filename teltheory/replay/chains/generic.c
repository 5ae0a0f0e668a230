/* Policies with orders of their own, on chains.

   What a slot holds is stored. A slot waits in two bitsets of places in the policy's orders, from its first
   cut on:
   for trimming while it holds more than is worth keeping, for eviction while it holds anything. A slot whose
   conversation came back holds nothing; it is passed over. O(log slots) for each slot that loses something.

   If both orders are by recency alone the loops of `tlru.c` are quicker, if they are by the next use that of
   `belady.c`, and round-robin trimming has no order: `teltheory.replay.chains.dispatch` decides. */

#include <stddef.h>

#include "replay/bitset.h"
#include "replay/chains/stored.h"

/* Lower slots to a floor, those of the largest places first, until the overflow is gone; return what is left. */
INLINED int64_t lower(const Chains *of, const int64_t *floor, const Bitset *waiting, const int64_t *slot_at,
                      int64_t overflow) {
    while (overflow > 0 && !is_empty(waiting)) {
        int64_t place = largest_bit(waiting), slot = slot_at[place];
        int64_t above = larger(of->holds[slot] - (floor ? floor[slot] : 0), 0), taken = smaller(above, overflow);
        of->holds[slot] -= taken;
        overflow -= taken;
        if (taken == above) clear_bit(waiting, place);
    }
    return overflow;
}

/* Replay a policy by what slots hold once under a cut (`kept`), what of it is no surplus (`least`), and the places
   of slots in its two orders; `slot_at` is room for the slots at each place. */
void replay_generic(int64_t n, int64_t m, const int64_t history[n], const int64_t prompt[n],
                    const int64_t full[m + n], const int64_t previous[n], const int64_t following[m + n],
                    int64_t capacity, int64_t cached[n], int64_t uncached[n], const int64_t kept[m + n],
                    const int64_t least[m + n], const int64_t trimming[m + n], const int64_t eviction[m + n],
                    int64_t holds[m + n], int64_t forced, uint64_t words[2 * ((m + n) / 63 + 12)],
                    int64_t slot_at[2 * (m + n)]) {
    Chains of = {n, m, history, prompt, full, previous, following, capacity, cached, uncached, holds};
    Bitset to_trim = new_bitset(m + n, words), to_evict = new_bitset(m + n, words + (m + n) / 63 + 12);
    int64_t *trimmed = slot_at, *evicted = slot_at + m + n;
    for (int64_t s = 0; s < m + n; s++) {
        trimmed[trimming[s]] = s;
        evicted[eviction[s]] = s;
    }
    int64_t overflow = overflow_at_start(&of);
    for (int64_t k = 0, entered = 0; k < n; k++) {
        overflow += serve(&of, k);
        for (; entered < m + k + !forced; entered++) { /* a first cut */
            int64_t gone = larger(holds[entered] - kept[entered], 0);
            holds[entered] -= gone;
            overflow -= gone;
            if (holds[entered] > least[entered]) set_bit(&to_trim, trimming[entered]);
            if (holds[entered] > 0) set_bit(&to_evict, eviction[entered]);
        }
        overflow = lower(&of, least, &to_trim, trimmed, overflow);
        overflow = lower(&of, NULL, &to_evict, evicted, overflow);
    }
}

/* Count the turns that each slot's conversation has had: one more than in the slot before. */
void count_hits(int64_t n, const int64_t previous[n], int64_t slots, int64_t hits[slots]) {
    for (int64_t s = 0; s < slots - n; s++) hits[s] = 0;
    for (int64_t k = 0; k < n; k++) hits[slots - n + k] = previous[k] < 0 ? 1 : hits[previous[k]] + 1;
}
