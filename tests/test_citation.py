"""Which text of the paper is meant, and that arXiv has the public one, is said wherever the paper is named."""

from pathlib import Path

import pytest
import yaml
from report.ledger_rows import row

from teltheory.cli.printed.output import console
from teltheory.cli.verify.command import ledger_table
from teltheory.report.ledger_pages import ledger_markdown
from teltheory.report.words import WHICH_TEXT

ROOT = Path(__file__).parents[1]
PUBLIC, DECIDED = "arXiv:2510.15152", "PMLR 267"
AUTHORS = ["Zhang", "Li", "Moallemi", "Peng"]
REQUIRED = {"cff-version", "message", "title", "authors", "type", "version", "preferred-citation"}


def test_the_citation_names_the_public_version_and_the_text_that_is_decided():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert set(citation) >= REQUIRED
    assert citation["cff-version"] == "1.2.0"
    paper = citation["preferred-citation"]
    assert (paper["type"], paper["title"]) == ("conference-paper", "Tail-Optimized Caching for LLM Inference")
    assert [author["family-names"] for author in paper["authors"]] == AUTHORS
    assert paper["year"] == 2025
    assert {each["type"]: each["value"] for each in paper["identifiers"]} == {
        "other": PUBLIC,
        "doi": "10.48550/arXiv.2510.15152",
    }
    assert "NeurIPS" in paper["collection-title"]
    assert DECIDED in paper["notes"]


def test_the_bibtex_names_the_same_authors():
    entry = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("```bibtex")[2].partition("```")[0]
    named = entry.partition("author    = {")[2].partition("}")[0]
    assert [author.partition(",")[0] for author in named.split(" and ")] == AUTHORS
    assert PUBLIC in entry


@pytest.mark.parametrize("name", ["README.md", "docs/claims.md"])
def test_documents_say_which_text(name):
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    assert PUBLIC in text
    assert DECIDED in text


def test_the_ledger_says_which_text(capsys):
    assert WHICH_TEXT in ledger_markdown([row("trim.eager")])
    console().print(ledger_table([]))
    assert PUBLIC in capsys.readouterr().out
    assert all(words in WHICH_TEXT for words in (PUBLIC, DECIDED, "NeurIPS 2025", *AUTHORS))
