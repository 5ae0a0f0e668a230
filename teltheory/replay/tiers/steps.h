/* Private conversations in tiers, step by step: replays take these steps, and so do servers.

   Slot k has what turn k's conversation holds since then (`teltheory.replay.chains.slots`), in each tier. What a
   policy says of it does not change until the conversation is back, so that its place in a tier's two orders does
   not either. A slot *waits* in two sets of places a tier: for trimming while it may hold surplus there, for
   eviction while it may hold anything; what came back since is passed over once it comes up. What a tier loses
   sinks as the head of the slot's part of the next tier, which may make the slot wait there again. A slot's budget
   is counted from the root: what the tiers before hold is part of it.

   A step is O(tiers), and O(tiers + log slots) for each slot that loses something. */
#ifndef TELTHEORY_STEPS_H
#define TELTHEORY_STEPS_H

#include <stddef.h>

#include "replay/tiers/members.h"

enum { TRIM, EVICT };
enum { WHOLE = -1, SAFE = -2 };

/* What the loops read; arrays of tiers and slots have a row a tier, those of rules a row a rule.

   `full` and `least` have for each tier the row of `kept` that says of each slot what tiers 0 to it hold of that
   at most, overflow or not, and how much of it is no surplus; WHOLE: the past, and all of that; SAFE: all of the
   past but `safe`, times `up` over `down`, rounded up, which is exact below 2^53. `order` has for trimming and for
   eviction in each tier the row of `place`, and of `at`, the slot at each place; the largest goes first; -1: by
   recency; -2 - row: one unit of each after the other, in rounds. */
typedef struct {
    int64_t n, tiers, inclusive;
    const int64_t *capacity, *history, *past, *kept, *full, *least, *safe, *up, *down, *place, *at, *order;
} Seen;

/* What turns reuse of each tier, what they add, and what each tier but the first was sent; a row a tier. */
typedef struct {
    int64_t *cached, *written, *copied;
} Writes;

/* The tiers of some replicas: what slots hold in each tier, and how much of that sank there with this turn, both a
   row a slot; what each replica's tiers hold in all; two rows of slots that changed; who waits, two sets for each
   tier of each replica. */
typedef struct {
    int64_t *held, *sunk, *used, *changed;
    Members waiting;
} Stock;

/* How much of a slot's past a rule's row says for tier i. */
INLINED int64_t worth(const Seen *seen, int64_t row, int64_t i, int64_t s) {
    int64_t past = seen->past[s];
    if (row >= 0) return seen->kept[row * seen->n + s];
    if (row == WHOLE) return past;
    int64_t budget = larger(past - seen->safe[i], 0), up = seen->up[i], down = seen->down[i];
    if (up == down) return budget;
    return smaller((int64_t)((double)(budget * up + down - 1) / (double)down), past);
}

/* Serve turn k on replica r, where its conversation has slot `before`, -1 for none. */
INLINED void serve_turn(const Seen *seen, const Stock *stock, const Writes *moved, int64_t r, int64_t k,
                        int64_t before) {
    int64_t left = seen->history[k];
    for (int64_t i = 0; i < seen->tiers; i++) {
        int64_t reused = 0;
        if (before >= 0) {
            int64_t *held = &stock->held[before * seen->tiers + i];
            reused = smaller(*held, left);
            stock->used[r * seen->tiers + i] -= *held;
            *held = 0;
        }
        moved->cached[i * seen->n + k] = reused;
        left -= reused;
    }
    moved->written[k] = seen->past[k] - (seen->history[k] - left);
    stock->held[k * seen->tiers] = seen->past[k];
    stock->used[r * seen->tiers] += seen->past[k];
}

