/* Private conversations under policies with a memory: FIFO, LFU, SLRU, priorities, GDSF, 2Q, S3-FIFO, TTL.

   Units that one turn added and that are all still there have had the same reads: they are a run. A conversation
   is a stack of runs, of which only the end may go. The unit before it in a run has the same key or a smaller one,
   so that units go by runs, and a replay takes O(log n) for each run that changes. S3-FIFO moves single ones.

   1. The ends that may go stand in a heap for each of two queues; most policies have one. A conversation stands in
      one heap at most, and knows its place. Equal keys: what entered first goes, and no two ends entered at once.
   2. While a conversation's request runs its units count for no queue and its end is in no heap. Under forced
      caching that is until the next request.
   3. Ghosts are intervals of units that left the first queue, in the order in which they left. A conversation
      knows its own. Ghosts that came back are empty intervals.

   Runs and ghosts live in pools that grow; -1 is returned where there is no memory for that. */

#include <stdlib.h>

#include "base/numbers.h"

enum { BY_ENTRY, BY_SINCE, BY_READS, BY_SEGMENT, BY_VALUE, BY_GRADE };
enum { ONE_QUEUE, TWO_Q, S3_FIFO };

/* Units from depth `start` to `end` of a conversation. `grade` is the greatest priority, or the clock at the end
   of the last request; `chances` are S3-FIFO's, `entered` is when the run entered its queue, and `below` the run
   nearer to the root, -1 for none. */
typedef struct {
    int64_t start, end, since, queue, reads, chances, entered, below;
    double grade;
} Run;

/* Ghosts from depth `start` to `end`; `other` is the conversation's ghost before, -1 for none. */
typedef struct {
    int64_t start, end, other;
} Ghost;

/* A conversation: its last run, last ghost and last turn, its place in a heap (0 for none) and its key there, and
   whether its units count for the queues. */
typedef struct {
    int64_t top, ghost, last, place, heap;
    double key;
    bool counts;
} Chain;

typedef struct {
    int64_t *chain; /* from place 1 on */
    int64_t size;
} Heap;

typedef struct {
    Chain *chains;
    Heap heaps[2];
    Run *runs;
    Ghost *ghosts;
    int64_t runs_room, runs_made, unused; /* `unused` is the first of a list of free runs */
    int64_t ghosts_room, ghosts_made, oldest;
    int64_t size[2], limit, most, remembered, used, steps, queues, kind;
    double clock, per_depth;
    bool failed;
} Cache;

static int64_t new_run(Cache *cache, Run run) {
    int64_t found = cache->unused;
    if (found >= 0) {
        cache->unused = cache->runs[found].below;
    } else {
        if (cache->runs_made == cache->runs_room) {
            Run *grown = realloc(cache->runs, (size_t)(2 * cache->runs_room) * sizeof(Run));
            if (!grown) {
                cache->failed = true;
                return 0;
            }
            cache->runs = grown;
            cache->runs_room *= 2;
        }
        found = cache->runs_made++;
    }
    cache->runs[found] = run;
    return found;
}

static void push_run(Cache *cache, Chain *chain, Run run) {
    run.below = chain->top;
    chain->top = new_run(cache, run);
}

/* Take units from the end of a conversation's last run. */
static void pop_units(Cache *cache, Chain *chain, int64_t units) {
    Run *run = &cache->runs[chain->top];
    run->end -= units;
    if (run->start < run->end) return;
    int64_t gone = chain->top;
    chain->top = run->below;
    run->below = cache->unused;
    cache->unused = gone;
}

/* By what the end of a run goes, the smallest first. */
static double key_of(const Cache *cache, const Run *run) {
    switch (cache->kind) {
        case BY_SINCE: return (double)run->since;
        case BY_READS: return (double)run->reads;
        case BY_SEGMENT: return run->reads >= 2;
        case BY_VALUE: return run->grade + (double)run->reads * (1 + cache->per_depth * (double)(run->end - 1));
        case BY_GRADE: return run->grade;
        default: return 0;
    }
}

static bool goes_before(const Cache *cache, int64_t a, int64_t b) {
    const Chain *one = &cache->chains[a], *other = &cache->chains[b];
    if (one->key != other->key) return one->key < other->key;
    return cache->runs[one->top].entered < cache->runs[other->top].entered;
}

static void put(Cache *cache, Heap *heap, int64_t place, int64_t chain) {
    heap->chain[place] = chain;
    cache->chains[chain].place = place;
}

static void sift_up(Cache *cache, Heap *heap, int64_t place, int64_t chain) {
    for (; place > 1 && goes_before(cache, chain, heap->chain[place / 2]); place /= 2)
        put(cache, heap, place, heap->chain[place / 2]);
    put(cache, heap, place, chain);
}

static void sift_down(Cache *cache, Heap *heap, int64_t place, int64_t chain) {
    for (int64_t child = 2 * place; child <= heap->size; child = 2 * place) {
        if (child < heap->size && goes_before(cache, heap->chain[child + 1], heap->chain[child])) child++;
        if (!goes_before(cache, heap->chain[child], chain)) break;
        put(cache, heap, place, heap->chain[child]);
        place = child;
    }
    put(cache, heap, place, chain);
}

