"""The searches behind `teltheory optimum`: rows of its table, each with a certificate where there is one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from time import monotonic
from typing import Any

from rich.table import Table

from teltheory.cli.asked.question import Asked
from teltheory.cli.optimum.certificate import Certified, Searched
from teltheory.cli.printed.tables import WORK, WORK_LEGEND, plain_table, work_cells
from teltheory.cost.goals import SLO, TEL, Level
from teltheory.cost.metrics import slo_violations, ttft_quantiles, write_volume
from teltheory.errors import SolverError
from teltheory.model.display import percent
from teltheory.model.numbers import Ratio
from teltheory.model.outcome import Outcome
from teltheory.policies.online import LRU, TLRU

TIME_LIMIT = 60.0
OF_THIS_PLAN = "P50, hit, prefill and written of {} are of this plan: others may have the same {}. " + WORK_LEGEND
BOUNDS = (
    "No policy has {} than proved, by prices that check-certificate evaluates, nor than lower. by solver: on the "
    "word of HiGHS alone. gap: (found - lower) / found."
)
BESIDE = ("lru", "tlru", "lower", "proved")
WORKED = ("p50", "hit_rate", "prefilled", "reused", "written")
"""What is told of the work of a plan."""
GAPS = ["gap", "gap_of_avoidable"]


@dataclass(frozen=True)
class CertifiedRow:
    """A row, its certificate, and what is wrong with it.

    The certificate is None if the method has none, the problem if the row is an answer.
    """

    row: dict[str, Any]
    certificate: Certified | None
    problem: str | None = None
    interrupted: bool = False


def work_of(outcome: Outcome, asked: Asked, who: str = "") -> dict[str, Any]:
    """Return median TTFT, hit rate and volumes as plain data; their names begin with `who`."""
    spent = outcome.in_tokens()
    p50 = float(ttft_quantiles(spent, [0.5], asked.thresholds.latency)[0]) if len(spent) else None
    volumes = (spent.prefilled, spent.reused, write_volume(spent, asked.requests))
    worth = zip(WORKED, (p50, float(spent.hit_rate), *volumes), strict=True)
    return {f"{who}{name}": value for name, value in worth}


@dataclass(frozen=True)
class Search:
    """A goal, and how it is searched for at every capacity."""

    asked: Asked
    goal: str | Level
    method: Any
    time_limit: float | None

    @property
    def places(self) -> Sequence[int]:
        """The capacities."""
        return self.asked.grid.capacities

    @property
    def rows_a_capacity(self) -> int:
        """Number of rows at each capacity: one a threshold, if there are any."""
        return 1 if isinstance(self.goal, Level) else len(self.asked.grid.thresholds)

    @property
    def seconds(self) -> float:
        """Time limit of a search that may never end."""
        return TIME_LIMIT if self.time_limit is None else self.time_limit

    def at(self, capacity: int) -> Iterator[CertifiedRow]:
        """Yield the rows of a capacity."""
        if isinstance(self.goal, Level):
            yield self._least_percentile(capacity, self.goal)
            return
        for xi in self.asked.grid.thresholds:
            yield self._least_tel(capacity, xi) if self.goal == TEL else self._fewest_violations(capacity, xi)

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        if self.goal == TEL:
            return [*self.asked.lines(), OF_THIS_PLAN.format("an optimum", "TEL")]
        plan = f"{OF_THIS_PLAN.format('found', 'value')} At most {self.seconds:g} s a search. {self.asked.caching}"
        if isinstance(self.goal, Level):
            what = (
                f"{self.goal.text} of uncached tokens, and its TTFT. T-LRU has the best of the default thresholds."
            )
            told = f"{what} found: of the best plan that was found. {BOUNDS.format('less')} {plan}"
        else:
            what = f"found: violations of the best plan that was found. {BOUNDS.format('fewer')}"
            told = f"{what} of avoidable: the same against the avoidable ones. {plan}"
        return [*self.asked.lines(), told]

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data."""
        goal = self.goal.text if isinstance(self.goal, Level) else self.goal
        limit = self.time_limit if self.goal == TEL else self.seconds
        return {**self.asked.as_data(), "objective": goal, "time_limit": limit, "rows": rows}

    def table(self, rows: Sequence[dict[str, Any]]) -> Table:
        """Return the table: at each capacity what was found, policies beside it, and bounds."""
        return self._tel_table(rows) if self.goal == TEL else self._bounds_table(rows)

    def _least_tel(self, capacity: int, xi: int) -> CertifiedRow:
        problem = self.asked.at(capacity, xi)
        lru = problem.replay(LRU())
        row = {"capacity": capacity, "xi": xi, "lru": problem.tel(lru), **self._work(lru, "lru_")}
        try:
            best = problem.optimum(self.method, self.time_limit)
        except SolverError as error:
            return self._given_up(row, error)
        incumbent, gap = (None, None) if best.bound is None else (best.objective, best.upper - best.bound)
        found = {"optimum": best.objective, "method": best.method, "status": "optimal", "incumbent": incumbent}
        row |= {**found, "bound": best.bound, "gap": gap, **self._work(best.outcome)}
        if best.certificate is None:
            return CertifiedRow(row, None)
        return CertifiedRow(row, Certified(TEL, capacity, problem.forced, best.certificate, xi))

    def _given_up(self, row: dict[str, Any], error: SolverError) -> CertifiedRow:
        from teltheory.optimal.solver import INTERRUPTED

        numbers = {"incumbent": error.incumbent, "bound": error.bound, "gap": error.gap}
        sides = {name: value if value is not None and isfinite(value) else None for name, value in numbers.items()}
        unknown = dict.fromkeys(("optimum", *WORKED))
        row = {**row, **unknown, "method": self.method, "status": error.status, **sides}
        place = f"capacity {row['capacity']:,}, threshold {self.asked.thresholds.label(row['xi'])}"
        return CertifiedRow(row, None, f"{place}: {error}", error.status == INTERRUPTED)

    def _fewest_violations(self, capacity: int, xi: int) -> CertifiedRow:
        problem, forced, began = self.asked.at(capacity, xi), self.asked.grid.forced, monotonic()
        row = {"capacity": capacity, "xi": xi, **self._beside(capacity, xi, lambda one: slo_violations(one, xi))}
        best = problem.fewest_violations(method=self.method, time_limit=self.seconds)
        row |= {"violations": best.upper, **self._searched(best, began), "method": best.method}
        row |= {"gap_of_avoidable": float(Ratio(best.gap, max(best.facts["avoidable"], 1)))}
        proof = Searched(best.upper, best.plan, best.proved, best.certificate)
        certificate = Certified(SLO, capacity, forced, proof, xi)
        return CertifiedRow(row, certificate, interrupted=best.status == "interrupted")

    def _least_percentile(self, capacity: int, level: Level) -> CertifiedRow:
        grid, began = self.asked.grid, monotonic()
        best = self.asked.at(capacity).best_percentile(level.text, time_limit=self.seconds)
        found = {"percentile": best.upper, **best.facts, **self._searched(best, began)}
        policies = {xi: self._beside(capacity, xi, lambda one: level.of(one.uncached)) for xi in grid.thresholds}
        xi = min(policies, key=lambda xi: (policies[xi]["tlru"], xi))
        row = {"capacity": capacity, "level": float(level.q), **policies[xi], "tlru_xi": xi, **found}
        if self.asked.thresholds.unit == "s":
            latency = self.asked.thresholds.latency
            row |= {f"{name}_ttft": float(latency.ttft(row[name])) for name in ("percentile", *BESIDE)}
        proof = Searched(best.upper, best.outcome.cached, best.proved, best.certificate)
        certificate = Certified(level, capacity, grid.forced, proof)
        return CertifiedRow(row, certificate, interrupted=best.status == "interrupted")

    def _beside(self, capacity: int, xi: int, worth: Callable[[Outcome], int]) -> dict[str, Any]:
        """Return what LRU and T-LRU with the grid's prompt estimate are worth, and their work."""
        found: dict[str, Any] = {}
        for name, policy in (("lru", LRU()), ("tlru", TLRU(xi, self.asked.grid.q_hat or 0))):
            outcome = self.asked.at(capacity).replay(policy)
            found |= {name: worth(outcome), **self._work(outcome, f"{name}_")}
        return found

    def _work(self, outcome: Outcome, who: str = "") -> dict[str, Any]:
        return work_of(outcome, self.asked, who)

    def _searched(self, best: Any, began: float) -> dict[str, Any]:
        """Return the bounds of a search, how it ended, and the work of the plan that it found."""
        ended = {name: getattr(best, name) for name in ("lower", "by_solver", "proved", "status")}
        return {
            **ended,
            "gap": float(best.relative_gap),
            "seconds": monotonic() - began,
            **self._work(best.outcome),
        }

    def _tel_table(self, rows: Sequence[dict[str, Any]]) -> Table:
        thresholds = self.asked.thresholds
        asked = any(row["bound"] is not None or row["status"] != "optimal" for row in rows)
        lines: list[tuple[str, ...]] = []
        for row in rows:
            best, lru = row["optimum"], row["lru"]
            change = Fraction(best - lru, lru) if lru and best is not None else None
            tel = best if row["incumbent"] is None else row["incumbent"]
            found = (
                "incumbent" if asked else "optimum",
                tenths(tel),
                percent(change),
                *work_cells(row, thresholds),
            )
            ended = (tenths(row["gap"]), row["status"]) if asked else ()
            place = (f"{row['capacity']:,}", thresholds.label(row["xi"]))
            lines.append((*place, *found, *ended, row["method"]))
            lines.append(("", "", "LRU", f"{lru:,}", "", *work_cells(row, thresholds, "lru_")))
            lines += [("", "", "bound", tenths(row["bound"]))] if asked else []
        ends = ("gap", "status", "method") if asked else ("method",)
        return self._table("Hindsight optimum", "threshold", ("TEL", "vs LRU", *WORK, *ends), lines)

    def _bounds_table(self, rows: Sequence[dict[str, Any]]) -> Table:
        """Return for each search its plan and how it ended, LRU and T-LRU beside it, and its bounds."""
        thresholds, level = self.asked.thresholds, self.goal.text if isinstance(self.goal, Level) else ""
        timed = (f"{level} s",) if level and thresholds.unit == "s" else ()
        found, xi, gaps = ("percentile", "tlru_xi", ["gap"]) if level else ("violations", "xi", GAPS)

        def values(row: dict[str, Any], name: str) -> tuple[str, ...]:
            return (f"{row[name]:,}", *(thresholds.shown(row[f"{name}_ttft"]) for _ in timed))

        lines: list[tuple[str, ...]] = []
        for row in rows:
            ended = (*(f"{100 * row[gap]:.2f} %" for gap in gaps), row["status"], f"{row['seconds']:.1f}")
            place = (f"{row['capacity']:,}", thresholds.label(row[xi]))
            lines.append((*place, "found", *values(row, found), *work_cells(row, thresholds), *ended))
            for name, shown in (("lru", "LRU"), ("tlru", "T-LRU")):
                lines.append(("", "", shown, *values(row, name), *work_cells(row, thresholds, f"{name}_")))
            lines.append(("", "", "lower, by solver" if row["by_solver"] else "lower", *values(row, "lower")))
            lines.append(("", "", "proved", *values(row, "proved")))
        ends = (*(("gap",) if level else ("gap", "of\navoidable")), "status", "time s")
        if level:
            title, second = f"Smallest {level} of uncached tokens", "T-LRU's threshold"
            return self._table(title, second, ("tokens", *timed, *WORK, *ends), lines)
        return self._table("Fewest violations", "threshold", ("slow", *WORK, *ends), lines)

    def _table(self, title: str, second: str, columns: Sequence[str], lines: list[tuple[str, ...]]) -> Table:
        heads = ("capacity", second, "", *map(self.asked.thresholds.heading, columns))
        return plain_table(title, heads, lines, (second, ""))


def tenths(value: float | None) -> str:
    """Return a number to a tenth, as a table shows it."""
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")
