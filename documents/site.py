"""Hooks of MkDocs: the change log and notebooks are pages, and links between documents hold on the site too.

`docs/*.md` link to each other and to files of the repository as they lie; on the site the change log is
`changelog.md`, so links to and from it are rewritten. The README is for GitHub; the first page is `docs/index.md`.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from documents.notebooks import page_of

ROOT = Path(__file__).parents[1]
OUTSIDE = {"../README.md": "index.md", "../CHANGELOG.md": "changelog.md"}
ELSEWHERE = re.compile(r"\[([^\]\n]*)\]\(\.\./(?!assets/|[^)]*\.md)[^)]*\)")
"""A link to a file of the repository that is no page of the site."""
BRACKETS = re.compile(r"(^```.*?^```|`[^`\n]*`)|\](?=\s?\[)", re.DOTALL | re.MULTILINE)
"""Code, or the middle of `[a] [b]` in a text, which would be taken for a reference."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the change log, which lies outside `docs`, and a page for each notebook."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=as_seen_from_docs(text)))
    for notebook in sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        text, pictures = page_of(notebook)
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=text))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page as Python-Markdown wants it: links as on the site, folded blocks marked as Markdown."""
    for name, target in OUTSIDE.items():
        markdown = markdown.replace(f"]({name}", f"]({target}")
    markdown = ELSEWHERE.sub(r"\1", markdown).replace("<details>", "<details markdown>")
    return BRACKETS.sub(lambda found: found[1] or r"\]", markdown)


def as_seen_from_docs(text: str) -> str:
    """Return a document of the root with links as from `docs`, and pages by their names."""
    text = re.sub(r"\[docs/([\w-]+)\.md\]", r"[\1]", text)
    return re.sub(r"\]\(docs/", "](", text)