static void leave_heap(Cache *cache, int64_t c) {
    Chain *chain = &cache->chains[c];
    if (!chain->place) return;
    Heap *heap = &cache->heaps[chain->heap];
    int64_t place = chain->place, moved = heap->chain[heap->size--];
    chain->place = 0;
    if (moved == c) return;
    sift_up(cache, heap, place, moved);
    sift_down(cache, heap, cache->chains[moved].place, moved);
}

/* Put the end of a conversation into the heap of its queue. It must be in none: its key is made anew here. */
static void enter_heap(Cache *cache, int64_t c) {
    Chain *chain = &cache->chains[c];
    if (chain->top < 0) return;
    const Run *run = &cache->runs[chain->top];
    chain->key = key_of(cache, run);
    chain->heap = run->queue;
    Heap *heap = &cache->heaps[run->queue];
    sift_up(cache, heap, ++heap->size, c);
}

/* Let the units of a conversation count for no queue. */
static void pull(Cache *cache, int64_t c) {
    Chain *chain = &cache->chains[c];
    leave_heap(cache, c);
    for (int64_t r = chain->counts ? chain->top : -1; r >= 0; r = cache->runs[r].below)
        cache->size[cache->runs[r].queue] -= cache->runs[r].end - cache->runs[r].start;
    chain->counts = false;
}

/* Let go the units of a conversation from a depth on. */
static void shorten_to(Cache *cache, Chain *chain, int64_t depth) {
    while (chain->top >= 0 && cache->runs[chain->top].end > depth) {
        const Run *run = &cache->runs[chain->top];
        int64_t units = run->end - larger(run->start, depth);
        pop_units(cache, chain, units);
        cache->used -= units;
    }
}

static void add_part(Cache *cache, Chain *chain, int64_t start, int64_t end, int64_t k, int64_t queue) {
    if (start < end) push_run(cache, chain, (Run){start, end, k, queue, 0, -1, 0, -1, 0});
}

/* Add what a turn computes: units of which ghosts are left go to the second queue, and these ghosts are gone.

   Since its last turn a conversation lost units from its end only: its latest ghost begins first. */
static void add(Cache *cache, Chain *chain, int64_t reused, int64_t history, int64_t past, int64_t k) {
    int64_t at = reused;
    for (int64_t g = chain->ghost; g >= 0 && cache->ghosts[g].start < history; g = cache->ghosts[g].other) {
        Ghost *ghost = &cache->ghosts[g];
        int64_t end = smaller(ghost->end, history);
        if (ghost->start == end) continue; /* forgotten */
        add_part(cache, chain, at, ghost->start, k, 0);
        add_part(cache, chain, ghost->start, end, k, 1);
        at = end;
        cache->remembered -= end - ghost->start;
        ghost->start = end;
    }
    chain->ghost = -1;
    add_part(cache, chain, at, past, k, 0);
}

static int64_t serve(Cache *cache, int64_t k, int64_t c, int64_t history, int64_t past, const double *priority) {
    Chain *chain = &cache->chains[c];
    pull(cache, c);
    shorten_to(cache, chain, history);
    int64_t reused = chain->top >= 0 ? cache->runs[chain->top].end : 0;
    add(cache, chain, reused, history, past, k);
    cache->used += past - reused;
    for (int64_t r = chain->top; r >= 0; r = cache->runs[r].below) {
        Run *run = &cache->runs[r];
        run->reads++;
        run->chances = smaller(run->chances + 1, 3);
        if (priority && (run->since == k || run->grade < priority[k])) run->grade = priority[k];
    }
    chain->last = k;
    return reused;
}

/* Let the units of a conversation whose request has ended count for the queues. */
static void release(Cache *cache, int64_t c) {
    Chain *chain = &cache->chains[c];
    cache->steps++;
    for (int64_t r = chain->top; r >= 0; r = cache->runs[r].below) {
        Run *run = &cache->runs[r];
        bool stays = run->entered && (cache->queues == S3_FIFO || (cache->queues == TWO_Q && run->queue == 0));
        if (!stays) run->entered = cache->steps;
        if (cache->kind != BY_GRADE) run->grade = cache->clock;
        cache->size[run->queue] += run->end - run->start;
    }
    chain->counts = true;
    enter_heap(cache, c);
}

/* Return who loses units: one of the first queue if it is due, unless only the other has one. */
static int64_t next_victim(const Cache *cache, bool due) {
    const Heap *first = &cache->heaps[0], *second = &cache->heaps[1];
    return (!second->size || (first->size && due) ? first : second)->chain[1];
}

