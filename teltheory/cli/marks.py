"""Text between two marks of a document, such as what a command printed."""

from __future__ import annotations


def between_marks(document: str, begin: str, end: str, text: str) -> str:
    """Return a document with `text`, an empty line around it, in place of what stood between two marks."""
    before, found, rest = document.partition(begin)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise ValueError(f"found no {begin!r} with {end!r} after it, expected both")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def fenced(printed: str) -> str:
    """Return what was printed as a block of code, without empty lines and trailing spaces."""
    return "\n".join(["```", *(line.rstrip() for line in printed.splitlines() if line.strip()), "```"])
