/* What applications say of the pieces of a forest (`teltheory.policies.hinted`), as ``hinted.c`` hears it.

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
      nearer. So of both ends of a class the further one is looked at, and put elsewhere if it is out of date. */
#ifndef TELTHEORY_TOLD_H
#define TELTHEORY_TOLD_H

#include <math.h>

#include "replay/groups.h"
#include "replay/trees/layout.h"

enum { CLOSE, RETAIN, RESUME, PRIORITY, DEMOTE, EXPIRE }; /* what an event says */
enum { HIGH_WATER, RESIDENT, LAST };              /* marks */

/* Which hints are listened to, how far apart their classes are, and how a policy keeps: `safe` is what it takes
   off a mark, -1 if `full` and `least` say of each visit how much is kept, and how much of that is no surplus.
   Whether a cache is strict, and whether its prefixes are whole, as no history cuts them. */
typedef struct {
    bool releases, close, superseded, retain, resume, priority, strict, whole, eager;
    int64_t dead, free, asked, spare, safe, mark;
    const int64_t *full, *least, *trimming, *eviction;
} Rules;

/* A piece: what of it is cached, its units, the policy's mark, how much is no surplus, its parent, its last visit,
   how many pieces below it hold anything; then what is heard, and where it begins. What counts visits or requests
   has 32 bits, so that all of it comes at once. */
typedef struct {
    int64_t units, length, mark, least;
    int32_t parent, visit, children, holders, keepers, priority;
    int64_t above;
} Piece;

/* Pieces, each in a line of memory of its own. */
static inline Piece *pieces_in(int64_t *room) { return (Piece *)(((uintptr_t)room + 63) & ~(uintptr_t)63); }

/* A request; `entries` is where those of its time of return begin in `Returns`, -1 if it has none. */
typedef struct {
    int64_t from, entries;
    bool open, latest, holds, kept;
} Request;

/* The times of return, in order; where the entries of each piece begin, the number of each entry's time, which
   count by now; the entries of each path, in a row; and of each piece its first entry that has not passed. The
   first `come` times have. */
typedef struct {
    int64_t times, come;
    const double *time;
    const int64_t *start, *number, *entry;
    Bitset count;
    int64_t *passed;
} Returns;

typedef struct {
    const int64_t *previous; /* request of the same agent, -1 if there is none */
    Piece *pieces;
    Request *requests;
    double *until; /* when a request is not kept any more */
    int64_t *asked; /* of each piece, the last request through it that has a priority, -1 if none has */
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
    int64_t begin = returns->start[p], end = returns->start[p + 1], at = returns->passed[p];
    while (at < end && returns->number[at] < returns->come) at++;
    returns->passed[p] = at;
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

/* The place of what a piece loses next, in the policy's orders. */
static inline int64_t place_of(const Rules *rules, const Piece *piece) {
    return (has_surplus(piece) ? rules->trimming : rules->eviction)[piece->visit];
}

/* Let a piece wait, which does not yet. */
static inline void let_wait(const Rules *rules, Heard *heard, int64_t p) {
    enter_group(&heard->waiting, group_of(rules, heard, p), place_of(rules, &heard->pieces[p]), p);
}

/* Put a piece, if it waits, where it belongs by now; return whether it was elsewhere. */
static inline bool renew(const Rules *rules, Heard *heard, int64_t p) {
    int64_t before = heard->waiting.members[p].group, group;
    if (before < 0 || before == (group = group_of(rules, heard, p))) return false;
    leave_group(&heard->waiting, p);
    enter_group(&heard->waiting, group, place_of(rules, &heard->pieces[p]), p);
    return true;
}

/* How many visits the paths of two requests have in common: no more once they part. */
static inline int64_t common(const Layout *layout, int64_t r, int64_t k) {
    const int64_t *one = layout->piece + layout->start[r], *other = layout->piece + layout->start[k];
    int64_t lengths[2] = {layout->start[r + 1] - layout->start[r], layout->start[k + 1] - layout->start[k]};
    int64_t least = 0, most = smaller(lengths[0], lengths[1]);
    if (most > 0 && one[most - 1] == other[most - 1]) return most;
    while (least < most) {
        int64_t middle = most - (most - least) / 2;
        if (one[middle - 1] == other[middle - 1]) least = middle;
        else most = middle - 1;
    }
    return least;
}

/* Let go of the visits that a request holds, from one on to the end of its path. */
static inline void let_go(const Layout *layout, const Rules *rules, Heard *heard, int64_t r) {
    if (!heard->requests[r].holds) return;
    heard->requests[r].holds = false;
    for (int64_t j = heard->requests[r].from; j < layout->start[r + 1]; j++) {
        int64_t p = layout->piece[j];
        if (--heard->pieces[p].holders == 0) renew(rules, heard, p);
    }
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
        if (r < heard->asked[p]) continue; /* a later request through it has said another */
        heard->asked[p] = r;
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

/* Let an agent ask: what its request before and this one have in common, `shared` visits, changes hands. No piece
   of the path waits, as it was served just before, or lies above what may wait. */
static inline void ask(const Layout *layout, const Rules *rules, Heard *heard, int64_t k, int64_t shared) {
    int64_t r = heard->previous[k], from = layout->start[k];
    if (r >= 0) {
        want_back(layout, rules, heard, r, false);
        heard->requests[r].latest = false;
        if (heard->requests[r].holds) {
            from += shared;
            heard->requests[r].from = layout->start[r] + shared;
            if (rules->superseded) let_go(layout, rules, heard, r);
        }
    }
    heard->requests[k] = (Request){layout->start[k], -1, true, true, rules->releases, false};
    if (!rules->releases) return;
    for (int64_t j = from; j < layout->start[k + 1]; j++) heard->pieces[layout->piece[j]].holders++;
}

#endif
