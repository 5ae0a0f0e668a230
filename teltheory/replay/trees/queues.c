/* LRU with a queue for each priority, leaves first (`teltheory.policies.retention`), unit by unit.

   A unit waits if nothing is below it and no running request goes through it: in a heap, by its priority,
   since when it has had that, and its last visit. An entry whose unit has changed since is skipped when it
   comes up. A unit begins to wait when its request has ended, when its priority ends, and when the last unit
   below it goes: no more than three entries a visit. */

#include "replay/trees/layout.h"

enum { DEFAULT = 35 };

typedef struct {
    int64_t visit, children, held;
} Unit;

typedef struct {
    double priority, since;
    int64_t visit, unit;
} Entry;

typedef struct {
    Unit *units;
    double *priority, *since; /* of each unit */
    Entry *queue;
    int64_t waiting;
} Queues;

static inline bool comes_first(Entry one, Entry other) {
    if (one.priority != other.priority) return one.priority < other.priority;
    return one.since != other.since ? one.since < other.since : one.visit < other.visit;
}

#include "replay/entries.h"

static inline void let_wait(Queues *queues, int64_t p) {
    Entry entry = {queues->priority[p], queues->since[p], queues->units[p].visit, p};
    push_entry(queues->queue, &queues->waiting, entry);
}

/* Let the units that a request was the last to read wait, of which it has ended. */
static void release(const Layout *layout, Queues *queues, int64_t ended) {
    for (int64_t j = layout->start[ended]; j < layout->start[ended + 1]; j++) {
        const Unit *unit = &queues->units[layout->piece[j]];
        if (unit->visit == j && unit->held && unit->children == 0) let_wait(queues, layout->piece[j]);
    }
}

/* End the priorities of a request; visits before `released` wait. */
static void expire(const Layout *layout, Queues *queues, int64_t r, double until, int64_t released) {
    for (int64_t j = layout->start[r]; j < layout->start[r + 1]; j++) {
        int64_t p = layout->piece[j];
        const Unit *unit = &queues->units[p];
        if (unit->visit != j || !unit->held || queues->priority[p] == DEFAULT) continue;
        queues->priority[p] = DEFAULT;
        if (until > queues->since[p]) queues->since[p] = until;
        if (unit->children == 0 && j < released) let_wait(queues, p);
    }
}

/* Fill the path of request k, whose priority is below 0 if it has none; write what it hits and what it adds. */
static void serve(const Layout *layout, Queues *queues, int64_t k, double now, double said) {
    int64_t hits = 0, added = 0;
    for (int64_t j = layout->start[k]; j < layout->start[k + 1]; j++) {
        int64_t p = layout->piece[j];
        Unit *unit = &queues->units[p];
        if (said >= 0) queues->priority[p] = said;
        else if (!unit->held) queues->priority[p] = DEFAULT;
        if (unit->held) hits += added == 0;
        else added++;
        if (!unit->held && layout->parent[p] >= 0) queues->units[layout->parent[p]].children++;
        queues->since[p] = now;
        unit->held = 1;
        unit->visit = j;
    }
    layout->cached[k] = smaller(hits, layout->ask[k]);
    layout->written[k] = added;
}

/* Lose so many units; visits from `exempt` on lose none. */
static void cut(const Layout *layout, Queues *queues, int64_t overflow, int64_t exempt) {
    while (overflow > 0) {
        Entry next = pop_entry(queues->queue, &queues->waiting);
        int64_t p = next.unit, above = layout->parent[p];
        Unit *unit = &queues->units[p];
        if (!unit->held || unit->children > 0 || unit->visit != next.visit ||
            queues->priority[p] != next.priority || queues->since[p] != next.since)
            continue;
        unit->held = 0;
        overflow--;
        if (above >= 0 && --queues->units[above].children == 0 && queues->units[above].visit < exempt)
            let_wait(queues, above);
    }
}

/* Replay the queues; nobody sees the last cut. Priorities end in order: that of `about` at the cut of `at`. */
void replay_queues(int64_t n, int64_t pieces, int64_t visits, const int64_t parent[pieces],
                   const int64_t length[pieces], const int64_t above[pieces], const int64_t start[n + 1],
                   const int64_t piece[visits], const int64_t ask[n], const int64_t end[n], int64_t capacity,
                   int64_t exempt, int64_t cached[n], int64_t written[n], const double arrival[n],
                   const double said[n], const double until[n], int64_t m, const int64_t at[m],
                   const int64_t about[m], int64_t state[3 * pieces], double priority[pieces],
                   double since[pieces], double queue[12 * visits]) {
    Layout layout = {parent, length, above, start, piece, ask, end, cached, written};
    Queues queues = {(Unit *)state, priority, since, (Entry *)queue, 0};
    int64_t overflow = -capacity;
    for (int64_t k = 0, e = 0; k < n; k++) {
        int64_t ended = k - exempt, released = start[larger(ended, 0)];
        for (; e < m && at[e] == k && about[e] < k; e++)
            expire(&layout, &queues, about[e], until[about[e]], released);
        serve(&layout, &queues, k, arrival[k], said[k]);
        for (; e < m && at[e] == k; e++) expire(&layout, &queues, k, until[k], 0);
        overflow += written[k];
        if (ended < 0 || k == n - 1) continue;
        release(&layout, &queues, ended);
        cut(&layout, &queues, overflow, start[ended + 1]);
        overflow = smaller(overflow, 0);
    }
}
