"""Policies that listen: any policy by rules, and before its orders what applications say of requests.

At every cut a block has a key, and the smallest goes first among what may go:

1. *dead* before what is not: no request through the block is held by each of the hints in use (`Hint.holds`);
2. what is asked to be *kept* last (`Hint.keeps`), with ``keep="after"`` behind 3;
3. surplus before the rest, as the policy's budget has it;
4. what a hint orders (`Hint.order`), among equals the policy's own order, then the last request, and of one path
   the deepest.

A request is *open* until a close of its agent counts that came after it, and *latest* until its agent asks again:
so what an agent read before it was closed is no longer its own when it opens again. An own hint is a frozen
dataclass derived from `Hint`; docs/hints.md has one of ten lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from teltheory.errors import ArgumentError
from teltheory.model.hints import CLOSE, DEMOTE, PRIORITY, RESUME, RETAIN, WHAT, Hints, ends_of
from teltheory.model.requests import Requests
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.policy import OTHER_WAYS, RULES, TRIMS

Keep: TypeAlias = Literal["first", "after"]
CLAIRVOYANT = (Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady)
Key: TypeAlias = tuple[Any, ...]


@dataclass(slots=True)
class Told:
    """A request as hints see it at a cut.

    Attributes
    ----------
    request, agent : int
        Its number, and that of its agent; an agent below 0 has this request alone.
    time, done : float
        When it came, and when its response ended; seconds.
    kind, stop : str
        Kind of the request or its agent, and why its response ended; "" where nothing is said.
    open, latest : bool
        Whether no close of its agent has counted since it came, and whether its agent has not asked since.
    retain_until, resume_at, priority : float or None
        What was said last of each, as far as it counts by now.
    """

    request: int
    agent: int
    time: float
    done: float
    kind: str
    stop: str
    open: bool = True
    latest: bool = True
    retain_until: float | None = None
    resume_at: float | None = None
    priority: float | None = None


class Hint:
    """What a hint does to the order in which blocks go; derive from it and override what it changes.

    `requests` are those through a block so far, in order; `now` is the arrival of the request whose cut it is.
    """

    def holds(self, request: Told, now: float) -> bool:
        """Return whether a request holds its blocks: a block that no request holds is dead and goes first."""
        return True

    def keeps(self, requests: Sequence[Told], now: float) -> float:
        """Return in which order blocks are kept: the smallest go first."""
        return 0

    def order(self, requests: Sequence[Told], now: float) -> float:
        """Return the order before the policy's own: the smallest go first."""
        return 0


@dataclass(frozen=True)
class Close(Hint):
    """A closed agent holds nothing: a block is dead if no open agent has read it since it was opened."""

    def holds(self, request: Told, now: float) -> bool:
        """Hold while the agent is open."""
        return request.open


@dataclass(frozen=True)
class Superseded(Hint):
    """An agent holds its latest path alone: what an edit of its context left behind is dead."""

    def holds(self, request: Told, now: float) -> bool:
        """Hold until the agent asks again."""
        return request.latest


@dataclass(frozen=True)
class Retain(Hint):
    """A block is kept while the time until which a request through it is to be kept has not come."""

    def keeps(self, requests: Sequence[Told], now: float) -> float:
        """Keep while one of the times has not come."""
        return any(one.retain_until is not None and one.retain_until > now for one in requests)


@dataclass(frozen=True)
class Priorities(Hint):
    """Blocks of a smaller priority go first; the last request that has one says it, else it is 0."""

    def keeps(self, requests: Sequence[Told], now: float) -> float:
        """Order by the last priority that was said."""
        return next((one.priority for one in reversed(requests) if one.priority is not None), 0)


@dataclass(frozen=True)
class Resume(Hint):
    """Who comes back furthest from now goes first, be it over or still to come.

    A block's distance is the least one of open agents with the block on their latest paths. So an agent that is
    overdue by x is taken to need x more. What nobody wants back goes before all others.
    """

    def order(self, requests: Sequence[Told], now: float) -> float:
        """Order by the distance, the largest first."""
        holding = (one.resume_at for one in requests if one.open and one.latest)
        return -min((abs(now - at) for at in holding if at is not None), default=float("inf"))


@dataclass(frozen=True)
class Demote(Hint):
    """In tiers, what is told to go moves one tier down, once; in one cache that means nothing, and is refused.

    From the cut on from which the event counts, or once the request's prefill has ended: each block of its path
    that no other request has that is open and the latest of its agent, and what hangs below it in the same tier.
    What is in the last tier stays there.
    """


NAMED: dict[str, Hint] = {
    CLOSE: Close(),
    "superseded": Superseded(),
    RETAIN: Retain(),
    RESUME: Resume(),
    PRIORITY: Priorities(),
    DEMOTE: Demote(),
}
"""The toolkit's own hints, by name."""


