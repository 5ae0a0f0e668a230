/* Three caches in shadow, LRU's, T-LRU's and that of the learnt order, and ours, which follows one of them.

   An *item* is what goes from its end: a piece of a forest (`teltheory.replay.trees.visits`), or a conversation,
   with nothing above it. A *visit* is a request's walk through an item; after it every cache holds `full` of the
   item, and later a prefix of that. All caches have the same latest visits, so recency is one order for all: that
   of `rank`, by request, of one path the deepest first.

   1. By recency the least recent item goes first, and of one path the deepest: two pointers over ranks that only
      move forward, past visits that are not their item's latest. No unit goes before one below it, as
      `teltheory.replay.trees.recency` shows of high-water marks.
   2. By scores items wait in a heap, by their last unit; in a strict cache only those with nothing cached below
      them. A score is what the latest visit is worth, which changes where its silence enters a bin (`crossed`, a
      pointer over requests for each bin) or estimates are renewed, plus log P(Q >= X - L + xi), in steps.
   3. Ours loses only what the expert that it follows does not hold, the least recent first. Such items are a set
      of bits by rank. As the expert's cache fits, ours can be made to fit; and what the expert holds and ours does
      not only shrinks until the next switch (docs/limits.md). */

#include <math.h>
#include <stddef.h>

#include "replay/bitset.h"
#include "replay/heap.h"

enum { LRU, TLRU, LEARNT, EXPERTS, OURS = EXPERTS, CACHES };

typedef struct {
    int64_t visits, items, capacity;
    const int64_t *parent, *above, *start, *item, *full, *least, *mark, *rank;
    int64_t *held[CACHES], size[CACHES];
    int64_t *latest, *below; /* the latest visit of each item, -1; how many children hold anything in LEARNT */
    int64_t followed, limit; /* the expert that ours follows; visits of a lower rank come under the cut */
    bool strict;
    Bitset spare; /* items of which ours holds more than the expert, by rank from the end */
} Caches;

/* What a visit is worth to the learnt order, and the steps of the law of prompts, of each estimate. */
typedef struct {
    int64_t requests, cells, bins, steps, xi, estimate;
    const double *time, *ends, *worth, *law;
    const int64_t *cell, *first;
    int64_t *crossed, *bin, *request;
    Heaps heap;
} Scores;

static void mark_spare(Caches *all, int64_t p) {
    int64_t bit = all->visits - 1 - all->rank[all->latest[p]];
    if (all->held[OURS][p] > all->held[all->followed][p])
        set_bit(&all->spare, bit);
    else
        clear_bit(&all->spare, bit);
}

static void take(Caches *all, int64_t cache, int64_t p, int64_t units) {
    all->held[cache][p] -= units;
    all->size[cache] -= units;
    if (cache == OURS || cache == all->followed) mark_spare(all, p);
}

/* Walk a request's path through a cache: return its leading units that are cached, and hold all of it. */
static int64_t walk(Caches *all, int64_t cache, int64_t k) {
    int64_t leading = 0, *held = all->held[cache];
    for (int64_t v = all->start[k]; v < all->start[k + 1]; v++) {
        int64_t p = all->item[v], units = held[p];
        leading += where(leading == all->above[p], units);
        all->size[cache] += all->full[v] - units;
        held[p] = all->full[v];
        if (cache == LEARNT && all->parent[p] >= 0) all->below[all->parent[p]] += units == 0;
    }
    return leading;
}

/* Lower a cache by recency, each item to what `least` says of its latest visit, to nothing without it. */
static void lower(Caches *all, int64_t cache, int64_t *at, const int64_t *least) {
    while (all->size[cache] > all->capacity && *at < all->limit) {
        int64_t v = all->rank[*at], p = all->item[v];
        int64_t above = all->latest[p] == v ? larger(all->held[cache][p] - (least ? least[v] : 0), 0) : 0;
        int64_t units = smaller(above, all->size[cache] - all->capacity);
        if (units > 0) take(all, cache, p, units);
        *at += units == above;
    }
}

/* The step of the law that a length is on: the last that begins no later. */
static int64_t step_of(const Scores *by, int64_t length) {
    int64_t low = 0, high = by->steps - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) >> 1;
        if (by->first[middle] <= length)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* What a prompt has to reach less what is held of an item. */
static int64_t offset_of(const Caches *all, const Scores *by, int64_t p) {
    return by->xi - (all->mark[all->latest[p]] - all->above[p]);
}

static void rate(const Caches *all, Scores *by, int64_t p) {
    int64_t v = all->latest[p], step = step_of(by, all->held[LEARNT][p] + offset_of(all, by, p));
    int64_t bin = by->bin[by->request[v]], row = by->estimate * by->cells + by->cell[v];
    by->heap.key[p] = by->worth[row * by->bins + bin] + by->law[by->estimate * by->steps + step];
    by->heap.turn[p] = all->rank[v];
}

