/* A forest under any orders, and before them what applications say (`policies/hinted.py`).

   1. *Classes.* What hints say of a piece is a number, its class: dead or not, kept or not, its priority, and
      between them whether what goes of it next is surplus. The largest class goes first. Each part changes with
      a request or an event alone:
      - `holders` counts the requests that hold a piece. A request holds its visits from `from` on. When its
        agent asks again, the new request takes over what both paths have in common. So a close or a new request
        lets go of what nobody took over, and each hold begins and ends once.
      - `keepers` counts the requests through it whose time has not come yet; that it comes is an event.
      - its priority is that of `asked`, the last request through it that has one.
   2. *Returns.* Within a class goes first what is wanted back furthest from now. The times of open and latest
      requests through a piece are bits among its entries, in order of time, so the nearest is one of two. A
      waiting piece is in the group of its class and of its nearest time as it was. The nearest is no further:
      when a time comes or goes, the group is renewed, and while time passes another becomes the nearest by being
      nearer. So of both ends of a class the further one is looked at, and put elsewhere if it is out of date.
   3. *Waiting.* A piece waits if it may lose units. It has the place of its last visit in the policy's order of
      trimming, if what goes of it next is surplus, else of eviction.

   O(log visits) for each visit, event and piece that loses something. All sums are of lengths of one forest,
   which were checked to add up to less than 2**63. */

#include <math.h>

#include "replay/groups.h"
#include "replay/trees/layout.h"

enum { CLOSE, RETAIN, RESUME, PRIORITY, EXPIRE }; /* what an event says */
enum { HIGH_WATER, RESIDENT, LAST };              /* marks */

/* Which hints are listened to, how far apart their classes are, and how a policy keeps: `safe` is what it takes
   off a mark, -1 if `full` and `least` say of each visit how much is kept, and how much of that is no surplus. */
typedef struct {
    bool releases, close, superseded, retain, resume, priority, strict, eager;
    int64_t dead, free, asked, spare, safe, mark;
    const int64_t *full, *least, *trimming, *eviction;
} Rules;

typedef struct {
    int64_t units, visit, children, mark, full, least, holders, keepers, priority, asked;
} Piece;

/* A request; `entries` is where those of its time of return begin in `Returns`, -1 if it has none. */
typedef struct {
    int64_t open, latest, holds, from, kept, entries;
} Request;

/* The times of return, in order; where the entries of each piece begin, the number of each entry's time, which
   count by now; and the entries of each path, in a row. */
typedef struct {
    int64_t times;
    const double *time;
    const int64_t *start, *number, *entry;
    Bitset count;
} Returns;

typedef struct {
    const int64_t *previous; /* request of the same agent, -1 if there is none */
    Piece *pieces;
    Request *requests;
    double *until; /* when a request is not kept any more */
    Returns returns;
    Groups waiting;
    double now;
} Heard;

static inline double distance(const Heard *heard, int64_t number) {
    return fabs(heard->now - heard->returns.time[number]);
}

/* The number of the nearest time at which a piece is wanted back, or that of all times if it never is. */
static inline int64_t nearest(const Heard *heard, int64_t p) {
    const Returns *returns = &heard->returns;
    int64_t begin = returns->start[p], end = returns->start[p + 1], at = begin, beyond = end;
    while (at < beyond) {
        int64_t middle = at + (beyond - at) / 2;
        if (returns->time[returns->number[middle]] < heard->now) at = middle + 1;
        else beyond = middle;
    }
    int64_t before = at > begin ? largest_between(&returns->count, begin, at - 1) : -1;
    int64_t after = at < end ? smallest_between(&returns->count, at, end - 1) : -1;
    if (before < 0 || after < 0)
        return before < 0 && after < 0 ? returns->times : returns->number[larger(before, after)];
    before = returns->number[before];
    after = returns->number[after];
    return distance(heard, before) < distance(heard, after) ? before : after;
}

static inline bool has_surplus(const Piece *piece) { return piece->units > piece->least; }

