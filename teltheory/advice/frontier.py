"""What every setting that was tried gains and costs, on the first part and on the rest: a frontier of the two.

1. Each setting of the choice is a point. On the first part it has what the choice saw of it: the turns from the
   first overflow on. On the rest it is run on the whole trace, so that the rest begins with its own cache; in a
   queue only LRU and what was tried there are.
2. The front is drawn on the first part alone, as the choice is: no other point gains as much for no more prefill.
   What it does on the rest had no part in that.
3. Of the front those points are shown that gain an eighth of all of it more than the one before, and its end. LRU,
   what the first part chose and what is advised are shown beside them, on the front or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from teltheory.advice.goal import Cost, CostLimits

STEPS = 8
"""Steps that the front is shown in."""


@dataclass(frozen=True)
class Side:
    """A setting on one part of a trace.

    `gain` is the share by which the goal is below LRU's there, and `broken` has the limits that are broken there.
    """

    gain: float
    cost: Cost
    broken: tuple[str, ...] = ()


@dataclass(frozen=True)
class FrontierPoint:
    """A setting on both parts.

    Attributes
    ----------
    policy : str
        Its name.
    xi, q_hat : int
        Threshold and prompt estimate, in tokens; alike for LRU.
    first : Side
        On the turns of the first part from the first overflow on; limits are on all of its turns too.
    rest : Side or None
        On the rest; None where nobody served it there.
    """

    policy: str
    xi: int
    q_hat: int
    first: Side
    rest: Side | None

    @property
    def margin(self) -> int:
        """What threshold and estimate come to, in tokens; 0 for LRU."""
        return self.xi - self.q_hat

    @property
    def broken(self) -> tuple[str, ...]:
        """The limits that it breaks on either part."""
        return tuple(dict.fromkeys((*self.first.broken, *(self.rest.broken if self.rest else ()))))


@dataclass(frozen=True)
class Most:
    """The limits on a part: tokens prefilled, and the P50 in seconds up to which all is allowed; None for none."""

    prefilled: float | None
    p50: float | None


@dataclass(frozen=True)
class Frontier:
    """What more gain costs.

    Attributes
    ----------
    points : tuple of FrontierPoint
        All that was tried, LRU first.
    chosen : FrontierPoint
        What the first part chose.
    advised : FrontierPoint
        The same if it is recommended; LRU if not.
    limits : CostLimits
        What a recommendation may cost.
    slo : Fraction
        Seconds, as half of the SLO is a limit too.
    unit : {"tokens", "blocks", "s"}
        Of TEL: blocks of a forest, seconds in a queue.
    """

    points: tuple[FrontierPoint, ...]
    chosen: FrontierPoint
    advised: FrontierPoint
    limits: CostLimits
    slo: Fraction
    unit: str = "tokens"

    @property
    def lru(self) -> FrontierPoint:
        """LRU, next to which all gains are."""
        return self.points[0]

    def most(self, lru: Side) -> Most:
        """Return the limits on a part, given LRU there."""
        work = None if self.limits.work is None else float(self.limits.work) * lru.cost.prefilled
        return Most(work, self.limits.most_p50(lru.cost, self.slo))

    @property
    def front(self) -> tuple[FrontierPoint, ...]:
        """Points than which none gains as much on the first part for no more prefill, by prefill."""
        found: list[FrontierPoint] = []
        for point in sorted(self.points, key=lambda one: (one.first.cost.prefilled, -one.first.gain)):
            if not found or point.first.gain > found[-1].first.gain:
                found.append(point)
        return tuple(found)

    @property
    def shown(self) -> tuple[FrontierPoint, ...]:
        """A few points of the front beside LRU, the chosen and the advised one, by gain on the first part."""
        found = [*dict.fromkeys((self.lru, self.chosen, self.advised, *self._steps()))]
        return tuple(sorted(found, key=lambda one: (one.first.gain, one.first.cost.prefilled)))

    def _steps(self) -> Iterator[FrontierPoint]:
        front = self.front
        step, last = (front[-1].first.gain - front[0].first.gain) / STEPS, front[0]
        yield last
        for point in front:
            if point.first.gain >= last.first.gain + step:
                yield point
                last = point
        yield front[-1]

    @property
    def further(self) -> tuple[FrontierPoint, ...]:
        """Points shown that gain more than the advised one on the first part, for more prefill there."""
        own = self.advised.first
        return tuple(
            one
            for one in self.shown
            if one.first.gain > own.gain and one.first.cost.prefilled > own.cost.prefilled
        )
