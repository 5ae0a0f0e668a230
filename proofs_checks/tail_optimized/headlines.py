"""The numbers of the paper's abstract, introduction and conclusion, and those that its text gives of a table.

Each sentence is held against the paper's own tables, in fractions: a printed number stands for all that round
to it, both ends included. So these rows say whether the text agrees with the tables, and nothing about an
experiment. Of a range, as in 2-8 %, the smallest and the largest of the numbers that it speaks of must round
to its ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from proofs_checks.tail_optimized.figures_1_2 import FIGURE_2, FIGURE_2_OF_V1
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim, Values, claim
from teltheory.claims.listed import ToldCase
from teltheory.claims.origin import BOTH, PMLR, V1, Origin, reading
from teltheory.claims.worlds import Given
from teltheory.paper import printed as paper
from teltheory.paper.printed import CAPACITIES, SLO_MS, PrintedTable
from teltheory.policies import LRU, TLRU

SAID, FOUND = "said", "in the tables"
TENTH, WHOLE, TEN = Fraction(1, 10), Fraction(1), Fraction(10)


@dataclass(frozen=True)
class Sentence(ToldCase):
    """Numbers of a sentence and those of the paper's tables that it speaks of, in per cent.

    `digit` is the value of the last digit that the sentence prints.
    """

    what: str
    said: tuple[Fraction, ...]
    found: tuple[Fraction, ...]
    digit: Fraction

    def measures(self) -> dict[str, int]:
        return {"numbers": len(self.said)}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        plain = {name: [f"{float(number):g}" for number in values[name]] for name in (SAID, FOUND)}
        return {"what": self.what, "values": plain}


def both(case: Sentence) -> Values:
    """Return what the sentence says and what the tables have."""
    return {SAID: case.said, FOUND: case.found, "half a digit": case.digit / 2}


def rounded_to(values: Values) -> bool:
    """Whether every number of the tables rounds to the sentence's."""
    pairs = zip(values[SAID], values[FOUND], strict=True)
    return all(abs(said - found) <= values["half a digit"] for said, found in pairs)


def improvements(table: PrintedTable, metric: str, against: str, xi_ms: int | None = None) -> list[list[Fraction]]:
    """Return a table's improvements of a measure, a list for each capacity, at one threshold or all."""
    columns = [
        c for c in table.columns if c.metric == metric and c.against == against and xi_ms in (None, c.xi_ms)
    ]
    return [[table.at(capacity, column) for column in columns] for capacity in CAPACITIES]


def largest(rows: Iterable[Iterable[Fraction]]) -> Fraction:
    """Return the largest improvement."""
    return max(map(max, rows))


def ends(rows: Iterable[Iterable[Fraction]]) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest of each capacity's best improvement."""
    best = [max(row) for row in rows]
    return min(best), max(best)


def sentence(
    id: str,
    source: str,
    statement: str,
    what: str,
    said: str,
    found: Sequence[Fraction],
    digit: Fraction = TENTH,
    origin: Origin = BOTH,
) -> Claim[Sentence]:
    """Return the claim that a sentence, which says some numbers, says what the tables have."""
    case = Sentence(what, tuple(map(Fraction, said.split())), tuple(found), digit)
    space = Given((case,), f"{what}, in fractions")
    return Claim(f"headline.{id}", source, statement, both, rounded_to, space, origin, "arithmetic")


AT_SLO = improvements(paper.TABLE_2, "above", "lru", SLO_MS)
STRONGEST = [
    list(map(min, *(improvements(paper.TABLE_2, "above", base)[i] for base in ("lru", "threshold-lru"))))
    for i in range(len(CAPACITIES))
]
SHAREGPT = [improvements(paper.TABLE_6, "above", "lru", xi) for xi in (None, SLO_MS)]

