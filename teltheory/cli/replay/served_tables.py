"""Tables of policies in tiers of memory: what moved between them, and on replicas who waited for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.table import Table

from teltheory.cli.asked.question import Asked, Thresholds
from teltheory.cli.printed.tables import plain_table
from teltheory.model.display import percent, tokens_in_short
from teltheory.model.tiers import Tiers
from teltheory.serving.serve import Serving
from teltheory.sweep import ServedCell
from teltheory.sweep.served import router_text

LEGEND = (
    "hit i: share of the input reused from tier i. prefill: tokens computed. written: tokens new to the cache. "
    "to i, from i: tokens copied to tier i and loaded from it. slow: turns above the SLO."
)
DISTANCE = (
    "regret: TEL above a lower bound, with a certificate, that holds for every policy in these tiers. closed: "
    "share of LRU's distance to it."
)
QUEUE_LEGEND = (
    "busy: seconds of service per replica and second. kept: turns a second that keep the SLO. tail s: seconds "
    "above the SLO, all turns together, charged to the wait first, then to loading, then to computing. The second "
    "table has what the caches of all replicas did; its TEL and regret are of loading and computing alone, as if "
    "nobody waited, and its bound is that of all their memory in one cache."
)


def served_tables(asked: Asked, cells: Sequence[ServedCell]) -> Iterator[str | Table]:
    """Yield what is assumed, the legend, and tables for each choice of tiers, server and threshold."""
    yield from asked.lines()
    queued = any(cell.serving for cell in cells)
    yield " ".join([LEGEND, DISTANCE, *([QUEUE_LEGEND] if queued else []), asked.caching])
    for (tiers, serving, xi), section in groupby(cells, key=lambda cell: (cell.tiers, cell.serving, cell.xi)):
        rows, place = [*section], f"{tiers_text(tiers)}, threshold {asked.thresholds.label(xi)}"
        if serving is None:
            yield from idle_tables(place, rows, asked.thresholds)
        else:
            yield queue_table(f"{serving_text(serving)}; {place}", rows, asked.thresholds)
            yield plain_table(place, *memory_rows(rows, asked.thresholds, alone=False), ("policy",))


def queue_table(title: str, cells: Sequence[ServedCell], thresholds: Thresholds) -> Table:
    """Return percentiles of TTFT, and what the tail is made of."""
    percentiles = [thresholds.heading(f"P{level} s") for level in (50, 90, 95, 99)]
    tail = ("tail s", "wait", "load", "compute", "vs LRU")
    columns = ("policy", *percentiles, "busy", "kept", "slow", *tail)
    return plain_table(title, columns, (_queue_row(cell, thresholds) for cell in cells), ("policy",))


def _queue_row(cell: ServedCell, thresholds: Thresholds) -> list[str]:
    times = [thresholds.shown(value) for value in (cell.p50, cell.p90, cell.p95, cell.p99)]
    kept = "" if cell.goodput is None else f"{cell.goodput:.3g}"
    server = [percent(cell.utilisation), kept, f"{cell.slow:,}"]
    whole = cell.tail_seconds
    parts = [percent(part / whole if whole else None) for part in (cell.waiting, cell.loading, cell.computing)]
    return [cell.policy, *times, *server, f"{whole:,.1f}", *parts, percent(cell.change_in_seconds)]


def idle_tables(title: str, cells: Sequence[ServedCell], thresholds: Thresholds) -> Iterator[Table]:
    """Yield percentiles of TTFT and TEL, and what each tier did."""
    columns, rows = memory_rows(cells, thresholds, alone=True)
    work = _work_columns(cells)
    for name, shown in ((title, [one for one in columns if one not in work]), ("", ["policy", *work])):
        places = [columns.index(one) for one in shown]
        yield plain_table(name, shown, ([row[place] for place in places] for row in rows), ("policy",))


def _work_columns(cells: Sequence[ServedCell]) -> list[str]:
    tiers = range(len(cells[0].tiers))
    moved = [name for i in tiers[1:] for name in (f"to {i}", f"from {i}")]
    return [*(f"hit {i}" for i in tiers), "prefill", "written", *moved]


def memory_rows(
    cells: Sequence[ServedCell], thresholds: Thresholds, alone: bool
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return columns and rows: what each tier did and TEL; if there is no queue, percentiles of TTFT too."""
    percentiles = [thresholds.heading(f"P{level} s") for level in (50, 95, 99)] if alone else []
    columns = ("policy", *percentiles, *_work_columns(cells), *(["slow"] if alone else []))
    distance = (thresholds.heading("TEL"), "vs LRU", "regret", "closed")
    return (*columns, *distance), [_memory_row(cell, thresholds, alone) for cell in cells]


def _memory_row(cell: ServedCell, thresholds: Thresholds, alone: bool) -> list[str]:
    inputs = cell.prefilled + sum(cell.reused)
    times = [thresholds.shown(value) for value in (cell.p50, cell.p95, cell.p99)] if alone else []
    hits = [percent(Fraction(units, max(inputs, 1))) for units in cell.reused]
    moved = [tokens_in_short(units) for pair in zip(cell.copied, cell.loaded, strict=True) for units in pair]
    slow = [f"{cell.slow:,}"] if alone else []
    work = [*hits, tokens_in_short(cell.prefilled), tokens_in_short(cell.written), *moved, *slow]
    regret = "" if cell.optimum is None else tels_text(cell.tel - cell.optimum)
    return [cell.policy, *times, *work, tels_text(cell.tel), percent(cell.change), regret, percent(cell.closed)]


def tels_text(value: Fraction | float) -> str:
    """Return a TEL in tiers as text: a whole number, else with one decimal."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"


def tiers_text(tiers: Tiers) -> str:
    """Return tiers as a title says them."""
    sizes = " + ".join(f"{size:,}" for size in tiers.capacities)
    how = [text for text in (tiers.mode, tiers.loading) if text not in ("exclusive", "additive")]
    return " ".join([sizes, "tokens", *([f"({', '.join(how)})"] if how else [])])


def serving_text(serving: Serving) -> str:
    """Return replicas, router and arrivals as a title says them."""
    count = "1 replica" if serving.replicas == 1 else f"{serving.replicas} replicas by {router_text(serving)}"
    pace = "" if serving.stretch == 1 else f", arrivals x {float(serving.stretch):.4g}"
    return "".join((count, *_batched(serving.batching), ", one store" if serving.shared else "", pace))


def _batched(batching: Any) -> Iterator[str]:
    if batching is not None and batching.chunk:
        yield f", in chunks of {batching.chunk:,}"
    if batching is not None and batching.decode:
        yield ", with decoding"


def cells_as_data(asked: Asked, cells: Sequence[ServedCell]) -> dict[str, Any]:
    """Return the cells as plain data."""
    return {**asked.as_data(), "rows": [cell.as_dict() for cell in cells]}
