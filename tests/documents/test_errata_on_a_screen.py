"""Each erratum of the page fits on a screen of 40 lines while its states are folded."""

import re
from math import ceil

import pytest

pytestmark = pytest.mark.repository

WIDTH, HEIGHT = 100, 40


def lines_shown(section: str) -> int:
    """Return the lines of a section, empty ones too: what is folded is one, and links show no address."""
    folded = re.sub(r"<details.*?</details>", "folded", section, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>|\]\([^)]*\)", "", folded)
    return sum(max(1, ceil(len(line) / WIDTH)) for line in text.splitlines())


@pytest.mark.ledger
def test_each_erratum_fits_on_a_screen(ledger_and_errata: tuple[str, str]) -> None:
    for section in re.split(r"^## ", ledger_and_errata[1], flags=re.MULTILINE)[1:]:
        assert lines_shown(section) <= HEIGHT, section
        heads = re.findall(r"^\*\*(.*?)\.\*\*", section, re.MULTILINE)
        assert heads[:4] == ["Place", "As printed", "Fact", "Repair"]


def test_what_is_not_folded_counts() -> None:
    tall = "\n".join(["line"] * 41)
    assert lines_shown(tall) == 41
    assert lines_shown(f"<details markdown='1'>{tall}</details>") == 1
    assert lines_shown("x" * 101 + "\n\n" + "[a](" + "b" * 200 + ")") == 4
