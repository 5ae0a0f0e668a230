/* What the loops on chains share that store what each slot holds (`teltheory.replay.chains.slots`): a turn's
   service, trimming to limits, and passing over what holds nothing. */
#ifndef TELTHEORY_CHAINS_STORED_H
#define TELTHEORY_CHAINS_STORED_H

#include "base/numbers.h"

/* n turns and m initial slots; `full` is what slots hold before their first cut, `holds` what they hold now: at
   first the initial cache, and zeros. */
typedef struct {
    int64_t n, m;
    const int64_t *history, *prompt, *full, *previous, *following;
    int64_t capacity, *cached, *uncached, *holds;
} Chains;

/* What is held above the capacity before the first turn. */
static inline int64_t overflow_at_start(const Chains *of) { return sum_of(of->m, of->holds) - of->capacity; }

/* Serve turn k from its conversation's old slot, fill its new one, and return by how much the cache grows. */
INLINED int64_t serve(const Chains *of, int64_t k) {
    int64_t before = of->previous[k], slot = larger(before, 0);
    int64_t content = where(before >= 0, of->holds[slot]);
    of->holds[slot] -= content;
    int64_t reused = smaller(content, of->history[k]);
    of->cached[k] = reused;
    of->uncached[k] = of->history[k] + of->prompt[k] - reused;
    of->holds[of->m + k] = of->full[of->m + k];
    return of->full[of->m + k] - content;
}

/* Trim what is above the limits, oldest slot first, from `trim` on to `end`; return the overflow that is left. */
INLINED int64_t trim_to(const Chains *of, const int64_t *limit, int64_t *trim, int64_t end, int64_t overflow) {
    while (overflow > 0 && *trim < end) {
        int64_t above = larger(of->holds[*trim] - limit[*trim], 0), taken = smaller(above, overflow);
        of->holds[*trim] -= taken;
        overflow -= taken;
        *trim += taken == above;
    }
    return overflow;
}

/* Keep the waiting slots that hold anything, in their order; return how many do. */
INLINED int64_t still_holding(const Chains *of, int64_t *waiting, int64_t alive) {
    int64_t kept = 0;
    for (int64_t i = 0; i < alive; i++) {
        int64_t s = waiting[i];
        waiting[kept] = s;
        kept += of->holds[s] > 0;
    }
    return kept;
}

#endif