/* Take units of a slot out of a tier; return how many slots of the next one have changed. */
INLINED int64_t sink(const Seen *seen, const Stock *stock, int64_t r, int64_t i, int64_t s, int64_t units,
                     int64_t number) {
    int64_t *held = &stock->held[s * seen->tiers + i], *used = &stock->used[r * seen->tiers + i];
    held[0] -= units;
    used[0] -= units;
    if (i + 1 == seen->tiers) return number;
    int64_t *sunk = &stock->sunk[s * seen->tiers + i + 1];
    if (*sunk == 0) stock->changed[((i + 1) & 1) * seen->n + number++] = s;
    *sunk += units;
    held[1] += units;
    used[1] += units;
    return number;
}

/* What tiers before tier i hold of a slot. */
INLINED int64_t above_of(const Seen *seen, const Stock *stock, int64_t i, int64_t s) {
    return sum_of(i, &stock->held[s * seen->tiers]);
}

/* The row of a tier's order, -1 for recency. */
INLINED int64_t row_of(const Seen *seen, int64_t i, int64_t way) {
    int64_t row = seen->order[way * seen->tiers + i];
    return row < -1 ? -2 - row : row;
}

INLINED int64_t place_of(const Seen *seen, int64_t i, int64_t way, int64_t s) {
    int64_t row = row_of(seen, i, way);
    return row >= 0 ? seen->place[row * seen->n + s] : seen->n - 1 - s;
}

/* What a slot has in a tier beyond what is worth keeping there, never below 0. */
INLINED int64_t surplus_of(const Seen *seen, const Stock *stock, int64_t i, int64_t s) {
    int64_t there = stock->held[s * seen->tiers + i];
    int64_t least = worth(seen, seen->least[i], i, s) - above_of(seen, stock, i, s);
    return there - smaller(larger(least, 0), there);
}

/* Bring slots that changed under a tier's cut; return how many change the next tier at once. */
INLINED int64_t receive(const Seen *seen, const Stock *stock, int64_t r, int64_t i, int64_t number) {
    int64_t full = seen->full[i], least = seen->least[i], which = 2 * (r * seen->tiers + i), sinking = 0;
    for (int64_t j = 0; j < number; j++) {
        int64_t s = stock->changed[(i & 1) * seen->n + j], above = above_of(seen, stock, i, s);
        const int64_t *held = &stock->held[s * seen->tiers + i];
        if (full != WHOLE) {
            int64_t gone = *held - larger(worth(seen, full, i, s) - above, 0);
            if (gone > 0) sinking = sink(seen, stock, r, i, s, gone, sinking);
        }
        if (least != WHOLE && *held > larger(worth(seen, least, i, s) - above, 0))
            enter(&stock->waiting, which + TRIM, place_of(seen, i, TRIM, s));
        if (*held > 0) enter(&stock->waiting, which + EVICT, place_of(seen, i, EVICT, s));
    }
    return sinking;
}

/* Trim or evict until the overflow is gone or nobody waits; return how many slots change the next tier. */
INLINED int64_t lose(const Seen *seen, const Stock *stock, int64_t r, int64_t i, int64_t way, int64_t *overflow,
                     int64_t sinking) {
    int64_t which = 2 * (r * seen->tiers + i) + way, row = seen->order[way * seen->tiers + i];
    while (*overflow > 0) {
        int64_t place = largest(&stock->waiting, which);
        if (place < 0) break;
        int64_t s = row >= 0 ? seen->at[row * seen->n + place] : seen->n - 1 - place;
        int64_t there = way == TRIM ? surplus_of(seen, stock, i, s) : stock->held[s * seen->tiers + i];
        int64_t taken = smaller(there, *overflow);
        *overflow -= taken;
        if (taken == there) leave(&stock->waiting, which, place);
        if (taken > 0) sinking = sink(seen, stock, r, i, s, taken, sinking);
    }
    return sinking;
}

/* Trim in rounds until the overflow is gone or nobody waits; return how many slots change the next tier.

   The overflow pays for so many whole rounds. They are found by looks at all who wait, each of which ends with a
   slot that has no more, or is one of the last two. Of slots that have more the first lose what is left of it. */
