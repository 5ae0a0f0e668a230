import json
import re
import subprocess
import sys
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

import pytest

from documents.ledger import LEDGER, documents, index, links_to_rows, section_pages
from documents.site import as_seen_from_docs, on_page_markdown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("tag", "fetches"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.example/f.css">', True),
        ('<img src="http://example.org/a.png">', True),
        ('<script src="assets/x.js"></script><img src="data:image/png;base64,AA==">', False),
        ('<a href="https://example.org">a link is not fetched</a>', False),
        ('<link rel="canonical" href="https://example.org/page">', False),
    ],
)
@pytest.mark.repository
def test_what_a_page_fetches_from_elsewhere_is_found(tmp_path, tag, fetches):
    (tmp_path / "page.html").write_text(f"<html><head>{tag}</head></html>")
    pattern = re.search("^FETCHED := (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    found = subprocess.run(["grep", "-rnoP", pattern, tmp_path], capture_output=True, check=False)
    assert found.returncode == (0 if fetches else 1)


def test_links_of_the_change_log_are_those_of_the_site():
    text = "[docs/a.md](docs/a.md#b), [how to cite](docs/x.md)"
    assert as_seen_from_docs(text) == "[a.md](a.md#b), [how to cite](x.md)"


def test_a_link_that_shows_a_file_shows_its_heading_on_the_site():
    shown = on_page_markdown("[words.md](words.md#x), [no-such.md](no-such.md), [a](b.md)", None, None, None)
    assert shown == "[Glossary](words.md#x), [no-such](no-such.md), [a](b.md)"


def test_links_to_files_that_are_no_pages_are_their_names_on_the_site():
    text = "[b](b.md) [log](../CHANGELOG.md#c) [`code.py`](../x/code.py), requests [A 2] [B 1], `[A 2] [B 1]`"
    shown = on_page_markdown(text, None, None, None)
    assert shown == r"[b](b.md) [log](changelog.md#c) `code.py`, requests [A 2\] [B 1], `[A 2] [B 1]`"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of the site, which is built without a warning."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    subprocess.run(command, cwd=ROOT, check=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a log."""

    def log_message(self, *_):
        """Say nothing."""


def pages_of_the_navigation():
    return re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2])


MADE = ("changelog.md", "errata.md", "ledger.md")
FIRST = {
    "theorem 3.1": "ledger-t-lru.html",
    **dict.fromkeys(("ξ", "xi", "TEL", "hit rate", "T-LRU"), "words.html"),
    "200ms": "advise.html",
    "GiB": "latency.html#the-size-of-a-kv-cache",
    "radix": "api/replay.html",
    "Azure": "datasets.html",
    "Belady": "words.html",
}
SEARCH = """async queries => {
    const index = await (await fetch("search/search_index.json")).json();
    const worker = new Worker(JSON.parse(document.querySelector("#__config").textContent).search);
    const told = (type, data) => new Promise(done => {
        worker.onmessage = message => done(message.data.data);
        worker.postMessage({type, data});
    });
    await told(0, {config: index.config, docs: index.docs, options: {suggest: false}});
    const found = [];
    for (const query of queries) found.push((await told(2, query)).items[0].map(one => one.location));
    return found;
}"""


@pytest.mark.ledger
@pytest.mark.repository
def test_the_search_finds_each_row_and_each_page_first(site, chromium):
    """The site's own worker is asked: for each row by its name, for each page by its title, and for some words."""
    page = chromium.new_page()
    page.goto(f"{site}/index.html")
    rows = [row["id"] for row in json.loads(LEDGER.read_text())["claims"]]
    docs = page.evaluate("async () => (await (await fetch('search/search_index.json')).json()).docs")
    titles = {one["location"]: plain(one["title"]) for one in docs if "#" not in one["location"]}
    found = page.evaluate(SEARCH, [*rows, *titles.values(), *FIRST])
    of_rows, of_titles = found[: len(rows)], found[len(rows) : -len(FIRST)]
    assert [row for row, [first, *_] in zip(rows, of_rows, strict=True) if not first.endswith(f"#{row}")] == []
    assert [one for one, [first, *_] in zip(titles, of_titles, strict=True) if first != one] == []
    for (words, address), told in zip(FIRST.items(), found[-len(FIRST) :], strict=True):
        assert any(one.startswith(address) for one in told[:2]), (words, told)
    page.close()


def plain(title):
    return unescape(re.sub("<[^>]*>", "", title))


@pytest.mark.ledger
@pytest.mark.repository
def test_the_search_shows_a_row_on_the_page(site, chromium):
    page = chromium.new_page()
    page.goto(f"{site}/index.html?{urlencode({'q': 'theorem-31.strict'})}")
    first = page.locator(".md-search-result__item").first.locator("a")
    first.nth(1).wait_for(state="attached")
    shown = first.evaluate_all("all => all.map(one => one.pathname + one.hash)")
    assert "/ledger-t-lru.html#theorem-31.strict" in shown[:2]
    page.close()


