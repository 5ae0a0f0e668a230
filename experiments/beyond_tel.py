"""Policies against the least TEL, the fewest violations and the best P95: one tidy table, and one to read.

    python -m experiments.beyond_tel TRACE TABLE.csv

Capacities of 0.3 M, 1 M and 3 M tokens, thresholds of 0.5 to 5 seconds. Regret is the distance to the bound that
no policy passes: the optimal TEL, the lower bound on violations, the lower bound on P95. The closed share is that
of LRU's distance to the same bound. Each search has a minute.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.spec import default_estimate

CAPACITIES = (300_000, 1_000_000, 3_000_000)
SLO_SECONDS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3), Fraction(5))
Q = 0.95
MEASURES = ("tel", "violations", "p95")
LATENCY = tt.A100_LLAMA2_7B
TIME_LIMIT = 60.0
"""Seconds of a search."""


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """What a policy, a plan or a bound is worth at one capacity and threshold.

    Attributes
    ----------
    slo : float
        The threshold, in seconds.
    name, status : str
        Policy, plan or bound. Of a plan: how its search ended. Of the bound: which measures have it by the solver.
    tel, violations, p95 : int or None
        In tokens, turns and tokens; a plan has only what it is a plan for.
    tel_regret, violations_regret, p95_regret : int or None
        The distance to what no policy passes.
    tel_closed, violations_closed, p95_closed : float or None
        The share of LRU's distance to the same that is closed.
    """

    AXES: ClassVar = ("capacity", "slo", "name")

    capacity: int
    slo: float
    xi: int
    name: str
    status: str
    tel: int | None
    violations: int | None
    p95: int | None
    tel_regret: int | None
    violations_regret: int | None
    p95_regret: int | None
    tel_closed: float | None
    violations_closed: float | None
    p95_closed: float | None


Worth = Mapping[str, int]
"""`MEASURES` of a policy, or those that a plan has."""


def beside(worth: Worth, lru: Worth, bound: Worth) -> dict[str, Any]:
    """Return what is worth so much beside LRU and the bound, as the columns of a `Row`."""
    found: dict[str, Any] = {name: worth.get(name) for name in MEASURES}
    for name in MEASURES:
        share = tt.share_closed(lru[name], worth[name], bound[name]) if name in worth else None
        found[f"{name}_regret"] = worth[name] - bound[name] if name in worth else None
        found[f"{name}_closed"] = None if share is None else float(share)
    return found


def measured(outcome: tt.Outcome, xi: int) -> dict[str, int]:
    """Return TEL, violations and P95 of an outcome, in tokens and turns."""
    p95 = int(np.quantile(outcome.uncached, Q, method="inverted_cdf"))
    return {"tel": tt.tail_excess_latency(outcome, xi), "violations": tt.slo_violations(outcome, xi), "p95": p95}


def rows_at(trace: tt.Trace, capacity: int) -> Iterator[Row]:
    """Yield the rows of a capacity, threshold by threshold: policies, plans, bounds."""
    best_p95 = _finished(tt.best_percentile(trace, capacity, Q, time_limit=TIME_LIMIT))
    for slo in SLO_SECONDS:
        xi = LATENCY.threshold(slo)
        fewest = _finished(tt.fewest_violations(trace, capacity, xi, time_limit=TIME_LIMIT))
        worths = {name: measured(out, xi) for name, out in _policies(trace, capacity, xi).items()}
        optimum = tt.hindsight_optimum(trace, capacity, xi).objective
        bound = {"tel": optimum, "violations": fewest.lower, "p95": best_p95.lower}
        plans = {
            "fewest violations": {"violations": fewest.upper},
            "best P95": {"p95": best_p95.upper},
            "bound": bound,
            "bound, by prices": {"violations": fewest.proved, "p95": best_p95.proved},
        }
        solved = [name for name, found in (("slow", fewest), ("P95", best_p95)) if found.by_solver]
        by_solver = f"{', '.join(solved)} by solver" if solved else ""
        ended = {"fewest violations": fewest.status, "best P95": best_p95.status, "bound": by_solver}
        for name, worth in {**worths, **plans}.items():
            found = beside(worth, worths["LRU"], bound)
            yield Row(capacity, float(slo), xi, name, ended.get(name, ""), **found)


def _finished(found: Any) -> Any:
    """Pass on what a search found, and an interrupt, which a search turns into a status."""
    if found.status == "interrupted":
        raise KeyboardInterrupt
    return found


def _policies(trace: tt.Trace, capacity: int, xi: int) -> dict[str, tt.Outcome]:
    q_hat = default_estimate(trace)
    policies = {
        "LRU": tt.LRU(),
        "T-LRU": tt.TLRU(xi, q_hat),
        "End-Aware T-LRU": tt.EndAwareTLRU(xi, q_hat),
        "Tail-Optimized Belady": tt.TailOptimizedBelady(xi),
    }
    return {name: tt.replay(trace, policy, capacity) for name, policy in policies.items()}


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table for each capacity and threshold."""
    names = ("TEL", "slow", "P95 s")
    columns = ("policy, plan or bound", *names, *(f"{name} closed" for name in names))
    for (capacity, slo, xi), section in tidy.grouped(rows, ("capacity", "slo", "xi")).items():
        yield f"\nCapacity {capacity:,} tokens, threshold {slo:g} s = {xi:,} tokens\n"
        yield from markdown(columns, map(_cells, section), "l" + 6 * "r")


def _cells(row: Row) -> list[str]:
    by_solver = f", {row.status}" if row.name == "bound" and row.status else ""
    worth = [shown(measure, getattr(row, measure)) for measure in MEASURES]
    if row.name.startswith("bound"):
        return [row.name + by_solver, *worth, *[""] * 3]
    shares = [getattr(row, f"{measure}_closed") for measure in MEASURES]
    return [row.name, *worth, *("" if share is None else f"{100 * share:.1f} %" for share in shares)]


def shown(measure: str, value: int | None) -> str:
    """Return a measure as the table shows it; P95 in seconds."""
    if value is None:
        return ""
    return f"{LATENCY.ttft(np.array([value]))[0]:.3f}" if measure == "p95" else f"{value:,}"


def main(trace_file: str, target: str) -> Iterator[str]:
    """Search, yield the tables, and write once everything is found."""
    check_place(Path(target), "to write")
    trace, rows = tt.read_trace(trace_file), list[Row]()
    yield (
        f"Q̂ = {default_estimate(trace):,}, TTFT = {LATENCY.name}. slow: turns with a TTFT above the threshold. "
        "closed: share of LRU's distance to the bound. bound: no policy has less; "
        "by solver: on the word of HiGHS alone; by prices: what whole numbers prove without it. Optional caching."
    )
    for capacity in CAPACITIES:
        found = list(rows_at(trace, capacity))
        yield from lines(found)
        rows += found
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
