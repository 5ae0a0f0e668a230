"""The ledger as a page, and ledger and errata as sections of a page that has both."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from teltheory.claims.erratum import Erratum
from teltheory.model.display import counted
from teltheory.report.ledger import OUTCOMES, Row, origin_text, outcome, paper_sentence, sections, standing
from teltheory.report.markdown import plain_text, table
from teltheory.report.repairs import repairs
from teltheory.report.timeline import with_timelines
from teltheory.report.words import (
    WHICH_TEXT,
    counterexamples,
    evidence_text,
    null_models_text,
    side_by_side,
    strength,
    verdict_text,
)

MADE = "<!-- Made of the rows of `teltheory verify --json`. -->"
LEAD = """\
Every statement that is decided, with its verdict and what that rests on. *Machine-checked*: it is a theorem in Coq
([formal.md](formal.md)). *Proved*: a program proved it for all that the row names. *Certified*: a proof for each
instance that was tried. *Exhaustive*: every instance within the bounds was tried, and none refutes it. *Sampled*:
none of the random instances refutes it, which proves nothing.
*Reproduced* or *not reproduced* is a table, a figure or a measured sentence: a rule on all its cells decides, the
cells must be nearer to the paper than null models that know nothing of it, and all of this is shown.
A refuted statement has the smallest counterexample, and on traces the smallest *natural* one: every prompt,
response and C at least 1, and xi and Q where the row has them. [errata.md](errata.md) says what stands where in
the paper, and what to put in its place. [claims.md](claims.md) says how a row is decided. Conversations are A, B,
..., a turn is conversation(prompt+response), xi the threshold, C the capacity, Q the estimate of the next prompt.
On shared prefixes a request is (its blocks, root first; what it asks for and its total if they are others), and
natural if it asks for all of its path, has no tail and brings a new block.
"""


TONES = {
    "holds": "good",
    "reproduced": "good",
    "refuted": "warn",
    "misprint": "warn",
    "not reproduced": "warn",
    "undecided": "bad",
    "error": "bad",
}


def ledger_markdown(rows: Sequence[Row]) -> str:
    """Return the ledger as a page: the verdicts counted, then a table and the rows of each section."""
    parts = ["# The ledger", MADE, LEAD.rstrip(), WHICH_TEXT, paper_sentence(rows), table(*standing(rows))]
    counts = Counter(verdict_text(row) for row in rows)
    parts.append(table(("verdict", "rows"), [(verdict, f"{n:,}") for verdict, n in sorted(counts.items())]))
    for title, members in sections(rows).items():
        linked = (
            (f"[`{row['id']}`](#{row['id']})", verdict_text(row), plain_text(row["source"])) for row in members
        )
        parts += [f"## {title}", table(("row", "verdict", "source"), linked), *map(_row, members)]
    return "\n\n".join(parts) + "\n"


def _row(row: Row) -> str:
    name, erratum = row["id"], ""
    if row["verdict"] == "refuted" and row["origin"] == "paper":
        erratum = f" [Erratum](errata.md#{name})."
    headline = (
        f'<a id="{name}"></a>**`{name}`** ({plain_text(row["source"])}; {plain_text(origin_text(row))}): '
        f"**{verdict_text(row)}**.{erratum}"
    )
    source = [f"- Decided by [`{row['file']}`](../{row['file']})"] if row.get("file") else []
    replay = f"- Replay: `teltheory verify --claim {name}`"
    return "\n".join([headline, "", f"> {plain_text(row['statement'])}", "", *source, evidence(row, replay)])


def evidence(row: Row, *more: str) -> str:
    """Return what a verdict rests on as a list, with more items below, and a row's cells."""
    lines = [f"- {plain_text(sentence)}" for sentence in (*strength(row), *counterexamples(row))]
    if "rule" in row and "numbers" in row:
        lines += [f"- Rule: {plain_text(row['rule'])}", f"- Counts: {plain_text(evidence_text(row))}"]
        lines += [f"- Null models: {plain_text(nulls)}." for nulls in [null_models_text(row)] if nulls]
    lines += more
    header, cells = side_by_side(row)
    lines += ["", table(header, (map(plain_text, line) for line in cells))] if cells else []
    return "\n".join(lines)


def ledger_text(rows: Sequence[Row], errata: Sequence[Erratum] = ()) -> str:
    """Return every row, folded by section of the paper, with a search and the repair of what is refuted."""
    repaired = repairs(rows, errata)
    parts = [table(*standing(rows)), _sieve(rows)]
    for title, members in sections(rows).items():
        counts = Counter(outcome(row) for row in members)
        told = ", ".join(f"{name} {counts[name]:,}" for name in OUTCOMES if counts[name])
        head = f"<b>{escape(title)}</b>: {counted(len(members), 'row')} ({told})"
        parts += [
            f'<details class="part"><summary>{head}</summary>',
            *(_entry(row, repaired.get(row["id"], ())) for row in members),
            "</details>",
        ]
    return "\n\n".join(parts)


def _sieve(rows: Sequence[Row]) -> str:
    """Return a search over the rows and a box for each verdict; the page's script hides rows."""
    search = '<input type="search" id="search" placeholder="Search: name, statement, source" aria-label="Search">'
    boxes = (
        f'<label><input type="checkbox" value="{verdict}" checked> {verdict} ({number:,})</label>'
        for verdict, number in Counter(row["verdict"] for row in rows).items()
    )
    return f'<div id="sieve">{search} <output id="found"></output><br>{"".join(boxes)}</div>'


def _entry(row: Row, repair: Sequence[str]) -> str:
    name, verdict = row["id"], row["verdict"]
    badge = f'<b class="{TONES.get(verdict, "")}">{escape(verdict_text(row))}</b> <code>{name}</code>'
    repaired = f"> **Repair.** {' '.join(repair)}\n\n" if repair else ""
    return (
        f'<details id="{name}" data-verdict="{verdict}"><summary>{badge} {escape(row["statement"])}</summary>\n\n'
        f"{plain_text(row['source'])}, {plain_text(origin_text(row))}.\n\n{repaired}{evidence(row)}\n\n</details>"
    )


def errata_text(document: str) -> str:
    """Return the document of errata as a section of a page that has the ledger too: its links lead there."""
    body = (
        with_timelines(document)
        .partition("\n\n")[2]
        .replace("](#", "](#erratum-")
        .replace('<a id="', '<a id="erratum-')
    )
    for file, anchor in (("ledger.md#", "#"), ("ledger.md", "#ledger")):
        body = body.replace(f"]({file}", f"]({anchor}")
    return body.replace("\n## ", "\n### ")
