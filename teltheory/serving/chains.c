/* Private conversations on replicas, in any tiers and orders: the steps of `replay/tiers/steps.h` behind queues.

   A turn's slot is on one replica, so slots are those of a replay in tiers, and each replica only knows which of
   them a conversation has there, and its latest one. */

#include "replay/tiers/steps.h"
#include "serving/queues.h"

typedef struct {
    const Seen *seen;
    const Stock *stock;
    const Writes *moved;
    const int64_t *session;
    int64_t session_step, replica_step, forced;
    int64_t *slot, *latest; /* of each session at each replica, and of each replica; -1 for none */
} Chains;

INLINED int64_t *slot_of(const Chains *chains, int64_t r, int64_t k) {
    return &chains->slot[chains->session[k] * chains->session_step + r * chains->replica_step];
}

INLINED bool found_of_turn(const void *caches, int64_t r, int64_t k, int64_t *reused) {
    const Chains *chains = caches;
    const Seen *seen = chains->seen;
    int64_t slot = *slot_of(chains, r, k), left = seen->history[k];
    if (slot < 0) return false;
    for (int64_t i = 0; i < seen->tiers; i++) {
        reused[i] = smaller(chains->stock->held[slot * seen->tiers + i], left);
        left -= reused[i];
    }
    return left < seen->history[k];
}

INLINED void serve_conversation(const void *caches, int64_t r, int64_t k) {
    const Chains *chains = caches;
    int64_t *slot = slot_of(chains, r, k);
    serve_turn(chains->seen, chains->stock, chains->moved, r, k, *slot);
    cut_tiers(chains->seen, chains->stock, chains->moved, r, k, chains->forced ? chains->latest[r] : k);
    *slot = chains->latest[r] = k;
}

/* Serve turns; `sent` is for the cache-aware router, and has nodes for it alone. */
void serve_conversations(
    int64_t n, int64_t tiers, int64_t rules, int64_t orders, const int64_t capacity[tiers], int64_t inclusive,
    const int64_t history[n], const int64_t past[n], const int64_t kept[rules * n], const int64_t full[tiers],
    const int64_t least[tiers], const int64_t safe[tiers], const int64_t up[tiers], const int64_t down[tiers],
    const int64_t place[orders * n], const int64_t at[orders * n], const int64_t order[2 * tiers],
    int64_t replicas,
    int64_t held[n * tiers], int64_t sunk[n * tiers], int64_t used[replicas * tiers], int64_t changed[2 * n],
    uint64_t bits[2 * replicas * tiers * (n / 63 + 12)], int64_t high[2 * replicas * tiers],
    int64_t cached[tiers * n], int64_t written[n], int64_t copied[(tiers - 1) * n], int64_t sessions,
    const int64_t options[3], const double price[5 + tiers], const double arrival[n], const int64_t session[n],
    const int64_t inputs[n], double free[replicas], int64_t home[sessions], int64_t replica[n],
    double times[4 * n],
    int64_t nodes, const int64_t limits[2], const double rates[3], const int64_t parent[nodes],
    const int64_t length[nodes], const int64_t *leaf /* [n] */, const int64_t *ask /* [n] */,
    int64_t sent[(2 * replicas + 1) * nodes + 5 * replicas + n], int64_t forced, int64_t slot[sessions * replicas],
    int64_t latest[replicas], int64_t reused[tiers]) {
    Seen seen = {n,     tiers, inclusive, capacity, history, past,  kept, full,
                 least, safe,  up,        down,     place,   at,    order};
    Stock stock = {held, sunk, used, changed, members_below(n, bits, high)};
    Writes moved = {cached, written, copied};
    Queues queues = QUEUES;
    bool all = queues.way == SOONEST; /* looks at all replicas for one session, others at one replica */
    Chains chains = {&seen, &stock, &moved, session, all ? replicas : 1, all ? 1 : sessions, forced, slot, latest};
    Sent trees = nothing_sent(n, replicas, nodes, limits, rates, parent, length, leaf, ask, inputs, sent);
    serve_all(&queues, &trees, &chains, found_of_turn, serve_conversation, reused);
}