@dataclass(frozen=True)
class Hinted:
    """A policy by rules that listens to what applications say (`Hints`); without hints it is that policy.

    Parameters
    ----------
    policy : Policy or str
        LRU, T-LRU or any other one by rules, with or without a memory; not one that knows the future. Surplus goes
        least recent first or eagerly: trimming in rounds has no meaning here.
    use : sequence of str or of Hint
        To which hints it listens: "close", "superseded", "retain", "resume", "priority", or own ones; and in tiers
        of memory "demote", which is not among those that are listened to if nothing is said.
    keep : {"first", "after"}
        Whether what is to be kept goes last of all, or after the policy's surplus alone.

    Raises
    ------
    ArgumentError
        For another policy, an unknown hint, or one that stands there twice.
    """

    policy: Any
    use: tuple[str | Hint, ...] = (CLOSE, "superseded", RETAIN, RESUME, PRIORITY)
    keep: Keep = "first"
    loop: ClassVar[str] = "hinted"

    def __post_init__(self) -> None:
        object.__setattr__(self, "use", tuple([self.use] if isinstance(self.use, str | Hint) else self.use))
        for hint in self.use:
            if not isinstance(hint, Hint) and hint not in NAMED:
                raise ArgumentError("use", hint, ", ".join(NAMED) + ", or values of tt.Hint")
            if self.use.count(hint) > 1:
                raise ArgumentError("use", hint, "each hint at most once")
        if self.keep not in get_args(Keep):
            raise ArgumentError("keep", self.keep, " or ".join(map(repr, get_args(Keep))))
        if not isinstance(self.policy, str):
            check_listens(self.policy)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The hints in use."""
        return tuple(NAMED[one] if isinstance(one, str) else one for one in self.use)

    @property
    def trim(self) -> Any:
        """How the policy trims."""
        return getattr(self.policy, "trim", None) or TRIMS[1]

    def around(self, policy: Any) -> Hinted:
        """Return what listens so around a policy, itself if it is its own."""
        return self if policy is self.policy else replace(self, policy=policy)

    def told(self, requests: Requests) -> Telling:
        """Return what hears of requests and events during one replay."""
        return Telling(self, requests)


def check_listens(policy: Any) -> None:
    """Raise `ArgumentError` for a policy that hints can't stand before."""
    if isinstance(policy, CLAIRVOYANT):
        raise ArgumentError("policy", policy, "one that does not know the future: hints tell it nothing")
    others = [way for way in OTHER_WAYS if way != "memory" and hasattr(policy, way)]
    if others or not all(hasattr(policy, rule) for rule in RULES):
        raise ArgumentError("policy", policy, "one by rules, as tt.LRU() or tt.TLRU(...)")
    if getattr(policy, "trim", None) == TRIMS[0]:
        raise ArgumentError("trim", TRIMS[0], f"{TRIMS[1]} or {TRIMS[2]} under hints")


class Telling:
    """What applications have said by now, and the keys that follow from it; the reference of all loops."""

    def __init__(self, hinted: Hinted, requests: Requests) -> None:
        hints = requests.hints or Hints.of_agents(requests.agents)
        if requests.arrival is None:
            raise ArgumentError("trace", "no arrival times", "arrival times, from which hints count")
        self.hinted, self.rules = hinted, hinted.hints
        self.rows = list(rows_of(requests, hints))
        void, cuts = hints.void(requests.arrival).tolist(), hints.cuts(requests.arrival).tolist()
        said = zip(cuts, hints.request.tolist(), hints.what.tolist(), hints.value.tolist(), void, strict=True)
        events = ((cut, about, WHAT[what], value) for cut, about, what, value, never in said if not never)
        self.events = sorted(events, key=lambda event: event[0])[::-1]
        self.of_agent: dict[int, list[Told]] = {}
        self.through: dict[int, list[Told]] = {}
        self.lowers = any(isinstance(hint, Demote) for hint in self.rules)
        self.lowered: list[int] = []
        self.now = 0.0

    def hear(self, k: int, path: Sequence[int]) -> None:
        """Note request k, whose path is in units by number, and what counts by its cut.

        Of several caches each hears the requests that come to it, in order, and what is told of all.
        """
        row = self.rows[k]
        self.now = row.time
        earlier = self.of_agent.setdefault(row.agent, [])
        if earlier:
            earlier[-1].latest = False
        earlier.append(row)
        self.pass_through(k, path)
        while self.events and self.events[-1][0] <= k:
            _, about, what, value = self.events.pop()
            self.count(self.rows[about], what, value)

    def pass_through(self, k: int, units: Sequence[int]) -> None:
        """Note that request k went through some units."""
        for unit in units:
            self.through.setdefault(unit, []).append(self.rows[k])

    def count(self, row: Told, what: str, value: float) -> None:
        """Let an event about a request count."""
        if what == CLOSE:
            for one in self.of_agent.get(row.agent, ()):
                one.open &= one.request > row.request
        elif what == DEMOTE:
            self.lowered.append(row.request)
        else:
            setattr(row, {RETAIN: "retain_until", RESUME: "resume_at", PRIORITY: "priority"}[what], value)

    def is_dead(self, unit: int) -> bool:
        """Whether no request through a unit is held by each hint."""
        return not any(all(hint.holds(one, self.now) for hint in self.rules) for one in self.through[unit])

    def may_be_lowered(self, unit: int, request: int) -> bool:
        """Whether no other request through a unit is open and the latest of its agent."""
        return not any(one.open and one.latest and one.request != request for one in self.through[unit])

    def key(self, unit: int, spare: bool) -> Key:
        """Return what stands before the policy's own order, the smallest first."""
        through = self.through[unit]
        kept = tuple(hint.keeps(through, self.now) for hint in self.rules)
        order = tuple(hint.order(through, self.now) for hint in self.rules)
        between = (*kept, not spare) if self.hinted.keep == "first" else (not spare, *kept)
        return (not self.is_dead(unit), *between, *order)


def rows_of(requests: Requests, hints: Hints) -> Iterator[Told]:
    """Yield the requests as hints see them."""
    n, blank = len(hints), ("",) * len(hints)
    columns = hints.own_agent.tolist(), requests.arrival.tolist(), ends_of(requests, hints).tolist()  # type: ignore[union-attr]
    for row in zip(range(n), *columns, hints.kind or blank, hints.stop or blank, strict=True):
        yield Told(*row)
