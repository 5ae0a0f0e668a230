/* The replay of a forest under any orders, and before them what applications say (``told.h``).

   1. A piece *waits* if it may lose units, in the group of its class. It has the place of its last visit in the
      policy's order of trimming, if what goes of it next is surplus, else of eviction.
   2. In a strict cache that no history cuts, prefixes are whole: what lies above the deepest cached piece of a
      path does not wait, and no request looks at it. A piece hears of its visits from those below it.

   O(log visits) for each visit, event and piece that loses something. All sums are of lengths of one forest,
   which were checked to add up to less than 2**63. */

#include "replay/trees/told.h"

/* Write down a visit, and what follows of it for the mark. */
static inline void visit(const Layout *layout, const Rules *rules, Piece *piece, int64_t k, int64_t j) {
    bool forgotten = rules->mark == LAST || (rules->mark == RESIDENT && piece->units == 0);
    piece->mark = larger(forgotten ? 0 : piece->mark, layout->end[k]);
    piece->visit = (int32_t)j;
}

static inline bool is_whole(const Piece *piece) { return piece->units == piece->length; }

/* Take an empty piece off its parent, and return that, -1 if there is none. Where prefixes are whole, the parent
   hears of visits: they count once all pieces below it are empty, and it was cached as long as those. */
static inline int64_t empty(const Rules *rules, Heard *heard, int64_t p) {
    Piece *piece = &heard->pieces[p];
    int64_t above = piece->parent;
    if (above < 0) return -1;
    Piece *parent = &heard->pieces[above];
    parent->children--;
    if (!rules->whole) return above;
    bool later = piece->visit - 1 > parent->visit;
    if (rules->mark != LAST) parent->mark = larger(parent->mark, piece->mark);
    else if (later) parent->mark = piece->mark;
    if (later) parent->visit = piece->visit - 1;
    return above;
}

/* Write down how much of a piece is no surplus since its last visit; return how much of it is kept. */
static inline int64_t settle(const Rules *rules, Piece *piece) {
    if (rules->safe < 0) {
        piece->least = rules->least[piece->visit];
        return rules->full[piece->visit];
    }
    piece->least = larger(larger(piece->mark - rules->safe, 0) - piece->above, 0);
    piece->least = smaller(piece->least, piece->length);
    return rules->eager ? piece->least : piece->length;
}

/* How many leading pieces of a path are cached as a whole, where prefixes are: often those that it has in common
   with the agent's request before. */
static inline int64_t whole_pieces(const Layout *layout, const Heard *heard, int64_t k, int64_t shared) {
    const int64_t *piece = layout->piece + layout->start[k];
    int64_t least = 0, most = layout->start[k + 1] - layout->start[k];
    if (shared > 0 && is_whole(&heard->pieces[piece[shared - 1]])) {
        if (shared == most || !is_whole(&heard->pieces[piece[shared]])) return shared;
        least = shared + 1;
    }
    while (least < most) {
        int64_t middle = most - (most - least) / 2;
        if (is_whole(&heard->pieces[piece[middle - 1]])) least = middle;
        else most = middle - 1;
    }
    return least;
}

/* Fill the path of request k; write what it hits and what it adds. Where prefixes are whole, nothing happens above
   the deepest piece that is cached: what is above it does not wait. */
static inline void serve(const Layout *layout, const Rules *rules, Heard *heard, int64_t k, int64_t shared) {
    int64_t from = layout->start[k], hits = 0, added = 0;
    if (rules->whole) from += larger(whole_pieces(layout, heard, k, shared) - 1, 0);
    if (from > layout->start[k]) hits = heard->pieces[layout->piece[from]].above;
    bool leading = true;
    for (int64_t j = from; j < layout->start[k + 1]; j++) {
        Piece *piece = &heard->pieces[layout->piece[j]];
        leave_group(&heard->waiting, layout->piece[j]);
        hits += where(leading, piece->units);
        leading = leading && is_whole(piece);
        if (piece->units == 0 && piece->parent >= 0) heard->pieces[piece->parent].children++;
        visit(layout, rules, piece, k, j);
        added += piece->length - piece->units;
        piece->units = piece->length;
    }
    layout->cached[k] = smaller(hits, layout->ask[k]);
    layout->written[k] = added;
}

