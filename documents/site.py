"""Hooks of MkDocs: the README becomes the first page, and links between documents hold on the site too.

`docs/*.md` link to each other and to files of the repository as they lie; on the site the README is `index.md` and
the change log `changelog.md`, so links to and from these two are rewritten.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}
REPOSITORY_FILES = ("CITATION.cff", "LICENSE")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents that lie outside `docs`."""
    for name, page in OUTSIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=as_seen_from_docs(text)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page as Python-Markdown wants it: links as on the site, folded blocks marked as Markdown."""
    for name, target in OUTSIDE.items():
        markdown = markdown.replace(f"](../{name}", f"]({target}")
    return markdown.replace("<details>", "<details markdown>")


def as_seen_from_docs(text: str) -> str:
    """Return a document of the root with links as from `docs`, pages by their names, and none to other files."""
    for name in REPOSITORY_FILES:
        text = text.replace(f"[{name}]({name})", f"`{name}`")
    for name, target in OUTSIDE.items():
        text = text.replace(f"]({name}", f"]({target}")
    text = re.sub(r"\[docs/([\w-]+)\.md\]", r"[\1]", text)
    return re.sub(r"\]\(docs/", "](", text)
