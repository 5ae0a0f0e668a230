"""Put what `teltheory bench` prints into the README: `teltheory bench | python -m benchmarks.readme README.md`."""

from __future__ import annotations

import sys
from pathlib import Path

BEGIN = "<!-- what teltheory bench prints -->"
END = "<!-- end of what teltheory bench prints -->"


def with_output(document: str, printed: str) -> str:
    """Return a document with the text between the two marks replaced by what was printed.

    Raises
    ------
    ValueError
        Where the document does not have both marks, in order.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"found no {BEGIN!r} with {END!r} after it, expected both")
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    return "\n".join([before + begin, "", "```", *lines, "```", "", end + after])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: teltheory bench | python -m benchmarks.readme README.md")
    readme = Path(sys.argv[1])
    readme.write_text(with_output(readme.read_text(encoding="utf-8"), sys.stdin.read()), encoding="utf-8")
