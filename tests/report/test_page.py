"""A page as text: what goes in is escaped, the same goes in the same comes out, and nothing of the machine."""

from __future__ import annotations

import base64
import json
import re
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.documents import row
from report.pages import CLOSING, HOSTILE, ROWS, SVG, made

import teltheory
from teltheory.errors import ArgumentError, FileError
from teltheory.report.blocks import (
    Axis,
    Bullets,
    Card,
    Cards,
    Cell,
    Code,
    Details,
    Entry,
    Explorer,
    Facts,
    Figure,
    Heading,
    Ledger,
    Note,
    Paragraph,
    Table,
    Tick,
)
from teltheory.report.captions import caption, figures
from teltheory.report.entries import TONES, entry, ledger_block, verdict_cards
from teltheory.report.markdown import ledger_markdown
from teltheory.report.page import Page, Section, prose, render
from teltheory.report.provenance import digests, made_on, versions


class Read(HTMLParser):
    """Tags, with their attributes, and text of a page; `data` of its scripts by their identifiers."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.said, self.data, self._script = [], "", {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._script = dict(attrs).get("id", "") if tag in ("script", "style") else None

    def handle_data(self, data):
        if self._script is None:
            self.said += data
        else:
            self.data[self._script] = data
            self._script = None


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"))[0].read_text(encoding="utf-8")


def page_of(*blocks, **sections):
    return Page("Title", "Lead", [], [Section("one", "One", blocks), *sections.get("more", [])])


def test_the_same_page_twice_has_the_same_bytes(tmp_path, text):
    (tmp_path / "again").mkdir()
    slower = [{**one, "seconds": one["seconds"] + 1} for one in ROWS]
    assert made(tmp_path / "again", slower)[0].read_text(encoding="utf-8") == text


def test_nothing_of_the_machine_is_on_the_page(tmp_path_factory, text):
    assert str(tmp_path_factory.getbasetemp()) not in text
    assert "/tmp" not in text
    assert "/home" not in text


def test_every_row_is_there_with_all_that_its_verdict_rests_on(text):
    read = Read(text)
    anchors = [attributes["id"] for tag, attributes in read.tags if tag == "details" and "id" in attributes]
    assert sorted(anchors) == sorted(f"claim-{one['id']}" for one in ROWS)
    for phrase in (
        "Smallest counterexample: A(1+0); C=1 xi=0 Q=0: LRU 1",
        "Rule: all of them",
        "Counts: inside 4",
        "2 | 3",
    ):
        assert phrase in read.said
    assert "1,234 instances, each with its certificate" in read.said


def test_numbers_of_tables_versions_and_digests_are_there(text):
    said, digest = Read(text).said, sha256(b"a,b\n1,2\n").hexdigest()
    for phrase in ("6.5=", "7.5~", "8.5x", f"SHA-256 {digest}", HOSTILE, "Figure 3"):
        assert phrase in said
    assert dict(versions())["teltheory"] == teltheory.__version__
    assert "numpy" in dict(versions())
    assert "nowhere" not in dict(versions(["nowhere"]))


def test_a_day_is_there_only_where_it_is_given():
    assert made_on({}) == []
    assert made_on({"SOURCE_DATE_EPOCH": "1700000000"}) == [("Date", "2023-11-14")]
    with pytest.raises(ArgumentError, match="SOURCE_DATE_EPOCH: found 'now'"):
        made_on({"SOURCE_DATE_EPOCH": "now"})


def test_the_policy_allows_its_own_script_and_style_and_nothing_else(text):
    read = Read(text)
    policy = next(
        attributes["content"]
        for tag, attributes in read.tags
        if "content" in attributes and "http-equiv" in attributes
    )
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert len(scripts) == len(styles) == 1
    for name, source in (("script", scripts[0]), ("style", styles[0])):
        digest = base64.b64encode(sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "url(" not in styles[0]
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", text)


HOSTILE_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"])), st.sampled_from([CLOSING, HOSTILE, "`<", "``"])
)


def everywhere(text):
    """A page that has a text in every place where a text goes, and the data of its sliders."""
    axes = (Axis(text, [Tick(1, text, text)]), Axis("x", [Tick(1, "1", "1")]))
    explorer = Explorer("sliders", text, axes, [text], [text], [[[[text]]]], [[text]])
    entry = Entry("a", text, text, "good", text, text, [Paragraph(text)])
    blocks = [
        Heading(text),
        Note(text, "warn"),
        Bullets([text]),
        Code(text, f"{text}."),
        Facts([(text, text)]),
        Table(text, [text, text], [[text, Cell(text, "bad")]]),
        Details(text, [Figure(text, text, SVG)]),
        Cards([Card(text, text)]),
        Ledger([(text, [entry])]),
        explorer,
    ]
    return Read(render(Page(text, text, [], [Section("one", text, blocks)]))), explorer.data


def shape(read):
    """The tags and the names of their attributes, but for what backticks and T-LRU add."""
    tags = [(tag, *attributes) for tag, attributes in read.tags if attributes.get("class") != "name"]
    return [tag for tag in tags if tag != ("code",)]


PLAIN = everywhere("zqz")[0]


@given(HOSTILE_TEXT)
def test_any_text_stays_text_wherever_it_stands(hostile):
    read, data = everywhere(hostile)
    assert shape(read) == shape(PLAIN)
    assert json.loads(read.data["data-sliders"]) == json.loads(json.dumps(data))
    assert "`" in hostile or read.said.count(hostile) >= PLAIN.said.count("zqz") > 40


@given(st.text(st.sampled_from("ab`<&T-LRU ")))
def test_prose_keeps_the_text_but_for_pairs_of_backticks(text):
    kept = text if text.count("`") % 2 else text.replace("`", "")
    read = Read(str(prose(text)))
    assert read.said == kept
    assert sum(tag == "code" for tag, _ in read.tags) == (0 if text.count("`") % 2 else text.count("`") // 2)


@pytest.mark.parametrize("anchor", ["one", "Two", "", "2", "a b", "claim-x", "top", "contents"])
def test_an_anchor_stands_for_one_thing(anchor):
    with pytest.raises(ArgumentError, match="sections: found"):
        render(page_of(more=[Section(anchor, "Two", [])]))


def test_a_page_has_one_ledger_and_explorers_of_different_names():
    tick = Tick(1, "1", "1")
    explorer = Explorer("two", "T", (Axis("a", [tick]), Axis("b", [tick])), ["m"], ["s"], [[[["1"]]]], [[""]])
    assert "two" in render(page_of(explorer))
    with pytest.raises(ArgumentError, match="found 'two'"):
        render(page_of(Details("more", [explorer]), more=[Section("two", "Two", [])]))
    with pytest.raises(ArgumentError, match="two ledgers"):
        render(page_of(Ledger([]), Details("more", [Ledger([])])))


def test_the_summary_counts_every_row_once():
    rows = [row(str(k), verdict) for k, verdict in enumerate(TONES)] + [row("again")]
    total, *cards = verdict_cards(rows).cards
    assert total.number == str(len(rows))
    assert sum(int(card.number) for card in cards) == len(rows)
    assert cards[0].number == "2"
    assert sum(ledger_block(rows).verdicts.values()) == len(rows)
    assert len(verdict_cards(rows[:1]).cards) == 2


def test_the_page_and_the_document_say_the_same_of_a_row():
    said = " ".join(ledger_markdown(ROWS[:2]).split())
    for one in map(entry, ROWS[:2]):
        for sentence in one.blocks[0].items[:-1]:
            assert sentence in said


def test_figures_have_captions_in_order_of_the_paper(tmp_path):
    names = ("added", "sensitivity_my-trace", "figure_6", "latencies_mooncake", "figure_3", "pareto_front")
    for name in names:
        (tmp_path / f"{name}.svg").write_bytes(SVG)
    titles = [figure.title for figure in figures(tmp_path.glob("*.svg"))]
    assert [title.split(":")[0] for title in titles] == [
        "Figure 3", "Figure 6", "The median against the tail", "Added", "Percentiles of TTFT, Mooncake",
        "Sensitivity to ξ, my-trace",
    ]  # fmt: skip
    assert caption("my_own_figure") == ("My own figure", "")
    assert figures([]) == []


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    for make in (figures, digests):
        with pytest.raises(FileError, match=r"nowhere\.svg: No such file or directory, expected"):
            make([tmp_path / "nowhere.svg"])
