/* A set of whole numbers below n that finds its members in order: a bitset with 64 children a node.

   Level 0 has a bit for each number; a bit of a higher level says that the word below it is not 0. The last level
   is one word, so the largest member is found by one look at each of the O(log n / 6) levels. All levels together
   have fewer than n / 63 + 12 words: level i has n / 64^i of them, rounded up, and there are 11 levels at most. */
#ifndef TELTHEORY_BITSET_H
#define TELTHEORY_BITSET_H

#include "base/numbers.h"

typedef struct {
    uint64_t *level[11];
    int64_t levels;
} Bitset;

/* The empty set of numbers below n, in room for n / 63 + 12 words. */
static inline Bitset new_bitset(int64_t n, uint64_t *words) {
    Bitset set = {.levels = 0};
    int64_t width = n;
    do {
        width = width / 64 + (width % 64 > 0);
        set.level[set.levels++] = words;
        for (int64_t i = 0; i < larger(width, 1); i++) *words++ = 0;
    } while (width > 1);
    return set;
}

static inline void set_bit(const Bitset *set, int64_t number) {
    for (int64_t i = 0; i < set->levels; i++, number >>= 6) {
        uint64_t *word = &set->level[i][number >> 6], before = *word;
        *word = before | (uint64_t)1 << (number & 63);
        if (before) return;
    }
}

/* Remove a number, a member or not. */
static inline void clear_bit(const Bitset *set, int64_t number) {
    for (int64_t i = 0; i < set->levels; i++, number >>= 6) {
        uint64_t *word = &set->level[i][number >> 6];
        *word &= ~((uint64_t)1 << (number & 63));
        if (*word) return;
    }
}

static inline bool is_empty(const Bitset *set) { return set->level[set->levels - 1][0] == 0; }

/* The largest member of a set that is not empty. */
static inline int64_t largest_bit(const Bitset *set) {
    int64_t number = 0;
    for (int64_t i = set->levels - 1; i >= 0; i--)
        number = number << 6 | (63 - __builtin_clzll(set->level[i][number]));
    return number;
}

/* The largest member from `low` to `high`, -1 if there is none; 0 <= low, high < n. */
static inline int64_t largest_between(const Bitset *set, int64_t low, int64_t high) {
    int64_t number = high;
    for (int64_t i = 0; i < set->levels && number >= 0; i++, number = (number >> 6) - 1) {
        uint64_t word = set->level[i][number >> 6] & ~(uint64_t)0 >> (63 - (number & 63));
        if (!word) continue;
        number = (number >> 6) << 6 | (63 - __builtin_clzll(word));
        while (i-- > 0) number = number << 6 | (63 - __builtin_clzll(set->level[i][number]));
        return number >= low ? number : -1;
    }
    return -1;
}

/* The smallest member from `low` to `high`, -1 if there is none; 0 <= low, high < n. */
static inline int64_t smallest_between(const Bitset *set, int64_t low, int64_t high) {
    int64_t number = low, last = high;
    for (int64_t i = 0; i < set->levels && number <= last; i++, number = (number >> 6) + 1, last >>= 6) {
        uint64_t word = set->level[i][number >> 6] & ~(uint64_t)0 << (number & 63);
        if (!word) continue;
        number = (number >> 6) << 6 | __builtin_ctzll(word);
        while (i-- > 0) number = number << 6 | __builtin_ctzll(set->level[i][number]);
        return number <= high ? number : -1;
    }
    return -1;
}

#endif