/* Let an item of the learnt order's cache wait for eviction, if it may go. */
static void let_wait(const Caches *all, Scores *by, int64_t p) {
    if (all->held[LEARNT][p] == 0 || all->rank[all->latest[p]] >= all->limit) return;
    if (all->strict && all->below[p] > 0) return;
    rate(all, by, p);
    push(&by->heap, 0, p);
}

/* Rate all that waits by the newest estimate. */
static void renew(const Caches *all, Scores *by, int64_t estimate) {
    int64_t waiting = by->heap.number[0];
    by->estimate = estimate;
    by->heap.number[0] = 0;
    for (int64_t i = 0; i < waiting; i++) {
        int64_t p = by->heap.order[0][i];
        rate(all, by, p);
        push(&by->heap, 0, p);
    }
}

/* Rate anew what has been silent for long enough to enter another bin. */
static void cross(const Caches *all, Scores *by, int64_t k) {
    for (int64_t b = 1; b < by->bins; b++)
        for (int64_t *r = &by->crossed[b]; *r < k && by->time[k] - by->time[*r] >= by->ends[b]; (*r)++) {
            by->bin[*r] = larger(by->bin[*r], b);
            for (int64_t v = all->start[*r]; v < all->start[*r + 1]; v++) {
                int64_t p = all->item[v];
                if (all->latest[p] != v || by->heap.place[p] < 0) continue;
                rate(all, by, p);
                settle(&by->heap, 0, by->heap.place[p], p);
            }
        }
}

/* Evict what has the smallest score, a run of equal score at a time. */
static void evict(Caches *all, Scores *by) {
    while (all->size[LEARNT] > all->capacity) {
        int64_t p = by->heap.order[0][0], held = all->held[LEARNT][p], offset = offset_of(all, by, p);
        int64_t step = step_of(by, held + offset);
        int64_t floor = step > 0 ? larger(by->first[step] - 1 - offset, 0) : 0;
        take(all, LEARNT, p, smaller(held - floor, all->size[LEARNT] - all->capacity));
        if (all->held[LEARNT][p] > floor) return;
        if (floor > 0) {
            rate(all, by, p);
            settle(&by->heap, 0, 0, p);
            continue;
        }
        pull(&by->heap, 0, p);
        int64_t q = all->parent[p];
        if (q >= 0 && --all->below[q] == 0 && all->strict) let_wait(all, by, q);
    }
}

/* Follow another expert; return how many of its units ours lacks. */
static int64_t follow(Caches *all, int64_t expert, uint64_t *words) {
    int64_t missing = 0;
    all->followed = expert;
    all->spare = new_bitset(all->visits, words);
    for (int64_t p = 0; p < all->items; p++) {
        if (all->latest[p] < 0) continue;
        missing += larger(all->held[expert][p] - all->held[OURS][p], 0);
        mark_spare(all, p);
    }
    return missing;
}

static void lower_ours(Caches *all) {
    while (all->size[OURS] > all->capacity) {
        int64_t p = all->item[all->rank[all->visits - 1 - largest_bit(&all->spare)]];
        int64_t units = all->held[OURS][p] - all->held[all->followed][p];
        take(all, OURS, p, smaller(units, all->size[OURS] - all->capacity));
    }
}

/* What experts have spent above the threshold so far, how often one was below another, the squares of what they
   differed by. */
typedef struct {
    int64_t spent[EXPERTS], won[EXPERTS][EXPERTS];
    double square[EXPERTS][EXPERTS], lead;
} Record;

static void count(Record *record, const int64_t *excess) {
    for (int e = 0; e < EXPERTS; e++) {
        record->spent[e] += excess[e];
        for (int f = 0; f < EXPERTS; f++) {
            double apart = (double)(excess[e] - excess[f]);
            record->won[e][f] += apart < 0;
            record->square[e][f] += apart * apart;
        }
    }
}

/* Whether an expert is far enough ahead of another, by what it saved or by how often. */
static bool leads(const Record *record, int64_t e, int64_t f) {
    int64_t won = record->won[e][f], lost = record->won[f][e];
    double saved = (double)(record->spent[f] - record->spent[e]);
    if (saved <= 0) return false;
    return saved > record->lead * sqrt(record->square[e][f]) ||
           (double)(won - lost) > record->lead * sqrt((double)(won + lost));
}

/* The expert to follow next: the best of those that lead the one that is followed. */
static int64_t choose(const Record *record, int64_t followed) {
    if (record->lead < 0) return LEARNT;
    int64_t best = followed;
    for (int64_t e = 0; e < EXPERTS; e++)
        if (record->spent[e] < record->spent[best] && leads(record, e, followed)) best = e;
    return best;
}

