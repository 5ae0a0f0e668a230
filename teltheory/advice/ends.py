"""What it brings to announce when agents end: to LRU, and with T-LRU, whose threshold is chosen with it.

A closed agent holds nothing: its blocks go first (`teltheory.policies.hinted.Close`); under SGLang's rules
the nodes that fewer sessions use. A few margins are tried on the first part, and one is judged on the rest, as
without ends. Where a trace records no end, that of an agent's last response is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.advice.choice import choose
from teltheory.advice.engines import arguments_of, is_of, with_blocks
from teltheory.advice.held_out import Judge
from teltheory.advice.run import Run
from teltheory.advice.server import Queueing, Replaying, Server
from teltheory.base.progress import Count
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.standing import too_few
from teltheory.errors import ForcedCachingError
from teltheory.model.hints import CLOSE, WHAT, Hints
from teltheory.policies.hinted import Hinted
from teltheory.policies.online import LRU
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.serving.routers import Hash, RoundRobin, router_of

if TYPE_CHECKING:
    from teltheory.advice.advice import Advice

LATE = 300
"""Seconds after which an end comes late."""
SESSIONS = "--enable-session-radix-cache"
"""What SGLang's server is started with so that sessions can be closed."""


@dataclass(frozen=True)
class WithEnds:
    """What some ends brought on the rest: the gain next to LRU without ends, and what it cost.

    `work` is in multiples of LRU's prefill, `p50` in seconds; `broken` has the limits that it does not keep.
    """

    gain: Estimate
    work: float
    p50: float
    broken: tuple[str, ...]


@dataclass(frozen=True)
class AnnouncedEnds:
    """What announced ends bring at one memory.

    Attributes
    ----------
    said : tuple of str
        How many ends are recorded, and what is assumed.
    seconds_late : int
        How long ends take that are late.
    margin : int
        That of T-LRU, in tokens.
    helps : bool
        Whether the first part shows a gain that chance does not explain, within the limits.
    both, alone, late, never : WithEnds
        T-LRU that hears ends; LRU that does; T-LRU if ends come late, and if none ever comes.
    unsure : str or None
        Why there are no intervals on one of the parts; None if there are.
    engine : WithEnds or None
        T-LRU that hears ends under SGLang's rules, next to LRU there; None if its rules are not those asked for.
    arguments : str or None
        What SGLang's server is started with.
    """

    said: tuple[str, ...]
    seconds_late: int
    margin: int
    helps: bool
    both: WithEnds
    alone: WithEnds
    late: WithEnds
    never: WithEnds
    unsure: str | None = None
    engine: WithEnds | None = None
    arguments: str | None = None

    @property
    def recommended(self) -> bool:
        """Whether each part shows a gain that chance does not explain, within the limits, and LRU gains less."""
        return self.helps and self.both.gain.above_zero and not self.both.broken and self.adds

    @property
    def adds(self) -> bool:
        """Whether T-LRU that hears ends gains more than LRU that does."""
        return self.both.gain.value > self.alone.gain.value

    @property
    def engine_helps(self) -> bool:
        """Whether the rest shows such a gain under SGLang's rules too."""
        return self.engine is not None and self.engine.gain.above_zero and not self.engine.broken


def ends_of(advice: Advice, server: Server, called: str, seed: int) -> AnnouncedEnds | None:
    """Return what announced ends bring; None where no agent returns, or no loop replays what caches hear."""
    if advice.kind != "T-LRU" or advice.choice.idle or not can_hear(server):
        return None
    requests, rng = server.requests, np.random.default_rng(seed)
    told = announced(server, requests)
    choice = choose(told, advice.goal, advice.limits, called, rng, margins_of(advice))
    tried = choice.to_try(advice.tried.margin)
    judge = Judge.of(told, advice.goal, advice.limits, tried, called, rng)
    ends = AnnouncedEnds(
        said=tuple(said_of(requests.hints, told.requests.hints)),
        seconds_late=LATE,
        margin=tried.margin,
        helps=choice.helps,
        both=heard(judge, judge.after),
        alone=heard(judge, told.under(Hinted(LRU(), (CLOSE,)))),
        late=heard(judge, replace(told, requests=put_off(told, LATE)).late(tried)),
        never=heard(judge, replace(told, requests=put_off(told, None)).late(tried)),
        unsure=choice.unsure or too_few(judge.drawn.clusters, called),
    )
    return with_engine(ends, advice, judge, called, seed)


