"""Appendix C's comparison for all real numbers and any number of conversations: one cut from one cache state.

Of a conversation x tokens are cached before the cut. A policy first sets aside, so that d are left (LRU all x;
Threshold-LRU 0 of an arriving conversation with L <= xi - Q; T-LRU min(x, b), b = (L + Q - xi)+), and then gives
each conversation, most recent first, y = min(d, room), after which room' = room - y. Q is the upper bound, q the
next prompt. Names: T, H and R for T-LRU, Threshold-LRU and LRU.
"""

from functools import partial

from teltheory.claims.smt import Obligation, prove, stated
from teltheory.claims.terms import Int, least, positive, reals

CACHED, PAST, BOUND, PROMPT, XI, ROOM_T, ROOM_H, ROOM_R = reals("x L Q q xi room_T room_H room_R")
KEPT, MORE, LEFT, LEFT_MORE, ROOM, LESS_ROOM = reals("y z d e room_1 room_2")
BEYOND = PAST + BOUND - XI
BUDGET = positive(BEYOND)
WITHIN = least(CACHED, BUDGET)
KEPT_T, KEPT_H, KEPT_R = least(WITHIN, ROOM_T), least(CACHED, ROOM_H), least(CACHED, ROOM_R)
GIVEN = (*(CACHED, PAST - CACHED, PROMPT, BOUND - PROMPT, XI - BOUND), *(ROOM_T - ROOM_H, ROOM_H - ROOM_R, ROOM_R))
"""What is known of a conversation."""


def excess(kept: Int) -> Int:
    """Return (L + q - kept - xi)+."""
    return positive(PAST + PROMPT - kept - XI)


def of_a_conversation(
    name: str,
    given: tuple[Int, ...] = (),
    above: tuple[Int, ...] = (),
    shown: tuple[Int, ...] = (),
    zero: tuple[Int, ...] = (),
) -> Obligation:
    """Return an obligation that may assume what is known of a conversation."""
    return stated(name, (*GIVEN, *given), above, shown, zero)


SHORT = of_a_conversation(
    "if L <= xi - Q the excess is 0 whatever is kept", (0 - BEYOND, KEPT), zero=(excess(KEPT),)
)
CUT = [
    SHORT,
    of_a_conversation(
        "if L <= xi - Q T-LRU leaves nothing, as Threshold-LRU does of the arriving one",
        (0 - BEYOND,),
        zero=(WITHIN,),
    ),
    of_a_conversation("if xi >= Q the budget is at most the past: min(L, b) = b", shown=(PAST - BUDGET,)),
    of_a_conversation("T-LRU leaves no more than the others leave of what they keep: x", shown=(CACHED - WITHIN,)),
    stated(
        "if d <= d' and room >= room' then room - min(d, room) >= room' - min(d', room'): by induction for all",
        (LEFT, LEFT_MORE - LEFT, LESS_ROOM, ROOM - LESS_ROOM),
        shown=[ROOM - least(LEFT, ROOM) - (LESS_ROOM - least(LEFT_MORE, LESS_ROOM))],
    ),
    of_a_conversation(
        "first case: if X of LRU >= b then X of Threshold-LRU >= X of LRU and X of T-LRU = b",
        (KEPT_R - BUDGET,),
        shown=(KEPT_H - KEPT_R,),
        zero=(KEPT_T - BUDGET,),
    ),
    of_a_conversation(
        "second case: if X of T-LRU < b then X of T-LRU >= X of Threshold-LRU >= X of LRU",
        above=(BUDGET - KEPT_T,),
        shown=(KEPT_T - KEPT_H, KEPT_H - KEPT_R),
    ),
    of_a_conversation(
        "third case: if X of LRU < b <= X of T-LRU then X of Threshold-LRU >= X of LRU and T-LRU's excess is 0",
        (KEPT_T - BUDGET,),
        (BUDGET - KEPT_R,),
        (KEPT_H - KEPT_R,),
        (excess(KEPT_T),),
    ),
    of_a_conversation("if L + Q - xi or more are kept the excess is 0", (KEPT - BEYOND,), zero=(excess(KEPT),)),
    of_a_conversation(
        "if as much or more is kept the excess is as small or smaller",
        (MORE - KEPT,),
        shown=(excess(KEPT) - excess(MORE),),
    ),
    of_a_conversation(
        "if trimming ends early, at d >= min(x, b), the excess is at most that of any policy that keeps y <= x",
        (CACHED - LEFT, LEFT - WITHIN, CACHED - KEPT),
        shown=(excess(KEPT) - excess(LEFT),),
    ),
]

short_proof = partial(prove, [SHORT], "all real L, Q, q <= Q, xi > Q and X >= 0")
cut_proof = partial(
    prove,
    CUT,
    "any number of conversations, all real lengths, C and xi > Q, one cut from one state; by hand: the induction "
    "over recency that the rooms start, and that eviction in recency order gives min(d, room)",
)
