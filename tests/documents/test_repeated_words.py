"""No page says half a sentence twice: what a line begins with does not stand in the lines above it already."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "joss").glob("*.md")]
NO_PROSE = re.compile(
    r"^( *)(```|\$\$).*?^ *\2$"  # blocks of code and formulas
    r"|^ {0,3}(?:#|\||\[).*?$"  # headings, tables, links
    r"|^ {4}.*?$|`[^`]*`|<!--.*?-->|\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
ABOVE = 3
MARK = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)
AT_LEAST = 6
WHOLE_LINE = 4


def blank(found):
    return re.sub(r"[^\n]+", " @ ", found[0])


def repeated(text):
    """Yield each line, from 1, of prose whose first words stand in the lines above it.

    These are six words, or the whole line if it has four or five.
    """
    lines = [line.split() for line in MARK.sub("", NO_PROSE.sub(blank, text)).splitlines()]
    for number, words in enumerate(lines):
        begins = words[:AT_LEAST]
        if len(begins) >= WHOLE_LINE and "@" not in begins:
            above = " ".join(word for line in lines[max(0, number - ABOVE) : number] for word in line)
            if f" {' '.join(begins)} " in f" {above} ":
                yield number + 1, " ".join(begins)


@pytest.mark.repository
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_line_begins_with_words_that_stand_above_it(page):
    assert list(repeated(page.read_text())) == []


def test_a_repeated_half_sentence_is_found():
    again = "It gives the law of the\nfew turns, whenever they come.\nfew turns, whenever they come.\n"
    assert list(repeated(again)) == [(3, "few turns, whenever they come.")]
    wrapped = "2. What it reuses of slower\ntiers is loaded.\n2. What it reuses of slower tiers is loaded, so.\n"
    assert list(repeated(wrapped)) == [(3, "What it reuses of slower tiers")]
    assert list(repeated("```\na b c d e f g\na b c d e f g\n```\n")) == []
