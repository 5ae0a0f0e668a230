"""Refuse a site that fetches anything from elsewhere: `python -m documents.self_contained FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
NOT_FETCHED = {"canonical", "next", "prev", "author", "license"}


class _Fetches(HTMLParser):
    """Collects what a page fetches when it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in FETCHED and given.get("rel") not in NOT_FETCHED:
            self.found.append(given.get(FETCHED[tag]) or "")


def from_elsewhere(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each page of a folder with each address on another host that it fetches."""
    for page in sorted(folder.rglob("*.html")):
        parser = _Fetches()
        parser.feed(page.read_text(encoding="utf-8"))
        for address in parser.found:
            if address.startswith(("http:", "https:", "//")):
                yield page, address


def main(arguments: list[str]) -> None:
    """Name what the pages of a folder fetch from elsewhere, with exit code 1 where that is anything."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "index.html").is_file():
        sys.exit("usage: python -m documents.self_contained FOLDER, with a site in it")
    found = [f"{page}: fetches {address}" for page, address in from_elsewhere(Path(arguments[0]))]
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main(sys.argv[1:])
