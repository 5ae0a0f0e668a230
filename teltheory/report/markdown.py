"""The parts of a Markdown document: tables, lists, text without mark-up."""

import re
from collections.abc import Iterable, Sequence

__all__ = ["facts", "table"]


def table(header: Sequence[str], rows: Iterable[Iterable[str]], align: str = "---") -> str:
    """Return a Markdown table; no cell can end a cell or the line. `align` is for all columns but the first."""
    lines = [header, ["---", *[align] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def cell(text: str) -> str:
    """Return text that stays within one cell."""
    return " ".join(text.split()).replace("|", "\\|")


def plain_text(text: str) -> str:
    """Return text in which Markdown sees no mark-up but `code`: no emphasis, no tag, no link."""
    escaped = re.sub(r"\\|\*|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])", r"\\\g<0>", text)
    return " ".join(escaped.split())


def literal(text: str) -> str:
    """Return text in which Markdown and HTML see no mark-up at all."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split()))


def paragraphs(parts: Iterable[str]) -> str:
    """Return parts of a document, apart from each other."""
    return "\n\n".join(parts)


def bullets(sentences: Iterable[str]) -> str:
    """Return sentences as a list."""
    return "\n".join(f"- {plain_text(sentence)}" for sentence in sentences)


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and values as a table, such as versions."""
    return table(("what", "which"), (map(literal, pair) for pair in pairs))


def folded(summary: str, *parts: str) -> str:
    """Return parts that a page shows when asked for."""
    return paragraphs([f"<details><summary>{summary}</summary>", *parts, "</details>"])
