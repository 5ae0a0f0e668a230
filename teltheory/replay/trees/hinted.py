"""What the loop of ``hinted.c`` knows of hints, and of a policy that listens to them.

What follows from a forest and its hints alone is found once: it is kept with the forest's other cached values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE, DEMOTE, PRIORITY, RESUME, RETAIN, WHAT, Hints
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.turns import consecutive_turns
from teltheory.policies.hinted import NAMED, Hint, Hinted
from teltheory.policies.node import ALL_BUT, Deferred
from teltheory.policies.policy import MARKS, NotCompiledError, Policy, has_rules, mark_of, own_loop, settled
from teltheory.replay.trees.facts import UnitsDifferError, VisitPieces
from teltheory.replay.trees.orders import orders_of
from teltheory.replay.trees.recency import Marks, said_of_marks
from teltheory.replay.trees.visits import TreeLayout, Visits

EVENTS_KEPT_AT, RETURNS_KEPT_AT = "_hint_events", "_hint_returns"
EXPIRE = len(WHAT)
"""What an event of the loop's own says: that a time has come until which a request was kept."""
MOST_GROUPS, MOST_VISITS, LONGEST = 2**25, 2**31 - 1, 1e300
"""Groups and visits for which there is room, and seconds beyond which a distance might be no number."""
SUPERSEDED = "superseded"


class Events(NamedTuple):
    """The events that count, in the order of their cuts; those columns have shape (m,).

    `number` is the place of a priority among `priorities`, the largest first, -1 for other events; `value` is what
    an event says in seconds. `previous` is the request before each of the same agent, -1 if there is none, `turn`
    that of the same conversation where histories cut, and `without` the place of the priority that nobody said.
    """

    said: frozenset[str]
    previous: IntArray
    turn: IntArray | None
    priorities: int
    without: int
    at: IntArray
    about: IntArray
    what: IntArray
    number: IntArray
    value: FloatArray


class Returns(NamedTuple):
    """All times of return in order, and of each piece the entries of those of its requests, in order of time.

    `begin` is where the entries of each piece begin, `of_entry` has the time of each by its place. `entry` has
    those of each event's path, root first, from the event's `number` on, which is -1 if it says no time.
    """

    number: IntArray
    time: FloatArray
    begin: IntArray | None
    of_entry: IntArray
    entry: IntArray


class KeptUnits(NamedTuple):
    """How much of visited pieces a policy keeps, and its orders, as ``hinted.c`` has them in `Rules`."""

    full: IntArray | None
    least: IntArray | None
    trimming: IntArray
    eviction: IntArray
    safe: int
    mark: int
    eager: int