static inline int64_t group_of(const Rules *rules, const Heard *heard, int64_t p) {
    const Piece *piece = &heard->pieces[p];
    int64_t class = where(piece->holders == 0, rules->dead) + where(piece->keepers == 0, rules->free) +
                    rules->asked * piece->priority + where(has_surplus(piece), rules->spare);
    return rules->resume ? class * (heard->returns.times + 1) + nearest(heard, p) : class;
}

/* Let a piece wait, which does not yet. */
static inline void let_wait(const Rules *rules, Heard *heard, int64_t p) {
    const Piece *piece = &heard->pieces[p];
    int64_t place = (has_surplus(piece) ? rules->trimming : rules->eviction)[piece->visit];
    enter_group(&heard->waiting, group_of(rules, heard, p), place, p);
}

/* Put a piece, if it waits, where it belongs by now; return whether it was elsewhere. */
static inline bool renew(const Rules *rules, Heard *heard, int64_t p) {
    int64_t group = heard->waiting.members[p].group;
    if (group < 0 || group == group_of(rules, heard, p)) return false;
    leave_group(&heard->waiting, p);
    let_wait(rules, heard, p);
    return true;
}

/* How many visits the paths of two requests have in common: no more once they part. */
static inline int64_t common(const Layout *layout, int64_t r, int64_t k) {
    const int64_t *one = layout->piece + layout->start[r], *other = layout->piece + layout->start[k];
    int64_t lengths[2] = {layout->start[r + 1] - layout->start[r], layout->start[k + 1] - layout->start[k]};
    int64_t least = 0, most = smaller(lengths[0], lengths[1]);
    while (least < most) {
        int64_t middle = most - (most - least) / 2;
        if (one[middle - 1] == other[middle - 1]) least = middle;
        else most = middle - 1;
    }
    return least;
}

/* Let a request hold the visits from one on to the end of its path, or let go of them. */
static inline void hold(const Layout *layout, const Rules *rules, Heard *heard, int64_t r, int64_t from,
                        bool holds) {
    for (int64_t j = from; j < layout->start[r + 1]; j++) {
        int64_t p = layout->piece[j], holders = heard->pieces[p].holders += holds ? 1 : -1;
        if (holders == holds) renew(rules, heard, p); /* the first, or the last that was left */
    }
}

static inline void let_go(const Layout *layout, const Rules *rules, Heard *heard, int64_t r) {
    if (!heard->requests[r].holds) return;
    heard->requests[r].holds = false;
    hold(layout, rules, heard, r, heard->requests[r].from, false);
}

/* Let the time at which a request is to come back count, if it does, or no longer. */
static inline void want_back(const Layout *layout, const Rules *rules, Heard *heard, int64_t r, bool counts) {
    const Request *request = &heard->requests[r];
    if (request->entries < 0 || !request->open || !request->latest) return;
    const int64_t *entry = heard->returns.entry + request->entries;
    for (int64_t j = layout->start[r]; j < layout->start[r + 1]; j++) {
        if (counts) set_bit(&heard->returns.count, *entry++);
        else clear_bit(&heard->returns.count, *entry++);
        renew(rules, heard, layout->piece[j]);
    }
}

/* Keep the path of a request, or no longer. */
static inline void keep(const Layout *layout, const Rules *rules, Heard *heard, int64_t r, bool keeps) {
    if (heard->requests[r].kept == keeps) return;
    heard->requests[r].kept = keeps;
    for (int64_t j = layout->start[r]; j < layout->start[r + 1]; j++) {
        int64_t p = layout->piece[j], keepers = heard->pieces[p].keepers += keeps ? 1 : -1;
        if (keepers == keeps) renew(rules, heard, p);
    }
}

/* Close an agent after one of its requests: that one and all before it are open no longer. */
static inline void close_agent(const Layout *layout, const Rules *rules, Heard *heard, int64_t r) {
    for (; r >= 0 && heard->requests[r].open; r = heard->previous[r]) {
        want_back(layout, rules, heard, r, false);
        heard->requests[r].open = false;
        if (rules->close) let_go(layout, rules, heard, r);
    }
}

