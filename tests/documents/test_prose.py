"""The prose of the documents keeps the rules of `documents/prose.toml`, and each page can be come to by links."""

import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.repository

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
RULES = tomllib.loads((ROOT / "documents" / "prose.toml").read_text())["rule"]
NO_PROSE = re.compile(
    r"^( *)```.*?^\1```$"  # fences
    r"|<!--.*?-->"
    r"|^ *\|.*?$"  # tables
    r"|(?<=\n\n)(?: {4,}\S[^\n]*\n+)+",  # indented code
    re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"(`+).+?\1", re.DOTALL)
HEADING = re.compile(r"^(#+ .*)$", re.MULTILINE)
BLOCKS = re.compile(r"\n\s*\n|\n *(?=(?:[-*>]|\d+\.) )")
MARK = re.compile(r"^(?:[-*>#]+|\d+\.) ")
LINK = re.compile(r"\]\([^)]*\)")
END = re.compile(r"(?<=[.!?:;∎])[*\")\]]* ")


def sentences(text):
    """Yield what stands between two ends of sentences, colons and semicolons counted, without marks."""
    prose = HEADING.sub(r"\n\1\n", CODE.sub("X", NO_PROSE.sub("\n\n", text)))
    for block in BLOCKS.split(prose):
        words = MARK.sub("", LINK.sub("]", block).strip()).split()
        yield from (one.lstrip('*"([') for one in END.split(" ".join(words)))


def found(rule, text):
    return [one for one in sentences(text) if re.search(rule["pattern"], one, re.IGNORECASE)]


def too_few_links(pages, least=2):
    """Return the pages of docs that fewer other documents link to; a document's links to a page count once."""
    links = {page: set(re.findall(r"\]\((?:docs/)?([\w-]+\.md)[)#]", text)) for page, text in pages.items()}
    linked = {page: sum(page in links[one] for one in links if one != page) for page in links}
    return {page: times for page, times in linked.items() if times < least}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_written_in_plain_sentences(page):
    text = page.read_text()
    wrong = [f"{page.name}: {one!r}; write {rule['write']}" for rule in RULES for one in found(rule, text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["name"])
def test_a_rule_finds_what_is_wrong_and_leaves_what_is_right(rule):
    assert len(rule["wrong"]) >= 2
    assert [one for one in rule["wrong"] if not found(rule, one)] == []
    assert [one for one in rule["right"] if found(rule, one)] == []


def test_sentences_are_of_prose_alone():
    text = "# A head\nOne `so\nis` [two](b.md) *x: y.* (Three.)\n- Four\n  goes\n\n    code\n\n"
    text += "| a | b |\n<!-- no\n-->\n```\nThis is.\n```\n  ```\n  That is.\n  ```\n2. Five\n"
    assert [one for one in sentences(text) if one] == [
        *("A head", "One X [two] *x:", "y.", "Three.)", "Four goes", "Five")
    ]


def test_two_other_documents_link_to_each_page():
    few = too_few_links({page.name: page.read_text() for page in PAGES})
    assert {*few} <= {"README.md", "CONTRIBUTING.md", "index.md"}


def test_a_page_that_one_other_document_links_to_is_found():
    pages = {"README.md": "[b](docs/b.md)", "a.md": "[b](b.md) [b](b.md#x) [c](c.md)", "c.md": "[c](c.md)"}
    assert too_few_links(pages) == {"README.md": 0, "a.md": 0, "c.md": 1}