/* Serve a request from all caches: write what it hits in ours, and what it spends in the others. */
static int64_t serve(Caches *all, Scores *by, int64_t k, int64_t ask, int64_t room, int64_t scale,
                     int64_t *excess) {
    for (int64_t v = all->start[k]; v < all->start[k + 1]; v++) {
        int64_t p = all->item[v];
        if (all->latest[p] >= 0) clear_bit(&all->spare, all->visits - 1 - all->rank[all->latest[p]]);
        pull(&by->heap, 0, p);
        all->latest[p] = v;
        by->request[v] = k;
    }
    for (int64_t e = 0; e < EXPERTS; e++) excess[e] = larger(room - scale * smaller(walk(all, e, k), ask), 0);
    return smaller(walk(all, OURS, k), ask);
}

/* Let what comes under its first cut wait for eviction; eager trimming takes what is not worth keeping. */
static void release(Caches *all, Scores *by, int64_t k, bool eager) {
    for (int64_t v = all->start[k]; v < all->start[k + 1]; v++) {
        int64_t p = all->item[v];
        if (all->latest[p] != v) continue;
        let_wait(all, by, p);
        if (eager && all->held[TLRU][p] > all->least[v]) take(all, TLRU, p, all->held[TLRU][p] - all->least[v]);
    }
}

/* Cut all caches to the capacity; `at` are the pointers of those that go by recency. */
static void cut(Caches *all, Scores *by, int64_t k, int64_t estimate, int64_t *at) {
    lower(all, LRU, &at[0], NULL);
    lower(all, TLRU, &at[1], all->least);
    lower(all, TLRU, &at[2], NULL);
    if (all->size[LEARNT] > all->capacity) {
        if (estimate != by->estimate) renew(all, by, estimate);
        cross(all, by, k);
        evict(all, by);
    }
    lower_ours(all);
}

/* Write what each of n requests hits and adds to our cache, what each expert spends above the threshold, which
   expert is followed after it, and how many of its units we lacked when a switch began (else 0).

   The m first requests are what was there at first. No cut touches the paths of the latest `exempt` requests. */
void replay_experts(int64_t n, int64_t m, int64_t items, int64_t visits, const int64_t parent[items],
                    const int64_t above[items], const int64_t start[m + n + 1], const int64_t item[visits],
                    const int64_t full[visits], const int64_t least[visits], const int64_t mark[visits],
                    const int64_t rank[visits], const int64_t ask[m + n], const int64_t inputs[m + n],
                    int64_t scale, int64_t capacity, int64_t exempt, int64_t strict, int64_t eager, int64_t xi,
                    int64_t cells, int64_t bins, int64_t estimates, int64_t steps, const double time[m + n],
                    const double ends[bins + 1], const int64_t estimate[m + n], const int64_t cell[visits],
                    const double worth[estimates * cells * bins], const int64_t first[steps],
                    const double law[estimates * steps], double lead, int64_t begun, int64_t state[9 * items],
                    double key[items], int64_t crossed[bins], int64_t bin[m + n], int64_t request[visits],
                    uint64_t words[visits / 63 + 12], int64_t hits[n], int64_t written[n], int64_t spent[3 * n],
                    int64_t followed[n], int64_t missing[n]) {
    Caches all = {visits, items, capacity, parent, above, start, item, full, least, mark, rank,
                  {state, state + items, state + 2 * items, state + 3 * items}, {0}, state + 4 * items,
                  state + 5 * items, begun, 0, strict, new_bitset(visits, words)};
    Heaps heap = {{state + 6 * items, NULL}, {0}, state + 7 * items, state + 8 * items, key};
    Scores by = {m + n, cells, bins, steps, xi, 0, time, ends, worth, law, cell, first,
                 crossed, bin, request, heap};
    Record record = {{0}, {{0}}, {{0}}, lead};
    int64_t at[3] = {0}, entered = 0, excess[EXPERTS];
    for (int64_t k = 0; k < m + n; k++) {
        int64_t i = k - m, before = all.size[OURS], room = inputs[k] - scale * smaller(xi, inputs[k] / scale + 1);
        int64_t hit = serve(&all, &by, k, ask[k], room, scale, excess);
        if (i < 0) continue;
        hits[i] = hit;
        written[i] = all.size[OURS] - before;
        count(&record, excess);
        for (int e = 0; e < EXPERTS; e++) spent[EXPERTS * i + e] = excess[e];
        followed[i] = choose(&record, all.followed);
        missing[i] = followed[i] != all.followed ? follow(&all, followed[i], words) : 0;
        if (k < exempt || (exempt > 0 && i == n - 1)) continue; /* the last path may be longer than the cache */
        all.limit = start[k - exempt + 1];
        for (; entered <= k - exempt; entered++) release(&all, &by, entered, eager);
        cut(&all, &by, k, estimate[k], at);
    }
}
