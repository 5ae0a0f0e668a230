/* Private conversations in tiers of memory, replayed a second time, for the enumeration of many cases.

   The first encoding is `proofs_checks.tiers.plain_chains`; this one shares nothing with it, nor with the loops of
   `teltheory.replay.tiers`: it cuts block by block, tier by tier, and looks at every conversation at every step. A
   trace is four columns, conversation, prompt, response, and the prompt that comes next in the conversation.
   Excess
   is in parts of a unit, as loads are. All numbers are those of small worlds. */

#include <stdbool.h>
#include <stdint.h>

enum { LRU, FLAT, SCALED, DOWN, LAST };
enum { ROUND_ROBIN, LEAST_RECENT, EAGER };
enum { EXACT, UPPER_BOUNDS, TOO_SMALL };
enum { WITHIN, REFUTING, SUM };

/* A setting; what the tiers hold, by tier and conversation; of each conversation its past, last turn and
   estimate. */
typedef struct {
    int64_t tiers, conversations, parts, xi, trim;
    bool inclusive, overlapped;
    const int64_t *capacities, *loads, *kinds;
    int64_t *blocks, *past, *last, *estimate;
} World;

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t or_zero(int64_t a) { return a > 0 ? a : 0; }

static int64_t *held(const World *world, int64_t tier, int64_t one) {
    return &world->blocks[tier * world->conversations + one];
}

/* How many blocks tiers 0 to this one are to hold of a conversation. */
static int64_t worth(const World *world, int64_t tier, int64_t one) {
    int64_t past = world->past[one], kind = world->kinds[tier];
    if (kind == LRU) return past;
    int64_t budget = least_of(past, or_zero(past + world->estimate[one] - world->xi));
    if (kind == FLAT) return budget;
    int64_t less = world->parts - world->loads[kind == LAST ? world->tiers - 1 : tier];
    return least_of(past, (budget * world->parts + (kind == DOWN ? 0 : less - 1)) / less);
}

/* How many blocks of a tier are above that. */
static int64_t surplus(const World *world, int64_t tier, int64_t one) {
    int64_t all = 0;
    for (int64_t before = 0; before <= tier; before++) all += *held(world, before, one);
    return least_of(*held(world, tier, one), or_zero(all - worth(world, tier, one)));
}

/* Move blocks to the next tier, or away. */
static void sink(const World *world, int64_t tier, int64_t one, int64_t blocks) {
    *held(world, tier, one) -= blocks;
    if (tier + 1 < world->tiers) *held(world, tier + 1, one) += blocks;
}

/* What a tier holds above its capacity. */
static int64_t overflow(const World *world, int64_t tier) {
    int64_t over = -world->capacities[tier];
    for (int64_t counted = world->inclusive ? 0 : tier; counted <= tier; counted++)
        for (int64_t one = 0; one < world->conversations; one++) over += *held(world, counted, one);
    return over;
}

/* Trim on overflow; return what overflow is left. */
static int64_t trim(const World *world, int64_t tier, int64_t turn, int64_t over) {
    bool by_recency = world->trim == LEAST_RECENT;
    for (bool more = over > 0; more;) {
        more = false;
        for (int64_t step = 0; step <= (by_recency ? turn : 0); step++) {
            for (int64_t one = 0; one < world->conversations; one++) {
                if (by_recency && world->last[one] != step) continue;
                int64_t extra = surplus(world, tier, one);
                int64_t gone = least_of(over, world->trim == ROUND_ROBIN ? least_of(extra, 1) : extra);
                sink(world, tier, one, gone);
                over -= gone;
                more = more || (gone > 0 && over > 0);
            }
        }
    }
    return over;
}

/* Cut a tier after a turn. */
static void cut(const World *world, int64_t tier, int64_t turn) {
    bool trims = world->kinds[tier] != LRU;
    if (trims && world->trim == EAGER)
        for (int64_t one = 0; one < world->conversations; one++) sink(world, tier, one, surplus(world, tier, one));
    int64_t over = overflow(world, tier);
    if (trims && world->trim != EAGER) over = trim(world, tier, turn, over);
    for (int64_t step = 0; step <= turn && over > 0; step++) {
        for (int64_t one = 0; one < world->conversations; one++) {
            if (world->last[one] != step) continue;
            int64_t gone = least_of(over, *held(world, tier, one));
            sink(world, tier, one, gone);
            over -= gone;
        }
    }
}

/* Replay a trace; `q_hat` is -1 for the next prompt. Fills what each turn has above xi, in parts. */
static void replay(const World *world, int64_t turns, const int64_t *trace, int64_t q_hat, int64_t *excess) {
    for (int64_t i = 0; i < world->tiers * world->conversations; i++) world->blocks[i] = 0;
    for (int64_t one = 0; one < world->conversations; one++)
        world->past[one] = world->estimate[one] = 0, world->last[one] = -1;
    for (int64_t turn = 0; turn < turns; turn++) {
        const int64_t *row = trace + 4 * turn;
        int64_t one = row[0], computed = world->past[one] + row[1], loaded = 0;
        for (int64_t tier = 0; tier < world->tiers; tier++) {
            computed -= *held(world, tier, one);
            loaded += world->loads[tier] * *held(world, tier, one);
            *held(world, tier, one) = 0;
        }
        computed *= world->parts;
        int64_t took = computed + loaded;
        if (world->overlapped) took = computed > loaded ? computed : loaded;
        excess[turn] = or_zero(took - world->xi * world->parts);
        world->past[one] += row[1] + row[2];
        world->last[one] = turn;
        world->estimate[one] = q_hat < 0 ? row[3] : q_hat;
        *held(world, 0, one) = world->past[one];
        for (int64_t tier = 0; tier < world->tiers; tier++) cut(world, tier, turn);
    }
}

