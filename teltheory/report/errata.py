"""The errata as a Markdown page: words from the list of errata, every number from the ledger's rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from teltheory.claims.erratum import Erratum, StateTable, check_errata
from teltheory.claims.state_tables import TURNS
from teltheory.report.ledger import Row, editions_text
from teltheory.report.ledger_pages import MADE
from teltheory.report.markdown import plain_text, table
from teltheory.report.words import WHICH_TEXT, counterexample_text, verdict_text

LEAD = """\
What the ledger refutes of *Tail-Optimized Caching for LLM Inference* (Zhang, Li, Moallemi, Peng, 2025), in the
order of the ledger: the edition, the place, the statement as printed, what is the case, and what to put in its
place. [ledger.md](ledger.md) has all statements, also those that hold.

Then the counterexample: the smallest one, and on traces the smallest *natural* one, in which every prompt,
response and C is at least 1, and ξ and Q where the row has them. A click opens its states, to follow by hand:
those of the natural one where there is one. They are computed from the row's own numbers, by the library's
reference replay where it is a trace. A cache is written least recent conversation first, as
conversation:cached/past. *Excess* is max(uncached − ξ, 0), and TEL its sum. Where a row has no use for ξ or Q it
is 0. The site and the report draw each replayed trace as a timeline.
"""


def errata_markdown(rows: Sequence[Row], errata: tuple[Erratum, ...]) -> str:
    """Return the page of errata."""
    by_name = {row["id"]: row for row in rows}
    check_errata(by_name, errata)
    place = {name: i for i, name in enumerate(by_name)}
    ordered = sorted(errata, key=lambda erratum: min(place[name] for name in erratum.shows))
    parts = ["# Errata", MADE, LEAD.rstrip(), WHICH_TEXT, _contents(ordered, by_name)]
    for number, erratum in enumerate(ordered, start=1):
        parts += _erratum(number, erratum, by_name)
    return "\n\n".join(parts) + "\n"


def _contents(errata: Sequence[Erratum], rows: Mapping[str, Row]) -> str:
    """Return a line for each erratum; of its place what stands before the words that are quoted."""
    lines = (
        (
            str(number),
            f"[{erratum.title}](#{next(iter(erratum.shows))})",
            "; ".join(_stated_by(erratum, rows)),
            erratum.place.partition(", “")[0],
            erratum.repair,
        )
        for number, erratum in enumerate(errata, start=1)
    )
    return table(("", "what is wrong", "edition", "place", "repair"), lines)


def _erratum(number: int, erratum: Erratum, rows: Mapping[str, Row]) -> Iterator[str]:
    yield f"## {number}. {erratum.title}"
    more = f" Version 1 on arXiv {erratum.v1}." if erratum.v1 else ""
    yield f"**Place.** {'; '.join(_stated_by(erratum, rows))}: {erratum.place}.{more}"
    yield f"**As printed.** {erratum.printed}"
    yield f"**Fact.** {erratum.fact}"
    decided = "; ".join(_holds(rows[name]) for name in erratum.repaired_by)
    yield f"**Repair.** {erratum.repair}" + (f" Decided by {decided}." if decided else "")
    for name in erratum.shows:
        yield from _counterexample(rows[name], erratum)


def _stated_by(erratum: Erratum, rows: Mapping[str, Row]) -> Iterable[str]:
    return dict.fromkeys(editions_text(rows[name]) for name in erratum.shows)


def _holds(row: Row) -> str:
    return f"[`{row['id']}`](ledger.md#{row['id']}): {verdict_text(row)}"


def _counterexample(row: Row, erratum: Erratum) -> Iterator[str]:
    name, example = row["id"], row["counterexample"]
    refuted = f'<a id="{name}"></a>**Refuted: [`{name}`](ledger.md#{name}).** {plain_text(row["statement"])}'
    if example is None:
        yield f"{refuted} Not decided where this page was made: {plain_text(row.get('problem') or row['verdict'])}"
        return
    states, which = erratum.shows[name](example), "The"
    refuted += f" *Counterexample:* {plain_text(counterexample_text(example))}."
    natural = (row.get("natural") or {}).get("counterexample")
    if natural is not None:
        states, which = erratum.shows[name](natural), "The natural"
        refuted += f" *Natural:* {plain_text(counterexample_text(natural))}."
    yield refuted
    yield f'<details markdown="1"><summary>{which} counterexample, step by step</summary>'
    if all(each.header != TURNS for each in states):
        yield f"No timeline: {erratum.no_timeline}."
    for each in states:
        yield from _states(each)
    confirmed = f" Confirmed by `python {erratum.scripts[name]}`." if name in erratum.scripts else ""
    yield f"Replay: `teltheory verify --claim {name}`.{confirmed}"
    yield "</details>"


def _states(states: StateTable) -> Iterator[str]:
    yield f"{plain_text(states.title)}:"
    yield table(states.header, ([plain_text(text) for text in line] for line in states.rows))
    if states.below:
        yield plain_text(states.below)