/* Give the last unit of a conversation a place at the end of the second queue, if it has a chance left. */
static bool goes_round(Cache *cache, int64_t c) {
    Chain *chain = &cache->chains[c];
    Run run = cache->runs[chain->top];
    if (cache->queues != S3_FIFO || run.chances < (run.queue == 0 ? 2 : 1)) return false;
    int64_t chances = run.queue ? run.chances - 1 : 0;
    leave_heap(cache, c);
    cache->steps++;
    cache->size[run.queue]--;
    cache->size[1]++;
    pop_units(cache, chain, 1);
    push_run(cache, chain, (Run){run.end - 1, run.end, run.since, 1, run.reads, chances, cache->steps, -1, 0});
    enter_heap(cache, c);
    return true;
}

/* Remember ghosts, and forget the oldest. */
static void remember(Cache *cache, Chain *chain, int64_t start, int64_t end) {
    if (cache->ghosts_made == cache->ghosts_room) {
        Ghost *grown = realloc(cache->ghosts, (size_t)(2 * cache->ghosts_room) * sizeof(Ghost));
        if (!grown) {
            cache->failed = true;
            return;
        }
        cache->ghosts = grown;
        cache->ghosts_room *= 2;
    }
    cache->ghosts[cache->ghosts_made] = (Ghost){start, end, chain->ghost};
    chain->ghost = cache->ghosts_made++;
    cache->remembered += end - start;
    while (cache->remembered > cache->most) {
        Ghost *oldest = &cache->ghosts[cache->oldest];
        int64_t forgotten = smaller(cache->remembered - cache->most, oldest->end - oldest->start);
        oldest->end -= forgotten;
        cache->remembered -= forgotten;
        cache->oldest += oldest->start == oldest->end;
    }
}

static void cut(Cache *cache, int64_t capacity) {
    while (cache->used > capacity && !cache->failed) {
        bool due = cache->size[0] > cache->limit;
        int64_t c = next_victim(cache, due);
        while (goes_round(cache, c) && !cache->failed) c = next_victim(cache, due);
        Chain *chain = &cache->chains[c];
        Run run = cache->runs[chain->top];
        bool leaves_ghosts = cache->queues != ONE_QUEUE && run.queue == 0;
        int64_t units = smaller(cache->used - capacity, run.end - run.start);
        if (leaves_ghosts && due) units = smaller(units, larger(cache->size[0] - cache->limit, 1));
        if (cache->kind == BY_VALUE && chain->key > cache->clock) cache->clock = chain->key;
        leave_heap(cache, c);
        cache->size[run.queue] -= units;
        if (leaves_ghosts) remember(cache, chain, run.end - units, run.end);
        pop_units(cache, chain, units);
        cache->used -= units;
        enter_heap(cache, c);
    }
}

/* Replay; `priority` is that of each turn, `arrival` the times of a policy under which what no turn has asked for
   longer than `seconds` is gone. Write what each turn reuses; return 0, or -1 where there is no memory. */
int64_t replay_remembering(int64_t n, int64_t conversations, const int64_t code[n], const int64_t history[n],
                           const int64_t past[n], int64_t capacity, int64_t forced, int64_t kind, int64_t queues,
                           int64_t limit, int64_t most, double per_depth, const double *priority /* [n] */,
                           const double *arrival /* [n] */, double seconds, int64_t reused[n]) {
    size_t chains = (size_t)larger(conversations, 1), room = 1024;
    Cache cache = {.runs_room = (int64_t)room, .ghosts_room = (int64_t)room, .unused = -1};
    cache.limit = limit, cache.most = most, cache.kind = kind, cache.queues = queues, cache.per_depth = per_depth;
    cache.chains = calloc(chains, sizeof(Chain));
    cache.runs = malloc(room * sizeof(Run));
    cache.ghosts = malloc(room * sizeof(Ghost));
    for (int64_t q = 0; q < 2; q++) cache.heaps[q].chain = malloc((chains + 1) * sizeof(int64_t));
    cache.failed = !cache.chains || !cache.runs || !cache.ghosts || !cache.heaps[0].chain || !cache.heaps[1].chain;
    for (size_t c = 0; !cache.failed && c < chains; c++)
        cache.chains[c] = (Chain){.top = -1, .ghost = -1, .last = -1};
    int64_t silent = 0; /* every turn before it was asked for again, or what it left is gone */
    for (int64_t k = 0; k < n && !cache.failed; k++) {
        for (; arrival && silent < k; silent++) {
            Chain *chain = &cache.chains[code[silent]];
            if (chain->last != silent) continue;
            if (arrival[k] - arrival[silent] <= seconds) break;
            pull(&cache, code[silent]);
            shorten_to(&cache, chain, 0);
        }
        reused[k] = serve(&cache, k, code[k], history[k], past[k], priority);
        if (!forced)
            release(&cache, code[k]);
        else if (k > 0 && code[k - 1] != code[k])
            release(&cache, code[k - 1]);
        if (!forced || k < n - 1) cut(&cache, capacity);
    }
    free(cache.chains);
    free(cache.runs);
    free(cache.ghosts);
    for (int64_t q = 0; q < 2; q++) free(cache.heaps[q].chain);
    return cache.failed ? -1 : 0;
}
