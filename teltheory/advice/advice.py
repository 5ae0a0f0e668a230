"""An advice: a setting, how it was chosen on the first part of a trace, and what it did on the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from teltheory.advice.choice import Choice
from teltheory.advice.ends import AnnouncedEnds
from teltheory.advice.engines import EngineSetting
from teltheory.advice.frontier import Frontier, FrontierPoint
from teltheory.advice.goal import CostLimits, Goal
from teltheory.advice.held_out import HeldOut, named
from teltheory.advice.search import Candidate
from teltheory.advice.sentences import advice_lines, card_of, headline
from teltheory.advice.settings import as_set
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.roofline import Roofline
from teltheory.model.display import in_sentences
from teltheory.model.tiers import Tiers
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.serving.serve import Serving


@in_sentences(headline, advice_lines, card_of)
@dataclass(frozen=True)
class Advice:
    """A setting for one memory, and what is known of it.

    Attributes
    ----------
    goal : Goal
        What was to be small.
    capacity : int or Tiers
        Of the cache, in tokens; of each replica.
    serving : Serving or None
        Replicas, router, and the stretch at which everything was served; None for an idle server.
    load : float or None
        The load that was asked for; None for the trace's own speed, times a stretch that was given.
    kind : str
        What is tried next to LRU: T-LRU, or the name of another policy's class.
    turns, start : int
        Turns of the trace, and the first of the rest.
    estimate : int or None
        The prompt estimate that goes with every margin; None if T-LRU's follows from the SLO (`as_set`).
    choice : Choice
        How the setting was chosen on the first part, and what it promises.
    policies : Policy or tuple of Policy
        What was tried on the rest, a policy or one for each tier; their lengths are in the unit of the requests.
    held_out : HeldOut
        What it did there: `HeldAlone` on an idle server, `HeldInQueue` in a queue.
    limits : CostLimits
        What a recommendation may cost.
    points : tuple of FrontierPoint
        All settings that were tried, LRU first; on the rest too where they were run there.
    warnings : tuple of str
        What somebody who follows the advice should know.
    block_size : int or None
        Tokens per block of a forest, whose TEL is in blocks on an idle server; None for a trace.
    shape : KVSize or None
        Size of a token, if the model is known.
    rules : Rules
        What the cache does.
    engines : tuple of EngineSetting
        Where T-LRU is recommended: the setting for each engine, and what it does under its rules; none in a queue.
    ends : AnnouncedEnds or None
        What it brings to announce when agents end; None where none returns, or where that is not replayed.
    band : tuple of AtEfficiency
        Where the TTFT is estimated: the advice at the slow end of the band, in the middle and at the fast end.
    """

    goal: Goal
    capacity: int | Tiers
    serving: Serving | None
    load: float | None
    kind: str
    turns: int
    start: int
    estimate: int | None
    choice: Choice
    policies: Any
    held_out: HeldOut
    limits: CostLimits
    points: tuple[FrontierPoint, ...]
    warnings: tuple[str, ...] = ()
    block_size: int | None = None
    shape: KVSize | None = field(default=None, compare=False)
    rules: Rules = STRICT
    engines: tuple[EngineSetting, ...] = ()
    ends: AnnouncedEnds | None = None
    band: tuple[AtEfficiency, ...] = ()

    @property
    def tried(self) -> Candidate:
        """What was tried on the rest."""
        return self.held_out.tried

    @property
    def xi(self) -> int:
        """The threshold that was tried on the rest, in tokens."""
        return self.as_set(self.tried.margin)[0]

    @property
    def q_hat(self) -> int:
        """The prompt estimate that was tried on the rest, in tokens."""
        return self.as_set(self.tried.margin)[1]

    @property
    def policy(self) -> str:
        """The policy that was tried; of tiers one for each."""
        return self.held_out.rows[1].policy

    def name(self, candidate: Candidate) -> str:
        """Return what a candidate's policies are called."""
        return named(candidate, self.kind)

    @property
    def recommended(self) -> bool:
        """Whether it is recommended: each part shows a gain that chance does not explain, within the limits."""
        return self.choice.helps and self.held_out.gain.above_zero and not self.held_out.broken

    @property
    def kept_promise(self) -> bool | None:
        """Whether the gain on the rest is in the interval that was promised; None if nothing was."""
        promise = self.choice.promise
        return None if promise is None else promise.holds(self.held_out.gain.value)

    def as_set(self, margin: int) -> tuple[int, int]:
        """Return a margin as a threshold and a prompt estimate."""
        return as_set(margin, self.goal.xi, self.estimate)

    @property
    def frontier(self) -> Frontier:
        """What more gain costs: all settings, what the first part chose, and what is advised."""
        places = [one.candidate for one in self.choice.tried]
        chosen = self.points[places.index(self.choice.candidate)]
        advised = chosen if self.recommended else self.points[0]
        unit = "s" if self.serving is not None else "tokens" if self.block_size is None else "blocks"
        return Frontier(self.points, chosen, advised, self.limits, self.goal.slo, unit)

    @property
    def why(self) -> tuple[str, ...]:
        """Facts of a queue that speak for LRU; none if the setting is recommended."""
        return () if self.recommended else tuple(self.held_out.reasons(self.goal, self.choice.idle))


class AtEfficiency(NamedTuple):
    """An advice at an efficiency of the GPUs: None in the middle, which is the advice itself.

    `reached` is whether any prompt keeps the SLO there; else there is no advice either.
    """

    efficiency: Fraction
    advice: Advice | None
    reached: bool = True


def band_of(goal: Goal, advise: Callable[[Roofline], Advice]) -> tuple[AtEfficiency, ...]:
    """Return the advice at both ends of the band around the middle, nothing where TTFT is not estimated."""
    latency = goal.latency
    if not isinstance(latency, Roofline) or latency.least == latency.most:
        return ()
    slow, fast = (_at(end, goal, advise) for end in latency.ends)
    return slow, AtEfficiency(latency.efficiency, None), fast


def _at(end: Roofline, goal: Goal, advise: Callable[[Roofline], Advice]) -> AtEfficiency:
    reached = end.floor <= goal.slo
    return AtEfficiency(end.efficiency, advise(end) if reached else None, reached)
