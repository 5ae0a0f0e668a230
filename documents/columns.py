r"""Leave columns out of the tables that a command prints, so that a page has room for the others.

    COMMAND | python -m documents.columns "P90 s" written

1. A table is a heading, a line of `─` below it, and the rows up to the next empty line; or lines between bars.
2. A column goes with the blank before it, where its name stands in the heading. Other tables stay as they are.
3. A name that no table has is an error.

>>> print(without(" policy  P50 s   hit\n ────────────────────\n lru     0.447  5.6 %".splitlines(), ["P50 s"]))
 policy   hit
 ─────────────
 lru     5.6 %
>>> print(without(["| policy | TEL |", "|---|---:|", "| lru | 7 |"], ["policy"]))
| TEL |
|---:|
| 7 |
>>> without(["| policy | TEL |", "|---|---:|"], ["tel"])
Traceback (most recent call last):
SystemExit: columns: found no table with 'tel'
"""

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, zip_longest

MARKDOWN = re.compile(r"(?<=\|)[^|\n]*\|")
RULE = re.compile(r"\s*─{5,}\s*")


def without(lines: Sequence[str], names: Sequence[str]) -> str:
    """Return lines with their tables less the columns of these names."""
    tables = list(parts(lines))
    missing = [name for name in names if not any(name in headings(part) for part in tables)]
    if missing:
        raise SystemExit(f"columns: found no table with {missing[0]!r}")
    return "\n".join(line.rstrip() for part in tables for line in less(part, names))


def parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield tables, and what stands between them."""
    for _, group in groupby(lines, key=lambda line: (bool(line.strip()), line.startswith("|"))):
        part = list(group)
        rules = [at for at, line in enumerate(part) if RULE.fullmatch(line)]
        cuts = [0, *(at - 1 for at in rules if at > 0), len(part)]
        yield from (part[start:end] for start, end in pairwise(cuts) if start < end)


def headings(part: Sequence[str]) -> str:
    """Return the heading of a table, or nothing if this is none; names stand between two blanks."""
    if part[0].startswith("|"):
        return f" {part[0].replace('|', ' ')} "
    return f" {part[0]} " if len(part) > 1 and RULE.fullmatch(part[1]) else ""


def less(part: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a table less some columns."""
    if not headings(part):
        return list(part)
    if part[0].startswith("|"):
        titles = [cell.strip() for cell in part[0].strip("|\n").split("|")]
        return [kept_cells(line, [title not in names for title in titles]) for line in part]
    gone = {at for name in names for at in place(part, name)}
    return ["".join(sign for at, sign in enumerate(line) if at not in gone) for line in part]


def kept_cells(line: str, kept: Sequence[bool]) -> str:
    """Return a line of a table between bars, with the cells that stay."""
    return "|" + "".join(cell for cell, stays in zip(MARKDOWN.findall(line), kept, strict=False) if stays)


def place(part: Sequence[str], name: str) -> range:
    """Return where a column stands: its signs and the blank before it, to the last sign of the column before."""
    found = re.search(rf"(?<!\S){re.escape(name)}(?!\S)", part[0])
    if not found:
        return range(0)
    signs = zip_longest(*(line for line in part if not RULE.fullmatch(line)), fillvalue=" ")
    rows = "".join("x" if "".join(column).strip() else " " for column in signs)
    before = rows.rindex(" ", 0, found.start() + 1) + 1
    after = rows.find(" ", found.end())
    return range(len(rows[:before].rstrip()), after if after >= 0 else len(rows))


if __name__ == "__main__":
    sys.stdout.write(without(sys.stdin.read().splitlines(), sys.argv[1:]) + "\n")