def replay_hinted(instance: ForestInstance, hinted: Hinted, strict: bool) -> Outcome:
    """Replay a policy that listens; `NotCompiledError` for own hints, and for one that is more than rules."""
    forest, used = instance.requests, [_name(hint) for hint in hinted.hints]
    policy, events = settled(hinted.policy, forest, rounds=False), _events(forest)
    if not has_rules(policy) or own_loop(policy) is not None:
        raise NotCompiledError("policy", policy, "engine='reference' for one that is more than rules, under hints")
    visits, kept = _kept_units(forest, policy)
    heard = [one for one in used if one in events.said]
    returns = _returns(forest, visits, events) if RESUME in heard else _no_returns(events)
    flags = [int(one in heard) for one in (CLOSE, SUPERSEDED, RETAIN, RESUME, PRIORITY)]
    steps, classes = _steps(hinted, heard, events.priorities)
    groups = classes * (len(returns.time) + 1)
    if groups > MOST_GROUPS or len(visits.piece) > MOST_VISITS:
        found = f"{groups:,} priorities and times of return, {len(visits.piece):,} visits"
        raise NotCompiledError("trace", found, "engine='reference'")
    layout = TreeLayout.of(instance, visits)
    n, pieces, _ = layout.sizes
    said = len(events.at), events.at, events.about, events.what, returns.number, events.value
    back = len(returns.time), returns.time, returns.begin, len(returns.entry), returns.of_entry, returns.entry
    passed = None if returns.begin is None else returns.begin.copy()
    asked_by = np.full(pieces, -1) if PRIORITY in heard else None
    bits = (np.empty(size // 63 + 12, np.uint64) for size in (len(returns.entry), groups))
    heaps = np.full(groups, -1, np.int32), np.empty(5 * pieces, np.int32)
    state = np.empty(8 * pieces + 8, np.int64), np.empty(3 * n, np.int64), np.empty(n)
    call(
        "replay_hinted", *layout.sizes, *layout, *kept, int(strict), *flags, *steps, groups, forest.arrival,
        events.previous, events.turn, events.without, *said, *back, asked_by, passed, *bits, *heaps, *state,
    )  # fmt: skip
    return Outcome.of_forest(forest, layout.cached, layout.written)


def hears_nothing(forest: Forest, hinted: Hinted) -> bool:
    """Whether nothing is said of a forest that a policy listens to, so that it is the policy behind it."""
    return _events(forest).said.isdisjoint(_name(hint) for hint in hinted.hints)


def _name(hint: Hint) -> str:
    """Return the name of one of the toolkit's own hints."""
    for name, own in NAMED.items():
        if type(hint) is type(own):
            return name
    raise NotCompiledError("use", hint, "engine='reference' for a hint of your own")


def _steps(hinted: Hinted, heard: list[str], priorities: int) -> tuple[list[int], int]:
    """Return how far apart classes are that differ in one respect, and how many classes there are."""
    between = [one for one in heard if one in (RETAIN, PRIORITY)]
    told = ["dead", *between, "spare"] if hinted.keep == "first" else ["dead", "spare", *between]
    steps, classes = {}, 1
    for one in reversed(told):
        steps[one] = classes
        classes *= priorities if one == PRIORITY else 2
    releases = CLOSE in heard or SUPERSEDED in heard
    return [steps["dead"] * releases, steps.get(RETAIN, 0), steps.get(PRIORITY, 0), steps["spare"]], classes


def _previous(owner: IntArray) -> IntArray:
    """Return the request before each of the same owner, -1 if there is none."""
    previous = np.full(len(owner), -1, np.int64)
    earlier, later = consecutive_turns(owner)
    previous[later] = earlier
    return readonly(previous)


def _events(forest: Forest) -> Events:
    """Return the events of a forest's hints as the loop reads them."""
    kept = vars(forest)
    if EVENTS_KEPT_AT not in kept:
        kept[EVENTS_KEPT_AT] = _found_events(forest, forest.hints or Hints.of_agents(forest.agents))
    events: Events = kept[EVENTS_KEPT_AT]
    return events


def _found_events(forest: Forest, hints: Hints) -> Events:
    arrival, n = forest.arrival, len(forest)
    if arrival is None:
        raise ArgumentError("trace", "no arrival times", "arrival times, from which hints count")
    cuts = hints.cuts(arrival)
    (counts,) = np.nonzero((cuts < n) & ~hints.void(arrival) & (hints.what != WHAT.index(DEMOTE)))
    at, about, what, value = cuts[counts], hints.request[counts], hints.what[counts], hints.value[counts]
    close, retain, _, priority, _ = (what == code for code in range(len(WHAT)))
    if np.isnan(value[~close]).any() or (np.isfinite(value) & (np.abs(value) > LONGEST)).any():
        raise NotCompiledError("hints", "values that are no numbers, or too large", "engine='reference'")
    priorities = np.unique(np.append(value[priority], 0.0))[::-1]
    number = np.full(len(what), -1, np.int64)
    number[priority] = len(priorities) - 1 - np.searchsorted(priorities[::-1], value[priority])
    expires = np.maximum(np.searchsorted(arrival, value[retain], "left"), at[retain])
    order = np.argsort(np.append(at, expires), kind="stable")
    blank = np.full(len(expires), -1, np.int64)
    pairs = (at, expires), (about, about[retain]), (what, np.full_like(blank, EXPIRE)), (number, blank)
    said = [readonly(np.append(*pair)[order]) for pair in pairs]
    until = readonly(np.append(value, value[retain])[order])
    cut = forest.conversation if forest.is_cut else None
    heard = frozenset((SUPERSEDED, *(WHAT[code] for code in set(what.tolist()))))
    turn, without = None if cut is None else _previous(cut), int(np.flatnonzero(priorities == 0)[0])
    facts = heard, _previous(hints.own_agent), turn, len(priorities), without
    return Events(*facts, said[0], said[1], said[2], said[3], until)


def _no_returns(events: Events) -> Returns:
    none = np.empty(0, np.int64)
    return Returns(events.number, np.empty(0), None, none, none)


def _returns(forest: Forest, visits: Visits, events: Events) -> Returns:
    """Return the times of return, which are kept with the forest if its visits are."""
    kept, ours = vars(forest), visits is Visits.of(forest)
    if not ours or RETURNS_KEPT_AT not in kept:
        made = _found_returns(visits, events)
        return made if not ours else kept.setdefault(RETURNS_KEPT_AT, made)
    returns: Returns = kept[RETURNS_KEPT_AT]
    return returns


def _found_returns(visits: Visits, events: Events) -> Returns:
    back = (events.what == WHAT.index(RESUME)) & np.isfinite(events.value)
    about, value = events.about[back], events.value[back]
    time, first = np.unique(value), visits.start[about]
    length = visits.start[about + 1] - first
    offset = np.cumsum(length) - length
    number = np.array(events.number)
    number[back] = offset
    piece = visits.piece[np.repeat(first - offset, length) + np.arange(length.sum())]
    of_entry = np.repeat(np.searchsorted(time, value), length)
    order = np.lexsort((of_entry, piece))
    entry = np.empty(len(order), np.int64)
    entry[order] = np.arange(len(order))
    begin = np.searchsorted(piece[order], np.arange(len(visits.parent) + 1))
    return Returns(*map(readonly, (number, time, begin, of_entry[order], entry)))


def _kept_units(forest: Forest, policy: Policy) -> tuple[Visits, KeptUnits]:
    """Return what a policy keeps of each visit's piece; where it is all but a constant of marks, in few words."""
    mark, eager = "last" if forest.cut else mark_of(policy), int(policy.trim == "eager")
    safe = _safe(policy, forest.past) if mark in MARKS else None
    if safe is not None:
        visits = Visits.of(forest, by_units=mark == "resident" and safe > 0)
        return visits, KeptUnits(None, None, visits.place, visits.place, safe, MARKS.index(mark), eager)
    if mark == "resident":
        raise NotCompiledError(
            "policy", policy, "engine='reference', or a budget of all but a constant of the past"
        )
    try:
        pieces = VisitPieces(forest, Visits.of(forest), mark)
        orders = orders_of(policy, pieces)
    except UnitsDifferError:
        pieces = VisitPieces(forest, Visits.of(forest, by_units=True), mark, by_units=True)
        orders = orders_of(policy, pieces)
    return pieces.visits, KeptUnits(orders.full, orders.least, orders.trimming, orders.eviction, -1, 0, eager)


def _safe(policy: Policy, end: IntArray) -> int | None:
    """Return what a policy by recency takes off every mark, 0 for LRU; None for another one."""
    said = said_of_marks(policy, Marks(end))
    if said is None or said[0] is not False:
        return None
    budget = said[1]
    if isinstance(budget, Deferred) and budget.kind == ALL_BUT and budget.of is end:
        return max(int(budget.safe), 0) if isinstance(budget.safe, int | np.integer) else None
    return 0 if budget is end else None
