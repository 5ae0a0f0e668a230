/* Plans that grow request by request as long as there is room; what that takes in a strict cache, and why nothing
   is counted twice, says `teltheory.optimal.trees.closing`. Step r + 1 is after request r; what request e finds of
   request s is held from step s + 2 on, or from `exempt` steps later, to step e + 1. */

#include "base/numbers.h"

/* What may be found (`teltheory.replay.trees.runs`), what is found so far, what is wanted beside, and by how much
   more is held from each step on; `wanted` and `more` are 0 between two requests. */
typedef struct {
    const int64_t *start, *slot, *to;
    int64_t exempt;
    int64_t *kept, *wanted, *more;
} Plan;

/* Want of the last requests after `low` what r reads of theirs; write where r begins and ends to hold more. */
static inline void read_for(const Plan *plan, int64_t r, int64_t low) {
    int64_t above = 0;
    for (int64_t j = plan->start[r]; j < plan->start[r + 1] && above < plan->wanted[r]; j++) {
        int64_t s = plan->slot[j], until = smaller(plan->to[j], plan->wanted[r]);
        if (s > low) plan->wanted[s] = larger(plan->wanted[s], until);
        int64_t first = s + 2 + where(s >= 0, plan->exempt); /* the initial cache is under every cut */
        int64_t new = until - larger(above, plan->kept[r]);
        if (new > 0 && first <= r + 1) {
            plan->more[first] += new;
            plan->more[r + 2] -= new;
        }
        above = plan->to[j];
    }
}

/* Add up what is held more at each step, and return whether there is room. */
static inline bool fits(int64_t begin, int64_t end, int64_t *more, const int64_t *free) {
    bool room = true;
    int64_t held = 0;
    for (int64_t step = begin; step < end; step++) {
        held += more[step];
        more[step] = held;
        room = room && held <= free[step];
    }
    return room;
}

/* Let the requests in `order`, one by one, find `need` if there is room: write what is kept, and take its room
   from what is free; unless `strict`, without what lies above it. What is needed is at most what the last run
   reaches. */
void keep_in_order(int64_t orders, const int64_t order[orders], int64_t n, const int64_t need[n], int64_t runs,
                   const int64_t start[n + 1], const int64_t slot[runs], const int64_t to[runs], int64_t exempt,
                   int64_t free[n + 1], int64_t kept[n], int64_t strict, int64_t wanted[n], int64_t more[n + 2]) {
    Plan plan = {start, slot, to, exempt, kept, wanted, more};
    for (int64_t i = 0; i < orders; i++) {
        int64_t e = order[i], deepest = start[e];
        while (to[deepest] < need[e]) deepest++;
        int64_t low = slot[deepest];
        wanted[e] = need[e];
        if (strict)
            for (int64_t r = e; r > low; r--) read_for(&plan, r, low);
        else
            read_for(&plan, e, e);
        bool room = fits(low + 2, e + 2, more, free);
        for (int64_t step = low + 2; step < e + 2; step++) {
            free[step] -= where(room, more[step]);
            more[step] = 0;
        }
        more[e + 2] = 0;
        for (int64_t r = low + 1; r <= e; r++) {
            if (room) kept[r] = larger(kept[r], wanted[r]);
            wanted[r] = 0;
        }
    }
}
