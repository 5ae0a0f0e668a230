"""Timelines of the errata: each turn of a counterexample as a bar, cached, computed, and above the threshold.

They are drawn from the tables of states in the document itself, so that picture and table can't differ.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from teltheory.claims.state_tables import TURNS

SLOT, ROW, LEFT, HEAD, BAR = 84, 34, 26, 34, 11
"""Pixels: a turn, a conversation, the names of conversations, a panel's heading, a bar."""
CACHED, COMPUTED, EXCESS = "#a9bdd6", "#3f78b5", "#d64541"
KEY = (
    "A bar is a turn. Light: cached, blue: computed, red: above ξ (the tick). Below it: cached + computed tokens."
)
FOLDED = re.compile(r"^<details.*?^</details>", re.DOTALL | re.MULTILINE)
TABLE = re.compile(
    rf"^(?P<title>[^\n|]+):\n\n\| {' [|] '.join(TURNS)} \|\n\|[- |]+\n(?P<rows>(?:\|.*\n)+)\n.*ξ = (?P<xi>\d+)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class TimelineTurn:
    """A turn of a table of states, in tokens."""

    turn: int
    conversation: str
    total: int
    reused: int
    excess: int


@dataclass(frozen=True)
class Panel:
    """The turns under one policy, and the threshold."""

    title: str
    xi: int
    turns: tuple[TimelineTurn, ...]


def with_timelines(document: str) -> str:
    """Return the document of errata with a timeline before each counterexample that is a replayed trace."""
    return FOLDED.sub(lambda folded: "\n\n".join([*_figure(panels(folded[0])), folded[0]]), document)


def panels(text: str) -> list[Panel]:
    """Return the tables of turns in a text."""
    return [
        Panel(
            found["title"].removesuffix(", turn by turn").replace("`", ""),
            int(found["xi"]),
            tuple(map(_turn, found["rows"].splitlines())),
        )
        for found in TABLE.finditer(text)
    ]


def _turn(line: str) -> TimelineTurn:
    row = dict(zip(TURNS, line.strip("| ").split(" | "), strict=True))
    return TimelineTurn(
        int(row["turn"]), row["conversation"], *(int(row[name]) for name in ("total", "reused", "excess"))
    )


def _figure(drawn: Sequence[Panel]) -> Iterator[str]:
    """Yield the figure of all panels, one below the other, if there are any."""
    if not drawn:
        return
    names = list(dict.fromkeys(turn.conversation for panel in drawn for turn in panel.turns))
    width = LEFT + SLOT * max(len(panel.turns) for panel in drawn) + 8
    height = HEAD + ROW * len(names)
    unit = (SLOT - 16) / max([1, *(_length(turn, panel.xi) for panel in drawn for turn in panel.turns)])
    parts = [
        f'<g transform="translate(0 {i * height})">{"".join(_panel(panel, names, unit))}</g>'
        for i, panel in enumerate(drawn)
    ]
    yield (
        f'<div class="timeline" style="overflow-x:auto;margin:0 0 1em"><svg width="{max(width, 300)}" '
        f'height="{height * len(drawn)}" role="img" aria-label="{escape("; ".join(map(_said, drawn)))}" '
        f'font-family="sans-serif" font-size="11" fill="currentColor">{"".join(parts)}</svg>'
        f'<div style="font-size:12px;opacity:.8">{KEY}</div></div>'
    )


def _length(turn: TimelineTurn, xi: int) -> int:
    """Return how long a turn is drawn: its input, and the place of the threshold if that is not far off."""
    mark = turn.reused + xi
    return max(turn.total, mark if mark <= 2 * turn.total else 0)


def _panel(panel: Panel, names: Sequence[str], unit: float) -> Iterator[str]:
    tel = sum(turn.excess for turn in panel.turns)
    yield f'<text x="0" y="12" font-weight="bold">{escape(panel.title)}: TEL {tel}, ξ = {panel.xi}</text>'
    for i, turn in enumerate(panel.turns):
        yield f'<text x="{LEFT + SLOT * i}" y="26" font-size="9" opacity="0.7">turn {turn.turn}</text>'
    for i, name in enumerate(names):
        yield f'<text x="4" y="{HEAD + ROW * i + BAR}">{name}</text>'
    for i, turn in enumerate(panel.turns):
        x, y = LEFT + SLOT * i, HEAD + ROW * names.index(turn.conversation)
        yield f'<g transform="translate({x} {y})">{"".join(_bar(turn, panel.xi, unit))}</g>'


def _bar(turn: TimelineTurn, xi: int, unit: float) -> Iterator[str]:
    """Yield the parts of a bar: cached, computed within the threshold, above it; the threshold; the numbers."""
    at = 0
    computed = turn.total - turn.reused
    for tokens, fill in ((turn.reused, CACHED), (computed - turn.excess, COMPUTED), (turn.excess, EXCESS)):
        if tokens:
            yield f'<rect x="{at * unit:.1f}" y="2" width="{tokens * unit:.1f}" height="{BAR}" fill="{fill}"/>'
        at += tokens
    mark = (turn.reused + xi) * unit
    if turn.reused + xi <= _length(turn, xi):
        yield f'<path d="M{mark:.1f} 0v{BAR + 4}" stroke="currentColor" stroke-width="1.5"/>'
    yield f'<text x="0" y="{BAR + 13}" font-size="10">{turn.reused} + {computed}</text>'


def _said(panel: Panel) -> str:
    turns = (
        f"turn {turn.turn} {turn.conversation} {turn.reused} of {turn.total} cached, {turn.excess} above"
        for turn in panel.turns
    )
    return f"{panel.title}: {', '.join(turns)}"