INLINED int64_t lose_in_rounds(const Seen *seen, const Stock *stock, int64_t r, int64_t i, int64_t *overflow,
                               int64_t sinking) {
    int64_t which = 2 * (r * seen->tiers + i) + TRIM, rounds = 0, left = *overflow, step = left > 0;
    const int64_t *at = &seen->at[row_of(seen, i, TRIM) * seen->n];
    while (step > 0) {
        int64_t active = 0, least = INT64_MAX;
        for (int64_t p = largest(&stock->waiting, which); p >= 0; p = member_below(&stock->waiting, which, p)) {
            int64_t surplus = surplus_of(seen, stock, i, at[p]);
            if (surplus <= rounds) continue;
            active++;
            least = smaller(least, surplus);
        }
        step = active ? smaller(left / active, least - rounds) : 0;
        rounds += step;
        left -= step * active;
    }
    for (int64_t p = largest(&stock->waiting, which); *overflow > 0 && p >= 0;
         p = member_below(&stock->waiting, which, p)) {
        int64_t surplus = surplus_of(seen, stock, i, at[p]), more = surplus > rounds && left > 0;
        int64_t taken = smaller(surplus, rounds) + more;
        left -= more;
        *overflow -= taken;
        if (taken == surplus) leave(&stock->waiting, which, p);
        if (taken > 0) sinking = sink(seen, stock, r, i, at[p], taken, sinking);
    }
    return sinking;
}

/* Write what sank to a tier and is still there. */
INLINED void settle(const Seen *seen, const Stock *stock, const Writes *moved, int64_t i, int64_t k,
                    int64_t number) {
    int64_t copied = 0;
    for (int64_t j = 0; j < number; j++) {
        int64_t at = stock->changed[(i & 1) * seen->n + j] * seen->tiers + i;
        copied += smaller(stock->sunk[at], stock->held[at]);
        stock->sunk[at] = 0;
    }
    moved->copied[(i - 1) * seen->n + k] = copied;
}

/* Write what inclusive tiers hold of turn k's conversation and did not before. */
INLINED void rise(const Seen *seen, const Stock *stock, const Writes *moved, int64_t k) {
    int64_t now = stock->held[k * seen->tiers], before = moved->cached[k];
    for (int64_t i = 1; i < seen->tiers; i++) {
        now += stock->held[k * seen->tiers + i];
        before += moved->cached[i * seen->n + k];
        moved->copied[(i - 1) * seen->n + k] = larger(now - before, 0);
    }
}

/* Cut the tiers of replica r after turn k, the first cut of slot `first`, -1 for none.

   Under forced caching, which leaves out slot k, the last past may be too long; nothing is cut then. */
INLINED void cut_tiers(const Seen *seen, const Stock *stock, const Writes *moved, int64_t r, int64_t k,
                       int64_t first) {
    if (first != k && seen->past[k] > seen->capacity[0]) {
        for (int64_t i = 1; i < seen->tiers; i++) moved->copied[(i - 1) * seen->n + k] = 0;
        return;
    }
    int64_t above = 0, number = first >= 0;
    if (number) stock->changed[0] = first;
    for (int64_t i = 0; i < seen->tiers; i++) {
        int64_t sinking = receive(seen, stock, r, i, number), used = stock->used[r * seen->tiers + i];
        int64_t overflow = used - seen->capacity[i] + where(seen->inclusive, above);
        if (seen->order[i] < -1)
            sinking = lose_in_rounds(seen, stock, r, i, &overflow, sinking);
        else if (seen->least[i] != WHOLE)
            sinking = lose(seen, stock, r, i, TRIM, &overflow, sinking);
        sinking = lose(seen, stock, r, i, EVICT, &overflow, sinking);
        above += stock->used[r * seen->tiers + i];
        if (i > 0) settle(seen, stock, moved, i, k, number);
        number = sinking;
    }
    if (seen->inclusive) rise(seen, stock, moved, k);
}

#endif
