"""The board: every policy beside LRU, the optimum and each other, as rows, as text and as one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from teltheory.base.whole_files import write_whole
from teltheory.cost.given import LatencyGiven, Model, Units, latency_of, refuse_file
from teltheory.errors import ArgumentError
from teltheory.model.announcement import Announcement
from teltheory.model.clusters import clustered
from teltheory.model.tables import Tabular
from teltheory.model.tiers import Tiers, several
from teltheory.model.units import read_time
from teltheory.policies.spec import CLAIRVOYANT, ONLINE
from teltheory.replay.engine_rules import Rules
from teltheory.serving.serve import Serving
from teltheory.sweep import ForestAtHand, Store, TraceAtHand, sweep
from teltheory.sweep.advised import ADVISED, read_policy
from teltheory.sweep.board_page import page_of, table_of
from teltheory.sweep.board_text import LEGEND, headings, notes_of, place_of, row_cells
from teltheory.sweep.cells import Cells, columns_of
from teltheory.sweep.compared import (
    CACHES,
    CONVERSATIONS,
    BoardRow,
    ComparedGrid,
    blanks,
    over_draws,
    requests_in,
)
from teltheory.sweep.grid import Grid
from teltheory.sweep.hinting import heard, read_hints

EVERY = (*ONLINE, ADVISED, *CLAIRVOYANT)
IN_TIERS = ("lru", "threshold-lru", "tlru", ADVISED, *CLAIRVOYANT)


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
    capacities: Sequence[int | str | Tiers] = (),
    slo: Sequence[str] = (),
    *,
    xi: Sequence[int | str] = (),
    caches: Sequence[str] | None = None,
    rules: Rules | str | Sequence[Rules | str] = (),
    q_hat: int | str | None = None,
    forced: bool = False,
    serving: Serving | None = None,
    latency: LatencyGiven | None = None,
    model: Model | None = None,
    hints: Any = None,
    announced: Announcement | None = None,
    **how: Any,
) -> Board:
    """Replay every policy on every trace, and show each beside LRU, the optimum and the others.

    Parameters
    ----------
    traces : mapping of str to Trace or Forest, or one of them
        By the name that rows have. A sequence in the place of one has draws of what is assumed of it.
    policies : sequence of str, policy or class, optional
        As in `Grid`, and those of `teltheory.sweep.advised`; left out, those that need no file and no fit.
    capacities, slo, xi : sequences
        Capacities, or `Tiers`; thresholds as times, and as lengths. Text is in tokens, as in `Grid`.
    caches : sequence of {"conversations", "strict", "holes"}, optional
        Left out, private conversations of a trace, strict of a forest.
    rules : Rules, str, or a sequence of them
        What engines' caches do, as in `Problem`: each is a cache more, forced if its requests hold their paths.
    serving : Serving, optional
        How requests wait; TEL is in seconds then, and no optimum is known.
    q_hat, forced, latency, model : as in `Grid`
    hints, announced : sequence of sets of hints, Announcement, optional
        A row a policy and set, as ``"close,superseded"`` or "none"; what is announced beside what is recorded.
    **how : workers, store, scheduler and progress, as in `sweep`
    """
    tiers = [one for one in capacities if several(one) is not None]
    every = every_policy(serving, tiers) if policies is None else policies
    check_lists({"policies": every, "capacities": capacities, "slo": slo, "xi": xi, "caches": caches or ()})
    refuse_hints(hints, serving, tiers)
    read = [read_policy(one, bool(serving or tiers)) for one in every]
    read = heard(read, read_hints(hints or ["none"]), announced or Announcement(), policies is None)
    asked = read, [one for one in capacities if one not in tiers], (*xi, *slo), q_hat
    grid = Grid(*asked, forced=forced, latency=latency_of(latency, model), model=model)
    how |= {"caches": caches, "rules": rules, "serving": serving}
    return Board(tuple(row for drawn in by_draw(traces, grid, tiers, how) for row in drawn_rows(drawn)))


def by_draw(
    traces: Mapping[str, Any] | Any, grid: Grid, tiers: Sequence[Any], how: dict[str, Any]
) -> Iterator[list[list[BoardRow]]]:
    """Yield the rows of each trace, of each draw of it by itself; what is asked wrongly is refused at once."""
    given, caches, rules = named_traces(traces), how.pop("caches", None) or (), how.pop("rules", ())
    how |= {"caches": (*caches, *(rules if isinstance(rules, list | tuple) else [rules]))}
    if isinstance(how.get("store"), str | Path):
        how |= {"store": Store(how["store"])}

    def rows(label: str, one: Any) -> Iterator[BoardRow]:
        units = Units.in_tokens(one.scale, grid.model, grid.latency)
        memory: list[Any] = [units.memory(place) for place in tiers]
        return rows_of(label, one, grid.counted({one.scale}), tiers=memory, **how)

    yield from ([[*rows(label, one)] for one in draws] for label, draws in given.items())


def refuse_hints(hints: Any, serving: Serving | None, tiers: Sequence[Any]) -> None:
    """Refuse hints where nothing hears them."""
    if hints and (serving is not None or tiers):
        raise ArgumentError("hints", "tiers" if tiers else "a queue", "one cache that nobody waits for")


def every_policy(serving: Serving | None, tiers: Sequence[Any]) -> Sequence[str]:
    """Return the policies where none is named; in tiers and queues not all of them run."""
    return EVERY if serving is None and not tiers else IN_TIERS


def drawn_rows(drawn: Sequence[Sequence[BoardRow]]) -> Sequence[BoardRow]:
    """Return the rows of a trace, or of several draws of it."""
    return drawn[0] if len(drawn) == 1 else over_draws(drawn)


def named_traces(traces: Any) -> dict[str, Sequence[Any]]:
    """Return traces and forests by name, each with its draws."""
    given = dict(traces) if isinstance(traces, Mapping) else {"trace": traces}
    found: dict[str, Sequence[Any]] = {
        name: one if isinstance(one, list | tuple) else [one] for name, one in given.items()
    }
    for one in (one for draws in found.values() for one in draws):
        refuse_file(one)
        if not hasattr(one, "conversation"):
            raise ArgumentError("traces", type(one).__name__, "a Trace or a Forest, or several by name")
    if not found or not all(found.values()):
        raise ArgumentError("traces", found, "a Trace or a Forest, or several by name")
    return found


def check_lists(lists: Mapping[str, Any]) -> None:
    """Refuse one value in the place of a list, none where one is needed, and an SLO that is no time."""
    for name, given in lists.items():
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ArgumentError(name, given, "a list of them")
    for one in lists["slo"]:
        read_time("slo", str(one))
    needed = {name: lists[name] for name in ("policies", "capacities")} | {"slo": (*lists["slo"], *lists["xi"])}
    for name, given in needed.items():
        if not given:
            raise ArgumentError(name, given, "at least one")


def rows_of(
    label: str,
    requests: Any,
    grid: Grid,
    caches: Sequence[str] | None = None,
    trace: Any = None,
    *,
    tiers: Sequence[Tiers] = (),
    serving: Serving | None = None,
    **how: Any,
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
        if cache not in CACHES and not requests.shared:
            raise ArgumentError("rules", cache, f"a Forest with them, as {label} has private conversations")
        here = requests_in(trace if cache == CONVERSATIONS and trace is not None else requests, cache)
        if here is None:
            yield from blanks(label, cache, grid, tiers, "a forest has no private conversations")
        elif cache not in CACHES[:2] and (tiers or serving is not None):
            yield from blanks(label, cache, grid, tiers, "tiers and queues keep single blocks below their parents")
        else:
            yield from _swept(label, here, ComparedGrid(grid, cache, "", tuple(tiers), serving), **how)


def caches_of(requests: Any, caches: Sequence[Any] | None) -> Sequence[str]:
    """Return the caches and rules asked for, or the one that is meant if there is none."""
    found = tuple(dict.fromkeys(one if one in CACHES else str(Rules.of(one)) for one in caches or ()))
    return found or ("strict" if requests.shared else CONVERSATIONS,)


def _swept(label: str, requests: Any, compared: ComparedGrid, **how: Any) -> Cells[BoardRow]:
    here, called = clustered(requests)
    source = ForestAtHand(here, label) if here.shared else TraceAtHand(here, label)
    inner = replace(compared.grid, rules=compared.of if here.shared else "strict")
    return sweep(source, replace(compared, grid=inner, called=called), **how)


def _tables(board: Board) -> Iterator[tuple[str, str]]:
    """Yield a table for each trace and cache, over all capacities and thresholds, with its heading."""
    for (trace, cache), group in groupby(board.rows, key=lambda row: (row.trace, row.cache)):
        some = [*group]
        more = ["setting"] * any(row.setting is not None for row in some)
        heads = ("policy", "group", "capacity", "threshold", *headings(some, board.unit)[1:], *more)
        lines = [
            (name, row.group, place_of(row), f"{row.xi:,}", *cells, row.setting or "")
            for row in some
            for name, *cells in [row_cells(row, some, board.unit)]
        ]
        yield f"{trace}: {cache}", table_of(heads, [line[: len(heads)] for line in lines])
