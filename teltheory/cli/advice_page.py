"""An advice as a page to show to others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.cli.advice_lines import HEADER, advice_rows, asked, findings, headline
from teltheory.cli.output import write_text
from teltheory.cost.kv_cache import KVSize
from teltheory.figures import draw_tried, figure_bytes
from teltheory.report.blocks import Block, Bullets, Card, Cards, Code, Facts, Figure, Note, Paragraph, Table, Tone
from teltheory.report.page import Page, Section, render
from teltheory.report.provenance import digest, made_on, versions

if TYPE_CHECKING:
    from teltheory.advice import Advice

LEAD = (
    "A threshold for T-LRU, chosen on the first part of the trace and judged on the rest, in the order of time. "
    "Intervals are 95 %, of a paired block bootstrap."
)
METHOD = (
    "ξ - Q̂ is chosen on the first part alone, from replays of T-LRU, which trims the least recent surplus first, "
    "at up to 48 values; those that keep the limits on the prefill and on P50 are allowed.",
    "What is promised is an interval for the gain on the rest, as wide as chance and the changes from quarter to "
    "quarter of the first part ask for.",
    "The rest begins with the cache that each policy has by then. The hindsight optimum is the least TEL there of "
    "any plan for the whole trace.",
    "hit: share of the input that was cached. prefill: tokens that were computed. slow: turns with a "
    "TTFT above the SLO. TEL: tokens above the SLO's threshold, summed over turns. regret: TEL above the "
    "hindsight optimum.",
)


def write_advice(
    target: str, file: str, about: Sequence[str], advices: Sequence[Advice], shape: KVSize | None, seed: int
) -> None:
    """Write a page with an advice for each capacity.

    Parameters
    ----------
    target : str
        The file to write.
    file : str
        The trace's file.
    about : sequence of str
        What is said of the trace and the assumptions.
    advices : sequence of Advice
        At least one.
    shape : KVSize or None
        Gives capacities a size in bytes.
    seed : int
        Of the draws.
    """
    sections = [
        Section(f"capacity-{i}", f"Capacity {advice.capacity:,} tokens", list(_blocks(advice, shape)))
        for i, advice in enumerate(advices, start=1)
    ]
    provenance = [*versions(), *made_on(os.environ), ("Seed of the draws", str(seed)), *_of_trace(Path(file))]
    page = Page(
        f"T-LRU on {Path(file).name}",
        LEAD,
        [Cards([_card(advice) for advice in advices])],
        [
            *sections,
            Section("method", "How it was found", [Bullets([*about, *METHOD])]),
            Section("provenance", "Provenance", [Facts(provenance)]),
        ],
    )
    write_text(target, render(page))


def _of_trace(file: Path) -> list[tuple[str, str]]:
    return [(file.name, f"SHA-256 {digest(file)}")] if file.is_file() else []


def _card(advice: Advice) -> Card:
    where = f"at {advice.capacity:,} tokens"
    if not advice.recommended:
        return Card("LRU", f"stay with it {where}", "quiet")
    gain = f"{100 * advice.held_out.gain.value:.1f} %"
    return Card(gain, f"{advice.goal.name}, lower than LRU's {where}", "good")


def _blocks(advice: Advice, shape: KVSize | None) -> Iterator[Block]:
    tone: Tone = "good" if advice.recommended else "quiet"
    yield Paragraph(asked(advice))
    yield Note(headline(advice), tone)
    for setting in advice.engines:
        yield Code(setting.arguments, f"{setting.engine} ({setting.release})")
    yield Bullets(list(findings(advice, shape)))
    yield from (Note(warning, "warn") for warning in advice.warnings)
    yield Table("The rest", HEADER, list(advice_rows(advice)))
    if len(advice.choice.tried) > 1:
        yield _tried(advice)


def _tried(advice: Advice) -> Figure:
    points = [(t.margin, 100 * t.gain, t.cost.median) for t in advice.choice.tried]
    drawn = draw_tried(points, advice.held_out.margin, advice.goal.name)
    caption = (
        f"{advice.goal.name} and the median of TTFT on the first part, by ξ - Q̂; the dotted line is what was "
        f"tried on the rest."
    )
    return Figure(f"Settings at {advice.capacity:,} tokens", caption, figure_bytes(drawn, "svg"))
