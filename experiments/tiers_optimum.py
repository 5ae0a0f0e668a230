"""Both sides of the hindsight optimum in two tiers, and what is reached one tier at a time: a tidy table.

    python -m experiments.tiers_optimum TRACE TIERS THRESHOLDS LOAD TABLE.csv

The trace has block hashes; tiers are pairs of capacities in tokens, such as 300k+1M,1M+3M; thresholds are in
tokens too; the load is what a token of the second tier takes to load, in units of what it takes to compute.
TELs of shared prefixes are in blocks, and beside them stand those of a policy in both tiers, a cascade: LRU, and
Tail-Optimized Belady. Private conversations are counted in tokens, and not replayed. Seconds are processor time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import ClassVar

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.model.numbers import read_fraction
from teltheory.model.units import read_tokens
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run

SHARED, PRIVATE = "shared prefixes, in blocks", "private conversations, in tokens"


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """One setting. TELs are floats of exact fractions; capacities and threshold are in tokens."""

    AXES: ClassVar = ("reading", ("first", "second"), "xi")

    reading: str
    first: int
    second: int
    xi: int
    lru: float | None
    belady: float | None
    lower: float
    upper: float
    prices: int
    seconds: float

    @property
    def gap(self) -> str:
        """Upper above lower, of upper."""
        return f"{(self.upper - self.lower) / self.upper:.2%}" if self.upper else "0.00%"


def rows_of(
    requests: tt.Trace | tt.Forest, pairs: Sequence[tuple[int, int]], thresholds: Sequence[int], load: Fraction
) -> Iterator[Row]:
    """Yield a row for each setting; a forest is replayed too."""
    unit, replays = requests.block_size, isinstance(requests, tt.Forest)
    for sizes in pairs:
        tiers = tt.Tiers([size // unit for size in sizes], (0, load))
        lru = tt.replay(requests, tt.LRU(), tiers) if replays else None
        for tokens in thresholds:
            xi = tokens // unit
            belady = tt.replay(requests, tt.TailOptimizedBelady(xi), tiers) if replays else None
            reading = SHARED if replays else PRIVATE
            lower, upper, prices, seconds = _sides(requests, tiers, xi)
            tels = _tel(lru, xi), _tel(belady, xi)
            yield Row(reading, *sizes, tokens, *tels, lower, upper, prices, seconds)


def _tel(outcome: tt.TieredOutcome | None, xi: int) -> float | None:
    return None if outcome is None else float(tt.tail_excess_latency(outcome, xi))


def _sides(requests: tt.Trace | tt.Forest, tiers: tt.Tiers, xi: int) -> tuple[float, float, int, float]:
    """Return both sides, how many prices prove the lower one, and the seconds to find and check them."""
    begin = process_time()
    best = tt.hindsight_optimum(requests, tiers, xi)
    tt.check_certificate(requests, tiers, xi, best.certificate)
    return float(best.lower), float(best.upper), len(best.certificate.steps), process_time() - begin


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table of rows of one reading."""
    replays = ("LRU cascade", "Tail-Optimized Belady cascade") if rows[0].lru is not None else ()
    columns = ("tiers", "threshold", *replays, "lower", "upper", "gap", "prices")
    yield from markdown(columns, map(_cells, rows), "r" * len(columns))


def _cells(row: Row) -> list[str]:
    tels = (f"{tel:,.1f}" for tel in (row.lru, row.belady, row.lower, row.upper) if tel is not None)
    return [f"{row.first:,} + {row.second:,}", f"{row.xi:,}", *tels, row.gap, f"{row.prices:,}"]


def read_tiers(text: str) -> list[tuple[int, int]]:
    """Read pairs of capacities in tokens."""
    pairs = [tuple(read_tokens("tiers", part) for part in pair.split("+")) for pair in text.split(",")]
    for pair in pairs:
        if len(pair) != 2:
            raise tt.ArgumentError("tiers", text, "pairs of capacities such as 300k+1M,1M+3M")
    return [(first, second) for first, second in pairs]


def main(trace_file: str, tiers: str, thresholds: str, load: str, target: str) -> Iterator[str]:
    """Find the optima, yield a table for each reading, and write them as one."""
    check_place(Path(target), "to write")
    pairs, asked = read_tiers(tiers), [read_tokens("thresholds", one) for one in thresholds.split(",")]
    rho = read_fraction("load", load, "a fraction such as 0.3")
    trace, rows = tt.read_trace(trace_file), list[Row]()
    for requests in (trace.forest, trace):
        found = list(rows_of(requests, pairs, asked, rho))
        yield f"{found[0].reading.capitalize()}:"
        yield ""
        yield from lines(found)
        yield ""
        seconds = sum(row.seconds for row in found)
        yield f"{len(found)} optima and the checks of their certificates took {seconds:.1f} s."
        yield ""
        rows += found
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
