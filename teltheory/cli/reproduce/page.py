"""`report.html`: what `teltheory reproduce --out FOLDER` decided, replayed and drew, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.claims.erratum import Erratum
from teltheory.cli.advise.text import advice_in_short
from teltheory.cli.asked.question import Asked
from teltheory.cli.printed.output import write_text
from teltheory.cli.replay.command import MEASURES, cell_row, legend
from teltheory.cli.replay.served_tables import DISTANCE, LEGEND, memory_rows, tiers_text
from teltheory.cli.reproduce.figures import LEGEND as PAPER_LEGEND
from teltheory.cli.reproduce.figures import TABLES, latencies, paper_tables
from teltheory.cost.given import in_text
from teltheory.cost.latency_files import EMBEDDED
from teltheory.errors import ArgumentError, TraceError
from teltheory.model.display import counted
from teltheory.policies.spec import Spec
from teltheory.report.captions import pictures
from teltheory.report.explorer import POLICIES, ChartChoices, compared, explorer
from teltheory.report.ledger import ARITHMETIC, Row, outcome, paper_sentence
from teltheory.report.ledger_pages import errata_text, ledger_text
from teltheory.report.markdown import bullets, facts, folded, literal, paragraphs, plain_text, table
from teltheory.report.page import Card, Page, Section, digest, render, versions
from teltheory.report.words import WHICH_TEXT
from teltheory.sweep import Cell, Grid, ServedCell, sweep
from teltheory.sweep.sources import trace_key

if TYPE_CHECKING:
    from altair import ConcatChart

    from teltheory.paper.rows import ComparedRow

NAME = "report.html"
BELIEF_LEAD = (
    "What each policy loses of the optimal saving, in per cent, in the belief MDP with the posterior: two kinds "
    "of conversations, one so many times as fast as the other; prompts of one token or two, room for two, ξ = 1, "
    "x = 2/3, a discount of 9/10; who was silent for four turns is forgotten."
)
LEAD = (
    "T-LRU beside LRU and the hindsight optimum, a setting for each trace, the paper's tables and figures made "
    "anew, and every statement that was decided."
)
LEDGER_LEAD = (
    "Proved: a program proved it for all that the row names. Certified: a proof for each instance that was tried. "
    "Exhaustive: no instance within the bounds refutes it. Sampled proves nothing. A table or figure is "
    "reproduced if all its cells together pass its rule. A refuted statement has the smallest counterexample: "
    "conversations are A, B, ..., a turn is conversation(prompt+response), xi the threshold, C the capacity, "
    "Q the estimate of the next prompt. `teltheory verify --claim NAME` decides a row again."
)
CHARTS_LEAD = (
    "Every number is that of a replay at just these settings: optional "
    "caching, an empty cache at the start, T-LRU with round-robin trim. TEL is the sum of max(uncached − ξ, 0) "
    "over all turns, in tokens, or in blocks for prefixes that requests share. The hindsight optimum is the least "
    "TEL of any policy; other plans may reach it too, so it has no percentiles. Of shared prefixes it is that of "
    "a cache whose blocks may outlive their parents."
)


@dataclass(frozen=True)
class ReplayedTrace:
    """A trace and its cells."""

    name: str
    title: str
    file: Path | None
    asked: Asked
    cells: Sequence[Cell]
    in_tiers: Sequence[ServedCell] = ()

    @property
    def composed(self) -> list[str]:
        """What its seconds rest on, in words, if the latency is a built-in one."""
        latency = self.asked.thresholds.latency
        built_in = [one.provenance for one in EMBEDDED.values() if one == latency]
        return [f"No measured TTFT is in these seconds: {of.note}." for of in built_in if of]

    @property
    def middle(self) -> tuple[int, int]:
        """The capacity and threshold that are spoken of: those in the middle."""
        sizes, xis = self.asked.grid.capacities, self.asked.grid.thresholds
        return sizes[len(sizes) // 2], xis[len(xis) // 2]

    @property
    def at_middle(self) -> dict[str, Cell]:
        """The cells there, by policy."""
        return {cell.policy: cell for cell in self.cells if (cell.capacity, cell.xi) == self.middle}


def write_page(
    folder: Path,
    rows: Sequence[Row],
    errata: str,
    told: Sequence[Erratum],
    replayed: Sequence[ReplayedTrace],
    cells: tuple[Sequence[ComparedRow], Sequence[ComparedRow]],
    settings: Sequence[tuple[str, str]],
    missing: Sequence[str] = (),
) -> Path:
    """Write the page into the folder that has the figures, and their tables in ``tables``."""
    charts = [_explorer(one) for one in replayed if len(one.asked.trace)]
    ledger = [paper_sentence(rows), folded("How to read it", WHICH_TEXT, LEDGER_LEAD), ledger_text(rows, told)]
    replays = [part for one in replayed for part in _replays(one)]
    sections = [
        Section("charts", "Policies against the optimum", folded("What is computed", CHARTS_LEAD), charts),
        Section("advice", "What to set", paragraphs(part for one in replayed for part in _advice(one))),
        Section("replays", "All policies, replayed", paragraphs(replays)),
        Section("tables", "Tables 1 to 6 beside the paper’s", paragraphs(_paper(*cells))),
        Section("belief", "ET-LRU against value iteration", paragraphs(_beliefs(folder))),
        Section("figures", "Figures", pictures(folder.glob("*.svg"))),
        Section("ledger", "The ledger", paragraphs(ledger), packed=True),
        Section("errata", "Errata", errata_text(errata)),
        Section("provenance", "Provenance", paragraphs(_provenance(folder, replayed, settings))),
    ]
    page = Page(
        "Tail-optimised prompt caching",
        LEAD,
        [*_cards(rows, replayed)],
        paragraphs(map(literal, missing)),
        sections,
    )
    write_text(str(folder / NAME), render(page))
    return folder / NAME


def _cards(rows: Sequence[Row], replayed: Sequence[ReplayedTrace]) -> Iterator[Card]:
    """Yield what T-LRU is worth on each trace, in the middle of its grid, and how the paper stands."""
    for one in replayed:
        change = one.at_middle["tlru"].change
        if change is not None:
            tone = "good" if change < 0 else "warn"
            yield Card(
                f"{float(100 * change):+.1f} %".replace("-", "−"), f"TEL of T-LRU against LRU's, {one.title}", tone
            )
    stated = [told for row in rows if row["origin"] == "paper" and (told := outcome(row)) not in ARITHMETIC]
    of = f"of the paper's {counted(len(stated), 'statement')}"
    yield Card(f"{stated.count('holds'):,}", f"{of} hold", "good")
    yield Card(f"{stated.count('refuted'):,}", f"{of} are refuted as printed", "warn")


def summary_of(one: ReplayedTrace) -> str:
    """Return in sentences what T-LRU is worth in the middle of the grid; nothing for a trace without turns."""
    (size, xi), at = one.middle, one.at_middle
    lru, tlru = at["lru"], at["tlru"]
    if lru.p95 is None or tlru.p95 is None:
        return ""
    thresholds = one.asked.thresholds
    where = f"{one.title}, with {thresholds.size(size)} and a threshold of {thresholds.label(xi)}: "
    return where + compared(lru.tel, tlru.tel, lru.optimum, lru.p95, tlru.p95)


def _explorer(one: ReplayedTrace) -> ConcatChart:
    requests, q_hat, latency = one.asked.requests, one.asked.grid.q_hat, one.asked.thresholds.latency
    steps = ChartChoices.of(requests, latency)
    policies = [Spec(name) for name in POLICIES]
    grid = Grid(
        policies, steps.capacities, tuple(steps.slos), q_hat, slos=steps.slos, latency=latency, in_tokens=True
    )
    return explorer(f"{one.title}, Q̂ = {q_hat:,} tokens", sweep(requests, grid, latency), steps, one.middle)


def _advice(one: ReplayedTrace) -> Iterator[str]:
    """Yield what `teltheory advise` says in the middle of the grid, or why there is none."""
    from teltheory.advice import advise

    (size, xi), thresholds = one.middle, one.asked.thresholds
    yield f"### {literal(one.title)}"
    yield literal(summary_of(one))
    if xi not in thresholds.slos:
        yield "No advice: the threshold was given in tokens, and advice is for an SLO."
        return
    slo = thresholds.slos[xi]
    try:
        yield from advice_in_short(advise(one.asked.requests, in_text(size), slo.seconds, thresholds.latency))
    except (ArgumentError, TraceError) as error:
        yield f"No advice on this trace: {plain_text(str(error))}."
        return
    if one.file is not None:
        command = f"teltheory advise {one.file.name} --capacity {size} --slo {slo.text}"
        yield f"More, and for other goals: <code>{literal(command)}</code>"


def _replays(one: ReplayedTrace) -> Iterator[str]:
    yield f"### {literal(one.title)}"
    yield bullets([*one.asked.lines(), *one.composed, f"{legend(one.asked)} {one.asked.caching}"])
    for size, cells in groupby(one.cells, key=lambda cell: cell.capacity):
        tables = [_table(one, xi, list(of)) for xi, of in groupby(cells, key=lambda cell: cell.xi)]
        yield folded(f"Capacity {one.asked.thresholds.size(size)}", *tables)
    for tiers, of_tiers in groupby(one.in_tiers, key=lambda cell: cell.tiers):
        tables = [_tiers_table(one, xi, list(of)) for xi, of in groupby(of_tiers, key=lambda cell: cell.xi)]
        yield folded(f"Tiers of {tiers_text(tiers)}", plain_text(f"{LEGEND} {DISTANCE}"), *tables)


def _tiers_table(one: ReplayedTrace, xi: int, cells: Sequence[ServedCell]) -> str:
    thresholds = one.asked.thresholds
    heads, lines = memory_rows(cells, thresholds, alone=True)
    return (
        f"Threshold {thresholds.label(xi)}:\n\n{table(heads, (map(plain_text, line) for line in lines), '---:')}"
    )


def _table(one: ReplayedTrace, xi: int, cells: Sequence[Cell]) -> str:
    thresholds = one.asked.thresholds
    lines = (map(plain_text, cell_row(cell, thresholds)) for cell in cells)
    caption = f"Capacity {thresholds.size(cells[0].capacity)}, threshold {thresholds.label(xi)}"
    heads = ("policy", *map(thresholds.heading, MEASURES))
    return f"{plain_text(caption)}:\n\n{table(heads, lines, '---:')}"


def _paper(cells: Sequence[ComparedRow], second: Sequence[ComparedRow]) -> Iterator[str]:
    """Yield each table with its summary in one line."""
    yield plain_text(" ".join([PAPER_LEGEND, *latencies()]))
    for one in paper_tables(cells, second):
        yield f"{one.title}:\n\n{table(one.header, one.rows, '---:')}\n\n{plain_text(one.summary)}"


def _beliefs(folder: Path) -> Iterator[str]:
    """Yield what policies lose in the belief MDP, a row a policy, a column a ratio of rates."""
    from teltheory.paper.beliefs import GAP
    from teltheory.paper.rows import BeliefRegret
    from teltheory.paper.tidy import grouped, read_rows

    rows = [row for row in read_rows(folder / TABLES / "belief_rates.csv", BeliefRegret) if row.x == float(GAP)]
    header = ("policy", *(f"{ratio} times as fast" for ratio in grouped(rows, "ratio")))
    lines = [(name, *(f"{row.percent:.2f}" for row in of)) for name, of in grouped(rows, "policy").items()]
    yield f"{BELIEF_LEAD}\n\n{table(header, lines, '---:')}"


def _provenance(
    folder: Path, replayed: Sequence[ReplayedTrace], settings: Sequence[tuple[str, str]]
) -> Iterator[str]:
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
