"""Hooks of MkDocs: the change log is a page, and links between documents hold on the site too.

`docs/*.md` link to each other and to files of the repository as they lie; on the site the change log is
`changelog.md`, so links to and from it are rewritten. The README is for GitHub; the first page is `docs/index.md`.
The search shows first what is called just as it was asked for, a row of the ledger or a page.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from documents.ledger import documents, index, links_to_rows, section_pages
from teltheory.report.timeline import with_timelines

ROOT = Path(__file__).parents[1]
FIRST = Path(__file__).with_name("first.js")
OUTSIDE = {"../README.md": "index.md", "../CHANGELOG.md": "changelog.md"}
ELSEWHERE = re.compile(r"\[([^\]\n]*)\]\(\.\./(?!assets/|[^)]*\.md)[^)]*\)")
"""A link to a file of the repository that is no page of the site."""
NAMED = re.compile(r"\[([\w-]+)\.md\]\(")
"""A link that shows the name of a file, where the site shows the page's heading."""
BRACKETS = re.compile(r"(^```.*?^```|`[^`\n]*`)|\](?=\s?\[)", re.DOTALL | re.MULTILINE)
"""Code, or the middle of `[a] [b]` in a text, which would be taken for a reference."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the change log, which lies outside `docs`, ledger and errata."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=as_seen_from_docs(text)))
    ledger, errata = documents()
    for name, page in {"ledger.md": index(ledger), "errata.md": errata, **section_pages(ledger)}.items():
        files.append(File.generated(config, name, content=page))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page as Python-Markdown wants it: links as on the site, folded blocks as Markdown, timelines."""
    for name, target in OUTSIDE.items():
        markdown = markdown.replace(f"]({name}", f"]({target}")
    if "ledger.md#" in markdown:
        markdown = links_to_rows(markdown, documents()[0])
    markdown = NAMED.sub(lambda link: f"[{_heading(link[1])}](", markdown)
    markdown = ELSEWHERE.sub(r"\1", markdown).replace("<details>", "<details markdown>")
    return with_timelines(BRACKETS.sub(lambda found: found[1] or r"\]", markdown))


def on_post_build(config: MkDocsConfig) -> None:
    """Let the search show first what is called just as it was asked for."""
    [worker] = Path(config.site_dir).glob("assets/javascripts/workers/search.*.js")
    worker.write_text(FIRST.read_text(encoding="utf-8") + worker.read_text(encoding="utf-8"), encoding="utf-8")


def _heading(name: str) -> str:
    """Return the heading of a page, or its name if the page is made elsewhere."""
    file = ROOT / "docs" / f"{name}.md"
    heading = re.search("^# (.*)", file.read_text(encoding="utf-8"), re.MULTILINE) if file.exists() else None
    return heading[1] if heading else name


def as_seen_from_docs(text: str) -> str:
    """Return a document of the root with links as from `docs`."""
    text = re.sub(r"\[docs/([\w-]+\.md)\]", r"[\1]", text)
    return re.sub(r"\]\(docs/", "](", text)
