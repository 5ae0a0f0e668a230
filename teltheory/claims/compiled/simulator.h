/* A replay of tiny worlds under a policy that is a row of rules; written on its own, to be compared.

   After each turn but the last: drop, trim all surplus where that is the rule, and on overflow trim, then evict.
   A conversation's surplus is what it holds above its budget: its whole past, or its past less a level (xi -
   q_hat), or its past and its next prompt less a level (xi), nothing where it never returns. */
#ifndef TELTHEORY_CLAIMS_SIMULATOR_H
#define TELTHEORY_CLAIMS_SIMULATOR_H

#include "claims/compiled/layout.h"

/* Policies; End-Aware and Length-Aware T-LRU have three each, in the order round-robin, least-recent, eager. */
enum { LRU, ROUND_ROBIN, LEAST_RECENT, EAGER, THRESHOLD, END_AWARE, LENGTH_AWARE = 8, TAIL_OPTIMIZED = 11 };
enum { BELADY = 12, LATEST_FIRST, FIRST_READING };

enum { NOTHING, SHORT, GONE };                                /* who is dropped */
enum { WHOLE, ESTIMATED, EXACT };                             /* budgets */
enum { IN_ROUNDS, BY_RECENCY, ALWAYS, GONE_FIRST, LATEST };   /* orders of trimming */
enum { ZERO, SHIFT, THRESHOLD_ALONE };                        /* levels: 0, xi - q_hat, xi */

typedef struct {
    int drops, budget, trim, furthest, level;
} Rule;

static const Rule RULES[FIRST_READING] = {
    [LRU] = {NOTHING, WHOLE, BY_RECENCY, 0, ZERO},
    [ROUND_ROBIN] = {NOTHING, ESTIMATED, IN_ROUNDS, 0, SHIFT},
    [LEAST_RECENT] = {NOTHING, ESTIMATED, BY_RECENCY, 0, SHIFT},
    [EAGER] = {NOTHING, ESTIMATED, ALWAYS, 0, SHIFT},
    [THRESHOLD] = {SHORT, WHOLE, BY_RECENCY, 0, SHIFT},
    [END_AWARE] = {GONE, ESTIMATED, IN_ROUNDS, 0, SHIFT},
    [END_AWARE + 1] = {GONE, ESTIMATED, BY_RECENCY, 0, SHIFT},
    [END_AWARE + 2] = {GONE, ESTIMATED, ALWAYS, 0, SHIFT},
    [LENGTH_AWARE] = {GONE, EXACT, IN_ROUNDS, 0, THRESHOLD_ALONE},
    [LENGTH_AWARE + 1] = {GONE, EXACT, BY_RECENCY, 0, THRESHOLD_ALONE},
    [LENGTH_AWARE + 2] = {GONE, EXACT, ALWAYS, 0, THRESHOLD_ALONE},
    [TAIL_OPTIMIZED] = {NOTHING, EXACT, GONE_FIRST, 1, THRESHOLD_ALONE},
    [BELADY] = {NOTHING, EXACT, GONE_FIRST, 1, ZERO},
    [LATEST_FIRST] = {NOTHING, ESTIMATED, LATEST, 0, SHIFT},
};

/* Set up the initial cache. */
static inline void begin(Tiny *tiny) {
    for (int64_t c = 0; c < WIDTH; c++) {
        tiny->cached[c] = tiny->start_held[c];
        tiny->past[c] = tiny->start_past[c];
        tiny->upcoming[c] = tiny->first[c];
        tiny->order[c] = c;
    }
    tiny->known = tiny->starts;
}

/* Let a turn's conversation arrive, grow and be the most recent; return what it reuses. */
static inline int64_t arrive(Tiny *tiny, int64_t turn) {
    int64_t c = tiny->label[turn], reused = tiny->cached[c], place = 0;
    tiny->cached[c] = tiny->past[c] = tiny->after[turn];
    tiny->upcoming[c] = tiny->next[turn];
    while (place < tiny->known && tiny->order[place] != c) place++;
    if (place == tiny->known) tiny->known++;
    for (; place < tiny->known - 1; place++) tiny->order[place] = tiny->order[place + 1];
    tiny->order[place] = c;
    return reused;
}