@pytest.mark.ledger
@pytest.mark.repository
def test_on_a_phone_no_page_scrolls_sideways(site, chromium):
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    for name in pages_of_the_navigation():
        page.goto(f"{site}/{name.removesuffix('.md')}.html", wait_until="domcontentloaded")
        assert page.evaluate("document.documentElement.scrollWidth") == 390, name
    page.close()


WIDER = """() => [...document.querySelectorAll(".md-content :is(pre > code, .md-typeset__scrollwrap, table)")]
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText.slice(0, 60))"""


@pytest.mark.ledger
@pytest.mark.repository
def test_at_1280_pixels_no_table_and_no_code_is_wider_than_its_column(site, chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    for name in pages_of_the_navigation():
        page.goto(f"{site}/{name.removesuffix('.md')}.html", wait_until="domcontentloaded")
        assert page.evaluate(WIDER) == [], name
    page.close()


@pytest.mark.repository
def test_no_page_is_too_long_to_read():
    theory = (ROOT / "mkdocs.yml").read_text().partition("- Theory:")[2].partition("- Results:")[0]
    words = {page.relative_to(DOCS).as_posix(): len(page.read_text().split()) for page in DOCS.rglob("*.md")}
    most = {name: 3500 if f": {name}\n" in theory else 2000 for name in words}
    assert not {name for name in words if words[name] > most[name]}
    assert len((ROOT / "CHANGELOG.md").read_text().split()) <= 2000


@pytest.mark.ledger
@pytest.mark.repository
def test_every_page_is_in_the_navigation():
    pages = [page.relative_to(DOCS).with_suffix(".md").as_posix() for page in DOCS.rglob("*.[mi][dp]*")]
    assert sorted(pages_of_the_navigation()) == sorted([*pages, *MADE, *section_pages(documents()[0])])


LEDGER_TEXT = """# The ledger

Lead.

Of 2 statements 1 holds.

## Caps (Appendix B)

| [`b.one`](#b.one) | holds | B |

<a id="b.one"></a>**`b.one`** (B, (1); ours (x)): **holds (proved)**. [Erratum](errata.md#b.one).

> x \\* y < z

See [`c.two`](#c.two).

## Queues

<a id="c.two"></a>**`c.two`** (C; the paper): **refuted**.

> It is.
"""


def test_the_ledger_is_a_page_a_section_and_links_find_the_row():
    pages = section_pages(LEDGER_TEXT)
    assert {*pages} == {"ledger-caps.md", "ledger-queues.md"}
    assert "boost: 1.20" in pages["ledger-caps.md"]
    assert (
        '<h4 id="b.one" markdown>B, (1): `b.one`</h4>\n\nOurs (x): **holds (proved)**.' in pages["ledger-caps.md"]
    )
    assert "(ledger-caps.md#b.one)" in pages["ledger-caps.md"]
    assert "(ledger-queues.md#c.two)" in pages["ledger-caps.md"]
    links = "[a](ledger.md#c.two) [b](../ledger.md#b.one) [c](ledger.md) [d](#b.one)"
    told = "[a](ledger-queues.md#c.two) [b](../ledger-caps.md#b.one) [c](ledger.md) [d](#b.one)"
    assert links_to_rows(links, LEDGER_TEXT) == told


def test_the_list_of_the_ledger_has_every_row():
    page = index(LEDGER_TEXT)
    assert page.index("Of 2 statements") < page.index("b.one") < page.index("Lead.")
    assert "- [Caps (Appendix B)](ledger-caps.md): 1" in page
    line = (
        '<a href="ledger-caps.html#b.one"><code>b.one</code></a></td><td>holds (proved)</td><td>x * y &lt; z</td>'
    )
    assert line in page
    assert page.count("</a></td>") == LEDGER_TEXT.count("<a id=")


@pytest.mark.ledger
@pytest.mark.repository
def test_every_row_of_the_ledger_is_on_the_site():
    text = documents()[0]
    headings = sum(page.count("<h4 id=") for page in section_pages(text).values())
    assert index(text).count("</a></td>") == text.count("<a id=") == headings > 0


def test_the_search_finds_names_and_numbers_and_its_index_has_no_wildcards():
    """Lunr takes `*` for a wildcard, and a word of the index with one makes a search for its beginning fail."""
    separator = re.search(r"separator: '(.*)'", (ROOT / "mkdocs.yml").read_text())[1]
    words = re.split(separator, "`tt.read_trace`, Theorem 3.1: 2*x (T-LRU). End")
    assert [word for word in words if word] == ["tt", "read_trace", "Theorem", "3.1", "2", "x", "T", "LRU", "End"]
