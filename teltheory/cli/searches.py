"""The searches behind `teltheory optimum`: rows of its table, each with a proof where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
from rich.table import Table

from teltheory.cli.defaults import notes
from teltheory.cli.options import Thresholds
from teltheory.cli.proofs import Certified, CertifiedPercentile, CertifiedViolations, Proof
from teltheory.cli.replay import assumptions, caching, trace_as_data
from teltheory.cli.tables import BESIDE, WORK_LEGEND, optima_table, percentiles_table, violations_table
from teltheory.cli.traces import report_lines, turns_as_data
from teltheory.cost.goals import SLO, TEL, Level
from teltheory.cost.metrics import slo_violations, tail_excess_latency, ttft_quantiles
from teltheory.errors import SolverError
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal import Method, hindsight_optimum
from teltheory.policies.online import LRU, TLRU
from teltheory.replay import replay
from teltheory.sweep import Grid

TIME_LIMIT = 60.0
OF_THIS_PLAN = f"P50, hit and prefill of found are of this plan: others may have the same value. {WORK_LEGEND}"


@dataclass(frozen=True)
class Found:
    """A row, its proof, and what is wrong with it.

    The proof is None if the method has none, the problem if the row is an answer.
    """

    row: dict[str, Any]
    proof: Proof | None
    problem: str | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class Question:
    """What every row has in common."""

    trace: Trace
    grid: Grid
    thresholds: Thresholds
    method: Any
    time_limit: float | None

    @property
    def seconds(self) -> float:
        """Time limit of a search that may never end."""
        return TIME_LIMIT if self.time_limit is None else self.time_limit

    def work(self, outcome: Outcome, who: str = "") -> dict[str, Any]:
        """Return median TTFT, hit rate and what was prefilled as plain data; their names begin with `who`."""
        p50 = float(ttft_quantiles(outcome, [0.5], self.thresholds.latency)[0]) if len(outcome) else None
        worth = {"p50": p50, "hit_rate": float(outcome.hit_rate), "prefilled": outcome.prefilled}
        return {f"{who}{name}": value for name, value in worth.items()}

    def tlru(self, xi: int) -> TLRU:
        """Return T-LRU with the grid's prompt estimate."""
        return TLRU(xi, self.grid.q_hat or 0)


@dataclass(frozen=True)
class Searching:
    """What the searches for each capacity of a question have in common."""

    question: Question

    @property
    def rows_a_capacity(self) -> int:
        """Number of rows at each capacity."""
        return len(self.question.grid.thresholds)

    def _beside(self, capacity: int, xi: int) -> tuple[Outcome, Outcome]:
        """Return LRU's and T-LRU's outcomes."""
        trace, forced = self.question.trace, self.question.grid.forced
        return replay(trace, LRU(), capacity, forced), replay(trace, self.question.tlru(xi), capacity, forced)


@dataclass(frozen=True)
class LeastTel(Searching):
    """The least TEL at each threshold."""

    def at(self, capacity: int) -> Iterator[Found]:
        """Yield the rows of a capacity."""
        asked = self.question
        lru = replay(asked.trace, LRU(), capacity, asked.grid.forced)
        for xi in asked.grid.thresholds:
            work = asked.work(lru, "lru_")
            yield self._found({"capacity": capacity, "xi": xi, "lru": tail_excess_latency(lru, xi), **work})

    def _found(self, row: dict[str, Any]) -> Found:
        try:
            return self._solved(row)
        except SolverError as error:
            return self._given_up(row, error)

    def _solved(self, row: dict[str, Any]) -> Found:
        asked, capacity, xi = self.question, row["capacity"], row["xi"]
        method: Method = asked.method
        forced, limit = asked.grid.forced, asked.time_limit
        best = hindsight_optimum(asked.trace, capacity, xi, forced, method=method, time_limit=limit)
        incumbent = None if best.bound is None else best.objective
        found = {"optimum": best.objective, "method": best.method, "status": "optimal", "incumbent": incumbent}
        row = {**row, **found, "bound": best.bound, "gap": best.gap, **asked.work(best.outcome)}
        proof = None if best.certificate is None else Certified(capacity, xi, forced, best.certificate)
        return Found(row, proof)

    def _given_up(self, row: dict[str, Any], error: SolverError) -> Found:
        from teltheory.optimal.solver import INTERRUPTED

        numbers = {"incumbent": error.incumbent, "bound": error.bound, "gap": error.gap}
        sides = {name: value if value is not None and isfinite(value) else None for name, value in numbers.items()}
        unknown = dict.fromkeys(("optimum", "p50", "hit_rate", "prefilled"))
        row = {**row, **unknown, "method": self.question.method, "status": error.status, **sides}
        place = f"capacity {row['capacity']:,}, threshold {self.question.thresholds.label(row['xi'])}"
        return Found(row, None, f"{place}: {error}", error.status == INTERRUPTED)

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        return [
            *report_lines(self.question.trace),
            *_said(self.question),
            f"P50, hit and prefill of an optimum are of this plan: others may have the same TEL. {WORK_LEGEND}",
        ]

    def table(self, rows: list[dict[str, Any]]) -> Table:
        """Return the table."""
        return optima_table(rows, self.question.thresholds)

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data."""
        asked = self.question
        return {
            "objective": TEL,
            "trace": turns_as_data(asked.trace),
            "forced": asked.grid.forced,
            "latency": asked.thresholds.latency.name,
            "unit": asked.thresholds.unit,
            "notes": _said(asked),
            "rows": rows,
        }


@dataclass(frozen=True)
class LeastViolations(Searching):
    """The fewest violations at each threshold."""

    def at(self, capacity: int) -> Iterator[Found]:
        """Yield the rows of a capacity."""
        asked = self.question
        for xi in asked.grid.thresholds:
            lru, tlru = self._beside(capacity, xi)
            policies = {"lru": slo_violations(lru, xi), "tlru": slo_violations(tlru, xi)}
            work = {**asked.work(lru, "lru_"), **asked.work(tlru, "tlru_")}
            yield self._found({"capacity": capacity, "xi": xi, **policies, **work})

    def _found(self, row: dict[str, Any]) -> Found:
        from teltheory.optimal.violations import fewest_violations

        asked, capacity, xi, began = self.question, row["capacity"], row["xi"], monotonic()
        forced = asked.grid.forced
        best = fewest_violations(asked.trace, capacity, xi, forced, method=asked.method, time_limit=asked.seconds)
        bounds = {"lower": best.lower, "by_solver": best.by_solver, "proved": best.proved}
        sides = {"violations": best.violations, **bounds, "gap": float(best.gap)}
        ended = {"status": best.status, "method": best.method, "seconds": monotonic() - began}
        sides |= {"gap_of_avoidable": float(best.gap_of_avoidable), **asked.work(best.outcome)}
        row = {**row, **sides, **ended}
        kept = best.outcome.cached
        proof = CertifiedViolations(capacity, xi, forced, best.violations, best.proved, kept, best.prices)
        return Found(row, proof, interrupted=best.status == "interrupted")

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        return [
            *_assumed(self.question),
            "found: violations of the best plan that was found. No policy has fewer than proved, by prices that "
            "check-certificate evaluates, nor than lower. by solver: on the word of HiGHS alone. gap: "
            "(found - lower) / found. of avoidable: the same against the avoidable ones. "
            f"{OF_THIS_PLAN} {_limit(self.question)}",
        ]

    def table(self, rows: list[dict[str, Any]]) -> Table:
        """Return the table."""
        return violations_table(rows, self.question.thresholds)

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data."""
        return _as_data(self.question, SLO, rows)


