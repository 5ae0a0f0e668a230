"""Tables 1 to 6 and Figures 5 and 6 under a second latency: which of their verdicts hang on the first.

The first is 71.7 us per uncached token, cached ones free, as in Section 2 of the paper. The second was fitted to
the same timings of an A100, with attention and a floor (docs/latency.md); xi is the most uncached tokens that keep
the SLO under it, and a turn is late by its TTFT. No measured TTFT is in either. Every row is decided anew, by its
own rule; a row whose numbers are the same under both is no case, as then nothing was tried.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

from proofs_checks.tail_optimized import figures_5_6, tables_1_to_6
from proofs_checks.tail_optimized.instances.paper_runs import ONLINE_SEEDS, TOGETHER, Sampled
from teltheory.claims.claim import Cells, Claim, Placed, Rule, Values, rows
from teltheory.claims.origin import reading
from teltheory.claims.search import decide
from teltheory.claims.verdict import Verdict
from teltheory.cost.latency import LatencyModel
from teltheory.paper.grid import SECOND_LATENCY

CELLS, CHANGED = "rows", "other verdicts"
FIRST, SECOND = "verdict", "with attention"
TABLES: tuple[Claim[Any], ...] = (
    tables_1_to_6.table_1,
    tables_1_to_6.table_1_headings,
    tables_1_to_6.table_2,
    tables_1_to_6.table_3,
    tables_1_to_6.table_3_headings,
    tables_1_to_6.table_4,
    tables_1_to_6.table_5,
    tables_1_to_6.table_6,
)
FIGURES: tuple[Claim[Any], ...] = (
    figures_5_6.figure_5,
    figures_5_6.figure_5_p99,
    figures_5_6.figure_5_median,
    figures_5_6.figure_6,
)


@dataclass(frozen=True)
class Again(Placed):
    """A row of the ledger that is decided under both latencies."""

    claim: Claim[Any]

    @property
    def row(self) -> str:
        return self.claim.id

    @property
    def column(self) -> str:
        return "verdict / with attention"

    def shown(self, values: Values) -> str:
        """Return both verdicts, and how far the numbers are from the paper's under both."""
        name = values["error"]
        errors = f"{name} {values['first error']:.3g} / {values['second error']:.3g}"
        return f"{values[FIRST]} / {values[SECOND]} ({errors})"


def under(claim: Claim[Any], latency: LatencyModel) -> Claim[Any]:
    """Return a row whose cells are replayed under another latency."""
    cells: Sampled[Any] = cast("Sampled[Any]", claim.space)
    listed = tuple(replace(cell, latency=latency) for cell in cells.listed)
    return replace(claim, space=replace(cells, listed=listed))


def under_both(case: Again) -> Values | None:
    """Return the verdicts under both latencies; None if these give the same numbers."""
    first, second = decide(case.claim), decide(under(case.claim, SECOND_LATENCY))
    if _numbers(first) == _numbers(second):
        return None
    error = str(_numbers(first)["error"])
    errors = {
        name: _numbers(of)["counts"][error] for name, of in (("first error", first), ("second error", second))
    }
    return {FIRST: first.verdict, SECOND: second.verdict, "error": error, **errors}


def _numbers(verdict: Verdict) -> Values:
    return verdict.numbers or {}


def changed(cells: Cells) -> Values:
    """Count the rows that have another verdict."""
    return {CELLS: len(cells), CHANGED: sum(cell[FIRST] != cell[SECOND] for cell in cells)}


row = rows(sampled=True, together=TOGETHER)
second_latency = row(
    "sensitivity.latency",
    "Tables 1 to 6 and Figures 5 and 6 have the same verdicts under a TTFT with attention and a floor.",
    source="Tables 1 to 6, Figures 5 and 6",
    origin=reading("the paper's TTFT is linear in the uncached tokens; here it has attention and a floor"),
    relation=lambda counts: not counts[CHANGED],
    space=Sampled(
        tuple(Again(claim) for claim in (*TABLES, *FIGURES)),
        f"rows of tables and figures, decided again; with attention TTFT is {SECOND_LATENCY.name}",
        ("wildchat", "sharegpt"),
        ONLINE_SEEDS,
    ),
    rule=Rule("Every row has the same verdict under both latencies.", changed),
)(under_both)
