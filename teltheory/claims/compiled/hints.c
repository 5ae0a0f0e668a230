/* Claims on hints, checked on all small worlds: the second encoding of each of them.

   A set of blocks is a word of bits. A world is a forest and what its requests tell: when they come, whose they
   are, when an agent was said to be over, and one value each (kept until then, a priority, or back then) that is
   told at a time of its own. What hints say at a cut does not depend on the cache, so it is worked out first, for
   every cut; then a replay takes blocks away one at a time. Nothing here is shared with the replays of the
   package.

   A check compares two runs of a world, which differ in what they use, in the ends that they were told, and in
   the level of T-LRU. Python lists the shapes and what is told, each from the smallest on; the first case that
   refutes is the smallest. */

#include <stdbool.h>
#include <stdint.h>

enum { MOST = 16 };                                 /* most requests, and most blocks */
enum { FAR = 63 };                                  /* a time that does not come, and what was not told */
enum { STRICT, HOLES };
enum { HIGH_WATER, LAST, RESIDENT };
enum { CLOSE = 1, SUPERSEDED = 2, RETAIN = 4, PRIORITY = 8, RESUME = 16, AFTER = 32, HARD = 64, UNRENEWED = 128 };
enum { SAFE, EACH, SAME, IN_ALL };                  /* how runs compare */
enum { MISSES, EXCESS, EXCESS_OF_LRU };             /* what is compared; Q covers, and the second run is LRU */
enum { WITHIN, REFUTING, SUM };
enum { REFUTED, TRUE };
enum { USE, OTHER_USE, ROOM, LEVEL, HEAD };         /* what is told, as Python has it: these, and columns */
enum { COLUMNS = 6 };

/* A forest with what is told: of each request when it comes, its agent, its agent's end in either run, and one
   value that is told at a time. */
typedef struct {
    int64_t n, blocks, depth[MOST], end[MOST], path[MOST], below[MOST];
    const int64_t *parent, *leaf, *use, *agent, *close, *other, *time, *at, *value;
} World;

/* Of each cut: what is not dead, and each block's place by hints that keep and by hints that order. */
typedef struct {
    int64_t alive[MOST], keep[MOST][MOST], order[MOST][MOST];
} Said;

/* Kind of cache, mark, whether caching is forced, and room; T-LRU's xi - q_hat; what is used. */
typedef struct {
    int64_t cache, mark, forced, room, level, use;
} Run;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static World new_world(int64_t n, int64_t blocks, const int64_t *parent, const int64_t *leaf,
                       const int64_t *told) {
    World world = {.n = n, .blocks = blocks, .parent = parent, .leaf = leaf, .use = told};
    const int64_t **columns[] = {&world.agent, &world.close, &world.other, &world.time, &world.at, &world.value};
    for (int64_t i = 0; i < COLUMNS; i++) *columns[i] = told + HEAD + i * n;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t above = parent[block];
        world.depth[block] = 1 + (above >= 0 ? world.depth[above] : 0);
        if (above >= 0) world.below[above] |= 1 << block;
    }
    for (int64_t k = 0; k < n; k++) {
        world.end[k] = world.depth[leaf[k]];
        for (int64_t block = leaf[k]; block >= 0; block = parent[block]) world.path[k] |= 1 << block;
    }
    return world;
}

/* The agent's next request after one, n if there is none. */
static int64_t next_of(const World *world, int64_t k) {
    int64_t next = k + 1;
    while (next < world->n && world->agent[next] != world->agent[k]) next++;
    return next;
}

/* Whether a request's agent has been said to be over since, as of a cut. An end that is told only after the agent
   came again is void. */
static bool is_closed(const World *world, const int64_t *ends, int64_t k, int64_t cut) {
    for (; k <= cut; k = next_of(world, k)) {
        int64_t next = next_of(world, k);
        bool is_void = next < world->n && world->time[next] < ends[k];
        if (ends[k] <= world->time[cut] && !is_void) return true;
    }
    return false;
}

static bool is_held(const World *world, const int64_t *ends, int64_t use, int64_t k, int64_t cut) {
    if (use & CLOSE && is_closed(world, ends, k, cut)) return false;
    return !(use & SUPERSEDED) || next_of(world, k) > cut;
}

/* A block's place by hints that keep; of priorities the last one counts. */
static int64_t keep_of(const World *world, int64_t use, int64_t block, int64_t cut) {
    int64_t place = 0;
    for (int64_t k = 0; k <= cut; k++) {
        if (!(world->path[k] >> block & 1) || world->at[k] > world->time[cut]) continue;
        if (use & PRIORITY) place = world->value[k];
        if (use & RETAIN && world->value[k] > world->time[cut]) place = 1;
    }
    return place;
}

/* FAR less the time to the nearest return of an agent that has the block on its latest path, 0 for none. */
static int64_t order_of(const World *world, const int64_t *ends, int64_t block, int64_t cut) {
    int64_t place = 0;
    for (int64_t k = 0; k <= cut; k++) {
        bool counts = world->at[k] <= world->time[cut] && next_of(world, k) > cut;
        if (!(world->path[k] >> block & 1) || !counts) continue;
        if (is_closed(world, ends, k, cut)) continue;
        int64_t away = world->time[cut] - world->value[k];
        place = larger(place, FAR - (away < 0 ? -away : away));
    }
    return place;
}

