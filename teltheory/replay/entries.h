/* A heap of entries that stay until they come up, of the `Entry` and the `comes_first` of whoever includes it.

   No entry comes before its parent, which stands at (i - 1) / 2. */
#ifndef TELTHEORY_ENTRIES_H
#define TELTHEORY_ENTRIES_H

#include "base/numbers.h"

static inline void push_entry(Entry *queue, int64_t *waiting, Entry entry) {
    int64_t i = (*waiting)++;
    for (; i > 0 && comes_first(entry, queue[(i - 1) / 2]); i = (i - 1) / 2) queue[i] = queue[(i - 1) / 2];
    queue[i] = entry;
}

/* Take the first of the entries, of which there is one at least. */
static inline Entry pop_entry(Entry *queue, int64_t *waiting) {
    Entry first = queue[0], last = queue[--*waiting];
    int64_t i = 0, child;
    while ((child = 2 * i + 1) < *waiting) {
        if (child + 1 < *waiting && comes_first(queue[child + 1], queue[child])) child++;
        if (!comes_first(queue[child], last)) break;
        queue[i] = queue[child];
        i = child;
    }
    queue[i] = last;
    return first;
}

#endif