p90 = sentence(
    "p90",
    "Abstract and Section 4.2, with Table 1",
    "T-LRU reduces P90 by up to 27.5 % compared to LRU.",
    "largest P90 improvement",
    "27.5",
    [largest(improvements(paper.TABLE_1_V1, "p90", "lru"))],
)
p95 = sentence(
    "p95",
    "Abstract, Sections 1 and 4.2, with Table 1",
    "T-LRU reduces P95 by up to 23.9 % compared to LRU.",
    "largest P95 improvement",
    "23.9",
    [largest(improvements(paper.TABLE_1_V1, "p95", "lru"))],
)
violations = sentence(
    "violations",
    "Section 1 (and the abstract of version 1 on arXiv, which names no baseline), with Table 2",
    "T-LRU decreases SLO violations by up to 38.9 % compared with the strongest baseline.",
    "largest of the smaller of both reductions, against LRU and Threshold-LRU",
    "38.9",
    [largest(STRONGEST)],
)
violations_forty = sentence(
    "violations.forty",
    "Abstract, with Table 2",
    "T-LRU decreases SLO violations of 200 ms by up to 40 % compared to LRU.",
    "largest reduction against LRU",
    "40",
    [largest(improvements(paper.TABLE_2, "above", "lru"))],
    TEN,
    PMLR,
)
violations_range = sentence(
    "violations.range",
    "Section 4.3, with Table 2",
    "With xi at the SLO of 200 ms T-LRU reduces violations by between 8.8 % (small cache) and 40.7 % (large "
    "cache) compared to LRU.",
    "reductions at the smallest and the largest C, then the smallest and the largest",
    "8.8 40.7 8.8 40.7",
    [AT_SLO[0][0], AT_SLO[-1][0], *ends(AT_SLO)],
)
sharegpt = sentence(
    "sharegpt",
    "Appendix G.2, with Tables 4 and 5",
    "On ShareGPT T-LRU trims P90 by up to 10 % and P95 by up to 7 % against LRU and Threshold-LRU.",
    "largest P90 and P95 improvements of Table 4, then of Table 5",
    "10 7 10 7",
    [
        largest(improvements(table, metric, against))
        for (table, against), metric in product(
            ((paper.TABLE_4, "lru"), (paper.TABLE_5, "threshold-lru")), ("p90", "p95")
        )
    ],
    WHOLE,
)
SHAREGPT_SAID = (
    "On ShareGPT, with an SLO of 200 ms, T-LRU cuts the share of requests above it by 2-8 % across capacities"
)
sharegpt_violations = sentence(
    "sharegpt.violations",
    "Appendix G.2, with Table 6",
    f"{SHAREGPT_SAID}: each capacity's best xi against LRU.",
    "smallest and largest of each capacity's best reduction",
    "2 8",
    ends(SHAREGPT[0]),
    WHOLE,
    reading("each capacity's best xi"),
)
sharegpt_at_slo = sentence(
    "sharegpt.violations.at-slo",
    "Appendix G.2, with Table 6",
    f"{SHAREGPT_SAID}: xi = 200 ms against LRU.",
    "smallest and largest reduction at xi = 200 ms",
    "2 8",
    ends(SHAREGPT[1]),
    WHOLE,
    reading("xi at the SLO, as in Section 4.3"),
)
p95_range = sentence(
    "p95-range",
    "Section 6 of version 1 on arXiv, with Table 1",
    "T-LRU achieves e.g. 20-30 % improvement in P95.",
    "smallest and largest of each capacity's best P95 improvement",
    "20 30",
    ends(improvements(paper.TABLE_1_V1, "p95", "lru")),
    TEN,
    V1,
)


def largest_uncached(case: Case) -> Values:
    """Return the largest uncached count under LRU and under T-LRU, and the smallest that is possible.

    The first turn finds an empty cache, so that no policy is below its prompt.
    """
    lru, tlru = max(case.uncached(LRU())), max(case.uncached(TLRU(case.xi, case.q_hat)))
    return {"LRU": lru, "T-LRU": tlru, "optimum": case.world.turns[0][1]}


gap = claim(
    "headline.gap",
    "Figure 2",
    "In Figure 2, xi = 160, T-LRU improves on LRU by 50 blocks, closing 50 % of the gap to the hindsight optimum.",
    relation=lambda values: 2 * (values["LRU"] - values["T-LRU"]) == 100 == values["LRU"] - values["optimum"],
    space=Given((FIGURE_2,), "the figure's three turns"),
    origin=PMLR,
)(largest_uncached)

gap_v1 = claim(
    "headline.gap.v1",
    "Figure 1 of version 1 on arXiv",
    "In that figure, xi = 150, T-LRU improves on LRU by 25 %.",
    relation=lambda values: bool(4 * (values["LRU"] - values["T-LRU"]) == values["LRU"]),
    space=Given((FIGURE_2_OF_V1,), "the figure's three turns"),
    origin=V1,
)(largest_uncached)
