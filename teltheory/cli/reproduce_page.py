"""`report.html`: what `teltheory reproduce --out FOLDER` decided, replayed and drew, on one page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.cli.options import Thresholds
from teltheory.cli.output import write_text
from teltheory.cli.paper_tables import LEGEND as PAPER_LEGEND
from teltheory.cli.paper_tables import ours, printed, shown
from teltheory.cli.replay import LEGEND, assumptions, caching
from teltheory.cli.tables import MEASURES, cell_row
from teltheory.report.blocks import (
    Block,
    Bullets,
    Cell,
    Details,
    Explorer,
    Facts,
    Heading,
    Note,
    Paragraph,
    Table,
    Tone,
)
from teltheory.report.captions import figures
from teltheory.report.entries import ledger_block, verdict_cards
from teltheory.report.explorer import compared as in_words
from teltheory.report.explorer import explore
from teltheory.report.ledger import Row
from teltheory.report.page import Page, Section, render
from teltheory.report.provenance import digest, digests, made_on, versions
from teltheory.report.standing import paper_sentence
from teltheory.report.words import WHICH_TEXT
from teltheory.sweep import Cell as Swept
from teltheory.sweep import Grid
from teltheory.sweep.sources import trace_key
from teltheory.trace import Trace

if TYPE_CHECKING:
    from teltheory.paper.rows import Compared

NAME = "report.html"
TONES: Mapping[str, Tone] = {"inside": "good", "same sign": "", "off": "warn"}
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
SLIDERS_LEAD = (
    "Every number is that of a replay at just these settings: optional caching, an empty cache at the start, "
    "T-LRU with round-robin trim. TEL is the sum of max(uncached − ξ, 0) over all turns, in tokens. The "
    "hindsight optimum is the least TEL of any policy; other plans may reach it too, so it has no percentiles."
)


@dataclass(frozen=True)
class Replayed:
    """A trace and its cells.

    Attributes
    ----------
    title : str
        What the trace is called; no path.
    file : Path or None
        Where it was read from; None for a sample.
    trace, grid, thresholds
        What was replayed.
    cells : sequence of Cell
        What came of it.
    """

    title: str
    file: Path | None
    trace: Trace
    grid: Grid
    thresholds: Thresholds
    cells: Sequence[Swept]

    @property
    def middle(self) -> tuple[int, int]:
        """The capacity and threshold that are spoken of: those in the middle."""
        sizes, xis = self.grid.capacities, self.grid.thresholds
        return sizes[len(sizes) // 2], xis[len(xis) // 2]


def write_page(
    folder: Path,
    rows: Sequence[Row],
    replayed: Sequence[Replayed],
    cells: Sequence[Compared],
    settings: Sequence[tuple[str, str]],
    missing: Sequence[str] = (),
) -> Path:
    """Write the page into the folder that has the figures, and their tables in ``tables``.

    Parameters
    ----------
    folder : Path
        The folder.
    rows : sequence of dict
        The ledger.
    replayed : sequence of Replayed
        Traces.
    cells : sequence of Compared
        Tables 1 to 6 beside the paper's.
    settings : sequence of (str, str)
        What was asked for: seeds and efforts.
    missing : sequence of str
        What is left out, and why.

    Raises
    ------
    FileError
        Where a file cannot be read or written.
    """
    explorers = [explorer for i, one in enumerate(replayed, start=1) if (explorer := _explorer(f"trace-{i}", one))]
    said = [Paragraph(text) for one in replayed if (text := summary_of(one))]
    sections = [
        Section("ledger", "The ledger", _ledger(rows)),
        Section("sliders", "Every capacity and threshold", [Paragraph(SLIDERS_LEAD), *explorers]),
        Section("replays", "All policies, replayed", [b for one in replayed for b in _replays(one)]),
        Section("tables", "Tables 1 to 6 beside the paper’s", list(_paper(cells))),
        Section("figures", "Figures", figures(folder.glob("*.svg"))),
        Section("provenance", "Provenance", list(_provenance(folder, replayed, settings))),
    ]
    notes = [Note(text) for text in missing]
    page = Page("Tail-optimised prompt caching", LEAD, [verdict_cards(rows), *said, *notes], sections)
    write_text(str(folder / NAME), render(page))
    return folder / NAME


def summary_of(one: Replayed) -> str:
    """Return in sentences what T-LRU is worth in the middle of the grid; nothing for a trace without turns."""
    size, xi = one.middle
    at = {cell.policy: cell for cell in one.cells if (cell.capacity, cell.xi) == (size, xi)}
    lru, tlru = at["lru"], at["tlru"]
    if lru.p95 is None or tlru.p95 is None:
        return ""
    where = f"{one.title}, with {size:,} tokens and a threshold of {one.thresholds.label(xi)}: "
    return where + in_words(lru.tel, tlru.tel, lru.optimum, lru.p95, tlru.p95)


def _ledger(rows: Sequence[Row]) -> list[Block]:
    told = (WHICH_TEXT, paper_sentence(rows), LEDGER_LEAD)
    return [*map(Paragraph, told), ledger_block(rows)]


def _explorer(anchor: str, one: Replayed) -> Explorer | None:
    if not len(one.trace):
        return None
    size, xi = one.middle
    start = (size, one.thresholds.seconds[xi])
    title = f"{one.title}, Q̂ = {one.grid.q_hat:,} tokens"
    return explore(anchor, title, one.trace, one.thresholds.latency, q_hat=one.grid.q_hat, start=start)


def _replays(one: Replayed) -> Iterator[Block]:
    yield Heading(one.title)
    yield Bullets(
        [*assumptions(one.trace, one.grid, one.thresholds, False), f"{LEGEND} {caching(one.grid.forced)}"]
    )
    for size, cells in groupby(one.cells, key=lambda cell: cell.capacity):
        tables = [_table(one, xi, list(of)) for xi, of in groupby(cells, key=lambda cell: cell.xi)]
        yield Details(f"Capacity {size:,} tokens", tables)


def _table(one: Replayed, xi: int, cells: Sequence[Swept]) -> Table:
    caption = f"{one.title}, capacity {cells[0].capacity:,} tokens, threshold {one.thresholds.label(xi)}"
    return Table(caption, ("policy", *MEASURES), [cell_row(cell, one.thresholds) for cell in cells])


def _paper(cells: Sequence[Compared]) -> Iterator[Block]:
    """Yield each table with its summary in one line."""
    yield Paragraph(PAPER_LEGEND)
    for one in shown(cells):
        lines = [line for capacity, row in one.rows for line in _lines(capacity, row)]
        yield Table(one.title, one.header, lines, heads=2)
        yield Paragraph(f"{one.summary}.")


def _lines(capacity: str, row: Sequence[Compared]) -> Iterator[tuple[str | Cell, ...]]:
    yield (capacity, "paper", *(Cell(printed(cell), "quiet") for cell in row))
    yield (capacity, "ours", *(Cell(ours(cell), TONES[cell.agreement]) for cell in row))


def _provenance(
    folder: Path, replayed: Sequence[Replayed], settings: Sequence[tuple[str, str]]
) -> Iterator[Block]:
    yield Facts([*versions(), *made_on(os.environ)])
    yield Facts([*settings, *(pair for one in replayed for pair in _of_trace(one))])
    tables = sorted((folder / "tables").glob("*.csv"))
    yield Details("Digests of the tables that the figures are made of", [Facts(digests(tables))])


def _of_trace(one: Replayed) -> Iterator[tuple[str, str]]:
    if one.file is not None:
        yield one.file.name, f"SHA-256 {digest(one.file)}"
    yield one.title, f"{len(one.trace):,} turns, digest of the trace {trace_key(one.trace)}"
