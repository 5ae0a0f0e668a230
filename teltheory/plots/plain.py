"""Lines against the capacity without Matplotlib: as letters of a terminal, and as an SVG inside a page.

Both have a logarithmic axis of capacities and per cent from 0 to 100. Where two lines meet, the later one is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log

from teltheory.plots.panels import tokens
from teltheory.plots.style import BLACK, Line

COLUMNS, ROWS = 70, 18
LEFT, WIDTH, HEIGHT, BELOW, LEGEND = 52, 660, 320, 56, 20
"""Pixels of the SVG: left of the panel, the panel, the axis below it, and a line of the legend."""
DASHES = {"-": "none", "--": "7 4", ":": "2 3"}


@dataclass(frozen=True)
class Drawn:
    """A line: its letter in a terminal, its look, and its points as capacity and per cent."""

    letter: str
    line: Line
    points: Sequence[tuple[int, float]]

    @property
    def stroke(self) -> str:
        """How it is drawn; black is the colour of the text, which is light where the page is dark."""
        colour = self.line.colour.replace(BLACK, "currentColor")
        return f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[str(self.line.dashes)]}"'


@dataclass(frozen=True)
class PlainChart:
    """Lines of one panel, and what is said above it; of lines with one name the first has the legend."""

    title: str
    lines: Sequence[Drawn]

    def text(self) -> str:
        """Return `ROWS` by `COLUMNS` letters between axes, and what each letter means."""
        grid = [[" "] * COLUMNS for _ in range(ROWS)]
        for one in self.lines:
            for capacity, share in one.points:
                grid[-1 - round(share / 100 * (ROWS - 1))][round(self._x(capacity, COLUMNS - 1))] = one.letter
        marks = {0: "100 %", ROWS - 1: "0 %"}
        panel = [f"{marks.get(i, ''):>7} |{''.join(row)}".rstrip() for i, row in enumerate(grid)]
        axis = [" "] * COLUMNS
        for capacity, text in zip(self._ticks, map(tokens, self._ticks), strict=True):
            at = min(round(self._x(capacity, COLUMNS - 1)), COLUMNS - len(text))
            axis[at : at + len(text)] = text
        below = [f"{'':8}+{'-' * COLUMNS}", f"{'':9}{''.join(axis)}".rstrip()]
        return "\n".join(
            [self.title, *panel, *below, "  " + "   ".join(f"{one.letter} {one.line.name}" for one in self._named)]
        )

    def svg(self) -> str:
        """Return an SVG on one line, as Markdown leaves it alone; its title is read out."""
        height = 12 + HEIGHT + BELOW + LEGEND * len(self._named)
        lines = (f'<polyline points="{self._points(one)}" {one.stroke}/>' for one in self.lines)
        return (
            f'<svg viewBox="0 0 {LEFT + WIDTH + 20} {height}" style="width:100%;max-width:{LEFT + WIDTH}px" '
            f'role="img" aria-label="{escape(self.title)}" font-family="sans-serif" font-size="12" '
            f'fill="currentColor">'
            f'<g transform="translate({LEFT} 12)">{"".join([*self._axes(), *lines, *self._legend()])}</g></svg>'
        )

    @property
    def _ends(self) -> tuple[int, int]:
        found = [capacity for one in self.lines for capacity, _ in one.points]
        return min(found), max(found)

    @property
    def _ticks(self) -> list[int]:
        """1, 2 and 5 times the powers of ten within the capacities."""
        least, most = self._ends
        return [k * 10**power for power in range(20) for k in (1, 2, 5) if least <= k * 10**power <= most]

    @property
    def _named(self) -> list[Drawn]:
        return list({one.line.name: one for one in reversed(self.lines)}.values())[::-1]

    def _x(self, capacity: int, width: int) -> float:
        least, most = self._ends
        return width * log(capacity / least) / log(most / least)

    def _points(self, one: Drawn) -> str:
        return " ".join(f"{self._x(c, WIDTH):.1f},{HEIGHT * (1 - share / 100):.1f}" for c, share in one.points)

    def _axes(self) -> Iterator[str]:
        for share in range(0, 101, 25):
            y = HEIGHT * (1 - share / 100)
            yield f'<path d="M0 {y:.0f}h{WIDTH}" stroke="currentColor" stroke-opacity=".2"/>'
            yield f'<text x="-6" y="{y + 4:.0f}" text-anchor="end">{share} %</text>'
        for capacity in self._ticks:
            x = f"{self._x(capacity, WIDTH):.1f}"
            yield f'<path d="M{x} {HEIGHT}v5" stroke="currentColor"/>'
            yield f'<text x="{x}" y="{HEIGHT + 18}" text-anchor="middle">{tokens(capacity)}</text>'
        yield f'<text x="{WIDTH / 2}" y="{HEIGHT + 36}" text-anchor="middle">capacity of the cache (tokens)</text>'

    def _legend(self) -> Iterator[str]:
        for i, one in enumerate(self._named):
            y = HEIGHT + BELOW + LEGEND * i
            yield f'<path d="M0 {y}h36" {one.stroke}/><text x="44" y="{y + 4}">{escape(one.line.name)}</text>'