@dataclass(frozen=True)
class LeastPercentile(Searching):
    """The smallest percentile of uncached lengths."""

    level: Level

    @property
    def rows_a_capacity(self) -> int:
        """Number of rows at each capacity."""
        return 1

    def at(self, capacity: int) -> Iterator[Found]:
        """Yield the row of a capacity."""
        asked = self.question
        row: dict[str, Any] = {"capacity": capacity, "level": float(self.level.q)}
        found = self._found(row)
        xis = asked.grid.thresholds
        xi = min(xis, key=lambda xi: (self.level.of(self._beside(capacity, xi)[1].uncached), xi))
        lru, tlru = self._beside(capacity, xi)
        worth = {name: self.level.of(of.uncached) for name, of in (("lru", lru), ("tlru", tlru))}
        work = {**asked.work(lru, "lru_"), **asked.work(tlru, "tlru_")}
        row = {**row, **worth, "tlru_xi": xi, **work, **found.row}
        timed = ("percentile", *BESIDE) if asked.thresholds.unit == "s" else ()
        seconds = {f"{name}_ttft": self._ttft(row[name]) for name in timed}
        yield Found({**row, **seconds}, found.proof, interrupted=found.interrupted)

    def _ttft(self, uncached: int) -> float:
        return float(self.question.thresholds.latency.ttft(np.array([uncached]))[0])

    def _found(self, row: dict[str, Any]) -> Found:
        from teltheory.optimal.percentile import best_percentile

        asked, capacity, turns, began = self.question, row["capacity"], len(self.question.trace), monotonic()
        forced = asked.grid.forced
        q = (max(self.level.rank(turns), 1) - 0.5) / max(turns, 1)  # has the exact rank, whatever rounding does
        best = best_percentile(asked.trace, capacity, q, forced, time_limit=asked.seconds)
        bounds = {"lower": best.lower, "by_solver": best.by_solver, "proved": best.proved}
        sides = {"percentile": best.value, **bounds, "gap": float(best.gap)}
        ended = {"status": best.status, "seconds": monotonic() - began}
        kept, proved = best.outcome.cached, best.proved
        proof = CertifiedPercentile(capacity, self.level, forced, best.value, proved, kept, best.prices)
        row = {**sides, "allowed": best.allowed, **asked.work(best.outcome), **ended}
        return Found(row, proof, interrupted=best.status == "interrupted")

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        return [
            *_assumed(self.question),
            f"{self.level.text} of uncached tokens, and its TTFT. T-LRU has the best of the default thresholds. "
            "found: of the best plan that was found. No policy has less than proved, by prices that "
            "check-certificate evaluates, nor than lower. by solver: on the word of HiGHS alone. gap: "
            f"(found - lower) / found. {OF_THIS_PLAN} {_limit(self.question)}",
        ]

    def table(self, rows: list[dict[str, Any]]) -> Table:
        """Return the table."""
        return percentiles_table(rows, self.level.text, self.question.thresholds)

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data."""
        return _as_data(self.question, self.level.text, rows)


Search: TypeAlias = LeastTel | LeastViolations | LeastPercentile


def _said(question: Question) -> list[str]:
    return [*question.thresholds.said, *notes(question.trace, question.grid.capacities, question.thresholds)]


def _assumed(question: Question) -> list[str]:
    return assumptions(question.trace, question.grid, question.thresholds, given=False)


def _limit(question: Question) -> str:
    return f"At most {question.seconds:g} s a search. {caching(question.grid.forced)}"


def _as_data(question: Question, objective: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    data = trace_as_data(question.trace, question.grid, question.thresholds)
    asked = {"objective": objective, "forced": question.grid.forced, "time_limit": question.seconds}
    return {**data, **asked, "rows": rows}
