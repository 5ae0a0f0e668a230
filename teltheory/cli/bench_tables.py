"""The tables of `teltheory bench`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from teltheory.cli.fitting import plain_table

PEERS = ("libcachesim", "cachetools")


def lines_above(data: dict[str, Any]) -> list[str]:
    """Return what stands above the tables: machine, trace, what a timing covers, what is missing."""
    plan, machine, trace = data["plan"], data["machine"], data["trace"]
    named = ("python", "numpy", "numba", *PEERS)
    versions = ", ".join(f"{name} {machine[name]}" for name in named if machine[name])
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}.",
        f"{versions[0].upper()}{versions[1:]}.",
        f"One core. Medians of {plan['rounds']} timings, quickest to slowest in brackets; ratios within this run.",
        f"Trace: {trace['source']}; {trace['turns']:,} turns, {trace['conversations']:,} conversations.",
        f"Capacity {plan['capacity']:,} tokens, ξ = {plan['xi']:,}, Q̂ = {plan['q_hat']:,}, cutoff "
        f"{plan['cutoff']:,}.",
        "A replay is the whole call, from checks to Outcome, on a trace that was indexed before; the first call",
        "includes the indexing. A turn asks a block cache for the blocks of its past after the turn, in order.",
    ]
    missing = [name for name in PEERS if machine[name] is None]
    if missing:
        lines.append(f"Not installed, and left out: {', '.join(missing)} (pip install 'teltheory[bench]').")
    return lines


def tables(data: dict[str, Any]) -> Iterator[Table]:
    """Yield a table for each section."""
    for number, section in enumerate(data["sections"].values()):
        yield _timings(section)
        if number == 0 and data["hits"]:
            yield _hits(data["hits"])
    yield _ratios(data["sections"])
    yield _growth(data["growth"])
    if data["memory"] is not None:
        yield _memory(data["memory"])
    yield _door(data["door"])


def _table(title: str, first: str, others: Sequence[str]) -> Table:
    table = plain_table(title)
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _timings(section: dict[str, Any]) -> Table:
    title = "{title}: {turns:,} turns, {block_requests:,} block requests".format(**section)
    table = _table(title, "replay", ("ms", "spread", "ns/turn", "M turns/s", "M block requests/s"))
    for row in section["rows"]:
        spread = _spread(row, 1e3)
        speeds = [_three(row[key] / 1e6) for key in ("turns_a_second", "block_requests_a_second")]
        table.add_row(row["name"], _three(row["median"] * 1e3), spread, _three(row["ns_a_turn"]), *speeds)
    return table


def _hits(hits: Sequence[dict[str, Any]]) -> Table:
    table = _table("Share of block requests that hit", "eviction", ("capacity, blocks", "ours", "libcachesim"))
    for row in hits:
        shares = (f"{100 * row[name]:.3f} %" for name in ("ours", "libcachesim"))
        table.add_row(row["eviction"], f"{row['capacity']:,}", *shares)
    return table


def _ratios(sections: dict[str, Any]) -> Table:
    table = _table("How many times as long", "this", ("as this", "turns", "times", "spread"))
    table.columns[1].justify = "left"
    for section in sections.values():
        for row in section["ratios"]:
            times = (f"{section['turns']:,}", _three(row["ratio"]), _spread(row))
            table.add_row(row["slower"], row["quicker"], *times)
    return table


def _growth(growth: dict[str, Any]) -> Table:
    sizes = [int(size) for size in growth["rows"][0]["ns_a_turn"]]
    title = "Nanoseconds a turn on n turns, and the growth from {from:,} to {to:,}".format(**growth)
    table = _table(title, "replay", (*(f"n = {size:,}" for size in sizes), "growth"))
    for row in growth["rows"]:
        costs = (_three(row["ns_a_turn"][str(size)]) for size in sizes)
        table.add_row(row["name"], *costs, f"{row['factor']:.2f} ×")
    return table


def _memory(rows: Sequence[dict[str, Any]]) -> Table:
    title = f"Bytes a turn beyond what the process held before, measured on {rows[0]['turns']:,} turns"
    table = _table(title, "step", ("peak", "kept"))
    for row in rows:
        table.add_row(row["name"], *(f"{row[key] / row['turns']:.1f}" for key in ("peak", "kept")))
    return table


def _door(rows: Sequence[dict[str, Any]]) -> Table:
    table = _table("Before anything is done: whole processes", "process", ("seconds", "spread", "times", "spread"))
    for row in rows:
        times = row["times"]
        table.add_row(row["name"], _three(row["median"]), _spread(row), _three(times["ratio"]), _spread(times))
    table.caption = f"times: as long as `{rows[0]['name']}`."
    table.caption_justify = "left"
    return table


def _spread(row: dict[str, Any], unit: float = 1) -> str:
    return f"({_three(row['low'] * unit)}–{_three(row['high'] * unit)})"


def _three(value: float) -> str:
    """Return a number with three digits, or with all before the point where those are more."""
    for digits, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)):
        if value >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.2g}"