/* Lose what request k leaves out of the path of the turn before it; return the units. */
static inline int64_t lose(const Layout *layout, const Rules *rules, Heard *heard, int64_t turn, int64_t k) {
    int64_t lost = 0, kept = layout->start[turn] + common(layout, turn, k);
    for (int64_t j = layout->start[turn + 1] - 1; j >= kept; j--) {
        int64_t p = layout->piece[j];
        if (heard->pieces[p].units == 0) continue;
        leave_group(&heard->waiting, p);
        lost += heard->pieces[p].units;
        heard->pieces[p].units = 0;
        empty(rules, heard, p);
    }
    return lost;
}

/* Bring a path under its first cut, the deepest piece first; return the units that are dropped at once. */
static inline int64_t drop(const Layout *layout, const Rules *rules, Heard *heard, int64_t ended) {
    int64_t dropped = 0;
    for (int64_t j = layout->start[ended + 1] - 1; j >= layout->start[ended]; j--) {
        int64_t p = layout->piece[j];
        Piece *piece = &heard->pieces[p];
        if ((rules->strict && piece->children > 0) || piece->visit != j) break; /* nor does what is above it go */
        if (piece->units == 0) continue;                                        /* it was lost while it ran */
        int64_t full = settle(rules, piece);
        dropped += piece->units - full;
        piece->units = full;
        if (piece->units > 0) let_wait(rules, heard, p);
        else empty(rules, heard, p);
    }
    return dropped;
}

/* The piece that loses units next. */
static inline int64_t first_to_go(const Rules *rules, Heard *heard) {
    const Groups *waiting = &heard->waiting;
    for (;;) {
        int64_t last = largest_bit(&waiting->filled);
        if (!rules->resume) return waiting->first[last];
        int64_t times = heard->returns.times, number = last % (times + 1);
        if (number == times) return waiting->first[last]; /* nobody wants it back */
        int64_t begin = last - number, from = smallest_between(&waiting->filled, begin, last), best = -1;
        double most = fmax(distance(heard, number), distance(heard, from - begin));
        for (int64_t g = last; g >= 0 && distance(heard, g - begin) == most;
             g = g > begin ? largest_between(&waiting->filled, begin, g - 1) : -1)
            if (best < 0 || waiting->members[waiting->first[g]].place > waiting->members[best].place)
                best = waiting->first[g];
        for (int64_t g = from; g >= 0 && distance(heard, g - begin) == most;
             g = g < last ? smallest_between(&waiting->filled, g + 1, last) : -1)
            if (best < 0 || waiting->members[waiting->first[g]].place > waiting->members[best].place)
                best = waiting->first[g];
        if (!renew(rules, heard, best)) return best;
    }
}

/* Take an empty piece off its parent; return that if it may wait now, in a strict cache, else -1. */
static inline int64_t freed(const Rules *rules, Heard *heard, int64_t p, int64_t exempt) {
    int64_t above = empty(rules, heard, p);
    if (above < 0 || !rules->strict) return -1;
    Piece *parent = &heard->pieces[above];
    if (parent->children > 0 || parent->units == 0 || parent->visit >= exempt) return -1;
    settle(rules, parent);
    return above;
}

/* Lose units until there is no overflow; visits from `exempt` on lose none. A parent that has the very next place
   of the same group goes next, before it waits. */
static inline void cut(const Rules *rules, Heard *heard, int64_t overflow, int64_t exempt) {
    const Member *members = heard->waiting.members;
    int64_t next = -1, group = 0, place = 0;
    while (overflow > 0) {
        int64_t p = next >= 0 ? next : first_to_go(rules, heard);
        if (next < 0) {
            group = members[p].group;
            place = members[p].place;
        }
        Piece *piece = &heard->pieces[p];
        int64_t taken = smaller(piece->units - (has_surplus(piece) ? piece->least : 0), overflow);
        piece->units -= taken;
        overflow -= taken;
        next = -1;
        if (piece->units > 0) { /* what is left may be no surplus */
            if (members[p].group < 0) let_wait(rules, heard, p);
            else renew(rules, heard, p);
            continue;
        }
        leave_group(&heard->waiting, p);
        int64_t above = freed(rules, heard, p, exempt);
        if (above < 0) continue;
        int64_t its_group = group_of(rules, heard, above), its_place = place_of(rules, &heard->pieces[above]);
        if (--place == its_place && group == its_group) next = above;
        else enter_group(&heard->waiting, its_group, its_place, above);
    }
    if (next >= 0) let_wait(rules, heard, next);
}

