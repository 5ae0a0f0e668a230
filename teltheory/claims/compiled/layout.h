/* A tiny world under a policy: one record, which every check of worlds reads and writes.

   Conversations are numbered in order of appearance, so that their numbers are the order of first arrival.
   Nothing here or in what includes it is shared with the replays and optima of the package, which it is to
   judge. */
#ifndef TELTHEORY_CLAIMS_LAYOUT_H
#define TELTHEORY_CLAIMS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { WIDTH = 8 };   /* most turns, and most conversations */
enum { LEVELS = 48 }; /* policies are replayed at levels from -LEVELS to LEVELS - 1, see simulator.h */
enum { POLICIES = 20, MOST_VALUES = 128 };
enum { LABEL, PROMPT, RESPONSE, PAST, HELD, ROWS }; /* a world as Python has it, in rows of WIDTH numbers */
enum { OUTSIDE = -1, REFUTED, TRUE };               /* answers of a check */

/* What a policy does at a level: what turns reuse; and of readings the lowest X after each cut, how many cuts
   there were, and how it ended. It is known if it has the stamp of the capacity. */
typedef struct {
    int64_t reused[WIDTH], lowest[WIDTH], cuts, ended, stamp;
} Result;

typedef struct {
    int64_t turns, starts, conversations, capacity, xi, estimate;
    bool forced;
    int64_t *label, *prompt, *response, *start_past, *start_held; /* the rows */
    /* Of each turn, its conversation's history and prompt, its past afterwards, and its next turn. */
    int64_t total[WIDTH], after[WIDTH], next[WIDTH];
    /* Of each conversation, its first and latest turn, and its last past. */
    int64_t first[WIDTH], latest[WIDTH], length[WIDTH];
    int64_t least_capacity, longest, continuing, prompts; /* what the turns say as a whole */
    /* A cache, with the past and the next turn of each conversation that is known, and their order of recency. */
    int64_t known, cached[WIDTH], past[WIDTH], upcoming[WIDTH], order[WIDTH];
    int64_t surplus[WIDTH], taken[WIDTH], stride[WIDTH]; /* working room */
    int64_t number, values[MOST_VALUES];                 /* what a check says beside its answer */
    int64_t stamp;
    Result *results; /* of both capacities, C and C + 1, of all policies and of all levels */
    int64_t *states; /* two numbers for each state of optimum.h */
} Tiny;

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static inline int64_t sum_of(int64_t n, const int64_t *values) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

/* The record of a world's rows; nothing is known yet of any policy. */
static Tiny new_tiny(int64_t turns, int64_t starts, bool forced, int64_t *rows, int64_t *results,
                     int64_t *states) {
    Tiny tiny = {.turns = turns, .starts = starts, .conversations = starts, .forced = forced, .states = states};
    tiny.label = rows + LABEL * WIDTH, tiny.prompt = rows + PROMPT * WIDTH;
    tiny.response = rows + RESPONSE * WIDTH;
    tiny.start_past = rows + PAST * WIDTH, tiny.start_held = rows + HELD * WIDTH;
    tiny.results = (Result *)results;
    for (int64_t turn = 0; turn < turns; turn++)
        tiny.conversations = larger(tiny.conversations, tiny.label[turn] + 1);
    for (int64_t i = 0; i < 2 * POLICIES * 2 * LEVELS; i++) tiny.results[i].stamp = 0;
    tiny.stamp = 1;
    return tiny;
}

static inline void link_turn(Tiny *tiny, int64_t turn, int64_t c) {
    if (tiny->first[c] == tiny->turns)
        tiny->first[c] = turn;
    else
        tiny->next[tiny->latest[c]] = turn;
    tiny->latest[c] = turn;
    tiny->next[turn] = tiny->turns;
}

/* Fill in totals, pasts, next turns, and what the turns say as a whole, from the rows. */
static inline void describe(Tiny *tiny) {
    for (int64_t c = 0; c < WIDTH; c++) {
        tiny->first[c] = tiny->turns;
        tiny->length[c] = tiny->start_past[c];
    }
    tiny->longest = tiny->continuing = tiny->prompts = 0;
    for (int64_t turn = 0; turn < tiny->turns; turn++) {
        int64_t c = tiny->label[turn], prompt = tiny->prompt[turn];
        if (c < tiny->starts || tiny->first[c] < tiny->turns) {
            tiny->continuing++;
            tiny->prompts += prompt;
            tiny->longest = larger(tiny->longest, prompt);
        }
        tiny->total[turn] = tiny->length[c] + prompt;
        tiny->length[c] = tiny->after[turn] = tiny->total[turn] + tiny->response[turn];
        link_turn(tiny, turn, c);
    }
    tiny->least_capacity = sum_of(tiny->starts, tiny->start_held);
    for (int64_t turn = 0; tiny->forced && turn < tiny->turns - 1; turn++)
        tiny->least_capacity = larger(tiny->least_capacity, tiny->after[turn]);
}

static inline void put(Tiny *tiny, int64_t value) { tiny->values[tiny->number++] = value; }

#endif
