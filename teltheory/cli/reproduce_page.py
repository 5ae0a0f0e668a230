"""`report.html`: what `teltheory reproduce --out FOLDER` decided, replayed and drew, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.cli.figures import LEGEND as PAPER_LEGEND
from teltheory.cli.figures import paper_tables
from teltheory.cli.output import write_text
from teltheory.cli.question import Asked
from teltheory.cli.replay import MEASURES, cell_row, legend
from teltheory.cli.served_tables import DISTANCE, LEGEND, memory_rows, tiers_text
from teltheory.policies.spec import Spec
from teltheory.report.captions import pictures
from teltheory.report.explorer import POLICIES, Steps, compared, explorer
from teltheory.report.ledger import Row, paper_sentence
from teltheory.report.markdown import (
    bullets,
    errata_text,
    facts,
    folded,
    ledger_text,
    literal,
    paragraphs,
    plain_text,
    table,
    verdict_cards,
)
from teltheory.report.page import Page, Section, digest, render, versions
from teltheory.report.words import WHICH_TEXT
from teltheory.sweep import Cell, Grid, ServedCell, sweep
from teltheory.sweep.sources import trace_key

if TYPE_CHECKING:
    from altair import VConcatChart

    from teltheory.paper.rows import Compared

NAME = "report.html"
LEAD = (
    "Every statement of the ledger, with its verdict and what that rests on; LRU, T-LRU and the hindsight optimum "
    "on the traces below; the paper's tables and figures made anew."
)
LEDGER_LEAD = (
    "Proved: a program proved it for all that the row names. Certified: a proof for each instance that was tried. "
    "Exhaustive: no instance within the bounds refutes it. Sampled proves nothing. A table or figure is "
    "reproduced if all its cells together pass its rule. A refuted statement has the smallest counterexample: "
    "conversations are A, B, ..., a turn is conversation(prompt+response), xi the threshold, C the capacity, "
    "Q the estimate of the next prompt."
)
CHARTS_LEAD = (
    "Every number is that of a replay at just these settings: optional caching, an empty cache at the start, "
    "T-LRU with round-robin trim. TEL is the sum of max(uncached − ξ, 0) over all turns, in tokens, or in blocks "
    "for prefixes that requests share. The hindsight optimum is the least TEL of any policy; other plans may "
    "reach it too, so it has no percentiles. Of shared prefixes it is that of a cache whose blocks may outlive "
    "their parents."
)


@dataclass(frozen=True)
class Replayed:
    """A trace and its cells."""

    name: str
    title: str
    file: Path | None
    asked: Asked
    cells: Sequence[Cell]
    in_tiers: Sequence[ServedCell] = ()

    @property
    def middle(self) -> tuple[int, int]:
        """The capacity and threshold that are spoken of: those in the middle."""
        sizes, xis = self.asked.grid.capacities, self.asked.grid.thresholds
        return sizes[len(sizes) // 2], xis[len(xis) // 2]


def write_page(
    folder: Path,
    rows: Sequence[Row],
    errata: str,
    replayed: Sequence[Replayed],
    cells: Sequence[Compared],
    settings: Sequence[tuple[str, str]],
    missing: Sequence[str] = (),
) -> Path:
    """Write the page into the folder that has the figures, and their tables in ``tables``."""
    charts = [_explorer(one) for one in replayed if len(one.asked.trace)]
    ledger = [WHICH_TEXT, paper_sentence(rows), LEDGER_LEAD, ledger_text(rows)]
    replays = [part for one in replayed for part in _replays(one)]
    sections = [
        Section("ledger", "The ledger", paragraphs(ledger)),
        Section("errata", "Errata", errata_text(errata)),
        Section("charts", "Every capacity and threshold", CHARTS_LEAD, charts),
        Section("replays", "All policies, replayed", paragraphs(replays)),
        Section("tables", "Tables 1 to 6 beside the paper’s", paragraphs(_paper(cells))),
        Section("figures", "Figures", pictures(folder.glob("*.svg"))),
        Section("provenance", "Provenance", paragraphs(_provenance(folder, replayed, settings))),
    ]
    summary = [*(literal(text) for one in replayed if (text := summary_of(one))), *map(literal, missing)]
    page = Page("Tail-optimised prompt caching", LEAD, verdict_cards(rows), paragraphs(summary), sections)
    write_text(str(folder / NAME), render(page))
    return folder / NAME


def summary_of(one: Replayed) -> str:
    """Return in sentences what T-LRU is worth in the middle of the grid; nothing for a trace without turns."""
    size, xi = one.middle
    at = {cell.policy: cell for cell in one.cells if (cell.capacity, cell.xi) == (size, xi)}
    lru, tlru = at["lru"], at["tlru"]
    if lru.p95 is None or tlru.p95 is None:
        return ""
    thresholds = one.asked.thresholds
    where = f"{one.title}, with {thresholds.size(size)} and a threshold of {thresholds.label(xi)}: "
    return where + compared(lru.tel, tlru.tel, lru.optimum, lru.p95, tlru.p95)


def _explorer(one: Replayed) -> VConcatChart:
    requests, q_hat, latency = one.asked.requests, one.asked.grid.q_hat, one.asked.thresholds.latency
    steps = Steps.of(requests, latency)
    policies = [Spec(name) for name in POLICIES]
    grid = Grid(policies, steps.capacities, tuple(steps.slos), q_hat, slos=steps.slos, latency=latency)
    return explorer(f"{one.title}, Q̂ = {q_hat:,} tokens", sweep(requests, grid, latency), steps, one.middle)


def _replays(one: Replayed) -> Iterator[str]:
    yield f"### {literal(one.title)}"
    yield bullets([*one.asked.lines(), f"{legend(one.asked)} {one.asked.caching}"])
    for size, cells in groupby(one.cells, key=lambda cell: cell.capacity):
        tables = [_table(one, xi, list(of)) for xi, of in groupby(cells, key=lambda cell: cell.xi)]
        yield folded(f"Capacity {one.asked.thresholds.size(size)}", *tables)
    for tiers, of_tiers in groupby(one.in_tiers, key=lambda cell: cell.tiers):
        tables = [_tiers_table(one, xi, list(of)) for xi, of in groupby(of_tiers, key=lambda cell: cell.xi)]
        yield folded(f"Tiers of {tiers_text(tiers)}", plain_text(f"{LEGEND} {DISTANCE}"), *tables)


def _tiers_table(one: Replayed, xi: int, cells: Sequence[ServedCell]) -> str:
    thresholds = one.asked.thresholds
    heads, lines = memory_rows(cells, thresholds, alone=True)
    return (
        f"Threshold {thresholds.label(xi)}:\n\n{table(heads, (map(plain_text, line) for line in lines), '---:')}"
    )


def _table(one: Replayed, xi: int, cells: Sequence[Cell]) -> str:
    thresholds = one.asked.thresholds
    lines = (map(plain_text, cell_row(cell, thresholds)) for cell in cells)
    caption = f"Capacity {thresholds.size(cells[0].capacity)}, threshold {thresholds.label(xi)}"
    heads = ("policy", *map(thresholds.heading, MEASURES))
    return f"{plain_text(caption)}:\n\n{table(heads, lines, '---:')}"


def _paper(cells: Sequence[Compared]) -> Iterator[str]:
    """Yield each table with its summary in one line."""
    yield plain_text(PAPER_LEGEND)
    for one in paper_tables(cells):
        yield f"{one.title}:\n\n{table(one.header, one.rows, '---:')}\n\n{plain_text(one.summary)}."


def _provenance(folder: Path, replayed: Sequence[Replayed], settings: Sequence[tuple[str, str]]) -> Iterator[str]:
    traces = []
    for one in replayed:
        traces += [] if one.file is None else [(one.file.name, f"SHA-256 {digest(one.file)}")]
        traces.append(
            (one.title, f"{len(one.asked.trace):,} turns, digest of the trace {trace_key(one.asked.requests)}")
        )
    yield facts([*versions(), *settings, *traces])
    tables = sorted((folder / "tables").glob("*.csv"))
    digests = [(file.name, f"SHA-256 {digest(file)}") for file in tables]
    yield folded("Digests of the tables that the figures are made of", facts(digests))
