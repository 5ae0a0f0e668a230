"""A job in tiers of memory: one replay on an idle server, or requests served by replicas; and what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import tail_excess_latency
from teltheory.model.forest import Forest
from teltheory.model.numbers import Ratio, exact_sum
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.policies.policy import Policy
from teltheory.replay import replay
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.serving.idle import on_idle_server
from teltheory.serving.serve import Serving, serve
from teltheory.serving.served import Served
from teltheory.serving.work import span
from teltheory.sweep.jobs import QUANTILES, described, heard_on, latency_as_text

RESULTS_VERSION = 1
"""Raise it whenever the same job has other results than before."""


@dataclass(frozen=True)
class ServedMeasurement:
    """What a job is worth at one threshold.

    Percentiles are of TTFT, with what loading takes and with waits, in seconds; None for an empty trace. `reused`
    has the tokens of each tier, `copied` and `loaded` those written to each slower tier and loaded from it,
    `prefilled` and `written` those computed and those new to the cache. `slow` counts turns above the SLO, `tel`
    is exact, in the trace's unit; `waiting`, `loading` and `computing` are the parts of TEL in seconds,
    `utilisation` and `goodput` (turns a second that keep the SLO) those of `Served`, None without replicas and if
    all turns arrive at once.
    """

    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    hit_rate: float
    prefilled: int
    written: int
    reused: tuple[int, ...]
    copied: tuple[int, ...]
    loaded: tuple[int, ...]
    slow: int
    tel: Fraction
    waiting: float
    loading: float
    computing: float
    utilisation: float | None = None
    goodput: float | None = None

    @property
    def tail_seconds(self) -> float:
        """TEL in seconds."""
        return self.waiting + self.loading + self.computing

    @classmethod
    def of(cls, served: Served, xi: int, slo: Fraction, queued: bool) -> ServedMeasurement:
        """Measure requests at a threshold in tokens, and in seconds."""
        outcome: Any = served.outcome
        spent = outcome.in_tokens()
        none: list[Any] = [None] * len(QUANTILES)
        quantiles = served.quantiles(QUANTILES).tolist() if len(served) else none
        written, copied, loaded = spent.moved
        reused = tuple(map(exact_sum, spent.cached))
        work: list[Any] = [float(spent.hit_rate), spent.prefilled, written, reused, copied, loaded]
        tail = [served.slow(slo), tail_excess_latency(outcome, xi // outcome.block_size), *served.tail(slo)]
        server = [served.utilisation, served.goodput(slo)] if queued and span(served.arrival) else []
        return cls(*quantiles, *work, *tail, *server)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; TEL as text, p/q or a whole number."""
        return asdict(self) | {"tel": str(self.tel)}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> ServedMeasurement:
        """Return what `as_dict` made plain data of."""
        tuples = {name: tuple(plain[name]) for name in ("reused", "copied", "loaded")}
        return cls(**plain | tuples | {"tel": Ratio(plain["tel"])})


@dataclass(frozen=True)
class ServedJob:
    """Requests under a policy for each tier, served by replicas or, without any, on an idle server.

    Capacities and thresholds are in tokens; `slos` has the seconds of each threshold.
    """

    trace: str
    turns: int
    policy: tuple[Policy, ...]
    tiers: Tiers
    serving: Serving | None
    forced: bool
    latency: Latency
    thresholds: tuple[int, ...]
    slos: tuple[tuple[int, Fraction], ...]

    kind: ClassVar[str] = "served sweep"
    rules: ClassVar[Rules] = STRICT
    running: ClassVar[int] = 1

    @property
    def place(self) -> tuple[Any, ...]:
        """What its measurements are kept by, beside the threshold."""
        return self.trace, self.policy, self.tiers, self.serving

    @property
    def capacity(self) -> int:
        """Of the first tier, which has to hold a past under forced caching."""
        return int(self.tiers.capacities[0])

    @property
    def pins(self) -> bool:
        """Whether no cut touches what runs."""
        return self.forced

    def __str__(self) -> str:
        return f"{self.policy!r} in {self.tiers!r}"

    def determinants(self, xi: int) -> dict[str, Any]:
        """Return all that the measurement at a threshold depends on, as plain data."""
        return {
            "results": RESULTS_VERSION,
            "trace": self.trace,
            "policy": [described(policy) for policy in self.policy],
            "tiers": described(self.tiers),
            "serving": None if self.serving is None else described(self.serving),
            "forced": self.forced,
            "xi": xi,
            "slo": str(dict(self.slos)[xi]),
            "latency": latency_as_text(self.latency),
        }

    def run(
        self, trace: Trace | Forest, progress: Callable[[int], object] | None = None
    ) -> list[ServedMeasurement]:
        """Serve the job's trace and return a measurement per threshold."""
        served, queued, slos = self.served(trace, progress), self.serving is not None, dict(self.slos)
        return [ServedMeasurement.of(served, xi, slos[xi], queued) for xi in self.thresholds]

    def served(self, trace: Trace | Forest, progress: Callable[[int], object] | None = None) -> Served:
        """Serve the job's trace."""
        tiers = self.tiers.in_blocks(trace.block_size)
        policy, heard = heard_on(self.policy, trace)
        if self.serving is None:
            served = on_idle_server(replay(heard, policy, tiers, self.forced), self.latency)
        else:
            options = vars(self.serving)
            served = serve(heard, policy, tiers, latency=self.latency, forced=self.forced, **options)
        if progress is not None:
            progress(len(trace))
        return served
