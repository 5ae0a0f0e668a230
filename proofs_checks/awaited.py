"""The paper's experiments: statements that a table of measurements decides, each with the table it waits for.

No table of these exists yet, so the ledger says `not decidable here` and names what is missing. A row leaves this
file when an experiment writes its table: the check that reads it takes the row's place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from teltheory.claims.claim import Claim, Enumerated, MissingDataError, Unshrunk, Values


class Measurement(Unshrunk):
    """A row of a table of measurements."""

    def size(self) -> tuple[Any, ...]:
        """Return an empty order: the tables are not there."""
        return ()

    def measures(self) -> dict[str, int]:
        """Return nothing."""
        return {}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the values."""
        return {"values": dict(values)}


@dataclass(frozen=True)
class Awaited(Enumerated):
    """A table that is not there yet.

    Attributes
    ----------
    table : str
        What it has to contain.
    """

    table: str

    @property
    def missing(self) -> MissingDataError:
        """What to say of it."""
        return MissingDataError(f"missing: {self.table}")

    def classes(self, effort: str) -> Iterator[Iterator[Measurement]]:
        """Raise MissingDataError."""
        raise self.missing

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return that there is no case yet."""
        return {"cases": "no case yet"}


def awaiting(id: str, source: str, statement: str, table: str) -> Claim[Measurement]:
    """Return a claim that nothing decides before its table is there."""
    space = Awaited(table)

    def undecided(case: object) -> NoReturn:
        raise space.missing

    return Claim(id, source, statement, undecided, undecided, space)


WILDCHAT = "WildChat's first 1,000 to 2,000 turns with arrival times"
SHAREGPT = "ShareGPT with arrival times drawn from the paper's model"
GRID = "C = 1,000 to 10,000 and xi = 50 to 500 ms"
LATENCY = f"the experiment's table of P90, P95 and P99 of TTFT, {GRID}"
VIOLATIONS = f"the experiment's table of turns above 200 ms, {GRID}"
CURVES = "the experiment's table of TTFT percentiles at xi = 100, 200 and 300 ms for every policy"

figure_4 = awaiting(
    "figure-4",
    "Figure 4",
    "Turns a conversation and tokens of WildChat and ShareGPT are distributed as drawn.",
    "the experiment's table of turns and tokens by conversation of WildChat and ShareGPT",
)
table_1 = awaiting(
    "table-1",
    "Table 1",
    "The printed improvements of P90, P95 and P99 of T-LRU over LRU, WildChat.",
    f"{LATENCY}, T-LRU and LRU on {WILDCHAT}",
)
table_2 = awaiting(
    "table-2",
    "Table 2",
    "The printed reductions of turns above 200 ms by T-LRU, WildChat.",
    f"{VIOLATIONS}, T-LRU, LRU and Threshold-LRU on {WILDCHAT}",
)
table_3 = awaiting(
    "table-3",
    "Table 3",
    "The printed improvements of P90, P95 and P99 of T-LRU over Threshold-LRU, WildChat.",
    f"{LATENCY}, T-LRU and Threshold-LRU on {WILDCHAT}",
)
table_4 = awaiting(
    "table-4",
    "Table 4",
    "The printed improvements of P90 and P95 of T-LRU over LRU, ShareGPT.",
    f"{LATENCY}, T-LRU and LRU on {SHAREGPT}",
)
table_5 = awaiting(
    "table-5",
    "Table 5",
    "The printed improvements of P90 and P95 of T-LRU over Threshold-LRU, ShareGPT.",
    f"{LATENCY}, T-LRU and Threshold-LRU on {SHAREGPT}",
)
table_6 = awaiting(
    "table-6",
    "Table 6",
    "The printed reductions of turns above 200 ms by T-LRU, ShareGPT.",
    f"{VIOLATIONS}, T-LRU, LRU and Threshold-LRU on {SHAREGPT}",
)
figure_5 = awaiting(
    "figure-5",
    "Figure 5",
    "T-LRU is better than LRU and Threshold-LRU at the tail, with a slightly higher median, WildChat.",
    f"{CURVES} on {WILDCHAT}",
)
figure_6 = awaiting(
    "figure-6",
    "Figure 6",
    "T-LRU, End-Aware and Length-Aware T-LRU are all close to Tail-Optimized Belady, ShareGPT.",
    f"{CURVES} on {SHAREGPT}",
)
peak = awaiting(
    "sensitivity.peak",
    "Section 4.2, sensitivity to the threshold",
    "The best xi on the grid for a percentile is the grid value nearest to that percentile under LRU, or a "
    "neighbour of it.",
    f"{LATENCY}, T-LRU and LRU, the percentiles under LRU at every C included",
)
end_aware = awaiting(
    "prediction.end-aware",
    "Appendix G.1",
    "TEL(T-LRU) - TEL(End-Aware) > TEL(End-Aware) - TEL(Length-Aware).",
    f"the experiment's table of TEL under T-LRU, End-Aware and Length-Aware T-LRU on {WILDCHAT}",
)
poisson = awaiting(
    "prediction.poisson",
    "Appendix G.2",
    "Under Poisson arrivals End- and Length-Aware T-LRU close less than a tenth of the distance in TEL from T-LRU "
    "to Tail-Optimized Belady.",
    "the experiment's table of TEL under T-LRU, its variants and Tail-Optimized Belady on conversations like "
    "ShareGPT's with Poisson arrivals",
)


if __name__ == "__main__":
    from teltheory.cli import main

    main(["verify", "--section", "awaited"])
