/* The least cost over every cache state, and the least bound over every set of steps, on tiny worlds.

   A state, one digit a conversation (what it holds, up to its last past), is an index. What may be kept of what
   is available is any prefix of each conversation: the least cost of a state is the least over all states that
   hold no less of any conversation, which is one pass a conversation from the largest digit down. A pass over
   the digits of one conversation goes through the states in blocks, of which each has all its digits. */
#ifndef TELTHEORY_CLAIMS_OPTIMUM_H
#define TELTHEORY_CLAIMS_OPTIMUM_H

#include "claims/compiled/layout.h"

/* TEL; TEL, then the most blocks above the caps; then the fewest; minus the reuse, with none above the caps. */
enum { EXCESS, MOST_ABOVE, FEWEST_ABOVE, CAPPED_REUSE };

#define UNIT ((int64_t)1 << 20) /* a token of TEL beside the blocks above the caps */
#define FAR ((int64_t)1 << 50)

/* Set the stride of each conversation's digit; return the number of states. */
static inline int64_t find_strides(Tiny *tiny) {
    int64_t size = 1;
    for (int64_t c = 0; c < tiny->conversations; c++) {
        tiny->stride[c] = size;
        size *= tiny->length[c] + 1;
    }
    return size;
}

/* What a conversation holds in a state. */
static inline int64_t digit(const Tiny *tiny, int64_t index, int64_t c) {
    return index / tiny->stride[c] % (tiny->length[c] + 1);
}

static inline int64_t price(const Tiny *tiny, int64_t turn, int64_t reused, int objective) {
    int64_t above = larger(0, reused - larger(0, tiny->total[turn] - tiny->xi));
    if (objective == CAPPED_REUSE) return above ? 2 * FAR : -reused;
    int64_t excess = larger(0, tiny->total[turn] - reused - tiny->xi);
    if (objective == EXCESS) return excess;
    return UNIT * excess + (objective == FEWEST_ABOVE ? above : -above);
}

/* Let a turn arrive: a conversation's whole past is there, whatever it held before. */
static inline void arrive_in_states(const Tiny *tiny, int64_t size, const int64_t *costs, int64_t *after,
                                    int64_t turn, int objective) {
    int64_t c = tiny->label[turn], stride = tiny->stride[c], length = tiny->length[c];
    for (int64_t index = 0; index < size; index++) after[index] = FAR;
    for (int64_t held = 0; held <= length; held++) {
        int64_t more = price(tiny, turn, held, objective), up = (tiny->after[turn] - held) * stride;
        for (int64_t block = held * stride; block < size; block += stride * (length + 1))
            for (int64_t index = block; index < block + stride; index++)
                if (costs[index] < FAR) after[index + up] = smaller(after[index + up], costs[index] + more);
    }
}

static inline void keep_any_prefix(const Tiny *tiny, int64_t size, int64_t *costs, int64_t c) {
    int64_t stride = tiny->stride[c], length = tiny->length[c];
    for (int64_t block = 0; block < size; block += stride * (length + 1))
        for (int64_t index = block + stride * length - 1; index >= block; index--)
            costs[index] = smaller(costs[index], costs[index + stride]);
}

/* Leave out the states that do not fit; the digits are counted up beside the index. */
static inline void fit(const Tiny *tiny, int64_t size, int64_t *costs) {
    int64_t digits[WIDTH] = {0}, held = 0;
    for (int64_t index = 0; index < size; index++) {
        if (held > tiny->capacity) costs[index] = FAR;
        int64_t c = 0;
        for (; c < tiny->conversations && digits[c] == tiny->length[c]; c++) {
            held -= digits[c];
            digits[c] = 0;
        }
        if (c == tiny->conversations) return;
        digits[c]++;
        held++;
    }
}

/* The least cost that any policy reaches, at the capacity of the case. */
static inline int64_t least_cost(Tiny *tiny, int objective) {
    int64_t size = find_strides(tiny), *costs = tiny->states, *after = costs + size, start = 0;
    for (int64_t index = 0; index < size; index++) costs[index] = FAR;
    for (int64_t c = 0; c < tiny->starts; c++) start += tiny->start_held[c] * tiny->stride[c];
    costs[start] = 0;
    for (int64_t turn = 0; turn < tiny->turns; turn++) {
        arrive_in_states(tiny, size, costs, after, turn, objective);
        int64_t *before = costs;
        costs = after;
        after = before;
        if (turn == tiny->turns - 1) break;
        int64_t exempt = tiny->forced ? tiny->label[turn] : -1;
        for (int64_t c = 0; c < tiny->conversations; c++)
            if (c != exempt) keep_any_prefix(tiny, size, costs, c);
        fit(tiny, size, costs);
    }
    int64_t least = costs[0];
    for (int64_t index = 1; index < size; index++) least = smaller(least, costs[index]);
    return least;
}

/* The most that is worth reusing at a turn, 0 if a step of its interval is chosen.

   Steps count from 0; at a step the cache is that before the turn of this number. */
static inline int64_t cap_outside(const Tiny *tiny, int64_t chosen, int64_t turn) {
    int64_t c = tiny->label[turn], earlier = turn - 1;
    while (earlier >= 0 && tiny->label[earlier] != c) earlier--;
    for (int64_t step = earlier + 1 + (tiny->forced && earlier >= 0); step <= turn; step++)
        if (chosen >> step & 1) return 0;
    int64_t cap = smaller(tiny->total[turn] - tiny->prompt[turn], larger(0, tiny->total[turn] - tiny->xi));
    return c < tiny->starts && earlier < 0 ? smaller(cap, tiny->start_held[c]) : cap;
}

/* The least, over sets of steps, of their rooms and the caps of intervals that cover none of them. */
static inline int64_t least_bound(const Tiny *tiny) {
    int64_t least = FAR;
    for (int64_t chosen = 0; chosen < (int64_t)1 << tiny->turns; chosen++) {
        int64_t bound = 0;
        for (int64_t turn = 0; turn < tiny->turns; turn++) {
            if (chosen >> turn & 1)
                bound += tiny->capacity - (tiny->forced && turn > 0 ? tiny->after[turn - 1] : 0);
            bound += cap_outside(tiny, chosen, turn);
        }
        least = smaller(least, bound);
    }
    return least;
}

#endif
