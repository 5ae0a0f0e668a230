"""The ledger as a Markdown page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from teltheory.report.ledger import Row, sections
from teltheory.report.standing import origin_text, paper_sentence, standing
from teltheory.report.words import (
    WHICH_TEXT,
    counterexamples,
    evidence_text,
    null_models_text,
    side_by_side,
    strength,
    verdict_text,
)

MADE = "<!-- Made by `make ledger` from the rows of `teltheory verify --json`: do not edit. -->"
LEAD = """\
Every statement that is decided, with its verdict and what that rests on. *Proved*: a program proved it for all
that the row names. *Certified*: a proof for each instance that was tried. *Exhaustive*: every instance within the
bounds was tried, and none refutes it. *Sampled*: none of the random instances refutes it, which proves nothing.
*Reproduced* or *not reproduced* is a table, a figure or a measured sentence: a rule on all its cells decides, the
cells must be nearer to the paper than null models that know nothing of it, and all of this is shown.
A refuted statement has the smallest counterexample, and on traces the smallest *natural* one: every prompt,
response and C at least 1, and xi and Q where the row has them. [errata.md](errata.md) says what stands where in
the paper, and what to put in its place. [claims.md](claims.md) says how a row is decided. Conversations are A, B,
..., a turn is conversation(prompt+response), xi the threshold, C the capacity, Q the estimate of the next prompt.
"""


def ledger_markdown(rows: Sequence[Row]) -> str:
    """Return the ledger as a page: the verdicts counted, then a table and the rows of each section."""
    parts = ["# The ledger", MADE, LEAD.rstrip(), WHICH_TEXT, paper_sentence(rows), table(*standing(rows))]
    parts.append(_counts(rows))
    for title, members in sections(rows).items():
        parts += [f"## {title}", _overview(members), *map(_row, members)]
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Iterable[Iterable[str]], align: str = "---") -> str:
    """Return a Markdown table; no cell can end a cell or the line. `align` is for all columns but the first."""
    lines = [header, ["---", *[align] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def cell(text: str) -> str:
    """Return text that stays within one cell."""
    return " ".join(text.split()).replace("|", "\\|")


def plain_text(text: str) -> str:
    """Return text in which Markdown sees no mark-up but `code`: no emphasis, no tag, no link."""
    escaped = re.sub(r"\\|\*|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)|\](?=[(\[])", r"\\\g<0>", text)
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


def _counts(rows: Sequence[Row]) -> str:
    counts = Counter(verdict_text(row) for row in rows)
    return table(("verdict", "rows"), [(verdict, f"{n:,}") for verdict, n in sorted(counts.items())])


def _overview(rows: Sequence[Row]) -> str:
    linked = ((f"[`{row['id']}`](#{row['id']})", verdict_text(row), plain_text(row["source"])) for row in rows)
    return table(("row", "verdict", "source"), linked)


def _row(row: Row) -> str:
    name, erratum = row["id"], ""
    if row["verdict"] == "refuted" and row["origin"] == "paper":
        erratum = f" [Erratum](errata.md#{name})."
    headline = (
        f'<a id="{name}"></a>**`{name}`** ({plain_text(row["source"])}; {plain_text(origin_text(row))}): '
        f"**{verdict_text(row)}**.{erratum}"
    )
    source = [f"- Decided by [`{row['file']}`](../{row['file']})"] if row.get("file") else []
    return "\n".join([headline, "", f"> {plain_text(row['statement'])}", "", *source, evidence(row)])


def evidence(row: Row) -> str:
    """Return what a verdict rests on as a list, with the command that decides it again, and a row's cells."""
    lines = [f"- {plain_text(sentence)}" for sentence in (*strength(row), *counterexamples(row))]
    if "rule" in row and "numbers" in row:
        lines += [f"- Rule: {plain_text(row['rule'])}", f"- Counts: {plain_text(evidence_text(row))}"]
        lines += [f"- Null models: {plain_text(nulls)}." for nulls in [null_models_text(row)] if nulls]
    lines.append(f"- Replay: `teltheory verify --claim {row['id']}`")
    return "\n".join([*lines, *_side_by_side(row)])


def _side_by_side(row: Row) -> list[str]:
    """Return the cells of a row as a table."""
    header, lines = side_by_side(row)
    return ["", table(header, (map(plain_text, line) for line in lines))] if lines else []
