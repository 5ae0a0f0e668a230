"""What is swept, and a cell of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from teltheory.metrics import share_closed
from teltheory.policies.spec import DEFAULT_CUTOFF, Spec


@dataclass(frozen=True)
class Grid:
    """What is swept.

    Attributes
    ----------
    policies : sequence of Spec
        Policies; the threshold of a cell fills in where one is left out.
    capacities, thresholds : sequence of int
        Capacities and thresholds, in the trace's unit.
    q_hat : int
        Prompt estimate where a policy has none of its own.
    cutoff : int
        Cutoff of Threshold-LRU where it has none of its own.
    forced : bool
        Forced caching.
    """

    policies: Sequence[Spec]
    capacities: Sequence[int]
    thresholds: Sequence[int]
    q_hat: int
    cutoff: int = DEFAULT_CUTOFF
    forced: bool = False


@dataclass(frozen=True)
class Cell:
    """One policy at one capacity and threshold.

    Attributes
    ----------
    capacity, xi : int
        Capacity and threshold.
    policy : str
        Short form of the policy.
    p50, p90, p95, p99 : float or None
        Percentiles of TTFT, in seconds; None for an empty trace.
    violations : int
        Turns with a TTFT above the threshold's.
    tel : int
        Tail excess latency.
    lru, optimum : int
        TEL of LRU and the least TEL of any policy, at the same capacity and threshold.
    """

    capacity: int
    xi: int
    policy: str
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    violations: int
    tel: int
    lru: int
    optimum: int

    @property
    def regret(self) -> int:
        """TEL above the hindsight optimum."""
        return self.tel - self.optimum

    @property
    def change(self) -> Fraction | None:
        """Relative change of TEL against LRU; None where LRU has none."""
        return Fraction(self.tel - self.lru, self.lru) if self.lru else None

    @property
    def closed(self) -> Fraction | None:
        """Share of LRU's distance to the optimum that is closed; None where there is no distance."""
        return share_closed(self.lru, self.tel, self.optimum)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        derived = {"regret": self.regret, "change": _number(self.change), "share_closed": _number(self.closed)}
        return {**asdict(self), **derived}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
