"""What to put in the place of a refuted statement: an erratum's words, and the rows that hold instead."""

from collections.abc import Iterator, Mapping, Sequence

from teltheory.claims.erratum import Erratum
from teltheory.report.ledger import Row
from teltheory.report.words import verdict_text

SOUND = ("holds", "reproduced")
WHY_NONE = {
    "reading": "it is one of several ways to read the paper",
    "sharpness": "it shows what a condition is for",
}
"""Why nothing is put in the place of a row, by whose statement it is."""


def repairs(rows: Sequence[Row], errata: Sequence[Erratum]) -> dict[str, list[str]]:
    """Return sentences of Markdown by refuted row.

    An erratum says what to put there. Otherwise the rows that name a refuted one as `repairs` do, or the nearest
    row that it is a variant of, by its name, if that one holds. If there is none, that is said.
    """
    by_name = {row["id"]: row for row in rows}
    told = {name: erratum for erratum in errata for name in erratum.shows}
    instead = {row["id"]: [one for one in rows if one.get("repairs") == row["id"]] for row in rows}
    return {
        name: list(_sentences(row, told.get(name), instead[name], by_name)) or [_none(row)]
        for name, row in by_name.items()
        if row["verdict"] == "refuted"
    }


def _sentences(
    row: Row, erratum: Erratum | None, instead: Sequence[Row], rows: Mapping[str, Row]
) -> Iterator[str]:
    """Yield what to put in a row's place."""
    if erratum is not None:
        decided = [_link(rows[name]) for name in erratum.repaired_by if name in rows]
        yield f"{erratum.repair}" + (f" Decided by {', '.join(decided)}." if decided else "")
        yield f"[Erratum](#erratum-{row['id']})."
        return
    for one in instead:
        yield f"In its place: {_link(one)}."
    if not instead:
        yield from (f"What holds: {_link(one)}." for one in _stem(row["id"], rows))


def _none(row: Row) -> str:
    why = WHY_NONE.get(row["origin"])
    return f"None is claimed: {why}." if why else "None is claimed."


def _stem(name: str, rows: Mapping[str, Row]) -> Iterator[Row]:
    """Yield the nearest row that a row is a variant of and that holds, if there is one."""
    while "." in name:
        name = name.rpartition(".")[0]
        if name in rows and rows[name]["verdict"] in SOUND:
            yield rows[name]
            return


def _link(row: Row) -> str:
    return f"[`{row['id']}`](#{row['id']}), {verdict_text(row)}"
