"""What `teltheory modules replay` measures, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from rich.table import Table

from teltheory.cli.asked.question import (
    REGRET_LEGEND,
    SHARES,
    Question,
    Thresholds,
    chosen_thresholds,
    sizes_of,
    two_digits,
)
from teltheory.cli.printed.tables import SLOW_LEGEND, plain_table
from teltheory.cost.metrics import (
    slo_violations,
    tail_excess_latency,
    ttft_quantiles,
    ttft_seconds,
    ttft_violations,
)
from teltheory.model.display import percent, tokens_in_short
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.optimal import hindsight_optimum
from teltheory.policies.online import LRU
from teltheory.policies.shared import SharedTLRU
from teltheory.policies.spec import Spec, default_estimate
from teltheory.replay import replay
from teltheory.replay.sets import SetCache
from teltheory.sweep import Cell
from teltheory.sweep.jobs import QUANTILES

COLUMNS = ("mean", "P50 s", "P95 s", "P99 s", "hit", "prefill", "slow", "TEL", "vs LRU", "regret", "closed")
LEGEND = "hit: share of the input that was reused. prefill: tokens that the server computed (M: millions)."
DIVISIBLE = "The optimum is that of divisible modules: no cache of whole modules has less."


@dataclass(frozen=True)
class MeanRow:
    """A cell, with the mean TTFT in seconds or in tokens; None without a request."""

    cell: Cell
    mean: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**self.cell.as_dict(), "mean": self.mean}


@dataclass(frozen=True)
class Sets:
    """A trace of module sets, and what it is replayed with."""

    trace: ModuleTrace
    question: Question
    cache: SetCache
    capacities: tuple[int, ...]
    thresholds: Thresholds
    said: tuple[str, ...]

    @classmethod
    def of(cls, trace: ModuleTrace, question: Question, cache: SetCache) -> Sets:
        """Choose what was left out, and say so."""
        (sizes, shares), found = sizes_of(trace, question.capacities), question.thresholds
        used = np.unique(trace.members)
        held = exact_sum(trace.sizes[used])
        said = [
            f"{len(trace):,} requests for {len(used):,} modules of {held:,} tokens.",
            question.served.sentence(),
            *question.said,
            *shares,
        ]
        if not sizes:
            sizes = tuple(dict.fromkeys(two_digits(Fraction(share * held, 100)) for share in SHARES))
            said.append("Capacities, as none is given: 5, 20 and 50 % of all modules, to two digits.")
        if not found.xis:
            middle = sorted(sizes)[len(sizes) // 2]
            given, origin = chosen_thresholds(
                trace, middle, found.latency, found.unit == "s", forced=question.forced, cache=cache
            )
            found = Thresholds.of(given, found.latency, found.unit)
            said.append(origin)
        return cls(trace, question, cache, sizes, found, tuple(said))

    def rows(self) -> Iterator[MeanRow]:
        """Replay every policy at every capacity and threshold."""
        for capacity in self.capacities:
            lru = self._replayed(LRU(), capacity)
            for xi in self.thresholds.xis:
                of_lru, best = tail_excess_latency(lru, xi), self._optimum(capacity, xi)
                for spec in self.question.specs:
                    outcome = self._replayed(spec.build(xi, self.estimate(spec)), capacity)
                    yield self._row(outcome, xi, capacity=capacity, policy=spec.text, lru=of_lru, optimum=best)

    def estimate(self, spec: Spec) -> int:
        """Return the prompt estimate of a policy that has none of its own."""
        if self.question.q_hat is not None:
            return self.question.q_hat
        return fresh_estimate(self.trace) if spec.name == SharedTLRU.name else default_estimate(self.trace)

    def _replayed(self, policy: Any, capacity: int) -> Outcome:
        return replay(self.trace, policy, capacity, forced=self.question.forced, cache=self.cache)

    def _optimum(self, capacity: int, xi: int) -> int:
        return int(hindsight_optimum(self.trace, capacity, xi, forced=self.question.forced).upper)

    def _row(self, outcome: Outcome, xi: int, **place: Any) -> MeanRow:
        latency, slo = self.thresholds.latency, self.thresholds.seconds.get(xi)
        known = ttft_quantiles(outcome, QUANTILES, latency).tolist() if len(outcome) else [None] * len(QUANTILES)
        cell = Cell(
            **dict(zip(("p50", "p90", "p95", "p99"), known, strict=True)),
            hit_rate=float(outcome.hit_rate),
            prefilled=outcome.prefilled,
            violations=slo_violations(outcome, xi) if slo is None else ttft_violations(outcome, latency, slo),
            tel=tail_excess_latency(outcome, xi),
            reused=outcome.reused,
            xi=xi,
            **place,
        )
        return MeanRow(cell, float(ttft_seconds(outcome, latency).mean()) if len(outcome) else None)

    def parts(self, rows: Sequence[MeanRow]) -> Iterator[str | Table]:
        """Yield what was replayed, what was assumed, and a table for each capacity and threshold."""
        yield from (*self.said, *self._estimates())
        whole = f" {DIVISIBLE}" if self.cache == "whole" else ""
        yield f"{LEGEND} {SLOW_LEGEND.replace('turns', 'requests')} {REGRET_LEGEND}{whole}"
        columns = ("policy", *map(self.thresholds.heading, COLUMNS))
        for (capacity, xi), section in groupby(rows, key=lambda row: (row.cell.capacity, row.cell.xi)):
            title = f"Capacity {capacity:,}, threshold {self.thresholds.label(xi)}"
            yield plain_table(title, columns, map(self._cells, section), ("policy",))

    def _estimates(self) -> Iterator[str]:
        left_out = [spec for spec in self.question.specs if spec.needs("q_hat")]
        if self.question.q_hat is not None:
            return
        if any(spec.name != SharedTLRU.name for spec in left_out):
            rest = "the mean rest of a request, over its modules that were used before"
            yield f"Q̂ = {default_estimate(self.trace):,} where a policy has none of its own: {rest}."
        if any(spec.name == SharedTLRU.name for spec in left_out):
            yield f"Q̂ = {fresh_estimate(self.trace):,} for a shared budget: the mean of the fresh tokens."

    def _cells(self, row: MeanRow) -> list[str]:
        cell = row.cell
        times = [self.thresholds.shown(value) for value in (row.mean, cell.p50, cell.p95, cell.p99)]
        work = [percent(cell.hit_rate), tokens_in_short(cell.prefilled), f"{cell.violations:,}"]
        tail = [f"{cell.tel:,}", percent(cell.change), f"{cell.regret:,}", percent(cell.closed)]
        return [cell.policy, *times, *work, *tail]

    def as_data(self, rows: Sequence[MeanRow]) -> dict[str, Any]:
        """Return the replays as plain data."""
        uses = self.trace.members
        trace = {"requests": len(self.trace), "modules": len(np.unique(uses)), "uses": len(uses)}
        latency = self.thresholds.latency.name
        return {"trace": trace, "cache": self.cache, "latency": latency, "rows": [row.as_dict() for row in rows]}


def fresh_estimate(trace: ModuleTrace) -> int:
    """Return the mean of the fresh tokens, rounded up; 0 without a request."""
    return -(-exact_sum(trace.fresh) // len(trace)) if len(trace) else 0