static inline void ask_for(const Layout *layout, const Rules *rules, Heard *heard, int64_t r, int64_t priority) {
    for (int64_t j = layout->start[r]; j < layout->start[r + 1]; j++) {
        int64_t p = layout->piece[j];
        if (r < heard->pieces[p].asked) continue; /* a later request through it has said another */
        heard->pieces[p].asked = r;
        heard->pieces[p].priority = priority;
        renew(rules, heard, p);
    }
}

/* Let an event count; `number` is a priority, or where the entries of a time of return begin. */
static inline void hear(const Layout *layout, const Rules *rules, Heard *heard, int64_t what, int64_t r,
                        int64_t number, double value) {
    switch (what) {
    case CLOSE: close_agent(layout, rules, heard, r); break;
    case PRIORITY:
        if (rules->priority) ask_for(layout, rules, heard, r, number);
        break;
    case RESUME:
        if (!rules->resume) break;
        want_back(layout, rules, heard, r, false);
        heard->requests[r].entries = number;
        want_back(layout, rules, heard, r, true);
        break;
    default:
        if (!rules->retain) break;
        if (what == RETAIN) heard->until[r] = value;
        keep(layout, rules, heard, r, heard->until[r] > heard->now);
    }
}

/* Let an agent ask: what its request before and this one have in common changes hands. */
static inline void ask(const Layout *layout, const Rules *rules, Heard *heard, int64_t k) {
    int64_t r = heard->previous[k], shared = 0;
    if (r >= 0) {
        want_back(layout, rules, heard, r, false);
        heard->requests[r].latest = false;
        if (heard->requests[r].holds) {
            shared = common(layout, r, k);
            heard->requests[r].from = layout->start[r] + shared;
            if (rules->superseded) let_go(layout, rules, heard, r);
        }
    }
    heard->requests[k] = (Request){true, true, rules->releases, layout->start[k], false, -1};
    if (rules->releases) hold(layout, rules, heard, k, layout->start[k] + shared, true);
}

/* Write down how much of a visited piece is kept, and how much of that is no surplus. */
static inline void settle(const Layout *layout, const Rules *rules, Piece *piece, int64_t p, int64_t k,
                          int64_t j) {
    if (rules->safe < 0) {
        piece->full = rules->full[j];
        piece->least = rules->least[j];
        return;
    }
    bool forgotten = rules->mark == LAST || (rules->mark == RESIDENT && piece->units == 0);
    piece->mark = larger(forgotten ? 0 : piece->mark, layout->end[k]);
    piece->least = larger(larger(piece->mark - rules->safe, 0) - layout->above[p], 0);
    piece->least = smaller(piece->least, layout->length[p]);
    piece->full = rules->eager ? piece->least : layout->length[p];
}

/* Fill the path of request k; write what it hits and what it adds. */
static inline void serve(const Layout *layout, const Rules *rules, Heard *heard, int64_t k) {
    int64_t hits = 0, added = 0;
    bool leading = true;
    for (int64_t j = layout->start[k]; j < layout->start[k + 1]; j++) {
        int64_t p = layout->piece[j], length = layout->length[p];
        Piece *piece = &heard->pieces[p];
        leave_group(&heard->waiting, p);
        settle(layout, rules, piece, p, k, j);
        hits += where(leading, piece->units);
        leading = leading && piece->units == length;
        if (piece->units == 0 && layout->parent[p] >= 0) heard->pieces[layout->parent[p]].children++;
        added += length - piece->units;
        piece->units = length;
        piece->visit = j;
    }
    layout->cached[k] = smaller(hits, layout->ask[k]);
    layout->written[k] = added;
}

/* Lose what request k leaves out of the path of the turn before it; return the units. */
static inline int64_t lose(const Layout *layout, Heard *heard, int64_t turn, int64_t k) {
    int64_t lost = 0, kept = layout->start[turn] + common(layout, turn, k);
    for (int64_t j = layout->start[turn + 1] - 1; j >= kept; j--) {
        int64_t p = layout->piece[j];
        if (heard->pieces[p].units == 0) continue;
        leave_group(&heard->waiting, p);
        lost += heard->pieces[p].units;
        heard->pieces[p].units = 0;
        if (layout->parent[p] >= 0) heard->pieces[layout->parent[p]].children--;
    }
    return lost;
}

