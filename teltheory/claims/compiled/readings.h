/* Algorithm 1 to the letter and the readings of it, on tiny worlds; written on its own, to be compared.

   A loop that goes round without changing anything ends the replay there, and a number says which one it was. */
#ifndef TELTHEORY_CLAIMS_READINGS_H
#define TELTHEORY_CLAIMS_READINGS_H

#include "claims/compiled/simulator.h"

/* As printed; with an LRU loop that ends; with a trim loop that ends; with both, and X >= 0, so that only the
   test >= is as printed; repaired; and the `if` form, repaired. */
enum { PRINTED = FIRST_READING, PRINTED_TRIM, PRINTED_LRU, AT_THE_BUDGET, REPAIRED, SINGLE_PASS };

enum { WHILE, UNTIL, IF };
enum { ENDS, ENDLESS_TRIM, ENDLESS_LRU };

/* A reading's test, whether X stays at 0 or more, its trim loop, and of whom the LRU loop evicts. */
typedef struct {
    bool strictly, nonnegative;
    int loop;
    int64_t least;
} Reading;

static const Reading READINGS[] = {
    {false, false, WHILE, 2}, {false, false, WHILE, 1}, {false, false, UNTIL, 2},
    {false, true, UNTIL, 1},  {true, true, UNTIL, 1},   {true, true, IF, 1},
};

/* Visit every conversation once, in order of first arrival; return how much was trimmed. */
static inline int64_t one_round(Tiny *tiny, Reading reading, int64_t level, int64_t over) {
    int64_t blocks = 0;
    for (int64_t c = 0; c < tiny->known; c++) {
        int64_t above = tiny->cached[c] - (tiny->past[c] - level);
        if (reading.nonnegative && tiny->cached[c] == 0) continue;
        if (blocks < over && (above > 0 || (above == 0 && !reading.strictly))) {
            tiny->cached[c]--;
            blocks++;
        }
    }
    return blocks;
}

static inline int cut_as_read(Tiny *tiny, Reading reading, int64_t level, int64_t over) {
    while (over > 0) {
        int64_t blocks = one_round(tiny, reading, level, over);
        over -= blocks;
        if (reading.loop == IF) break;
        if (blocks == 0) {
            if (reading.loop == WHILE) return ENDLESS_TRIM;
            break;
        }
    }
    for (int64_t i = 0; i < tiny->known; i++) {
        int64_t c = tiny->order[i], evicted = larger(0, smaller(over, tiny->cached[c] - reading.least + 1));
        tiny->cached[c] -= evicted;
        over -= evicted;
    }
    return over > 0 ? ENDLESS_LRU : ENDS;
}

/* Replay a reading, of which no cut is known yet; `level` is xi - q_hat. */
static inline void read_as(Tiny *tiny, int64_t policy, int64_t level, int64_t capacity, Result *result) {
    begin(tiny);
    for (int64_t turn = 0; turn < tiny->turns && result->ended == ENDS; turn++) {
        result->reused[turn] = arrive(tiny, turn);
        int64_t over = sum_of(tiny->known, tiny->cached) - capacity;
        result->ended = cut_as_read(tiny, READINGS[policy - FIRST_READING], level, over);
        result->lowest[turn] = tiny->cached[0];
        for (int64_t c = 1; c < tiny->known; c++)
            result->lowest[turn] = smaller(result->lowest[turn], tiny->cached[c]);
        result->cuts++;
    }
}

#endif
