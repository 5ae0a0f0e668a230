"""The short paper on the toolkit: its numbers are the ledger's, its references are those that it cites."""

import re
from pathlib import Path

import pytest
import yaml

from teltheory.report.ledger import paper_sentence

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.repository


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.ledger
def test_the_counts_are_those_of_the_ledger(ledger):
    assert paper_sentence(list(ledger.values())) in text("joss/paper.md")


def test_so_many_requests_were_compared():
    (compared,) = re.findall(r"In ([\d,]+) requests nothing differs", text("docs/engines.md"))
    assert f"in {compared} requests nothing differs" in text("joss/paper.md")


def test_no_other_number_is_in_it():
    found = set(re.findall(r"\d[\d,]*\b", re.sub(r"(?m)^Of \d+ statements.*$", "", text("joss/paper.md"))))
    assert found == {"1", "3", "2", "512,933"}


def test_what_is_cited_is_what_the_bibliography_has_and_each_is_to_be_found():
    cited = set(re.findall(r"@(\w+)", text("joss/paper.md")))
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", text("joss/paper.bib"), re.DOTALL)
    assert cited == {name for name, _ in entries}
    assert all(re.search(r"(doi|url) = \{(10\.|https://)", fields) for _, fields in entries)


def test_it_is_as_long_and_by_whom_it_should_be():
    _, head, body = text("joss/paper.md").split("---\n", 2)
    assert 750 <= len(body.split()) <= 1500
    authors = yaml.safe_load(text("CITATION.cff"))["authors"]
    assert yaml.safe_load(head)["authors"] == authors
