"""`teltheory demo`: T-LRU beside LRU and the proved optimum at every capacity, on a trace that is sampled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from rich.table import Table

from teltheory.cli.asked.options import table_options
from teltheory.cli.asked.question import Asked, read_question
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_targets, console, progress_bar, show, write_json, write_text
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.replay.curve import HINDSIGHT, CurveRows, Curves, curves_as_data
from teltheory.errors import ArgumentError
from teltheory.model.display import percent, tokens_in_short
from teltheory.plots.curves import tail_percent
from teltheory.plots.plain import COLUMNS, Drawn, PlainChart
from teltheory.plots.style import GREY, POLICIES, Line
from teltheory.policies.spec import parse_policies
from teltheory.report.markdown import bullets, paragraphs, plain_text, table
from teltheory.report.page import Card, Page, Section, static
from teltheory.workloads import wildchat_like

TURNS, SEED, SLO, MODEL = 6000, 1, "200ms", "llama-2-7b"
SIZES = ("2GiB", "4GiB", "8GiB", "16GiB")
SHOWN = "4GiB"
"""The capacity that sentences are about."""
LEAST, MOST, POINTS = 1_000, 200_000, COLUMNS
"""Tokens between which lines are drawn, and how many points a line has: one for each letter of a terminal."""
LOOKS = {**POLICIES, HINDSIGHT: replace(POLICIES[HINDSIGHT], name="proved optimum", dashes="-")}
LETTERS = {"lru": "L", "tlru": "T", HINDSIGHT: "o"}
TITLE = f"TEL above {SLO}, in per cent of that without a cache, by the capacity in tokens"
HEADS = ("capacity", "policy", "P50 s", "P95 s", "hit", "prefill", "TEL", "vs LRU", "closed")
WORDS = (
    "TEL: tokens that turns compute above the threshold, summed. prefill: tokens that the server computes. "
    "closed: share of LRU's distance to the optimum that is closed. hindsight: the least TEL of any policy, with "
    "a certificate that is checked."
)
TANGENTS = (
    "A tangent comes with one solve of the optimum: what is proved at one capacity bounds every other, so that no "
    "policy is below the line. Between tangents and the chords above them the optimum is known to 0.1 %."
)
NEXT = (
    "teltheory trace describe mylog.jsonl",
    "teltheory advise mylog.jsonl --capacity 40GiB --model llama-2-7b --slo 200ms",
    "teltheory advise mylog.csv --columns conversation=session_id,total=prompt_tokens --slo 200ms",
)
YOURS = "Your own log, a row a request: what it holds, the setting for it, and the same for columns of any name."


@command(None, "demo", "demo --html demo.html --json demo.json")
@option(
    "--html",
    "page",
    metavar="FILE",
    default="teltheory-demo.html",
    show_default=True,
    help="Also write a page to FILE, to show to others.",
)
@table_options
def demo(page: str, target: str | None) -> int:
    """Show T-LRU, LRU and the optimum on a sampled trace.

    It needs no data and no extra. The figure has every capacity and the table four, with the price of less tail.
    The seed is fixed: each run prints the same.
    """
    if page == "-":
        raise ArgumentError("--html", page, "a file")
    check_targets({"--json": target, "--html": page})
    with progress_bar() as bar:
        shown = Demo.of(*_curves(bar))
    if target != "-":
        show(console(), *shown.parts(), f"The same as a page: {page}", YOURS, *(f"  {line}" for line in NEXT))
    write_text(page, static(shown.page()))
    if target is not None:
        write_json(target, curves_as_data(shown.asked, shown.rows))
    return 0


def _curves(bar: Any) -> tuple[Asked, CurveRows]:
    """Sample the trace and return what is asked, with its rows at the sizes and at every point drawn."""
    specs = [parse_policies(name) for name in LETTERS if name != HINDSIGHT]
    question = read_question(specs, capacities=SIZES, xis=(), slos=(SLO,), served=ServedModel(MODEL))
    asked = question.on(wildchat_like().sample(TURNS, np.random.default_rng(SEED)))
    spaced = [round(LEAST * (MOST / LEAST) ** (i / (POINTS - 1))) for i in range(POINTS)]
    return asked, Curves(asked, spaced, hindsight=True).rows(bar)


@dataclass(frozen=True)
class Demo:
    """What was found, and each policy's row at the capacity that sentences are about."""

    asked: Asked
    rows: CurveRows
    at: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, asked: Asked, rows: CurveRows) -> Demo:
        """Return it of a threshold's rows."""
        size = asked.grid.capacities[SIZES.index(SHOWN)]
        return cls(asked, rows, {row["policy"]: row for row in rows.table if row["capacity"] == size})

    def parts(self) -> Iterator[str | Table]:
        """Yield what a terminal shows."""
        yield from (self.lead(), "", *self.chart().text().splitlines(), "", *self.findings(), WORDS)
        yield plain_table("", HEADS, self.cells(), ("policy",))

    def lead(self) -> str:
        """Return what was replayed, in a sentence."""
        trace, xi = self.asked.trace, self.asked.grid.thresholds[0]
        return (
            f"A sample like WildChat: {len(trace):,} turns of {trace.conversations:,} conversations, for "
            f"{MODEL}. Each turn should have its first token within {SLO}: {xi:,} uncached tokens."
        )

    def findings(self) -> list[str]:
        """Return what T-LRU gains, how far the optimum is, what the gain costs, and where there is none."""
        lru, tlru, best = (self.at[name] for name in LETTERS)
        less = (f"{100 * (1 - row['tel'] / lru['tel']):.1f} %" for row in (tlru, best))
        gain = "At {} T-LRU has {} less TEL than LRU; the optimum, proved, has {} less.".format(SHOWN, *less)
        price = (
            f"The price: {tlru['prefilled'] / lru['prefilled']:.3f} times LRU's prefill, and a median TTFT of "
            f"{1000 * tlru['p50']:.1f} ms, not {1000 * lru['p50']:.1f} ms."
        )
        both = zip(self._drawn("lru"), self._drawn("tlru"), strict=True)
        better = [row["capacity"] for base, row in both if row["tel"] <= base["tel"]]
        beyond = [row["capacity"] for row in self._drawn("lru") if row["capacity"] > max(better, default=0)]
        limit = (
            f" In the figure LRU has less TEL from {min(beyond):,} tokens on: there T-LRU is no help."
            if beyond
            else ""
        )
        return [gain, price + limit]

    def chart(self) -> PlainChart:
        """Return the lines: tangents first, as a later line is seen where two meet."""
        lines = [
            Drawn(LETTERS[name], LOOKS[name], [(row["capacity"], tail_percent(row)) for row in self._drawn(name)])
            for name in (HINDSIGHT, "tlru", "lru")
        ]
        return PlainChart(TITLE, [*self._tangents(), *lines])

    def cells(self) -> Iterator[list[str]]:
        """Yield the rows of the table as text."""
        sizes = dict(zip(self.asked.grid.capacities, SIZES, strict=True))
        for row in sorted(self.rows.table, key=lambda row: row["capacity"]):
            lru, shown = row["lru"], self.asked.thresholds.shown
            size = f"{sizes[row['capacity']]} = {row['capacity']:,}" if row["policy"] == "lru" else ""
            work = [percent(row["hit_rate"]), tokens_in_short(row["prefilled"])]
            tail = [f"{row['tel']:,}", percent(Fraction(row["tel"] - lru, lru)), percent(row["share_closed"])]
            yield [size, row["policy"], shown(row["p50"]), shown(row["p95"]), *work, *tail]

    def page(self) -> Page:
        """Return it as a page."""
        lru, tlru, best = (tail_percent(self.at[name]) for name in LETTERS)
        cards = [
            Card(f"{lru:.1f} %", f"LRU: TEL at {SHOWN}, of that without a cache"),
            Card(f"{tlru:.1f} %", "T-LRU", "good"),
            Card(f"{best:.1f} %", "the least of any policy, proved"),
        ]
        code = "\n".join(f"    {line}" for line in NEXT)
        sections = [
            Section("curves", TITLE, paragraphs([self.chart().svg(), TANGENTS])),
            Section(
                "table", "Four capacities", paragraphs([plain_text(WORDS), table(HEADS, self.cells(), "---:")])
            ),
            Section("yours", "Your own log", paragraphs([YOURS, code])),
        ]
        return Page("T-LRU beside LRU and the optimum", self.lead(), cards, bullets(self.findings()), sections)

    def _tangents(self) -> Iterator[Drawn]:
        """Yield, for each size of the table, the tangent that is taken nearest to it."""
        [found] = self.rows.tangents.values()
        whole = self._drawn(HINDSIGHT)[0]["uncached_tel"]
        for size in self.asked.grid.capacities:
            tangent = min(found.tangents, key=lambda one: abs(one.capacity - size))
            points = [
                (row["capacity"], 100 * tangent.at(row["capacity"]) / whole) for row in self._drawn(HINDSIGHT)
            ]
            line = Line("tangent: a lower bound", GREY, "", "--")
            yield Drawn(".", line, [(capacity, share) for capacity, share in points if 0 <= share <= 100])

    def _drawn(self, policy: str) -> list[dict[str, Any]]:
        return [row for row in self.rows.drawn if row["policy"] == policy]
