"""Tail-Optimized Belady with a proof that it is optimal (Zhang et al. 2025, Theorem B.1), in O(n).

The replay logs every eviction: after which turn, and what was kept for which turn e. An eviction after turn r -
1 (turns counted from 1) is seen at step r; see `teltheory.optimal.certificate` for steps, intervals and caps.
An interval is *positive* if its turn reuses something, and *deficient* if its turn reuses less than the
interval's cap.

**Construction.** Start with s = n + 1. Take the latest eviction of something kept for a turn e < s, at a step
r; put r into P and let s = r. Repeat until there is none. As r <= e, one pass backwards over the log finds P.

**Lemma.** If something kept for turn e is evicted at step r, no positive interval covers r and ends after e.
For what is furthest goes first: before turn e loses anything, everything kept for a later turn is evicted, and
what is evicted whole is not reused.

**Theorem.** What is kept is as much as P allows: sum of kept = sum of the room at P + sum of the caps of the
intervals that cover no step of P. By complementary slackness three things are to show.

1. *No positive interval covers two steps of P.* Let it cover r and the next larger step s of P. At r something
   kept for a turn e < s is evicted, and the interval ends at s or later, after e, against the lemma.
2. *Every deficient interval covers a step of P.* At the first cut it comes under, an interval holds its cap or
   more (the past is at least the next history; from the start it holds what it holds), and trimming leaves its
   cap, so a deficient one loses something to an eviction. Let r be the step of the latest of these, e its turn,
   and s the smallest element of P above e, or n + 1. That eviction could be taken after s, so the next element
   of P below s is at least r; as s is the smallest above e, it is at most e.
3. *At each r in P the room is full of what is reused.* At an eviction everything that never returns or is above
   its cap is gone, and what is left fills the room. It is kept for turns up to that of the last eviction at r,
   so for turns up to e < s, s being the element of P above r, or n + 1. Were some of it evicted later, that
   eviction, of something kept for a turn before s too, would have been taken before the one at r.

Under forced caching the same holds with the room and the intervals that exempt conversations leave.
"""

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.model.outcome import Outcome
from teltheory.replay.chains.dispatch import replay_with_log


def certified_greedy(instance: Instance, xi: int) -> tuple[Outcome, IntArray]:
    """Replay Tail-Optimized Belady; return its outcome and the steps P that prove that nothing is better."""
    outcome, log = replay_with_log(instance, xi)
    steps = np.empty(len(outcome), np.int64)
    count = looked_at(log, steps)
    return outcome, steps[:count][::-1].copy()


def looked_at(log: IntArray, steps: IntArray) -> int:
    """Write P in descending order and return how many steps it has."""
    return int(call("greedy_steps", len(log), log, len(steps), steps))
