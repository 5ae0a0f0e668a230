"""What the pictures of the pages are drawn of: SVG as wide as a phone, with text of 11 pixels or more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
INK, LIGHT, CACHED, RED, OTHER = "#222", "#e4e8ee", "#3f78b5", "#d64541", "#c98a2b"
HALO = 'paint-order="stroke" stroke="#fff" stroke-width="4"'
BOLD, MIDDLE, DIM = 'font-weight="bold"', 'text-anchor="middle"', 'opacity="0.7"'
WIDTH = 350


def svg(height: int, said: str, parts: Iterable[str]) -> str:
    """Return a picture on white, so that it is legible on a dark page too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13" fill="{INK}">'
        f"<title>{escape(said)}</title>"
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def text(x: float, y: float, words: object, more: str = "") -> str:
    """Return words that begin at a point."""
    return f'<text x="{x:g}" y="{y:g}" {more}>{escape(str(words))}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    """Return a rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" {more}/>'


def line(x: float, y: float, u: float, v: float, more: str = "") -> str:
    """Return a line."""
    return f'<path d="M{x:g} {y:g}L{u:g} {v:g}" stroke="{INK}" {more}/>'


@dataclass(frozen=True)
class Axes:
    """A chart's axes: what is measured, up to which value, and where the marks stand; y begins at 0."""

    x: str
    y: str
    right: float
    top: float
    marks: tuple[Sequence[float], Sequence[float]]
    left: float = 0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a value stands in the picture."""
        return 46 + 275 * (x - self.left) / (self.right - self.left), 226 - 190 * y / self.top

    def drawn(self) -> Iterator[str]:
        """Yield the axes with their marks."""
        across, up = self.marks
        corner = self.at(self.left, 0)
        yield line(*corner, *self.at(self.right, 0)) + line(*corner, *self.at(self.left, self.top))
        yield text(191, 266, self.x, f'{MIDDLE} font-size="12"') + text(8, 24, self.y, 'font-size="12"')
        for mark in across:
            yield text(self.at(mark, 0)[0], 244, f"{mark:,}", f'{MIDDLE} font-size="11"')
        for mark in up:
            x, y = self.at(self.left, mark)
            yield text(x - 6, y + 4, f"{mark:,}", 'text-anchor="end" font-size="11"')
            yield line(x, y, *self.at(self.right, mark), 'opacity="0.15"')

    def curve(self, points: Iterable[tuple[float, float]], colour: str, more: str = "") -> str:
        """Return a line through values."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in points))
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {more}/>'

    def dot(self, x: float, y: float, colour: str) -> str:
        """Return a dot at a value."""
        across, down = self.at(x, y)
        return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3.5" fill="{colour}"/>'


def key(names: Mapping[str, str], top: int, left: int = 60) -> Iterator[str]:
    """Yield what each colour stands for, one below the other."""
    for i, (name, colour) in enumerate(names.items()):
        yield box(left, top + 18 * i, 12, 12, colour) + text(left + 18, top + 11 + 18 * i, name, 'font-size="12"')


def bars(top: int, rows: Mapping[str, tuple[float, str, str]], most: float, left: int) -> Iterator[str]:
    """Yield a bar for each name: its value, colour and words; `most` is as long as there is room."""
    for i, (name, (value, colour, words)) in enumerate(rows.items()):
        y, long = top + 21 * i, max(1.0, (WIDTH - left - 48) * value / most)
        yield text(left - 6, y + 12, name, 'text-anchor="end" font-size="12"')
        yield box(left, y, round(long, 1), 15, colour) + text(left + long + 5, y + 12, words, 'font-size="12"')
