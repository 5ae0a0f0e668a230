"""A job is one replay, measured at the thresholds that cells ask for; a measurement is what it is worth at one."""

from collections.abc import Callable, Mapping
from dataclasses import Field, asdict, dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, ClassVar

from teltheory.cost.latency import Latency, LatencyModel
from teltheory.cost.metrics import (
    slo_violations,
    tail_excess_latency,
    ttft_quantiles,
    ttft_violations,
    write_volume,
)
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.policies.policy import Policy
from teltheory.replay import replay
from teltheory.replay.engine_rules import STRICT, Rules

RESULTS_VERSION = 1
"""Raise it whenever the same job has other results than before, so that stored ones are no longer found."""

QUANTILES = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Measurement:
    """What a replay is worth at one threshold.

    Percentiles of TTFT are in seconds, None for an empty trace; `hit_rate` is the reused share of the input,
    `prefilled` all that was computed (the server's work), `violations` the turns with a TTFT above that of the
    threshold, and `tel` is in the trace's unit. `reused` is what was not computed, `written` what was written to
    the cache; `written` is None of sets of modules. Of a forest `tel` is in its blocks and
    all else in tokens.
    """

    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    hit_rate: float
    prefilled: int
    violations: int
    tel: int
    reused: int | None = None
    written: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class ReplayJob:
    """One replay and the thresholds that it is measured at; `slos` are those that stand for a TTFT, in seconds.

    Capacity and thresholds are in the trace's unit; of a forest in tokens, while its policy counts in blocks.
    """

    trace: str
    turns: int
    policy: Policy
    capacity: int
    forced: bool
    latency: Latency
    thresholds: tuple[int, ...]
    slos: tuple[tuple[int, Fraction], ...] = ()
    rules: Rules = STRICT
    running: int = 1

    kind: ClassVar[str] = "sweep"

    @property
    def place(self) -> tuple[str, Policy, Rules, int]:
        """What its measurements are kept by, beside the threshold."""
        return self.trace, self.policy, self.rules, self.capacity

    def __str__(self) -> str:
        return f"{self.policy!r} at capacity {self.capacity:,}"

    def determinants(self, xi: int) -> dict[str, Any]:
        """Return all that the measurement at a threshold depends on, as plain data."""
        slo = self._slos.get(xi)
        of_forests = {"rules": str(self.rules), "running": self.running}
        usual = {"rules": "strict", "running": 1}
        return {name: value for name, value in of_forests.items() if value != usual[name]} | {
            "results": RESULTS_VERSION,
            "trace": self.trace,
            "policy": described(self.policy),
            "capacity": self.capacity,
            "forced": self.forced,
            "xi": xi,
            "latency": latency_as_text(self.latency) + ("" if slo is None else f", SLO {slo} s"),
        }

    @property
    def pins(self) -> bool:
        """Whether no cut touches what runs."""
        return self.forced or self.rules.references

    @property
    def _slos(self) -> dict[int, Fraction]:
        """The SLOs that are not the same as their threshold."""
        return {} if not self.slos or self.latency.cached_is_free else dict(self.slos)

    def run(self, trace: Trace | Forest, progress: Callable[[int], object] | None = None) -> list[Measurement]:
        """Replay the job's trace and return a measurement per threshold; `progress` is told the turns done."""
        return self.measured(self.outcome(trace, progress), trace)

    def outcome(self, trace: Trace | Forest, progress: Callable[[int], object] | None) -> Outcome:
        """Replay the job's trace; a policy that listens hears what is announced of it too."""
        policy, requests = heard_on(self.policy, trace)
        return replay(
            requests,
            policy,
            self.capacity // trace.scale,
            self.forced,
            progress=None if progress is None else lambda done, _: progress(done),
            rules=self.rules,
            running=self.running,
        )

    def measured(self, outcome: Outcome, trace: Trace | Forest) -> list[Measurement]:
        """Return what an outcome is worth at each threshold."""
        return measure(outcome, trace, self.thresholds, self.latency, self._slos)


def heard_on(policy: Any, trace: Any) -> tuple[Any, Any]:
    """Return what replays a trace under a policy that listens, or one a tier, and it with what is announced."""
    if isinstance(policy, tuple):
        each, heard = zip(*(heard_on(one, trace) for one in policy), strict=True)
        return each, heard[0]
    return (policy.policy, policy.announced.on(trace)) if hasattr(policy, "announced") else (policy, trace)


def measure(
    outcome: Outcome,
    trace: Trace | Forest,
    thresholds: tuple[int, ...],
    latency: Latency,
    slos: Mapping[int, Fraction],
) -> list[Measurement]:
    """Return what an outcome is worth at each threshold; violations are those of its SLO if it has one."""
    spent = outcome.in_tokens()
    quantiles = ttft_quantiles(spent, QUANTILES, latency).tolist() if len(spent) else [None] * len(QUANTILES)
    p50, p90, p95, p99 = quantiles
    work = (float(spent.hit_rate), spent.prefilled)
    slow = [
        ttft_violations(spent, latency, slos[xi]) if xi in slos else slo_violations(spent, xi) for xi in thresholds
    ]
    tels = [tail_excess_latency(outcome, xi // outcome.block_size) for xi in thresholds]
    volume = (spent.reused, write_volume(spent, trace))
    return [Measurement(p50, p90, p95, p99, *work, *both, *volume) for both in zip(slow, tels, strict=True)]


def latency_as_text(model: Latency) -> str:
    """Return a model as text; a linear one as it has been stored since before models had more terms."""
    if type(model) is LatencyModel and not (model.per_pair or model.constant or model.floor):
        return f"LatencyModel(seconds_per_token={model.per_token!r})"
    return described(model, but=("name", "provenance"))


def _only_in_tiers(field: Field[Any], value: Any) -> bool:
    """Whether a field says nothing but what is done in tiers, as usual; older results are stored without it."""
    return field.metadata.get("of") == "tiers" and getattr(value, field.name) == field.default


def described(value: Any, but: tuple[str, ...] = ()) -> str:
    """Return a dataclass as text: its type, with the module unless it is ours, and the fields that say all."""
    if not is_dataclass(value):
        raise ArgumentError("policy", value, "a dataclass, whose fields say all about it")
    asked = (field for field in fields(value) if field.name not in but and not _only_in_tiers(field, value))
    named = {field.name: getattr(value, field.name) for field in asked}
    kind = type(value)
    ours = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    called = kind.__name__ if ours else f"{kind.__module__}.{kind.__qualname__}"
    return f"{called}({', '.join(f'{name}={held!r}' for name, held in named.items())})"
