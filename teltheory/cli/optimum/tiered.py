"""The search behind `teltheory optimum` for the least TEL in tiers of memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from rich.table import Table

from teltheory.cli.asked.prefixes import PRIVATE
from teltheory.cli.asked.question import Asked
from teltheory.cli.optimum.certificate import TIERS, Certified
from teltheory.cli.optimum.searches import CertifiedRow
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.replay.served_tables import tels_text, tiers_text
from teltheory.cost.goals import TEL
from teltheory.model.display import percent
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.problem import Problem

LEGEND = (
    "lower: no policy has less TEL in these tiers, by a certificate that check-certificate evaluates. found: the "
    "best plan known. optimum: both are the same. hit i: share of the input reused from tier i. gap: (found - "
    "lower) / found."
)


@dataclass(frozen=True)
class TieredSearch:
    """What is asked, the tiers, and the method."""

    asked: Asked
    places: Sequence[Tiers]
    method: Any
    time_limit: float | None

    @property
    def rows_a_capacity(self) -> int:
        """Number of rows for each choice of tiers: one a threshold."""
        return len(self.asked.grid.thresholds)

    def at(self, tiers: Tiers) -> Iterator[CertifiedRow]:
        """Yield the rows of tiers, which are in tokens."""
        for xi in self.asked.grid.thresholds:
            yield self._least_tel(tiers, xi)

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        return [*self.asked.lines(), f"{LEGEND} {self.asked.caching}"]

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data; TEL of shared prefixes is in blocks."""
        return {**self.asked.as_data(), "objective": TEL, "time_limit": self.time_limit, "rows": rows}

    def _least_tel(self, tiers: Tiers, xi: int) -> CertifiedRow:
        requests, problem = self.asked.requests, self.asked.at(tiers, xi, cache="strict", running=1)
        best = problem.optimum(self.method, self.time_limit)
        row = {"tiers": tiers.as_dict(), "xi": xi, "lower": float(best.lower), "upper": float(best.upper)}
        row |= {"optimum": None if best.objective is None else float(best.objective), "method": best.method}
        row |= {"gap": float(best.relative_gap), "by_solver": best.by_solver}
        row |= {"hit_rates": _hits(best.outcome), "policies": _beside(problem)}
        read = replace(self.asked.prefixes, block_size=requests.block_size) if requests.shared else PRIVATE
        where = (problem.memory, problem.forced, best.certificate, problem.threshold)
        return CertifiedRow(row, Certified(TIERS, *where, read))

    def table(self, rows: Sequence[dict[str, Any]]) -> Table:
        """Return the table: in each choice of tiers the optimum or its two sides, and policies beside it."""
        tiers = range(max(len(place) for place in self.places))
        tel = self.asked.thresholds.heading("TEL")
        named = ("tiers, threshold", "", tel, "vs LRU", *(f"hit {i}" for i in tiers), "gap", "method")
        places = [place for place in self.places for _ in self.asked.grid.thresholds]
        lines = [line for place, row in zip(places, rows, strict=False) for line in self._lines_of(place, row)]
        return plain_table("Hindsight optimum in tiers", named, lines, named[:2])

    def _lines_of(self, tiers: Tiers, row: dict[str, Any]) -> Iterator[tuple[str, ...]]:
        places = tiers_text(tiers), self.asked.thresholds.label(row["xi"])
        for place, cells in zip_longest(places, _worth(row), fillvalue=""):
            yield (place, *cells)


def _beside(problem: Problem) -> dict[str, Any]:
    """Return what policies are worth in the same tiers."""
    found = {}
    for name, policy in (("Tail-Optimized Belady", "tail-optimized-belady"), ("LRU", "lru")):
        outcome = problem.replay(policy)
        found[name] = {"tel": float(problem.tel(outcome)), "hit_rates": _hits(outcome)}
    return found


def _worth(row: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield what is known of the optimum, and of each policy beside it: two lines or more."""
    lru, upper = row["policies"]["LRU"]["tel"], row["upper"]
    found = "found" if row["optimum"] is None else "optimum"
    gap = f"{100 * row['gap']:.2f} %"
    yield (found, tels_text(upper), _change(upper, lru), *_shown(row["hit_rates"]), gap, row["method"])
    if row["optimum"] is None or row["by_solver"]:
        yield ("lower, by solver" if row["by_solver"] else "lower", tels_text(row["lower"]))
    for name, one in row["policies"].items():
        yield (name, tels_text(one["tel"]), _change(one["tel"], lru), *_shown(one["hit_rates"]))


def _hits(outcome: TieredOutcome) -> list[float]:
    return [float(share) for share in outcome.in_tokens().hit_rates]


def _shown(hits: Sequence[float]) -> list[str]:
    return [percent(share) for share in hits]


def _change(tel: float, lru: float) -> str:
    return percent(Fraction(tel - lru) / Fraction(lru) if lru else None)
