"""Each erratum of the page fits on a screen of 40 lines while its states are folded."""

import re
from math import ceil
from pathlib import Path

import pytest

pytestmark = pytest.mark.repository

PAGE = (Path(__file__).parents[2] / "docs" / "errata.md").read_text()
WIDTH, HEIGHT = 100, 40


def lines_shown(section: str) -> int:
    """Return the lines of a section, empty ones too: what is folded is one, and links show no address."""
    folded = re.sub(r"<details.*?</details>", "folded", section, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>|\]\([^)]*\)", "", folded)
    return sum(max(1, ceil(len(line) / WIDTH)) for line in text.splitlines())


@pytest.mark.parametrize(
    "section", re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:], ids=lambda s: s.split("\n")[0]
)
def test_an_erratum_fits_on_a_screen(section: str) -> None:
    assert lines_shown(section) <= HEIGHT
    assert re.findall(r"^\*\*(.*?)\.\*\*", section, re.MULTILINE)[:4] == ["Place", "As printed", "Fact", "Repair"]


def test_what_is_not_folded_counts() -> None:
    tall = "\n".join(["line"] * 41)
    assert lines_shown(tall) == 41
    assert lines_shown(f"<details markdown='1'>{tall}</details>") == 1
    assert lines_shown("x" * 101 + "\n\n" + "[a](" + "b" * 200 + ")") == 4
