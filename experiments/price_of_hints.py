"""The price list of information on 26 recorded agent sessions: what each hint is worth, by capacity and pressure.

    python -m experiments.price_of_hints FOLDER [--data ../shared/data] [--draws 20] [--workers 2]

FOLDER gets the table (price_of_hints.csv: a row a draw, cell, policy and hints) and what has been computed
(prices.store). Nothing says when the recorded sessions start: they are drawn, a start in 100 or in 20 seconds. An
end is announced with an agent's last response; draws 1 to 5 are listed with ends at its last request too, as a
prototype had them. Blocks are kept 300 s after responses that do not end a turn.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import teltheory as tt
from teltheory.model.display import percent
from teltheory.paper.script import errors_in_one_line, markdown, say
from teltheory.paper.tidy import TableRow, one_of, write_rows
from teltheory.sweep.marginals import Distance, share
from teltheory.sweep.price_text import pair
from teltheory.sweep.prices import PricedRow, PricesAt
from teltheory.workloads import Times

SESSIONS = "claude_code_sessions"
CELLS = (("500k", 0.01), ("1M", 0.01), ("1M", 0.05), ("500k", 0.05))
SLO = "2s"
KEPT = tt.Announcement(retain={"tool_use": "300s", "": "300s"})
MOST = 32
"""Constants of a family that are tried."""
RESPONSE, REQUEST = "response", "request"
FIRST = 5
"""Draws that are listed one by one, from seed 1."""
LISTED = (
    "lru", "tlru", "lru + close", "lru + superseded", "lru + close + superseded", "tlru + close",
    "tlru + close + superseded", "tlru + close, 300 s late", "tlru + close, 1800 s late",
    "tlru + close, after end_turn alone", "tlru + close + resume", "lru + retain", "tlru, never read again",
)  # fmt: skip
SHOWN = (
    "tlru", "lru + close", "lru + close + superseded", "tlru + close", "tlru + close + superseded",
    "tlru + close, 300 s late", "tlru + close, 1800 s late", "tlru + close, 50.0 % missing",
    "tlru + close, 50.0 % too early too", "tlru + close, after end_turn alone", "tlru + close + resume",
    "tlru + close + resume, error 1", "tlru + close + resume, one wait for all", "tlru + close, once idle",
    "lru + retain", "tlru + resume", "tlru + resume, learnt", "tlru + close, learnt", "return-aware",
    "tlru, never read again",
)  # fmt: skip
TIMED = (*SHOWN[:2], *SHOWN[3:6], SHOWN[10], SHOWN[-1])


@dataclass(frozen=True)
class Row(TableRow):
    """One policy with its hints in one draw of a cell; TEL is in blocks, a mean over seeds if there are some."""

    rate: float
    capacity: int
    end: Annotated[str, one_of(RESPONSE, REQUEST)]
    draw: int
    kind: str
    name: str
    tel: float
    lru: float
    lower: float
    upper: float
    prefilled: float
    p50: float
    p95: float
    ONCE: ClassVar[tuple[str, ...]] = ("rate", "capacity", "end", "draw", "name")


@dataclass(frozen=True)
class Priced:
    """The list of a cell, and where ends are announced."""

    rate: float
    end: str
    place: PricesAt

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the table."""
        for one in self.place.priced:
            for i, (drawn, tel, base) in enumerate(zip(one.rows, one.tels, self.place.distances, strict=True)):
                sides = map(float, (tel, base.lru, base.lower, base.upper))
                work = (
                    sum(getattr(row, name) for row in drawn) / len(drawn) for name in ("prefilled", "p50", "p95")
                )
                cell = self.rate, drawn[0].capacity, self.end, i + 1, one.kind, one.name
                yield Row(*cell, *sides, *work)

    def named(self, name: str) -> PricedRow:
        """Return what has a name."""
        return next(one for one in self.place.priced if one.name == name)

    @property
    def called(self) -> str:
        """The cell in a heading."""
        row = self.place.row
        return f"{row.capacity // row.unit:,}, rate {self.rate:g}"


def drawn(data: Path, rate: float, draws: int, end: str) -> list[Any]:
    """Return the sessions as often as their starts are drawn; an end is a response's, or its request's."""
    read = [read_once(data / SESSIONS, rate, seed) for seed in range(1, draws + 1)]
    if end == RESPONSE:
        return read
    return [one.with_hints(replace(one.hints, done=None)) for one in read if one.hints is not None]


@lru_cache(maxsize=20)
def read_once(sessions: Path, rate: float, seed: int) -> tt.Forest:
    """Return the sessions with drawn starts; the draws of one rate are read once."""
    return tt.read_trace(sessions, times=Times(None, rate, seed)).forest


