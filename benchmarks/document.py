"""Put what `teltheory bench` prints into a document: `teltheory bench | python -m benchmarks.document FILE.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from teltheory.cli.marks import between_marks, fenced
from teltheory.cli.output import write_text

BEGIN = "<!-- what teltheory bench prints -->"
END = "<!-- end of what teltheory bench prints -->"


def with_output(document: str, printed: str) -> str:
    """Return a document with the text between the two marks replaced by what was printed.

    Raises
    ------
    ValueError
        Where the document does not have both marks, in order.
    """
    return between_marks(document, BEGIN, END, fenced(printed))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: teltheory bench | python -m benchmarks.document FILE.md")
    document = Path(sys.argv[1])
    write_text(str(document), with_output(document.read_text(encoding="utf-8"), sys.stdin.read()))
