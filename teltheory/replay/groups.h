/* Numbered groups whose members have places: who has the largest place of a group, and which groups have members.

   Each group is a pairing heap: no member has a larger place than the one above it, and the first is above all. A
   member is in one group at most; no two of a group have the same place. Entering takes O(1), leaving O(log n) on
   average over what happens. */
#ifndef TELTHEORY_GROUPS_H
#define TELTHEORY_GROUPS_H

#include "replay/bitset.h"

/* A member: its group, -1 if it is in none; and in the heap the first below it, the next beside it, and the one
   before it, beside or above; -1 where there is none. Of 32 bits, so that more of them are at hand. */
typedef struct {
    int32_t group, place, below, next, before;
} Member;

typedef struct {
    Bitset filled;
    int32_t *first; /* of each group, -1 if it is empty */
    Member *members;
} Groups;

/* Join two heaps, given by their first members, of which either may be -1; return the first of both. */
static inline int32_t joined(const Groups *groups, int32_t a, int32_t b) {
    Member *members = groups->members;
    if (a < 0 || b < 0) return a < 0 ? b : a;
    bool wins = members[a].place > members[b].place;
    int32_t above = wins ? a : b, loser = wins ? b : a, beside = members[above].below;
    members[loser].next = beside;
    members[loser].before = above;
    if (beside >= 0) members[beside].before = loser;
    members[above].below = loser;
    return above;
}

/* Join the members beside each other from one on, in pairs and then all; return the first. */
static inline int32_t joined_all(const Groups *groups, int32_t from) {
    Member *members = groups->members;
    int32_t pairs = -1, all = -1;
    while (from >= 0) {
        int32_t a = from, b = members[a].next, rest = b >= 0 ? members[b].next : -1;
        members[a].next = members[a].before = -1;
        if (b >= 0) members[b].next = members[b].before = -1;
        a = joined(groups, a, b);
        members[a].next = pairs;
        pairs = a;
        from = rest;
    }
    while (pairs >= 0) {
        int32_t a = pairs;
        pairs = members[a].next;
        members[a].next = -1;
        all = joined(groups, all, a);
    }
    return all;
}

static inline void enter_group(Groups *groups, int32_t group, int32_t place, int32_t u) {
    groups->members[u] = (Member){group, place, -1, -1, -1};
    if (groups->first[group] < 0) set_bit(&groups->filled, group);
    groups->first[group] = joined(groups, groups->first[group], u);
}

/* Take a member out of its group, if it is in one. */
static inline void leave_group(Groups *groups, int32_t u) {
    Member *members = groups->members, *one = &members[u];
    if (one->group < 0) return;
    int32_t *first = &groups->first[one->group], rest = joined_all(groups, one->below);
    if (*first == u) {
        *first = rest;
    } else {
        bool beside = members[one->before].below != u;
        *(beside ? &members[one->before].next : &members[one->before].below) = one->next;
        if (one->next >= 0) members[one->next].before = one->before;
        *first = joined(groups, *first, rest);
    }
    if (*first < 0) clear_bit(&groups->filled, one->group);
    one->group = -1;
}

#endif
