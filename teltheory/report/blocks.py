"""What a page is made of: one frozen value a block, which the template of the same name shows.

Every text is plain: it is escaped when it is shown, and `code` between backticks is all the mark-up it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Tone: TypeAlias = Literal["", "good", "warn", "bad", "quiet"]
"""How a cell or a badge looks; what it says is always in words too."""


@dataclass(frozen=True)
class Heading:
    """A heading within a section.

    Attributes
    ----------
    text : str
        The heading.
    """

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Sentences.

    Attributes
    ----------
    text : str
        The sentences.
    """

    text: str


@dataclass(frozen=True)
class Note:
    """Sentences in a box.

    Attributes
    ----------
    text : str
        The sentences.
    tone : str
        "warn" and "bad" are announced as warnings.
    """

    text: str
    tone: Tone = "quiet"


@dataclass(frozen=True)
class Bullets:
    """A list.

    Attributes
    ----------
    items : sequence of str
        Sentences.
    """

    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    """Lines to be copied: a command, or an engine's settings.

    Attributes
    ----------
    text : str
        The lines.
    caption : str
        What they are for.
    """

    text: str
    caption: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and values, such as versions.

    Attributes
    ----------
    pairs : sequence of (str, str)
        In the order shown.
    """

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Cell:
    """A cell of a table that stands out.

    Attributes
    ----------
    text : str
        What it says.
    tone : str
        How it looks.
    """

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Table:
    """A table in a box of its own, which scrolls where it is too wide.

    Attributes
    ----------
    caption : str
        Its title.
    header : sequence of str
        A heading for each column; a line break is one.
    rows : sequence of sequence of (str or Cell)
        As long as the header.
    heads : int
        How many columns, from the left, name the row.
    texts : int
        How many columns after those are words, set to the left; numbers are set to the right.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    heads: int = 1
    texts: int = 0


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes
    ----------
    title, caption : str
        In words; the title is what those are told who cannot see it.
    svg : bytes
        The file, shown as an image: its identifiers and scripts, if any, stay within it.
    """

    title: str
    caption: str
    svg: bytes


@dataclass(frozen=True)
class Card:
    """A number of the summary.

    Attributes
    ----------
    number, label : str
        The number, and what it counts.
    tone : str
        How it looks.
    """

    number: str
    label: str
    tone: Tone = ""


@dataclass(frozen=True)
class Cards:
    """The numbers of a summary, side by side.

    Attributes
    ----------
    cards : sequence of Card
        In the order shown.
    """

    cards: Sequence[Card]


@dataclass(frozen=True)
class Details:
    """Blocks that are shown when asked for, and printed in any case.

    Attributes
    ----------
    summary : str
        What is there.
    blocks : sequence of block
        The blocks.
    """

    summary: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Entry:
    """A statement and its verdict.

    Attributes
    ----------
    id : str
        Name of the statement; its anchor on the page is ``claim-`` and this.
    verdict, evidence : str
        The verdict, by which the list is filtered, and how it is known.
    tone : str
        How the verdict looks.
    place : str
        Where the statement stands.
    statement : str
        The statement.
    blocks : sequence of block
        What the verdict rests on.
    """

    id: str
    verdict: str
    evidence: str
    tone: Tone
    place: str
    statement: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Ledger:
    """Statements by section, to be filtered by verdict; one on a page.

    Attributes
    ----------
    sections : sequence of (str, sequence of Entry)
        Titles and entries.
    """

    sections: Sequence[tuple[str, Sequence[Entry]]]

    @property
    def verdicts(self) -> dict[str, int]:
        """How many entries have each verdict, in the order of first appearance."""
        found: dict[str, int] = {}
        for _, entries in self.sections:
            for entry in entries:
                found[entry.verdict] = found.get(entry.verdict, 0) + 1
        return found


@dataclass(frozen=True)
class Tick:
    """A step of a slider.

    Attributes
    ----------
    value : int
        Where it stands on the axis, which is logarithmic.
    text, short : str
        In full, and for the axis.
    """

    value: int
    text: str
    short: str


@dataclass(frozen=True)
class Axis:
    """A slider.

    Attributes
    ----------
    name : str
        What it sets.
    ticks : sequence of Tick
        Its steps, ascending.
    start : int
        The step at which it stands first.
    """

    name: str
    ticks: Sequence[Tick]
    start: int = 0


@dataclass(frozen=True)
class Explorer:
    """Numbers over two sliders: a table at the steps chosen, and curves along each slider.

    Attributes
    ----------
    id : str
        Its anchor: small letters, digits and hyphens.
    title : str
        Of the table and curves.
    axes : (Axis, Axis)
        The sliders; one with a single step is not shown.
    measures : sequence of str
        Columns of the table; the curves show one of them.
    series : sequence of str
        Rows of the table; at most three, a line each.
    texts : nested sequence of str
        At [step of the first][step of the second][series][measure] the number as it is shown; "" for none.
    sentences : nested sequence of str
        At [step of the first][step of the second] what is said of these numbers.
    shown : int
        The measure that the curves show first.
    """

    id: str
    title: str
    axes: tuple[Axis, Axis]
    measures: Sequence[str]
    series: Sequence[str]
    texts: Sequence[Sequence[Sequence[Sequence[str]]]]
    sentences: Sequence[Sequence[str]]
    shown: int = 0

    @property
    def at_start(self) -> Sequence[Sequence[str]]:
        """The numbers where the sliders stand first: by series, then measure."""
        first, second = self.axes
        return self.texts[first.start][second.start]

    @property
    def sentence(self) -> str:
        """What is said where the sliders stand first."""
        first, second = self.axes
        return self.sentences[first.start][second.start]

    @property
    def data(self) -> dict[str, Any]:
        """All of it as plain data, for the page's script."""
        axes = [
            {"name": axis.name, "start": axis.start, "ticks": [vars(tick) for tick in axis.ticks]}
            for axis in self.axes
        ]
        said = {"measures": self.measures, "series": self.series, "sentences": self.sentences}
        return {"title": self.title, "axes": axes, **said, "texts": self.texts}

    @property
    def sample(self) -> Table:
        """A few of the numbers as a table, for where no slider can be moved."""
        first, second = self.axes
        rows = [
            (first.ticks[i].text, second.ticks[j].text, name, *texts)
            for i in _spread(len(first.ticks), 5)
            for j in _spread(len(second.ticks), 3)
            for name, texts in zip(self.series, self.texts[i][j], strict=True)
        ]
        header = (first.name, second.name, "Policy", *self.measures)
        return Table(f"{self.title}: some of the numbers", header, rows, heads=3)


def _spread(steps: int, most: int) -> list[int]:
    """Return up to `most` of the steps, evenly spaced inside."""
    if steps <= most:
        return list(range(steps))
    return [(2 * k + 1) * steps // (2 * most) for k in range(most)]


Block: TypeAlias = (
    Heading | Paragraph | Note | Bullets | Code | Facts | Table | Figure | Cards | Details | Ledger | Explorer
)