def priced(data: Path, folder: Path, draws: int, workers: int) -> Iterator[Priced]:
    """Yield the list of each cell, with ends at responses of all draws and at requests of the first ones."""
    how: dict[str, Any] = {"announced": KEPT, "workers": workers, "store": folder / "prices.store"}
    for capacity, rate in CELLS:
        for end, number in ((RESPONSE, draws), (REQUEST, FIRST)):
            traces = {SESSIONS: drawn(data, rate, number, end)}
            (place,) = tt.price_of_hints(traces, "tlru", [capacity], [SLO], most=MOST, **how).places
            yield Priced(rate, end, place)


def each_draw(found: Priced) -> Iterator[str]:
    """Yield the TEL of each of the first draws as a table in Markdown, in blocks."""
    yield f"### {found.called}: TEL of draws 1 to {FIRST}, ends at the last {found.end}"
    yield ""
    tels = ((name, *(f"{float(tel):,.0f}" for tel in found.named(name).tels[:FIRST])) for name in LISTED)
    best = ("the optimum", *(f"{float(one.lower):,.0f}" for one in found.place.distances[:FIRST]))
    yield from markdown(("policy and hints", *map(str, range(1, 1 + len(best[1:])))), (*tels, best), "lrrrrr")
    yield ""


def pooled(one: PricedRow, of: Sequence[Distance], draws: int) -> str:
    """Return the share in per cent that the first draws close together, and the mean of prefill over LRU's."""
    some, bases = replace(one, rows=one.rows[:draws]), of[:draws]
    found = share([base.saved_by(tel) for base, tel in zip(bases, some.tels, strict=True)], bases)
    over = some.over or (0, 0)
    closed = "" if found is None else f"{float(100 * found[0]):.0f}"
    work = [1 + (row.price or 0) for drawn in some.rows for row in drawn]
    return f"{closed} ({sum(work) / len(work):.2f}){' ±' * (over[0] < 0 < over[1])}"


def beside(lists: Sequence[Priced], end: str, draws: int, names: Sequence[str]) -> Iterator[str]:
    """Yield the shares that are closed in the first draws together, in per cent, with prefill against LRU."""
    some = [one for one in lists if one.end == end]
    yield f"### Shares of draws 1 to {draws} together, in per cent (prefill), ends at the last {end}"
    yield ""
    rows = ((name, *(pooled(one.named(name), one.place.distances, draws) for one in some)) for name in names)
    yield from markdown(("policy and hints", *(one.called for one in some)), rows, "l" + "r" * len(some))
    yield ""


def worths(found: Priced) -> Iterator[str]:
    """Yield what each hint is worth in a cell, over all draws."""
    yield f"### {found.called}: what each closes, {found.place.draws} draws"
    yield ""
    heads = ("", "alone", "last", "least", "most", "mean", "mean, draws")
    names = "alone", "last", "least", "most", "mean"
    rows = (
        (one.player, *(pair(getattr(one, name)) for name in names), ends(one.over) + " ±" * one.changes_sign)
        for one in found.place.worths
    )
    yield from markdown(heads, rows, "lrrrrrr")
    yield ""
    rows = (line(found.named(name)) for name in TIMED)
    yield from markdown(("policy and hints", "closed", "draws", "prefill", "P50 s", "P95 s"), rows, "lrrrrr")
    yield ""


def line(one: PricedRow) -> tuple[str, ...]:
    """Return a policy and hints with what is closed, over draws too, prefill and percentiles."""
    times = (f"{one.percentile(name):.3f}" for name in ("p50", "p95"))
    sign = " ±" if one.over is not None and one.over[0] < 0 < one.over[1] else ""
    return one.name, pair(one.closed), ends(one.over) + sign, f"{one.prefill:.2f}", *times


def ends(over: tuple[float, float] | None) -> str:
    """Return the least and the greatest share of a draw."""
    return "" if over is None else " to ".join(map(percent, over))


def main(arguments: Sequence[str] | None = None) -> None:
    """Price everything, write the table and print what stands in docs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    with errors_in_one_line():
        given.folder.mkdir(parents=True, exist_ok=True)
        lists = list(priced(given.data, given.folder, given.draws, given.workers))
        rows = [row for one in lists for row in one.rows()]
        write_rows(rows, given.folder / "price_of_hints.csv", Row)
    for one in lists:
        say(["", *(worths(one) if one.end == RESPONSE else ())])
    say(["", *beside(lists, RESPONSE, given.draws, SHOWN), *beside(lists, REQUEST, FIRST, LISTED[1:])])
    for one in lists:
        say(["", *each_draw(one)])


if __name__ == "__main__":
    main()
