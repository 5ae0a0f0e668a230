"""Appendix C's comparison for all real numbers and any number of conversations: one cut from one cache state.

Of a conversation x tokens are cached before the cut. A policy first sets aside, so that d are left (LRU all x;
Threshold-LRU 0 of an arriving conversation with L <= xi - Q; T-LRU min(x, b), b = (L + Q - xi)+), and then gives
each conversation, most recent first, y = min(d, room), after which room' = room - y. Q is the upper bound, q the
next prompt. Names: T, H and R for T-LRU, Threshold-LRU and LRU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from proofs_checks.case_analysis import Obligation, least, numbers, plus, prove

if TYPE_CHECKING:
    from sympy import Expr


class Conversation:
    """The symbols of a conversation, what is left of it and kept under each policy, and what is known of them."""

    def __init__(self) -> None:
        names = "x L Q q xi room_T room_H room_R"
        self.cached, self.past, self.bound, self.prompt, self.xi, *rooms = numbers(names)
        self.room_t, self.room_h, self.room_r = rooms
        self.beyond = self.past + self.bound - self.xi
        self.budget = plus(self.beyond)
        self.kept_t = least(least(self.cached, self.budget), self.room_t)
        self.kept_h = least(self.cached, self.room_h)
        self.kept_r = least(self.cached, self.room_r)
        sizes = (self.cached, self.past - self.cached, self.prompt, self.bound - self.prompt)
        ordered = (self.room_t - self.room_h, self.room_h - self.room_r, self.room_r)
        self.given = (*sizes, self.xi - self.bound, *ordered)

    def excess(self, kept: Expr) -> Expr:
        """Return (L + q - kept - xi)+."""
        return plus(self.past + self.prompt - kept - self.xi)


def short_costs_nothing() -> Obligation:
    """If L <= xi - Q the excess is 0 whatever is kept."""
    c = Conversation()
    (kept, _) = numbers("y z")
    return Obligation(given=(*c.given, -c.beyond, kept), equal=(c.excess(kept),))


def short_is_set_aside() -> Obligation:
    """If L <= xi - Q T-LRU leaves nothing, as Threshold-LRU does of the arriving conversation."""
    c = Conversation()
    return Obligation(given=(*c.given, -c.beyond), equal=(least(c.cached, c.budget),))


def budget_fits() -> Obligation:
    """If xi >= Q the budget is at most the past: min(L, b) = b."""
    c = Conversation()
    return Obligation(given=c.given, shown=(c.past - c.budget,))


def more_is_set_aside() -> Obligation:
    """T-LRU leaves no more than Threshold-LRU leaves of a conversation that it keeps, and LRU of any: x."""
    c = Conversation()
    return Obligation(given=c.given, shown=(c.cached - least(c.cached, c.budget),))


def rooms_stay_ordered() -> Obligation:
    """If d <= d' and room >= room' then room - min(d, room) >= room' - min(d', room'): by induction for all."""
    left, left_more, room, less_room = numbers("d e room_1 room_2")
    given = (left, left_more - left, less_room, room - less_room)
    after = (room - least(left, room)) - (less_room - least(left_more, less_room))
    return Obligation(given=given, shown=(after,))


def first_case() -> Obligation:
    """If X of LRU >= b then X of Threshold-LRU >= X of LRU and X of T-LRU = b."""
    c = Conversation()
    case = (*c.given, c.kept_r - c.budget)
    return Obligation(given=case, shown=(c.kept_h - c.kept_r,), equal=(c.kept_t - c.budget,))


def second_case() -> Obligation:
    """If X of T-LRU < b then X of T-LRU >= X of Threshold-LRU >= X of LRU."""
    c = Conversation()
    return Obligation(
        given=c.given, above=(c.budget - c.kept_t,), shown=(c.kept_t - c.kept_h, c.kept_h - c.kept_r)
    )


def third_case() -> Obligation:
    """If X of LRU < b <= X of T-LRU then X of Threshold-LRU >= X of LRU and T-LRU's excess is 0."""
    c = Conversation()
    return Obligation(
        given=(*c.given, c.kept_t - c.budget),
        above=(c.budget - c.kept_r,),
        shown=(c.kept_h - c.kept_r,),
        equal=(c.excess(c.kept_t),),
    )


def enough_costs_nothing() -> Obligation:
    """If L + Q - xi or more are kept the excess is 0."""
    c = Conversation()
    (kept, _) = numbers("y z")
    return Obligation(given=(*c.given, kept - c.beyond), equal=(c.excess(kept),))


def more_costs_less() -> Obligation:
    """If as much or more is kept the excess is as small or smaller."""
    c = Conversation()
    kept, more = numbers("y z")
    return Obligation(given=(*c.given, more - kept), shown=(c.excess(kept) - c.excess(more),))


def trimming_that_stops() -> Obligation:
    """If trimming ends early, at d >= min(x, b), the excess is at most that of any policy that keeps y <= x."""
    c = Conversation()
    left, kept = numbers("d y")
    given = (*c.given, c.cached - left, left - least(c.cached, c.budget), c.cached - kept)
    return Obligation(given=given, shown=(c.excess(kept) - c.excess(left),))


SHORT: dict[str, Callable[[], Obligation]] = {"short conversations": short_costs_nothing}
CUT: dict[str, Callable[[], Obligation]] = {
    **SHORT,
    "short, set aside": short_is_set_aside,
    "the budget fits": budget_fits,
    "more is set aside": more_is_set_aside,
    "rooms": rooms_stay_ordered,
    "first case": first_case,
    "second case": second_case,
    "third case": third_case,
    "enough kept": enough_costs_nothing,
    "more kept": more_costs_less,
    "trimming that stops": trimming_that_stops,
}

short_proof = partial(prove, SHORT, "all real L, Q, q <= Q, xi > Q and X >= 0")
cut_proof = partial(
    prove,
    CUT,
    "any number of conversations, all real lengths, C and xi > Q, one cut from one state; by hand: the induction "
    "over recency that the rooms start, and that eviction in recency order gives min(d, room)",
)