static void listen(const World *world, const int64_t *ends, int64_t use, Said *said) {
    for (int64_t cut = 0; cut < world->n; cut++) {
        said->alive[cut] = 0;
        for (int64_t k = 0; k <= cut; k++)
            if (is_held(world, ends, use, k, cut)) said->alive[cut] |= world->path[k];
        for (int64_t block = 0; block < world->blocks; block++) {
            said->keep[cut][block] = use & (RETAIN | PRIORITY) ? keep_of(world, use, block, cut) : 0;
            said->order[cut][block] = use & RESUME ? order_of(world, ends, block, cut) : 0;
        }
    }
}

/* Of each block: the last request, the request that computed it last, and its mark. */
typedef struct {
    int64_t cached, last[MOST], made[MOST], mark[MOST];
} Held;

/* What is left once its time has ended, whether there is room or not. */
static void expire(const World *world, int64_t use, Held *held, int64_t k) {
    int64_t left = 0;
    for (int64_t block = 0; block < world->blocks; block++) {
        int64_t since = use & UNRENEWED ? held->made[block] : held->last[block];
        if (held->cached >> block & 1 && world->value[since] > world->time[k]) left |= 1 << block;
    }
    if (use & HARD) held->cached = left;
}

/* Cache a request's path; return how much of it was not found. */
static int64_t read_path(const World *world, const Run *run, Held *held, int64_t k) {
    int64_t missed = 0;
    for (int64_t block = world->leaf[k]; block >= 0; block = world->parent[block]) {
        bool cached = held->cached >> block & 1, forgets = run->mark == LAST || (run->mark == RESIDENT && !cached);
        if (!cached) missed = world->end[k] - world->depth[block] + 1, held->made[block] = k;
        held->mark[block] = forgets ? world->end[k] : larger(held->mark[block], world->end[k]);
        held->last[block] = k;
    }
    held->cached |= world->path[k];
    return missed;
}

/* What goes first: dead, not kept and surplus, then by the order, the last request, and the depth. */
static int64_t key_of(const World *world, const Run *run, const Said *said, const Held *held, int64_t cut,
                      int64_t block) {
    int64_t key = said->alive[cut] >> block & 1, keep = said->keep[cut][block];
    int64_t safe = world->depth[block] <= larger(0, held->mark[block] - run->level);
    if (run->use & AFTER)
        key = (key * 2 + safe) * (FAR + 1) + keep;
    else
        key = (key * (FAR + 1) + keep) * 2 + safe;
    key = key * (FAR + 1) + said->order[cut][block];
    return (key * MOST + held->last[block]) * (MOST + 1) + MOST - world->depth[block];
}

static void take_away(const World *world, const Run *run, const Said *said, Held *held, int64_t cut) {
    int64_t best = -1, least = 0;
    for (int64_t block = 0; block < world->blocks; block++) {
        if (!(held->cached >> block & 1) || (run->forced && world->path[cut] >> block & 1)) continue;
        if (run->cache == STRICT && held->cached & world->below[block]) continue;
        int64_t key = key_of(world, run, said, held, cut, block);
        if (best < 0 || key < least) best = block, least = key;
    }
    held->cached &= ~(INT64_C(1) << best);
}

static int64_t number_of(int64_t set) { return __builtin_popcountll((unsigned long long)set); }

/* Write down how much of its path each request does not find. */
static void replay(const World *world, const Run *run, const Said *said, int64_t *missed) {
    Held held = {0};
    for (int64_t k = 0; k < world->n; k++) {
        if (run->use & HARD) expire(world, run->use, &held, k);
        missed[k] = read_path(world, run, &held, k);
        bool cuts = !(run->forced && k == world->n - 1);
        for (int64_t over = number_of(held.cached) - run->room; cuts && over > 0; over--)
            take_away(world, run, said, &held, k);
    }
}

/* How many blocks of a request's path hints had called dead when it came. */
static int64_t dead_on(const World *world, const Said *said, int64_t k) {
    int64_t seen = 0;
    for (int64_t before = 0; before < k; before++) seen |= world->path[before];
    return k ? number_of(world->path[k] & seen & ~said->alive[k - 1]) : 0;
}

/* The longest new part of a request that knows something. */
static int64_t least_estimate(const World *world) {
    int64_t seen = 0, least = 0;
    for (int64_t k = 0; k < world->n; k++) {
        int64_t known = number_of(world->path[k] & seen);
        if (known) least = larger(least, world->end[k] - known);
        seen |= world->path[k];
    }
    return least;
}

/* How many blocks an agent has read up to the first request whose end is not the same in both runs. */
static int64_t blocks_of_the_agent(const World *world) {
    int64_t wrong = 0, read = 0;
    while (wrong < world->n - 1 && world->close[wrong] == world->other[wrong]) wrong++;
    for (int64_t k = 0; k <= wrong; k++)
        if (world->agent[k] == world->agent[wrong]) read |= world->path[k];
    return number_of(read);
}

