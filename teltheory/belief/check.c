/* The judge of bounds: one sweep in whole numbers, state by state and decision by decision, as the model is said.

   It shares no line with `sweep.h`. A state is read slot by slot, everything that may be kept is tried (or what a
   policy keeps), and the place of each next state is found anew from what its slots then have. */

#include <stdint.h>

enum { LONGEST = 32 };

struct finite {
    int64_t slots, ways, types, gaps, capacity;
    const int64_t *way_of; /* [type, cached]; the way 0 is an empty slot */
};

struct state {
    int64_t theta, way[LONGEST], gap[LONGEST]; /* of slots 1 ...; gap 1 is the last one */
};

static struct state read_state(const struct finite *f, int64_t place) {
    struct state s;
    s.theta = place % f->types;
    place /= f->types;
    for (int64_t k = 1; k < f->slots; k++, place /= f->ways) s.way[k] = place % f->ways;
    for (int64_t k = 1; k < f->slots; k++, place /= f->gaps) s.gap[k] = place % f->gaps;
    return s;
}

static int64_t place_of(const struct finite *f, const struct state *s) {
    int64_t place = 0;
    for (int64_t k = f->slots - 1; k > 0; k--) place = place * f->gaps + s->gap[k];
    for (int64_t k = f->slots - 1; k > 0; k--) place = place * f->ways + s->way[k];
    return place * f->types + s->theta;
}

/* The state after gap g and a turn of slot `from` (-1: a new conversation), but for who is theta then. */
static struct state moved(const struct finite *f, const struct state *s, const int64_t *type, const int64_t *kept,
                          int64_t g, int64_t from) {
    struct state then = *s;
    for (int64_t k = f->slots - 1; k > 0; k--) {
        int64_t there = type[k - 1] < 0 || k - 1 == from ? 0 : f->way_of[type[k - 1] * (f->capacity + 1) +
                                                                         kept[k - 1]];
        then.way[k] = there;
        then.gap[k] = k > 1 ? s->gap[k - 1] : g;
    }
    return then;
}

static int64_t floored(__int128 above, __int128 below) {
    __int128 found = above / below;
    return (int64_t)(found * below > above ? found - 1 : found);
}

/* One sweep of `value`, rounded down for each gap, into `swept`; the place of a decision that is none, else -1. */
int64_t belief_check(int64_t slots, int64_t ways, int64_t types, int64_t gaps, int64_t capacity, int64_t forced,
                     int64_t states, int64_t histories, const int64_t way_of[types * (capacity + 1)],
                     const int64_t type_of[ways], const int64_t cached_of[ways], const int64_t past[types],
                     int64_t outcomes, const int64_t first[types + 2], const int64_t next[outcomes],
                     const int64_t weight[outcomes], const int64_t share[gaps],
                     const int64_t rate[histories * gaps * slots * types],
                     const int64_t saving[types * (capacity + 1)],
                     int64_t births, int64_t unit, const int64_t value[states],
                     const int32_t *choice /* [states] */, int64_t begin, int64_t end, int64_t swept[states]) {
    struct finite f = {slots, ways, types, gaps, capacity, way_of};
    int64_t rows = states / types / histories;
    for (int64_t place = begin; place < end; place++) {
        struct state s = read_state(&f, place);
        int64_t type[LONGEST], most[LONGEST], kept[LONGEST] = {0}, least = forced ? past[s.theta] : 0;
        type[0] = s.theta;
        most[0] = past[s.theta] < capacity ? past[s.theta] : capacity;
        for (int64_t k = 1; k < slots; k++) type[k] = type_of[s.way[k]], most[k] = cached_of[s.way[k]];
        kept[0] = least;
        if (choice) {
            if (choice[place] < 0 || choice[place] >= states) return place;
            struct state chosen = read_state(&f, choice[place]);
            int64_t room = capacity;
            for (int64_t k = 1; k < slots; k++) {
                kept[k] = cached_of[chosen.way[k]];
                room -= kept[k];
                if (type_of[chosen.way[k]] != type[k] || kept[k] > most[k] || chosen.gap[k] != s.gap[k])
                    return place;
            }
            kept[0] = room < most[0] ? room : most[0];
            if (chosen.theta != s.theta || kept[0] < least) return place;
        }
        int64_t best = INT64_MIN, history = place / types / rows;
        for (;;) {
            int64_t sum = 0, found = 0;
            for (int64_t k = 0; k < slots; k++) sum += kept[k];
            for (int64_t g = 0; g < gaps && sum <= capacity; g++) {
                const int64_t *rates = rate + (history * gaps + g) * slots * types;
                int64_t total = births;
                __int128 worth = 0;
                for (int64_t k = -1; k < slots; k++) {
                    if (k >= 0 && type[k] < 0) continue;
                    int64_t who = k < 0 ? types : type[k], often = k < 0 ? births : rates[k * types + who];
                    struct state then = moved(&f, &s, type, kept, g, k);
                    int64_t mean = k < 0 ? 0 : saving[who * (capacity + 1) + kept[k]];
                    for (int64_t o = first[who]; o < first[who + 1]; o++) {
                        then.theta = next[o];
                        mean += weight[o] * value[place_of(&f, &then)];
                    }
                    worth += (__int128)often * mean;
                    total += k < 0 ? 0 : often;
                }
                found += floored(worth * share[g], (__int128)total * unit);
            }
            if (sum <= capacity && found > best) best = found;
            int64_t k = 0; /* the next thing to keep */
            while (!choice && k < slots && (type[k] < 0 || kept[k] == most[k])) kept[k] = k ? 0 : least, k++;
            if (choice || k == slots) break;
            kept[k]++;
        }
        swept[place] = best;
    }
    return -1;
}
