/* Private conversations in any number of tiers, in any orders: the steps of `steps.h`, turn by turn. */

#include "replay/tiers/steps.h"

/* Replay, given the slot that each turn's conversation had before, -1 for none. */
void replay_tiers(int64_t n, int64_t tiers, int64_t rules, int64_t orders, const int64_t capacity[tiers],
                  int64_t inclusive, const int64_t history[n], const int64_t past[n],
                  const int64_t kept[rules * n], const int64_t full[tiers], const int64_t least[tiers],
                  const int64_t safe[tiers], const int64_t up[tiers], const int64_t down[tiers],
                  const int64_t place[orders * n], const int64_t at[orders * n], const int64_t order[2 * tiers],
                  int64_t held[n * tiers], int64_t sunk[n * tiers], int64_t used[tiers], int64_t changed[2 * n],
                  uint64_t bits[2 * tiers * (n / 63 + 12)], int64_t high[2 * tiers], int64_t cached[tiers * n],
                  int64_t written[n], int64_t copied[(tiers - 1) * n], const int64_t previous[n],
                  int64_t forced) {
    Seen seen = {n,     tiers, inclusive, capacity, history, past,  kept, full,
                 least, safe,  up,        down,     place,   at,    order};
    Stock stock = {held, sunk, used, changed, members_below(n, bits, high)};
    Writes moved = {cached, written, copied};
    for (int64_t k = 0; k < n; k++) {
        serve_turn(&seen, &stock, &moved, 0, k, previous[k]);
        cut_tiers(&seen, &stock, &moved, 0, k, forced ? k - 1 : k);
    }
}
