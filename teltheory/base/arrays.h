/* An array of numpy as it lies in memory: every version of its binary interface says it alike. And whether one
   is what a loop asks for. Before it relies on it, `base/loops.py` tries whether this Python and numpy have it so.

   `objects` are addresses: of None, the type of arrays, and the kinds of numbers; before them is how many words
   a tuple has before its members. Arrays come in one, as each argument of ctypes takes 0.1 microseconds. */
#ifndef TELTHEORY_ARRAYS_H
#define TELTHEORY_ARRAYS_H

#include "base/numbers.h"

typedef struct {
    int64_t references;
    const void *type;
    void *numbers;
    int32_t axes;
    const int64_t *shape, *strides;
    const void *owner, *kind;
    int32_t flags;
} Array;

/* Lengths are counted beyond 64 bits. */
typedef __int128 Length;

static inline bool array_fits(const void *const *objects, const Array *array, int kind, Length least,
                              int32_t flags) {
    if (array->type != objects[2] || array->kind != objects[kind] || (array->flags & flags) != flags) return false;
    int64_t size = 1;
    for (int32_t i = 0; i < array->axes; i++) size *= array->shape[i];
    return size >= least;
}

static inline const Array *const *members_of(const void *const *objects, const void *tuple) {
    return (const Array *const *)tuple + (intptr_t)objects[0];
}

/* Where an array's numbers are; nowhere for None. */
static inline void *numbers_of(const void *const *objects, const Array *array) {
    return array == objects[1] ? 0 : array->numbers;
}

#endif