def can_hear(server: Server) -> bool:
    """Whether requests name agents, and these return to one cache a replica that a loop replays under hints.

    Of mere conversations nobody knows the end.
    """
    requests, serving = server.requests, getattr(server, "serving", None)
    if requests.hints is None or requests.arrival is None or len(server.tiers) > 1:
        return False
    if len(requests) < 2 * len(np.unique(requests.hints.own_agent)):
        return False
    if isinstance(server, Replaying):
        return server.rules == STRICT or is_of("sglang", server.rules)
    known = serving is not None and isinstance(router_of(serving.router), (RoundRobin, Hash))
    return serving is not None and not serving.shared and (serving.replicas == 1 or known)


def margins_of(advice: Advice) -> list[int]:
    """Return the margins to try with ends: those that were best without, the SLO's, and parts of them."""
    best = {advice.choice.margin, advice.choice.freely.margin, advice.tried.margin, advice.goal.xi}
    return sorted({0, *(margin // part for margin in best for part in (1, 2, 4))})


def said_of(before: Any, after: Hints) -> Iterator[str]:
    """Yield how many ends requests record, and what is assumed of ends, given the hints before and after that."""
    recorded, known = (int((hints.what == WHAT.index(CLOSE)).sum()) for hints in (before, after))
    assumed = [line for line in before.said if CLOSE in line]
    if recorded and not assumed:
        yield f"{recorded} recorded"
    yield from assumed
    if known > recorded:
        yield after.said[-1]


def announced(server: Any, requests: Any) -> Any:
    """Return the same server, where T-LRU hears the ends of agents that requests record or that are assumed."""
    return replace(server, requests=requests.with_hints(Hints.announce(requests)), count=Count(), hears=True)


def put_off(server: Any, delay: float | None) -> Any:
    """Return requests whose ends come so many seconds later, at the server's speed, or never."""
    hints, stretch = server.requests.hints, server.serving.stretch if isinstance(server, Queueing) else 1
    ends = hints.what == WHAT.index(CLOSE)
    time = hints.time + ends * (0.0 if delay is None else delay / float(stretch))
    order = np.argsort(time, kind="stable")
    order = order[~ends[order]] if delay is None else order
    columns = {name: getattr(hints, name)[order] for name in ("request", "what", "value")}
    return server.requests.with_hints(replace(hints, time=time[order], **columns))


def heard(judge: Judge, run: Run) -> WithEnds:
    """Return what a run gained on the rest, and cost."""
    side, before = judge.side(run), judge.lru.cost(judge.goal).prefilled
    work = side.cost.prefilled / before if before else 1.0
    return WithEnds(judge.gain(run), work, side.cost.p50, side.broken)


def with_engine(ends: AnnouncedEnds, advice: Advice, judge: Judge, called: str, seed: int) -> AnnouncedEnds:
    """Return the same with what SGLang's rules make of it; those are asked only if it is recommended."""
    server: Any = judge.server
    if not ends.recommended or not isinstance(server, Replaying):
        return ends
    rules, own = server.rules, ends.both
    if rules == STRICT:
        rules, sharing = Rules.of("sglang"), with_blocks(server)
        try:
            there = replace(sharing, rules=rules)
            rng = np.random.default_rng(seed)
            ruled = Judge.of(there, advice.goal, advice.limits, judge.tried, called, rng)
        except ForcedCachingError:
            return ends
        own = heard(ruled, ruled.after)
    xi, q_hat = advice.as_set(ends.margin)
    return replace(ends, engine=own, arguments=f"{arguments_of(rules, xi, q_hat)} {SESSIONS}")