/* Replay a policy that listens; nobody sees the last cut, for which there may be no room.

   Events are in the order of their cuts. `turn` is the request before each of its conversation, where what
   histories leave out is lost, else None. `without` is the priority that nobody said. All of `first` are -1. */
void replay_hinted(int64_t n, int64_t pieces, int64_t visits, const int64_t parent[pieces],
                   const int64_t length[pieces], const int64_t above[pieces], const int64_t start[n + 1],
                   const int64_t piece[visits], const int64_t asks[n], const int64_t end[n], int64_t capacity,
                   int64_t exempt, int64_t cached[n], int64_t written[n], const int64_t *full /* [visits] */,
                   const int64_t *least /* [visits] */, const int64_t trimming[visits],
                   const int64_t eviction[visits], int64_t safe, int64_t mark, int64_t eager, int64_t strict,
                   int64_t close, int64_t superseded, int64_t retain, int64_t resume, int64_t priority,
                   int64_t dead, int64_t free, int64_t asked, int64_t spare, int64_t groups,
                   const double arrival[n], const int64_t previous[n], const int64_t *turn /* [n] */,
                   int64_t without, int64_t events, const int64_t at[events], const int64_t about[events],
                   const int64_t what[events], const int64_t number[events], const double value[events],
                   int64_t times, const double time[times], const int64_t *begin /* [pieces + 1] */,
                   int64_t entries, const int64_t of_entry[entries], const int64_t entry[entries],
                   int64_t *asked_by /* [pieces] */, int64_t *passed /* [pieces] */,
                   uint64_t counting[entries / 63 + 12],
                   uint64_t filled[groups / 63 + 12], int32_t first[groups], int32_t members[5 * pieces],
                   int64_t state[8 * pieces + 8], int64_t requests[3 * n], double until[n]) {
    Layout layout = {parent, length, above, start, piece, asks, end, cached, written};
    Rules rules = {close || superseded, close, superseded, retain, resume, priority, strict, strict && !turn,
                   eager, dead, free, asked, spare, safe, mark, full, least, trimming, eviction};
    Heard heard = {previous, pieces_in(state), (Request *)requests, until, asked_by,
                   {times, 0, time, begin, of_entry, entry, new_bitset(entries, counting), passed},
                   {new_bitset(groups, filled), first, (Member *)members}, 0};
    for (int64_t p = 0; p < pieces; p++) {
        heard.pieces[p] = (Piece){.length = length[p], .parent = (int32_t)parent[p], .visit = -1,
                                  .priority = (int32_t)without, .above = above[p]};
        heard.waiting.members[p].group = -1;
    }
    int64_t overflow = -capacity;
    for (int64_t k = 0, e = 0; k < n; k++) {
        heard.now = arrival[k];
        while (heard.returns.come < times && time[heard.returns.come] < heard.now) heard.returns.come++;
        if (turn && turn[k] >= 0) overflow -= lose(&layout, &rules, &heard, turn[k], k);
        int64_t r = previous[k], shared = r >= 0 ? common(&layout, r, k) : 0;
        serve(&layout, &rules, &heard, k, shared);
        ask(&layout, &rules, &heard, k, shared);
        for (; e < events && at[e] <= k; e++)
            hear(&layout, &rules, &heard, what[e], about[e], number[e], value[e]);
        overflow += written[k];
        int64_t ended = k - exempt;
        if (ended < 0 || k == n - 1) continue;
        overflow -= drop(&layout, &rules, &heard, ended);
        cut(&rules, &heard, overflow, start[ended + 1]);
        overflow = smaller(overflow, 0);
    }
}
