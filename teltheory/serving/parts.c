/* The parts of a trace that replicas are sent, and the waits of their turns. */

#include "base/numbers.h"

/* Group turns by replica, in order of arrival, and say what each knows of its conversation's turns before it
   there.

   The turns of replica r are those at the places begin[r] to begin[r + 1] of `order`. Each place has, as a trace
   of these turns alone says: its conversation, numbered by first arrival; the previous turn and the next one,
   counted from the part's first, -1 and the part's length for none; and the history that the previous turn
   leaves of its own. At first `begin` is 0 and `latest`, where each session was seen last, is -1. */
void split_turns(int64_t n, int64_t replicas, int64_t sessions, const int64_t replica[n], const int64_t session[n],
                 const int64_t history[n], const int64_t past[n], int64_t begin[replicas + 1], int64_t order[n],
                 int64_t code[n], int64_t previous[n], int64_t following[n], int64_t known[n],
                 int64_t latest[sessions]) {
    for (int64_t k = 0; k < n; k++) begin[replica[k] + 1]++;
    for (int64_t r = 0; r < replicas; r++) begin[r + 1] += begin[r];
    for (int64_t k = 0; k < n; k++) order[begin[replica[k]]++] = k;
    for (int64_t r = replicas; r > 0; r--) begin[r] = begin[r - 1]; /* each was moved to its part's end */
    begin[0] = 0;
    for (int64_t r = 0; r < replicas; r++) {
        int64_t first = begin[r], end = begin[r + 1], conversations = 0;
        for (int64_t p = first; p < end; p++) {
            int64_t k = order[p], before = latest[session[k]];
            bool continues = before >= first;
            code[p] = continues ? code[before] : conversations++;
            previous[p] = continues ? before - first : -1;
            known[p] = continues ? smaller(history[k], past[order[before]]) : 0;
            if (continues) following[before] = p - first;
            following[p] = end - first;
            latest[session[k]] = p;
        }
    }
}

/* Add waits in order of arrival (Lindley 1952): start = max(arrival, free), free = start + service.

   `free` is when each replica has served all that was sent there before; -inf for nothing. */
void add_waits(int64_t n, int64_t replicas, const double arrival[n], const int64_t replica[n],
               const double service[n], double start[n], double free[replicas]) {
    for (int64_t k = 0; k < n; k++) {
        double *until = &free[replica[k]];
        start[k] = arrival[k] > *until ? arrival[k] : *until;
        *until = start[k] + service[k];
    }
}
