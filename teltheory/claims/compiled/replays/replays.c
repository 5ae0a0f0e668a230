/* Claims on replays of forests, checked on all small ones: the second encoding of each, and its enumeration.

   The first encoding is the claim itself, in plain Python; `teltheory.claims.comparison` compares the two. This
   is one file of C with the headers of its folder: caches.h (block by block) and nodes.h (SGLang's nodes).
   Nothing of them is shared with the replays of the package. A check is a row of numbers: two runs, each a kind
   of cache, a policy and the room that it has, and whether the first has no more excess in all, no more excess
   at each request, or no more hits at each request than the second.

   Of shapes of one size a call tries so many vectors of asks and totals, each at every capacity, threshold and
   estimate, and can be called again for the next ones, as `at` says where it stands. */

#include "claims/compiled/replays/nodes.h"

enum { STRICT, HOLES, NODES };
/* Rooms: C, C + 1, C - chunk + 1 or 0, and C / chunk rounded down. In the last two caching is optional, as paths
   may be longer. */
enum { AS_IT_IS, ONE_MORE, LESS_A_CHUNK, IN_CHUNKS };
enum { EXCESS_IN_ALL, EXCESS_OF_EACH, HITS }; /* what is compared */
enum { FIRST, SECOND };
enum { OUTSIDE = -1, REFUTED, TRUE };
enum { WITHIN, REFUTING, SUM };

typedef struct {
    int64_t cache, policy, room;
} Run;

/* What is tried, as Python has it: both runs, tokens of a chunk, whether splits renew, what is compared, and
   forced caching; then any ask or whole paths, the longest tail, whether there are thresholds and estimates, and
   the least capacity, threshold and estimate. */
typedef struct {
    Run runs[2];
    int64_t chunk, renew, relation, forced, any_ask, tail, thresholds, estimates, least;
} Plan;

_Static_assert(sizeof(Plan) == 15 * sizeof(int64_t), "the number of numbers that Python has");

/* What a case says beside its shape: of each request what it computes, and what an earlier one made available;
   C, xi and q_hat. And what comes of it: of both runs what each request hits, and what is compared. */
typedef struct {
    int64_t *total, known[MOST], capacity, xi, q_hat, hits[2][MOST], values[2][MOST];
} Numbers;

/* Write down how many leading blocks of each input an earlier request made available. */
static void put_known(const Tiny *tiny, Numbers *numbers) {
    bool seen[MOST] = {false};
    for (int64_t k = 0; k < tiny->requests; k++) {
        int64_t known = 0;
        for (int64_t block = tiny->leaf[k]; block >= 0; block = tiny->parent[block]) {
            known += seen[block];
            seen[block] = true;
        }
        numbers->known[k] = smaller(known, tiny->ask[k]);
    }
}

/* Put what each request hits in a run, with xi - q_hat = `level`; return whether all fit. */
static bool replayed(const Tiny *tiny, Numbers *numbers, const Plan *plan, int which, int64_t level) {
    const Run *run = &plan->runs[which];
    int64_t room = numbers->capacity, *hits = numbers->hits[which];
    if (run->room == ONE_MORE) room++;
    if (run->room == LESS_A_CHUNK) room = larger(0, room - plan->chunk + 1);
    if (run->room == IN_CHUNKS) room /= plan->chunk;
    if (run->cache == NODES)
        return replay_nodes(tiny, run->policy, level, room, plan->chunk, plan->renew, hits);
    bool pinned = plan->forced && run->room < LESS_A_CHUNK;
    replay_blocks(tiny, run->policy, level, room, run->cache == STRICT, pinned, hits);
    return true;
}

/* Put the values of both runs and return whether they compare as they should. */
static int judge(const Tiny *tiny, Numbers *numbers, int64_t relation) {
    int64_t total[2] = {0, 0};
    bool more = false;
    for (int64_t k = 0; k < tiny->requests; k++) {
        for (int run = FIRST; run <= SECOND; run++) {
            int64_t hits = numbers->hits[run][k], excess = larger(0, numbers->total[k] - hits - numbers->xi);
            total[run] += numbers->values[run][k] = relation == HITS ? hits : excess;
        }
        more = more || numbers->values[FIRST][k] > numbers->values[SECOND][k];
    }
    return (relation == EXCESS_IN_ALL ? total[FIRST] > total[SECOND] : more) ? REFUTED : TRUE;
}

static int64_t put_row(int64_t *key, int64_t at, int64_t length, const int64_t *row) {
    for (int64_t i = 0; i < length; i++) key[at++] = row[i];
    return at;
}

/* Keep a case as a row where it is the first or smaller than the one before: block reads, all totals together,
   C, xi, q_hat, parents, leaves, asks, totals. */
static void keep_smaller(const Tiny *tiny, const Numbers *numbers, bool is_first, int64_t *smallest) {
    int64_t n = tiny->requests, key[5 + 4 * MOST] = {0, 0, numbers->capacity, numbers->xi, numbers->q_hat}, i = 0;
    for (int64_t k = 0; k < n; k++) key[0] += tiny->end[k], key[1] += numbers->total[k];
    int64_t at = put_row(key, 5, tiny->blocks, tiny->parent);
    at = put_row(key, at, n, tiny->leaf);
    at = put_row(key, at, n, tiny->ask);
    at = put_row(key, at, n, numbers->total);
    while (i < at - 1 && key[i] == smallest[i]) i++;
    if (is_first || key[i] < smallest[i]) put_row(smallest, 0, at, key);
}

