"""The board: every policy beside LRU, the optimum and each other, as rows and as one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from teltheory.base.progress import Progress
from teltheory.base.whole_files import write_whole
from teltheory.cost.given import LatencyGiven, Model, latency_of, refuse_file
from teltheory.cost.standing import DRAWS
from teltheory.errors import ArgumentError
from teltheory.model.clusters import clustered, named
from teltheory.model.display import percent, tokens_in_short
from teltheory.model.tables import Tabular
from teltheory.model.units import read_time
from teltheory.policies.spec import CLAIRVOYANT, ONLINE
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.sweep import ForestAtHand, Store, TraceAtHand, sweep
from teltheory.sweep.board_page import page_of, table_of
from teltheory.sweep.cells import Cells, columns_of
from teltheory.sweep.compared import (
    CACHES,
    CONVERSATIONS,
    GROUPS,
    BoardRow,
    ComparedGrid,
    blanks,
    requests_in,
)
from teltheory.sweep.grid import Grid

MEASURES = ("hit", "prefill", "price", "slow", "TEL", "gain", "gain 95 %", "rank", "regret", "closed")
LEGEND = (
    "price: change of the tokens computed against LRU. gain: share of LRU's TEL that the policy is below it, with "
    "its 95 % interval, each by itself; = is tied with LRU. rank: policies of the table that are proved worse. "
    "regret: TEL above the hindsight optimum of this cache. closed: share of LRU's distance to it. Both have two "
    "numbers where the optimum is known between two sides."
)
TIED = " ="
EVERY = (*ONLINE, *CLAIRVOYANT)


@dataclass(frozen=True)
class Board(Tabular):
    """Rows of policies in their places; a table too. `unit` is of percentiles: "s", or "tok" without a latency."""

    rows: tuple[BoardRow, ...]
    unit: str = "s"

    def _table(self) -> dict[str, Any]:
        return columns_of(self.as_dict()["rows"])

    def as_dict(self) -> dict[str, Any]:
        """Return the board as plain data."""
        return {"notes": notes_of(self.rows), "rows": [row.as_dict() for row in self.rows]}

    def to_html(self, path: str | Path) -> None:
        """Write the board as one page that loads nothing: a click on a heading sorts, a word sifts rows."""
        page = page_of("Board of policies", LEGEND, notes_of(self.rows), _tables(self))
        write_whole(Path(path), lambda beside: beside.write_bytes(page.encode("utf-8", "backslashreplace")))


def compare(
    traces: Mapping[str, Any] | Any,
    policies: Sequence[Any] | None = None,
    capacities: Sequence[int | str] = (),
    slo: Sequence[str] = (),
    *,
    xi: Sequence[int | str] = (),
    caches: Sequence[str] | None = None,
    rules: Rules | str | Sequence[Rules | str] = (),
    q_hat: int | str | None = None,
    forced: bool = False,
    latency: LatencyGiven | None = None,
    model: Model | None = None,
    workers: int | None = 1,
    store: Store | str | Path | None = None,
    scheduler: str | None = None,
    progress: Progress = None,
) -> Board:
    """Replay every policy on every trace, and show each beside LRU, the optimum and the others.

    Parameters
    ----------
    traces : mapping of str to Trace or Forest, or one of them
        What is replayed, by the name that rows have.
    policies : sequence of str, policy or class, optional
        As in `Grid`; left out, those that need no file and no fit. ``"mine.py:Class"`` is a policy of a file.
    capacities, slo, xi : sequences
        Capacities; thresholds as times such as ``"2s"``; thresholds as lengths. Text is in tokens, a number in the
        unit of the trace or forest given.
    caches : sequence of {"conversations", "strict", "holes"}, optional
        Private conversations, or blocks that requests share, which may or may not outlive their parents. Left
        out, conversations of a trace, strict of a forest.
    rules : Rules, str, or a sequence of them
        What engines' caches do, as in `Problem`: each is a cache more, forced if its requests hold their paths.
    q_hat, forced, latency, model : as in `Grid`
    workers, store, scheduler, progress : as in `sweep`

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError, FileError, WorkerError
    """
    several, every = _named(traces), EVERY if policies is None else policies
    _check({"policies": every, "capacities": capacities, "slo": slo, "xi": xi, "caches": caches or ()})
    thresholds, own = (*xi, *slo), latency_of(latency, model)
    for name, given in {"policies": every, "capacities": capacities, "slo": thresholds}.items():
        if not given:
            raise ArgumentError(name, given, "at least one")
    grid = Grid(every, capacities, thresholds, q_hat, forced=forced, latency=own, model=model)
    kept = Store(store) if isinstance(store, str | Path) else store
    how: dict[str, Any] = {"workers": workers, "store": kept, "scheduler": scheduler, "progress": progress}
    wanted = (*(caches or ()), *(rules if isinstance(rules, list | tuple) else [rules]))
    found = (rows_of(label, one, grid.counted({one.scale}), wanted, **how) for label, one in several.items())
    return Board(tuple(row for rows in found for row in rows))


def _named(traces: Any) -> dict[str, Any]:
    """Return traces and forests by name."""
    several = dict(traces) if isinstance(traces, Mapping) else {"trace": traces}
    for one in several.values():
        refuse_file(one)
    other = next((type(one).__name__ for one in several.values() if not hasattr(one, "conversation")), None)
    if not several or other:
        raise ArgumentError("traces", other or several, "a Trace or a Forest, or several by name")
    return several


def _check(lists: Mapping[str, Any]) -> None:
    """Refuse one value in the place of a list, and an SLO that is no time."""
    for name, given in lists.items():
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ArgumentError(name, given, "a list of them")
    for one in lists["slo"]:
        read_time("slo", str(one))


def rows_of(
    label: str, requests: Any, grid: Grid, caches: Sequence[str] | None = None, trace: Any = None, **how: Any
) -> Iterator[BoardRow]:
    """Yield the rows of one trace or forest over a grid in tokens; `trace` has the conversations of a forest."""
    for spec in grid.policies:
        if spec.rules is not None:
            raise ArgumentError("policies", spec.text, f"the rules beside it: rules={spec.rules!r}")
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys(getattr(grid, name))) for name in ("policies", "capacities", "thresholds")
    }
    grid = replace(grid, **lists)
    for cache in caches_of(requests, caches):
        here = requests_in(trace if cache == CONVERSATIONS and trace is not None else requests, cache)
        if here is None:
            yield from blanks(label, cache, grid, "a forest has no private conversations")
        else:
            yield from _swept(label, here, grid, cache, **how)


def caches_of(requests: Any, caches: Sequence[Any] | None) -> Sequence[str]:
    """Return the caches and rules asked for, or the one that is meant if there is none."""
    found = tuple(dict.fromkeys(one if one in CACHES else str(Rules.of(one)) for one in caches or ()))
    return found or ("strict" if requests.shared else CONVERSATIONS,)


def _swept(label: str, requests: Any, grid: Grid, cache: str, **how: Any) -> Cells[BoardRow]:
    here, cluster = clustered(requests)
    source = ForestAtHand(here, label) if here.shared else TraceAtHand(here, label)
    inner = replace(grid, rules=cache if here.shared else "strict")
    return sweep(source, ComparedGrid(inner, cache, cluster), **how)


def notes_of(rows: Sequence[BoardRow]) -> list[str]:
    """Return what holds for the rows of each trace and cache: what is drawn, the sides, the blanks."""
    found: dict[str, None] = {}
    for row in rows:
        where = f"{row.trace}, {row.cache}"
        if row.blank is not None:
            found[f"{where}: {row.policy} is blank: {row.blank}."] = None
        elif row.unsure is not None:
            found[f"{where}: no intervals and ranks: {row.unsure}."] = None
        else:
            drawn = f"{named(row.clusters, row.cluster)}, in {DRAWS:,} paired draws of one replay"
            found[f"{where}: intervals are of {drawn}; other days are not in them."] = None
        rules = STRICT if row.cache in CACHES else Rules.of(row.cache)
        if rules.references:
            found[f"{where}: caching is forced, as running requests hold their paths."] = None
        if rules.nodes is not None:
            found[f"{where}: of whole nodes no optimum is known; no cache has less than one with holes."] = None
        if row.unit > 1 and row.blank is None:
            found[f"{where}: TEL and regret are in blocks of {row.unit:,} tokens."] = None
    return list(found)


def places(rows: Sequence[BoardRow]) -> Iterator[list[BoardRow]]:
    """Yield the rows of each trace, cache, capacity and threshold: online policies, then clairvoyant ones."""
    for _, some in groupby(rows, key=lambda row: (row.trace, row.cache, row.capacity, row.xi)):
        at = [*some]
        found = ([row for row in at if row.group == group] for group in GROUPS)
        yield from filter(None, found)


def headings(unit: str, blocks: bool = False) -> list[str]:
    """Return the headings of `row_cells`, with the unit of percentiles; TEL may be in blocks."""
    measures = ("TEL blocks" if blocks and name == "TEL" else name for name in MEASURES)
    return ["policy", *(f"{name} {unit}" for name in ("P50", "P95", "P99")), *measures]


def row_cells(row: BoardRow, unit: str) -> list[str]:
    """Return a row as text, in the columns of `headings`; one without numbers is blank."""
    if row.blank is not None:
        return [row.policy, *[""] * (len(headings(unit)) - 1)]
    digits = ".3f" if unit == "s" else ",.0f"
    times = ["" if value is None else f"{value:{digits}}" for value in (row.p50, row.p95, row.p99)]
    work = [percent(row.hit_rate), tokens_in_short(row.prefilled), percent(row.price), f"{row.violations:,}"]
    ends = row.gain_interval
    tied = TIED if ends is not None and ends[0] <= 0 <= ends[1] else ""
    sure = "" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}{tied}"
    rank = "" if row.rank is None else f"{row.rank}"
    regret, closed = row.regret or (0, 0), row.share_closed
    distance = [_pair(*(f"{one:,}" for one in regret)), "" if closed is None else _pair(*map(percent, closed))]
    return [row.policy, *times, *work, f"{row.tel:,}", percent(row.gain), sure, rank, *distance]


def _pair(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _tables(board: Board) -> Iterator[tuple[str, str]]:
    """Yield a table for each trace and cache, over all capacities and thresholds, with its heading."""
    heads = ("policy", "group", "capacity", "threshold", *headings(board.unit)[1:])
    for (trace, cache), some in groupby(board.rows, key=lambda row: (row.trace, row.cache)):
        lines = [
            (name, row.group, f"{row.capacity:,}", f"{row.xi:,}", *cells)
            for row in some
            for name, *cells in [row_cells(row, board.unit)]
        ]
        yield f"{trace}: {cache}", table_of(heads, lines)
