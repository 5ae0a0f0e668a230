/* Sets of whole numbers below n, side by side, that find their largest member from where it was last.

   Each is a bitset with 64 children a node: level 0 has a bit for each number, a bit of a higher level says that
   the word below it is not 0. A search begins at the set's `high`, above which there is no member, and climbs only
   as far as words are empty: the largest member seldom moves far. All levels together have fewer than n / 63 + 12
   words, as those of `replay/bitset.h`. */
#ifndef TELTHEORY_MEMBERS_H
#define TELTHEORY_MEMBERS_H

#include "base/numbers.h"

typedef struct {
    uint64_t *words;    /* of all sets, `width` a set */
    int64_t *high;      /* the numbers above which there is no member, -1 at first */
    int64_t offset[12]; /* where a level begins; 64^11 is above 2^63 */
    int64_t levels, width;
} Members;

/* Empty sets of numbers below n, on words that are 0 and numbers `high` that are -1. */
static inline Members members_below(int64_t n, uint64_t *words, int64_t *high) {
    Members members = {.words = words, .high = high};
    do {
        n = larger(n / 64 + (n % 64 > 0), 1);
        members.width += n;
        members.offset[++members.levels] = members.width;
    } while (n > 1);
    return members;
}

static inline uint64_t *word_of(const Members *members, int64_t which, int64_t level, int64_t number) {
    return &members->words[which * members->width + members->offset[level] + number];
}

/* The number of the highest bit of a word that is not 0. */
static inline int64_t highest(uint64_t word) { return 63 - __builtin_clzll(word); }

/* Add a number to a set. */
static inline void enter(const Members *members, int64_t which, int64_t number) {
    members->high[which] = larger(members->high[which], number);
    for (int64_t level = 0; level < members->levels; level++, number >>= 6) {
        uint64_t *word = word_of(members, which, level, number >> 6), before = *word;
        *word |= UINT64_C(1) << (number & 63);
        if (before) return;
    }
}

/* Remove a member of a set. */
static inline void leave(const Members *members, int64_t which, int64_t number) {
    for (int64_t level = 0; level < members->levels; level++, number >>= 6) {
        uint64_t *word = word_of(members, which, level, number >> 6);
        *word &= ~(UINT64_C(1) << (number & 63));
        if (*word) return;
    }
}

/* The largest member of a set that is below a number, -1 if there is none. */
static inline int64_t member_below(const Members *members, int64_t which, int64_t number) {
    int64_t level = 0;
    for (number--; number >= 0; level++, number = (number >> 6) - 1) { /* -1 beyond the last level: one word */
        uint64_t word = *word_of(members, which, level, number >> 6) & (UINT64_MAX >> (63 - (number & 63)));
        if (word) {
            number = (number & ~INT64_C(63)) | highest(word);
            break;
        }
    }
    while (number >= 0 && level-- > 0) number = (number << 6) | highest(*word_of(members, which, level, number));
    return number;
}

/* The largest member of a set, -1 if there is none. */
static inline int64_t largest(const Members *members, int64_t which) {
    return members->high[which] = member_below(members, which, members->high[which] + 1);
}

#endif
