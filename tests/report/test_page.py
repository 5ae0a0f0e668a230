"""A page as text: what goes in is escaped, the same goes in the same comes out, and nothing of the machine."""

import base64
import re
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from io import BytesIO

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from report.ledger_rows import row
from report.pages import CLOSING, HOSTILE, ROWS, SVG, made, unpacked

import teltheory
from teltheory.errors import FileError
from teltheory.report.captions import caption, pictures
from teltheory.report.ledger_pages import ledger_text
from teltheory.report.markdown import literal, plain_text
from teltheory.report.page import Card, Page, Section, _vega, digest, picture, render, to_html, versions


class Read(HTMLParser):
    """Tags, with their attributes, and the text of a page without its scripts and style."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.said, self._hidden = [], "", False
        self.feed(unpacked(text))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._hidden = False

    def handle_data(self, data):
        self.said += "" if self._hidden else data


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"))[0].read_text(encoding="utf-8")


def test_the_same_page_twice_has_the_same_bytes_and_nothing_of_the_machine(tmp_path, text):
    slower = [{**one, "seconds": one["seconds"] + 1} for one in ROWS]
    assert made(tmp_path, slower)[0].read_text(encoding="utf-8") == text
    assert str(tmp_path) not in text
    assert "/tmp/" not in text


def test_every_row_is_there_with_all_that_its_verdict_rests_on(text):
    read = Read(text)
    shown = {
        attributes["id"]: attributes["data-verdict"] for _, attributes in read.tags if "data-verdict" in attributes
    }
    assert shown == {one["id"]: one["verdict"] for one in ROWS}
    for phrase in (
        "Smallest counterexample: A(1+0); C=1 xi=0 Q=0: LRU 1",
        "Rule: all of them",
        "Counts: inside 4",
        "2 | 3",
        "1,234 instances, each with its certificate",
        "Repair. Take the largest.",
        "T-LRU (Section 3, Appendix C): 2 rows (holds 1, refuted 1)",
    ):
        assert phrase in read.said


def test_numbers_of_tables_versions_and_digests_are_there(text):
    said, found = Read(text).said, sha256(b"a,b\n1,2\n").hexdigest()
    for phrase in ("6.5=", "7.5~", "8.5x", f"SHA-256 {found}", HOSTILE, "Figure 3", "8.67"):
        assert phrase in said
    assert dict(versions())["teltheory"] == teltheory.__version__
    assert "numpy" in dict(versions())


def test_every_link_leads_to_something_on_the_page(text):
    tags = Read(text).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for _, attributes in tags if "href" in attributes]
    assert {"#ledger", "#erratum-theorem-31.mean-estimate", "#theorem-31.mean-estimate"} <= set(links)
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_the_policy_allows_its_own_script_alone_and_nothing_from_elsewhere(text):
    policy = next(attributes["content"] for _, attributes in Read(text).tags if "http-equiv" in attributes)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    own = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert f"script-src 'sha256-{own}' 'unsafe-eval';" in policy
    assert "'unsafe-eval'" not in unescape(render(Page("T", "L", [], "", [])))


def test_what_the_reader_looks_at_first_stands_first(text):
    found = [attributes["id"] for tag, attributes in Read(text).tags if tag == "section"]
    assert found == [
        "charts",
        "advice",
        "replays",
        "tables",
        "belief",
        "figures",
        "ledger",
        "errata",
        "provenance",
    ]


def test_the_bundle_is_there_once_and_the_rest_is_small(text):
    assert text.count(_vega()) == 1
    assert len(text.encode()) - len(_vega().encode()) <= 45_000
    assert "data-verdict=" not in text.partition("<script>")[0], "the ledger is packed"


def test_a_hundred_rows_of_the_ledger_are_packed_into_a_tenth():
    rows = ledger_text([row(f"section-3.{k}", kind="sampled") for k in range(100)])
    plain, packed = (len(render(Page("", "", [], "", [Section("one", "", rows, packed=on)]))) for on in (0, 1))
    empty = len(render(Page("", "", [], "", [])))
    assert packed - empty < (plain - empty) / 10


def test_a_figure_is_a_fifth_of_its_file_and_its_smallest_text_11_pixels():
    figure = Figure((3, 2))
    figure.subplots().plot(range(50), [7 * k % 11 for k in range(50)])
    for size, pixels in ((6, 396), (12, 288)):
        with matplotlib.rc_context({"font.size": size, "xtick.labelsize": size, "ytick.labelsize": size}):
            figure = Figure((3, 2))
            figure.subplots().plot(range(200), [7 * k % 11 / 7 for k in range(200)])
            figure.savefig(file := BytesIO(), format="svg")
        shown = picture("A", "", file.getvalue())
        assert len(shown) < len(file.getvalue()) / 3
        assert f'width="{pixels}"' in shown


HOSTILE_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    st.sampled_from([CLOSING, HOSTILE, "`<", "&lt;", "[a]: b", "__0__"]),
)


@given(HOSTILE_TEXT)
def test_literal_text_stays_text(hostile):
    read = Read(to_html(literal(hostile)))
    assert {tag for tag, _ in read.tags} <= {"p"}
    assert read.said.split() == hostile.split()


@given(HOSTILE_TEXT)
def test_sentences_have_no_tags_but_code_and_those_of_lists_and_headings(hostile):
    found = {tag for tag, _ in Read(to_html(f"- {plain_text(hostile)}")).tags}
    assert found <= {"ul", "ol", "li", "p", "code", "pre", "blockquote", "hr", *(f"h{k}" for k in range(1, 7))}


@given(HOSTILE_TEXT)
def test_titles_and_cards_are_plain_text(hostile):
    plain, read = (
        Read(render(Page(text, text, [Card(text, text)], "", [Section("one", text, "")])))
        for text in ("q", hostile)
    )
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in plain.tags]


def test_figures_have_captions_in_order_of_the_paper(tmp_path):
    names = ("added", "sensitivity_my-trace", "figure_6", "latencies_mooncake", "figure_3", "pareto_front")
    for name in names:
        (tmp_path / f"{name}.svg").write_bytes(SVG)
    titles = re.findall(r"<b>(.*?)\.</b>", pictures(tmp_path.glob("*.svg")))
    assert [title.split(":")[0] for title in titles] == [
        "Figure 3", "Figure 6", "The median against the tail", "Added", "Percentiles of TTFT, Mooncake",
        "Sensitivity to ξ, my-trace",
    ]  # fmt: skip
    assert caption("my_own_figure") == ("My own figure", "")


@pytest.mark.parametrize("read", [lambda file: pictures([file]), digest], ids=["figure", "digest"])
def test_a_file_that_is_not_there_is_one_line(tmp_path, read):
    with pytest.raises(FileError, match=r"nowhere\.svg: found no such file, expected"):
        read(tmp_path / "nowhere.svg")


@pytest.mark.parametrize(
    "stem", ["figure_3", "figure_5", "figure_6", "latencies_x", "capacity_curves_x", "sensitivity_x"]
)
def test_a_figure_of_seconds_says_that_they_are_composed(stem):
    assert "composed of operators' timings" in caption(stem)[1]