/* What of a conversation is worth keeping. */
static inline int64_t budget(const Tiny *tiny, int kind, int64_t level, int64_t c) {
    int64_t past = tiny->past[c], prompt = 0;
    if (kind == WHOLE) return past;
    if (kind == EXACT) {
        if (tiny->upcoming[c] == tiny->turns) return 0;
        prompt = tiny->prompt[tiny->upcoming[c]];
    }
    return smaller(past, larger(0, past + prompt - level));
}

/* A policy's level in the case. */
static inline int64_t level_of(const Tiny *tiny, int64_t policy) {
    if (RULES[policy].level == ZERO) return 0;
    return tiny->xi - (RULES[policy].level == SHIFT ? tiny->estimate : 0);
}

static inline void drop(Tiny *tiny, int which, int64_t level, int64_t exempt) {
    for (int64_t c = 0; c < tiny->known; c++) {
        bool is_short = which == SHORT && tiny->past[c] <= level;
        bool is_gone = which == GONE && tiny->upcoming[c] == tiny->turns;
        if ((is_short || is_gone) && c != exempt) tiny->cached[c] = 0;
    }
}

static inline void find_surplus(Tiny *tiny, int kind, int64_t level, int64_t exempt) {
    for (int64_t c = 0; c < tiny->known; c++)
        tiny->surplus[c] = c == exempt ? 0 : larger(0, tiny->cached[c] - budget(tiny, kind, level, c));
}

/* Trim a conversation by at most so much; return by how much. */
static inline int64_t trimmed(Tiny *tiny, int64_t c, int64_t most) {
    int64_t blocks = smaller(tiny->surplus[c], most);
    tiny->cached[c] -= blocks;
    tiny->surplus[c] -= blocks;
    return blocks;
}

static inline int64_t trim(Tiny *tiny, int how, int64_t over) {
    while (how == IN_ROUNDS && over > 0 && sum_of(tiny->known, tiny->surplus) > 0)
        for (int64_t c = 0; c < tiny->known; c++) over -= trimmed(tiny, c, smaller(over, 1));
    for (int never = how == GONE_FIRST; never >= 0; never--) {
        for (int64_t i = 0; i < tiny->known; i++) {
            int64_t c = how == LATEST ? tiny->known - 1 - i : tiny->order[i];
            if (!never || tiny->upcoming[c] == tiny->turns) over -= trimmed(tiny, c, over);
        }
    }
    return over;
}

static inline void evict(Tiny *tiny, bool furthest, int64_t exempt, int64_t over) {
    while (over > 0) {
        int64_t victim = -1;
        for (int64_t i = 0; i < tiny->known; i++) {
            int64_t c = tiny->order[i];
            if (tiny->cached[c] == 0 || c == exempt) continue;
            if (victim < 0 || (furthest && tiny->upcoming[c] > tiny->upcoming[victim])) victim = c;
        }
        if (victim < 0) return; /* as if the capacity held what is exempt; no case is without room for that */
        int64_t evicted = smaller(tiny->cached[victim], over);
        tiny->cached[victim] -= evicted;
        over -= evicted;
    }
}

static inline void cut(Tiny *tiny, Rule rule, int64_t level, int64_t capacity, int64_t exempt) {
    if (rule.drops != NOTHING) drop(tiny, rule.drops, level, exempt);
    if (rule.trim == ALWAYS) {
        find_surplus(tiny, rule.budget, level, exempt);
        for (int64_t c = 0; c < tiny->known; c++) tiny->cached[c] -= tiny->surplus[c];
    }
    int64_t over = sum_of(tiny->known, tiny->cached) - capacity;
    if (over > 0 && rule.budget != WHOLE) {
        find_surplus(tiny, rule.budget, level, exempt);
        over = trim(tiny, rule.trim, over);
    }
    if (over > 0) evict(tiny, rule.furthest, exempt, over);
}

/* Write down what each turn reuses under a policy. */
static inline void simulate(Tiny *tiny, int64_t policy, int64_t level, int64_t capacity, int64_t *reused) {
    begin(tiny);
    for (int64_t turn = 0; turn < tiny->turns; turn++) {
        reused[turn] = arrive(tiny, turn);
        if (turn < tiny->turns - 1)
            cut(tiny, RULES[policy], level, capacity, tiny->forced ? tiny->label[turn] : -1);
    }
}

#endif