/* Count the cases within the hypotheses, those that refute, and a sum of values with weights. */
static void count(const Tiny *tiny, const Numbers *numbers, int answer, int64_t *totals, int64_t *smallest) {
    int64_t n = tiny->requests, values = 0;
    for (int run = FIRST; run <= SECOND; run++)
        for (int64_t k = 0; k < n; k++) values += (1 + run * n + k) * numbers->values[run][k];
    values *= 1 + numbers->capacity + 31 * numbers->xi + 961 * numbers->q_hat;
    totals[WITHIN]++;
    totals[SUM] = (int64_t)((uint64_t)totals[SUM] + (uint64_t)values);
    if (answer == REFUTED) keep_smaller(tiny, numbers, ++totals[REFUTING] == 1, smallest);
}

/* The longest new part of a request that knows something. */
static int64_t least_estimate(const Tiny *tiny, const Numbers *numbers, int64_t least) {
    for (int64_t k = 0; k < tiny->requests; k++)
        if (numbers->known[k] > 0) least = larger(least, numbers->total[k] - numbers->known[k]);
    return least;
}

/* Check every threshold and estimate; what a run hits depends on their difference alone. */
static void tally_levels(const Tiny *tiny, Numbers *numbers, const Plan *plan, int64_t *totals,
                         int64_t *smallest) {
    int64_t longest = 0, estimate = least_estimate(tiny, numbers, plan->least);
    for (int64_t block = 0; block < tiny->blocks; block++) longest = larger(longest, tiny->depth[block]);
    int64_t low = plan->thresholds ? plan->least : 0, high = plan->thresholds ? longest : 0;
    bool of_lru = plan->runs[SECOND].policy == LRU;
    bool fits = of_lru ? replayed(tiny, numbers, plan, SECOND, 0) : true;
    for (int64_t level = plan->estimates ? 1 : low; level <= high; level++) {
        fits = replayed(tiny, numbers, plan, FIRST, level) && fits;
        if (!of_lru) fits = replayed(tiny, numbers, plan, SECOND, level) && fits;
        if (!fits) continue;
        numbers->xi = plan->estimates ? larger(low, level + estimate) : level;
        for (; numbers->xi <= (plan->estimates ? high : level); numbers->xi++) {
            numbers->q_hat = numbers->xi - level;
            count(tiny, numbers, judge(tiny, numbers, plan->relation), totals, smallest);
        }
    }
}

/* Go to the next asks and totals; return whether there were any. */
static bool next_vectors(const Tiny *tiny, const Numbers *numbers, const Plan *plan) {
    for (int64_t k = 0; k < tiny->requests; k++) {
        if (numbers->total[k] < tiny->ask[k] + plan->tail) {
            numbers->total[k]++;
            return true;
        }
        if (plan->any_ask && tiny->ask[k] > 0) {
            numbers->total[k] = --tiny->ask[k];
            return true;
        }
        tiny->ask[k] = numbers->total[k] = tiny->end[k];
    }
    return false;
}

/* Check the next asks and totals of shapes; return whether there are more. `at` says which shape is next, with
   which asks and totals; an ask of -1 begins a shape. */
int64_t tally_replays(int64_t vectors, const int64_t numbers[15], int64_t shapes, int64_t n, int64_t blocks,
                      const int64_t parent[shapes * blocks], const int64_t leaf[shapes * n],
                      int64_t at[1 + 2 * n], int64_t totals[3], int64_t smallest[5 + blocks + 3 * n]) {
    const Plan *plan = (const Plan *)numbers;
    int64_t *ask = at + 1, *total = ask + n;
    Numbers one = {.total = total};
    for (; vectors > 0 && at[0] < shapes; vectors--) {
        Tiny tiny = new_tiny(n, blocks, parent + at[0] * blocks, leaf + at[0] * n, ask);
        int64_t least = plan->least;
        for (int64_t k = 0, begins = ask[0] < 0; begins && k < n; k++) ask[k] = total[k] = tiny.end[k];
        for (int64_t k = 0; plan->forced && k < n - 1; k++) least = larger(least, tiny.end[k]);
        put_known(&tiny, &one);
        for (one.capacity = least; one.capacity <= blocks; one.capacity++)
            tally_levels(&tiny, &one, plan, totals, smallest);
        if (next_vectors(&tiny, &one, plan)) continue;
        at[0]++;
        ask[0] = -1;
    }
    return at[0] < shapes;
}

/* Check one case, of which `parameters` are C, xi and q_hat: return OUTSIDE, TRUE or REFUTED, and write the
   values. */
int64_t judge_replays(const int64_t numbers[15], int64_t n, int64_t blocks, const int64_t parent[blocks],
                      const int64_t leaf[n], int64_t ask[n], int64_t total[n], const int64_t parameters[3],
                      int64_t values[2 * n]) {
    const Plan *plan = (const Plan *)numbers;
    Tiny tiny = new_tiny(n, blocks, parent, leaf, ask);
    Numbers one = {.total = total, .capacity = parameters[0], .xi = parameters[1], .q_hat = parameters[2]};
    for (int run = FIRST; run <= SECOND; run++)
        if (!replayed(&tiny, &one, plan, run, one.xi - one.q_hat)) return OUTSIDE;
    int answer = judge(&tiny, &one, plan->relation);
    put_row(values, 0, n, one.values[FIRST]);
    put_row(values, n, n, one.values[SECOND]);
    return answer;
}