/* Put what both runs miss above xi, and what stands beside it; return whether they compare as they should. */
static int compare(const World *world, int64_t relation, int64_t xi, const Said *said, int64_t *values) {
    int64_t n = world->n, sum[2] = {0, 0}, more = 0;
    for (int64_t k = 0; k < n; k++) {
        for (int64_t i = k; i <= n + k; i += n) sum[i >= n] += values[i] = larger(0, values[i] - xi);
        values[2 * n + k] = relation == SAFE ? dead_on(world, said, k) : 0;
        int64_t first = values[k], second = values[n + k];
        more |= relation == SAME ? first != second : first > second + values[2 * n + k];
    }
    if (relation != IN_ALL) return more ? REFUTED : TRUE;
    values[2 * n] = blocks_of_the_agent(world);
    return sum[0] > sum[1] + values[2 * n] ? REFUTED : TRUE;
}

/* How many numbers a check writes. */
static int64_t width_of(int64_t n, int64_t relation) {
    return relation == SAFE ? 3 * n : 2 * n + (relation == IN_ALL);
}

/* Check a world in a room, at a level. The second run is at level 0 where it is LRU against T-LRU. */
static int judge(const World *world, const int64_t *plan, const Said *said, int64_t room, int64_t level,
                 int64_t *values) {
    Run first = {plan[0], plan[1], plan[2], room, level, world->use[USE]}, second = first;
    second.use = world->use[OTHER_USE];
    if (plan[5] == EXCESS_OF_LRU) second.level = 0;
    replay(world, &first, &said[0], values);
    replay(world, &second, &said[1], values + world->n);
    int64_t xi = plan[5] == MISSES ? 0 : level + least_estimate(world); /* the least that Q covers */
    return compare(world, plan[3], xi, said, values);
}

static void listen_to_both(const World *world, Said *said) {
    listen(world, world->close, world->use[USE], &said[0]);
    listen(world, world->other, world->use[OTHER_USE], &said[1]);
}

/* Check a world in all rooms that it can have and at all levels, or at those that are told. */
static void tally_world(const World *world, const int64_t *plan, int64_t *totals, int64_t *first,
                        const int64_t *place) {
    Said said[2];
    listen_to_both(world, said);
    int64_t n = world->n, least = 0, most = world->blocks, low = plan[5] != MISSES, high = 0;
    for (int64_t k = 0; k < n - 1 && plan[2]; k++) least = larger(least, world->end[k]);
    for (int64_t k = 0; k < n && plan[4]; k++) high = larger(high, world->end[k]);
    if (world->use[ROOM] >= 0) least = larger(least, world->use[ROOM]), most = least;
    if (world->use[LEVEL] >= 0 && high > low) low += world->use[LEVEL] % (high - low + 1), high = low;
    for (int64_t room = least; room <= most; room++) {
        for (int64_t level = low; level <= high; level++) {
            int64_t values[3 * MOST], sum = 0, width = width_of(n, plan[3]);
            int answer = judge(world, plan, said, room, level, values);
            for (int64_t i = 0; i < width; i++) sum += (i + 1) * values[i];
            totals[SUM] = (int64_t)((uint64_t)totals[SUM] + (uint64_t)(sum * (1 + room + 31 * level)));
            totals[WITHIN]++;
            if (answer == TRUE || totals[REFUTING]++) continue;
            first[0] = room, first[1] = level, first[2] = place[0], first[3] = place[1];
        }
    }
}

/* Check all shapes of one size with all that is told, or each with its own. `plan`: kind of cache, mark, whether
   caching is forced, how runs compare, whether there are levels, and what is compared. `first` is the first case
   that refutes: room, level, and the numbers of its shape and of what is told. */
void tally_hints(const int64_t plan[6], int64_t n, int64_t blocks, int64_t shapes,
                 const int64_t parent[shapes * blocks], const int64_t leaf[shapes * n], int64_t rows,
                 const int64_t told[rows * (4 + 6 * n)], int64_t each, int64_t totals[3], int64_t first[4]) {
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t shape = each ? row : 0; shape < (each ? row + 1 : shapes); shape++) {
            const int64_t *said = told + row * (4 + 6 * n);
            World world = new_world(n, blocks, parent + shape * blocks, leaf + shape * n, said);
            const int64_t place[2] = {shape, row};
            tally_world(&world, plan, totals, first, place);
        }
    }
}

/* Check one case, whose room and level are told: return REFUTED or TRUE, and write the values. */
int64_t judge_hints(const int64_t plan[6], int64_t n, int64_t blocks, const int64_t parent[blocks],
                    const int64_t leaf[n], const int64_t told[4 + 6 * n], int64_t values[3 * n]) {
    World world = new_world(n, blocks, parent, leaf, told);
    Said said[2];
    listen_to_both(&world, said);
    return judge(&world, plan, said, told[ROOM], told[LEVEL], values);
}