/* Go on to the next capacities that are allowed, in lexicographic order; return whether there are any. */
static bool next_row(int64_t tiers, int64_t *capacities, int64_t tokens, int64_t least, bool inclusive) {
    for (;;) {
        int64_t place = tiers - 1;
        for (; place >= 0 && capacities[place] == tokens; place--) capacities[place] = least;
        if (place < 0) return false;
        capacities[place]++;
        int64_t sum = capacities[0];
        bool rising = true;
        for (int64_t tier = 1; tier < tiers; tier++) {
            rising = rising && capacities[tier - 1] <= capacities[tier];
            sum += capacities[tier];
        }
        if (inclusive ? rising : sum <= tokens) return true;
    }
}

/* What T-LRU has in each tier (`kinds`) and how it trims; work for the blocks and three columns. */
void replay_tiered_case(int64_t turns, int64_t conversations, int64_t tiers, const int64_t trace[4 * turns],
                        const int64_t kinds[tiers], int64_t trim, int64_t overlapped, const int64_t loads[tiers],
                        int64_t parts, int64_t inclusive, const int64_t capacities[tiers], int64_t xi,
                        int64_t q_hat,
                        int64_t work[(tiers + 3) * conversations], int64_t excess[turns]) {
    int64_t *columns = work + tiers * conversations;
    World world = {tiers, conversations, parts, xi, trim, inclusive, overlapped, capacities, loads, kinds,
                   work, columns, columns + conversations, columns + 2 * conversations};
    replay(&world, turns, trace, q_hat, excess);
}

/* Whether the first has no more excess than the second, at each turn or in all; their sum is added to `sum`. */
static bool has_less(int64_t turns, const int64_t *first, const int64_t *second, bool each, int64_t *sum) {
    int64_t one = 0, other = 0;
    bool less = true;
    for (int64_t turn = 0; turn < turns; turn++) {
        one += first[turn];
        other += second[turn];
        less = less && first[turn] <= second[turn];
    }
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)one + (uint64_t)other);
    return each ? less : one <= other;
}

/* Check every setting of a trace whose largest continuing prompt is given, T-LRU against LRU.

   `counts` are the cases within the hypotheses, those that refute and the sum of all values modulo 2**64;
   `smallest`
   is the first that refutes: capacities, number of the loads, xi, q_hat. `lru` are kinds that are LRU's. */
void tally_tiered_trace(int64_t turns, int64_t conversations, int64_t tiers, const int64_t trace[4 * turns],
                        const int64_t kinds[tiers], int64_t trim, int64_t overlapped, int64_t each,
                        int64_t largest,
                        int64_t loadings, const int64_t loads[loadings * tiers], int64_t parts, int64_t inclusive,
                        int64_t estimates, int64_t least, int64_t tokens, const int64_t lru[tiers],
                        int64_t capacities[tiers], int64_t work[(tiers + 3) * conversations], int64_t first[turns],
                        int64_t second[turns], int64_t took[turns], int64_t counts[3],
                        int64_t smallest[tiers + 3]) {
    int64_t *columns = work + tiers * conversations;
    World world = {tiers, conversations, parts, 0, trim, inclusive, overlapped, capacities, loads, kinds,
                   work, columns, columns + conversations, columns + 2 * conversations};
    bool more = least <= tokens && (inclusive || tiers * least <= tokens);
    for (int64_t tier = 0; tier < tiers; tier++) capacities[tier] = least;
    for (; more; more = next_row(tiers, capacities, tokens, least, inclusive)) {
        for (int64_t number = 0; number < loadings; number++) {
            world.loads = loads + number * tiers;
            world.kinds = lru, world.xi = 0; /* LRU knows no xi: what its turns take is what they have above 0 */
            replay(&world, turns, trace, 0, took);
            world.kinds = kinds;
            for (world.xi = least; world.xi <= tokens; world.xi++) {
                for (int64_t turn = 0; turn < turns; turn++) second[turn] = or_zero(took[turn] - world.xi * parts);
                int64_t q_hat = estimates == EXACT ? -1 : estimates == TOO_SMALL ? least : largest;
                int64_t end = estimates == EXACT ? 0 : estimates == TOO_SMALL ? largest : 1 + world.xi;
                if (estimates == UPPER_BOUNDS && end <= largest) end = largest + 1;
                for (; q_hat < end; q_hat++) {
                    replay(&world, turns, trace, q_hat, first);
                    counts[WITHIN]++;
                    if (has_less(turns, first, second, each, &counts[SUM]) || counts[REFUTING]++) continue;
                    for (int64_t tier = 0; tier < tiers; tier++) smallest[tier] = capacities[tier];
                    smallest[tiers] = number, smallest[tiers + 1] = world.xi, smallest[tiers + 2] = q_hat;
                }
            }
        }
    }
}