/* Bring a path under its first cut, the deepest piece first; return the units that are dropped at once. */
static inline int64_t drop(const Layout *layout, const Rules *rules, Heard *heard, int64_t ended) {
    int64_t dropped = 0;
    for (int64_t j = layout->start[ended + 1] - 1; j >= layout->start[ended]; j--) {
        int64_t p = layout->piece[j];
        Piece *piece = &heard->pieces[p];
        if (piece->visit != j || (rules->strict && piece->children > 0)) break; /* nor does what is above it go */
        if (piece->units == 0) continue;                                         /* it was lost while it ran */
        dropped += piece->units - piece->full;
        piece->units = piece->full;
        if (piece->units > 0) let_wait(rules, heard, p);
        else if (layout->parent[p] >= 0) heard->pieces[layout->parent[p]].children--;
    }
    return dropped;
}

/* The piece that loses units next. */
static inline int64_t first_to_go(const Rules *rules, Heard *heard) {
    const Groups *waiting = &heard->waiting;
    for (;;) {
        int64_t times = heard->returns.times, last = largest_bit(&waiting->filled), number = last % (times + 1);
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

/* Tell the parent of an empty piece; in a strict cache it may now wait, if its last visit is under this cut. */
static inline void free_parent(const Layout *layout, const Rules *rules, Heard *heard, int64_t p, int64_t exempt) {
    int64_t above = layout->parent[p];
    if (above < 0) return;
    Piece *parent = &heard->pieces[above];
    parent->children--;
    if (rules->strict && parent->children == 0 && parent->units > 0 && parent->visit < exempt)
        let_wait(rules, heard, above);
}

/* Lose units until there is no overflow; visits from `exempt` on lose none. */
static inline void cut(const Layout *layout, const Rules *rules, Heard *heard, int64_t overflow, int64_t exempt) {
    while (overflow > 0) {
        int64_t p = first_to_go(rules, heard);
        Piece *piece = &heard->pieces[p];
        int64_t taken = smaller(piece->units - (has_surplus(piece) ? piece->least : 0), overflow);
        piece->units -= taken;
        overflow -= taken;
        if (piece->units > 0) {
            renew(rules, heard, p); /* what is left may be no surplus */
            continue;
        }
        leave_group(&heard->waiting, p);
        free_parent(layout, rules, heard, p, exempt);
    }
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
                   uint64_t counting[entries / 63 + 12],
                   uint64_t filled[groups / 63 + 12], int64_t first[groups], int64_t members[5 * pieces],
                   int64_t state[10 * pieces], int64_t requests[6 * n], double until[n]) {
    Layout layout = {parent, length, above, start, piece, asks, end, cached, written};
    Rules rules = {close || superseded, close, superseded, retain, resume, priority, strict, eager, dead, free,
                   asked, spare, safe, mark, full, least, trimming, eviction};
    Heard heard = {previous, (Piece *)state, (Request *)requests, until,
                   {times, time, begin, of_entry, entry, new_bitset(entries, counting)},
                   {new_bitset(groups, filled), first, (Member *)members}, 0};
    for (int64_t p = 0; p < pieces; p++) {
        heard.pieces[p] = (Piece){.visit = -1, .priority = without, .asked = -1};
        heard.waiting.members[p].group = -1;
    }
    int64_t overflow = -capacity;
    for (int64_t k = 0, e = 0; k < n; k++) {
        heard.now = arrival[k];
        if (turn && turn[k] >= 0) overflow -= lose(&layout, &heard, turn[k], k);
        serve(&layout, &rules, &heard, k);
        ask(&layout, &rules, &heard, k);
        for (; e < events && at[e] <= k; e++)
            hear(&layout, &rules, &heard, what[e], about[e], number[e], value[e]);
        overflow += written[k];
        int64_t ended = k - exempt;
        if (ended < 0 || k == n - 1) continue;
        overflow -= drop(&layout, &rules, &heard, ended);
        cut(&layout, &rules, &heard, overflow, start[ended + 1]);
        overflow = smaller(overflow, 0);
    }
}
