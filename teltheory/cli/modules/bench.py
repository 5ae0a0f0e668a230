"""`teltheory modules bench`: times to the first token with modules kept, and without."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.options import SEED, table_options, whole
from teltheory.cli.modules.options import Loading, loading, numbers
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, progress_bar, report
from teltheory.cli.printed.tables import plain_table
from teltheory.model.display import percent

if TYPE_CHECKING:
    from teltheory.systems.modules.bench import BenchCell, Timed
    from teltheory.systems.modules.bench_batches import PromptBatch

SHARES = (0, 1, 2, 3)
"""Quarters of `--total` that are kept."""
LEGEND = (
    "ms: medians of the clock, with the range of all repeats for full and cached; interleaved in one process. "
    "full: no cache. gaps: no cache, at the schema's positions. cached: kept modules are copied, fresh tokens "
    "computed. cold: encoding the kept modules, one by one. ratio: full / cached. CPU: the same in seconds of the "
    "processor."
)


SHARED = (1024, 32, 16)
"""Of a prompt in a batch: tokens that are kept, fresh ones, and tokens of its answer."""
BATCHED = (
    f"Batches of prompts that share {SHARED[0]:,} kept tokens, each with {SHARED[1]} fresh ones, answered with "
    f"{SHARED[2]}: together as one sequence, and one by one. MiB: of keys and values. tokens/s: answered tokens."
)


@command(None, "modules bench --kept 256,1024 --threads 2")
@loading
@option("--kept", default="256,1024,4096", show_default=True, metavar="TOKENS,...", help="Numbers of kept tokens.")
@whole("--fresh", 32, "New tokens of a request. Beside the kept ones.")
@option(
    "--total",
    type=click.IntRange(8),
    default=1056,
    show_default=True,
    help="Number of all tokens where a share of them is kept.",
)
@option(
    "--batch-sizes",
    "batch",
    default="",
    metavar="N,...",
    help="Also time batches of N prompts that share 1,024 tokens.",
)
@whole("--repeats", 5, "How often each is measured. Passes of each kind.")
@whole("--seed", 0, SEED, least=0)
@table_options
def bench(
    loading: Loading,
    kept: str,
    fresh: int,
    total: int,
    batch: str,
    repeats: int,
    seed: int,
    target: str | None,
) -> int:
    """Time the first token with kept modules and without.

    Tokens are random. The third way is to compute all of them, at the positions of a schema.
    """
    check_target(target)
    lengths, sizes = numbers("--kept", kept), numbers("--batch-sizes", batch, 1) if batch else []
    model = loading.load()
    from teltheory.systems.modules.bench import BenchCell, timed
    from teltheory.systems.modules.bench_batches import batches

    by_length = [BenchCell(some, fresh) for some in lengths]
    by_share = [BenchCell(total * quarters // 4, total - total * quarters // 4) for quarters in SHARES]
    with progress_bar() as bar:
        found = timed(model, [*by_length, *by_share], repeats, seed, lambda cells: bar.track(list(cells)))
        together = [_batch(one) for one in batches(model, bar.track(sizes), SHARED, repeats, seed)]
    said = loading.said(model)
    of = [
        _row(model.token_bytes, cell, [one for one in found if one.cell == cell]) for cell in by_length + by_share
    ]
    first, second = of[: len(by_length)], of[len(by_length) :]
    tables = (_table("By length", first), _table(f"By share of {total:,} tokens", second))
    shown = (said, LEGEND, *tables, *([BATCHED, _batch_table(together)] if together else []))
    report(target, shown, {"model": said, "repeats": repeats, "rows": of, "batches": together})
    return 0


def _row(token_bytes: int, cell: BenchCell, found: list[Timed]) -> dict[str, Any]:
    """Return a cell's medians, ranges and ratios."""
    from statistics import median

    row: dict[str, Any] = {**asdict(cell), "kept_bytes": cell.kept * token_bytes}
    for one in found:
        row[one.way] = {"wall": list(one.wall), "cpu": list(one.cpu), "median": one.seconds}
    row["ratio"] = row["full"]["median"] / row["cached"]["median"]
    row["cpu_ratio"] = median(row["full"]["cpu"]) / median(row["cached"]["cpu"])
    return row


def _table(title: str, rows: list[dict[str, Any]]) -> Any:
    columns = (
        "kept",
        "fresh",
        "share",
        "MiB",
        "full ms",
        "range",
        "gaps",
        "cached",
        "range",
        "cold",
        "ratio",
        "CPU",
    )
    return plain_table(title, columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> list[str]:
    share = percent(row["kept"] / (row["kept"] + row["fresh"]))
    full, gaps, cached, cold = (f"{1000 * row[way]['median']:,.0f}" for way in ("full", "gaps", "cached", "cold"))
    ranges = [
        f"{1000 * min(row[way]['wall']):,.0f}-{1000 * max(row[way]['wall']):,.0f}" for way in ("full", "cached")
    ]
    sizes = [f"{row['kept']:,}", f"{row['fresh']:,}", share, f"{row['kept_bytes'] / 2**20:,.1f}"]
    ratios = [f"{row['ratio']:.1f}", f"{row['cpu_ratio']:.1f}"]
    return [*sizes, full, ranges[0], gaps, cached, ranges[1], cold if row["kept"] else "", *ratios]


def _batch(one: PromptBatch) -> dict[str, Any]:
    """Return a batch's medians and ratios."""
    from statistics import median

    answered = one.prompts * SHARED[2]
    rates = {"together_rate": answered / median(one.together), "alone_rate": answered / median(one.alone)}
    return {**asdict(one), **rates, "ratio": median(one.alone) / median(one.together)}


def _batch_table(rows: list[dict[str, Any]]) -> Any:
    columns = ("prompts", "MiB together", "MiB alone", "tokens/s together", "range", "one by one", "ratio")
    return plain_table("By size of the batch", columns, [_batch_cells(row) for row in rows])


def _batch_cells(row: dict[str, Any]) -> list[str]:
    sizes = [f"{row[name] / 2**20:,.1f}" for name in ("together_bytes", "alone_bytes")]
    answered = row["prompts"] * SHARED[2]
    ends = f"{answered / max(row['together']):,.1f}-{answered / min(row['together']):,.1f}"
    rates = [f"{row['together_rate']:,.1f}", ends, f"{row['alone_rate']:,.1f}"]
    return [f"{row['prompts']}", *sizes, *rates, f"{row['ratio']:.2f}"]
