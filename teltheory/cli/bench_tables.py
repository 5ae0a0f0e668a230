"""The tables of `teltheory bench`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from teltheory.cli.fitting import plain_table

PEERS = ("libcachesim", "cachetools", "quantecon")
SECTIONS = (
    "against_libcachesim",
    "against_python",
    "by_rules",
    "replays",
    "expected",
    "expected_others",
    "optima",
)
"""Sections whose jobs were timed against each other."""


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
    plan = data["plan"]
    unit = f"blocks of {plan['block']} tokens"
    yield _timings(data["against_libcachesim"], f"The same prefix in {unit}")
    if data["hits"]:
        yield _hits(data["hits"])
    yield _timings(data["against_python"], f"Compiled against Python, in {unit}")
    yield _timings(data["by_rules"], "Policies of one's own, which the kernel asks for their rules, in tokens")
    yield _timings(data["replays"], "The whole trace, in tokens")
    yield _timings(data["expected"], "ET-LRU with the paper's belief and a fixed prompt")
    yield _timings(data["expected_others"], "ET-LRU with other beliefs and laws")
    yield _timings(data["optima"], "The hindsight optimum, about 250 conversations alive, 20,000 tokens")
    yield _decisions(data["decisions"])
    yield _enumerations(data["enumerations"])
    yield _ratios(data)
    yield _growth(data["growth"])
    if data["memory"] is not None:
        yield _memory(data["memory"])
    yield _door(data["door"])
    yield _ceiling(data)


def _table(title: str, first: str, others: Sequence[str]) -> Table:
    table = plain_table(title)
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _timings(section: dict[str, Any], title: str) -> Table:
    title = f"{title}: {section['turns']:,} turns, {section['block_requests']:,} block requests"
    table = _table(title, "replay", ("ms", "spread", "ns/turn", "M turns/s", "M block requests/s"))
    for row in section["rows"]:
        spread = f"({_three(row['low'] * 1e3)}–{_three(row['high'] * 1e3)})"
        speeds = [_three(row[key] / 1e6) for key in ("turns_a_second", "block_requests_a_second")]
        table.add_row(row["name"], _three(row["median"] * 1e3), spread, _three(row["ns_a_turn"]), *speeds)
    return table


def _hits(hits: Sequence[dict[str, Any]]) -> Table:
    table = _table("Share of block requests that hit", "eviction", ("capacity, blocks", "ours", "libcachesim"))
    for row in hits:
        shares = (f"{100 * row[name]:.3f} %" for name in ("ours", "libcachesim"))
        table.add_row(row["eviction"], f"{row['capacity']:,}", *shares)
    return table


def _ratios(data: dict[str, Any]) -> Table:
    table = _table("How many times as long", "this", ("as this", "turns", "times", "spread"))
    table.columns[1].justify = "left"
    for name in SECTIONS:
        for row in data[name]["ratios"]:
            spread = f"({_three(row['low'])}–{_three(row['high'])})"
            table.add_row(row["slower"], row["quicker"], f"{data[name]['turns']:,}", _three(row["ratio"]), spread)
    return table


def _decisions(section: dict[str, Any]) -> Table:
    title = (
        "The belief MDP, {configurations:,} configurations of up to {most_known} conversations, capacity "
        "{capacity}: {states:,} states, {pairs:,} state-action pairs, backward induction over {turns} turns"
    ).format(**section)
    table = _table(title, "solver", ("built, s", "ms", "spread", "M backups/s", "times as long", "spread"))
    for row in section["rows"]:
        spread = f"({_three(row['low'] * 1e3)}–{_three(row['high'] * 1e3)})"
        times = row["times"]
        table.add_row(
            row["name"],
            _three(row["built"]),
            _three(row["median"] * 1e3),
            spread,
            _three(row["backups_a_second"] / 1e6),
            _three(times["ratio"]),
            f"({_three(times['low'])}–{_three(times['high'])})",
        )
    if section["difference"] is not None:
        table.caption = f"The values of all states differ by {section['difference']:.1e} at most."
        table.caption_justify = "left"
    return table


def _enumerations(section: dict[str, Any]) -> Table:
    plain, fast = (
        "{} turns, {} conversations, {} tokens".format(*section[name]) for name in ("plain", "compiled")
    )
    title = f"Claims on small worlds, cases a second: plain Python ({plain}) and compiled ({fast})"
    table = _table(title, "claim", ("plain", "compiled", "times", "spread"))
    for row in section["rows"]:
        times = row["times"]
        speeds = (f"{row[name]:,.0f}" for name in ("plain_a_second", "compiled_a_second"))
        table.add_row(
            row["name"], *speeds, _three(times["ratio"]), f"({_three(times['low'])}–{_three(times['high'])})"
        )
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
    title = f"Bytes a turn beyond the trace, measured on {rows[0]['turns']:,} turns"
    table = _table(title, "replay", ("index, kept", "outcome, kept", "peak of a replay, with outcome"))
    for row in rows:
        table.add_row(row["name"], *(f"{row[key]:.0f}" for key in ("index", "outcome", "peak")))
    return table


def _door(rows: Sequence[dict[str, Any]]) -> Table:
    table = _table("Before anything is done: whole processes", "process", ("seconds", "spread", "times", "spread"))
    for row in rows:
        spread, times = (f"({_three(each['low'])}–{_three(each['high'])})" for each in (row, row["times"]))
        table.add_row(row["name"], _three(row["median"]), spread, _three(row["times"]["ratio"]), times)
    table.caption = f"times: as long as `{rows[0]['name']}`."
    table.caption_justify = "left"
    return table


def _ceiling(data: dict[str, Any]) -> Table:
    moved, ceiling = data["bandwidth"], data["ceiling"]
    title = (
        f"The ceiling: {moved['triad'] / 1e9:.1f} GB/s (triad; copy {moved['copy'] / 1e9:.1f}) over "
        f"{ceiling['bytes_a_turn']} bytes a turn"
    )
    table = _table(title, "replay", ("ceiling, M turns/s", "reached, M turns/s", "share"))
    for row in ceiling["rows"]:
        speeds = (_three(speed / 1e6) for speed in (ceiling["turns_a_second"], row["turns_a_second"]))
        table.add_row(row["name"], *speeds, f"{100 * row['share']:.1f} %")
    table.caption = f"A turn must move 8 bytes each of: {', '.join(ceiling['moved'])}."
    table.caption_justify = "left"
    return table


def _three(value: float) -> str:
    """Return a number with three digits, or with all before the point where those are more."""
    for digits, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)):
        if value >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.2g}"
