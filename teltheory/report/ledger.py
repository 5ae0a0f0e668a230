"""The ledger as data: reading it back, its sections, and how the paper stands: what became of its statements."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias, TypedDict

from msgspec import Meta

from teltheory.base.input_files import parsed_json
from teltheory.base.plain_data import read_as
from teltheory.claims.origin import EDITIONS
from teltheory.errors import FileError

Row: TypeAlias = dict[str, Any]
"""A row of the ledger, as `Verdict.as_dict` makes it."""


def _one_of(known: str) -> Any:
    """Return the type of a text that goes into documents as it is: no mark-up is among it."""
    return Annotated[str, Meta(pattern=rf"\A(?:{known})\Z", description=known)]


SCOPE: Any = TypedDict("SCOPE", {"kind": str, "instances": int, "bounds": dict[str, Any]})
FIELDS: dict[str, Any] = {
    "id": _one_of(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
    "origin": _one_of("paper|reading|sharpness|another paper|ours"),
    "kind": _one_of("statement|misprint|by construction|arithmetic"),
    "source": str,
    "statement": str,
    "verdict": _one_of("holds|refuted|reproduced|not reproduced|undecided|not decidable here|error"),
    "scope": SCOPE,
    "counterexample": dict[str, Any] | None,
    "seconds": float,
}
"""What a row has, beside what it may have."""
CLAIM: Any = TypedDict("CLAIM", FIELDS)  # type: ignore[misc]

SECTIONS = {
    "The hindsight problem (Appendix B)": "hindsight theorem-b1 violations weighted",
    "The objective: means, tails, and what is hard (Sections 1 and 2, Appendix G.1)": (
        "tel intro slo percentile appendix-g"
    ),
    "T-LRU (Section 3, Appendix C)": (
        "theorem-31 appendix-c algorithm-1 trim figure-1 figure-2 section-3 appendix-e remark stack"
    ),
    "The conversation model (Appendices D and E)": (
        "belief lemma-d3 algorithm-2 theorem-d2 corollary paging et-lru"
    ),
    "Numbers, tables and figures": "kv-size figure- table- sensitivity headline prediction",
    "Shared prefixes (beyond the paper)": "forest",
    "RAGCache (Jin et al. 2024)": "ragcache",
    "Prompt Cache (Gim et al. 2024)": "prompt-cache",
    "Parrot (Lin et al. 2024)": "parrot",
    "Tiers of memory": "tiers",
    "Queues and replicas": "queue",
    "Hints of applications": "hints",
}
"""What the rows of a section begin with, up to a full stop; a hyphen at the end stands for more."""
OTHER_PAPERS = ("RAGCache (Jin et al. 2024)", "Prompt Cache (Gim et al. 2024)", "Parrot (Lin et al. 2024)")
"""The sections whose readings read another paper."""
OTHERS = "Further statements"


def sections(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows by section of the paper, both in their order; a section without rows is left out."""
    found: dict[str, list[Row]] = {title: [] for title in (*SECTIONS, OTHERS)}
    for row in rows:
        found[_section(row["id"])].append(row)
    return {title: members for title, members in found.items() if members}


def _section(name: str) -> str:
    stem = name.split(".", maxsplit=1)[0]
    for title, stems in SECTIONS.items():
        if any(stem == known or (known.endswith("-") and stem.startswith(known)) for known in stems.split()):
            return title
    return OTHERS


def read_ledger(text: str | bytes, name: str) -> list[Row]:
    """Return the rows of a ledger that `teltheory verify --json` wrote."""
    data = parsed_json(text, name, "a ledger")
    rows = data.get("claims") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FileError(f"{name}: found no claims, expected a ledger as `teltheory verify --json` writes it")
    for i, row in enumerate(rows, start=1):
        read_as(f"{name}, claim {i}", row, CLAIM)
    return rows


OUTCOMES = {
    "holds": "hold",
    "refuted": "are refuted as printed",
    "misprint": "are misprints that a later edition corrects",
    "reproduced": "tables and figures are reproduced",
    "not reproduced": "are not reproduced",
    "by construction": "are true by construction",
    "not decidable here": "can't be decided here",
    "undecided": "are undecided",
    "error": "ended in an error",
    "arithmetic: holds": "hold",
    "arithmetic: refuted": "are refuted as printed",
}
"""What can become of a row, in the order of a summary, and how a sentence puts it."""
ARITHMETIC = ("arithmetic: holds", "arithmetic: refuted")
AS_ARITHMETIC = {"holds": ARITHMETIC[0], "reproduced": ARITHMETIC[0]} | dict.fromkeys(
    ("refuted", "not reproduced"), ARITHMETIC[1]
)
WHOSE = {
    "paper": "the paper",
    "reading": "a reading of the paper",
    "sharpness": "sharpness: a condition of the paper left out",
    "another paper": "another paper",
    "reading of another": "a reading of another paper",
    "sharpness of another": "sharpness: a condition of another paper's row, or of ours, left out",
    "sharpness of a row that is not here": "sharpness: a condition of a row that is not here left out",
    "ours": "ours",
}
"""Beside whose statements a row counts, and how a table puts it."""


def outcome(row: Row) -> str:
    """Return what became of a row: its kind where that is more than a statement, else its verdict."""
    if row["kind"] == "arithmetic" and row["verdict"] in AS_ARITHMETIC:
        return AS_ARITHMETIC[row["verdict"]]
    failed = row["verdict"] in ("refuted", "not reproduced")
    told = row["kind"] == "by construction" or (row["kind"] == "misprint" and failed)
    return str(row["kind"] if told else row["verdict"])


def whose(row: Row, rows: Mapping[str, Row]) -> str:
    """Return beside whose statements a row counts, one of `WHOSE`.

    What leaves a condition out counts beside the paper only if the condition is of a row of the paper.
    """
    origin = str(row["origin"])
    if origin == "reading" and _section(row["id"]) in OTHER_PAPERS:
        return "reading of another"
    if origin == "sharpness" and row["of"] not in rows:
        return "sharpness of a row that is not here"
    if origin == "sharpness" and rows[row["of"]]["origin"] != "paper":
        return "sharpness of another"
    return origin


def standing(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return a table of how many rows came to what: a header, and a line for each whose statement it is."""
    by_name = {row["id"]: row for row in rows}
    counts = Counter((whose(row, by_name), outcome(row)) for row in rows)
    columns = [name for name in OUTCOMES if any(found == name for _, found in counts)]
    lines = [
        [title, *(f"{counts[one, name]:,}" if counts[one, name] else "" for name in columns)]
        for one, title in WHOSE.items()
        if any(found == one for found, _ in counts)
    ]
    return ["whose", *columns], lines


def paper_sentence(rows: Sequence[Row]) -> str:
    """Return in words what became of the paper's own statements; arithmetic on printed numbers is apart."""
    counts = Counter(outcome(row) for row in rows if row["origin"] == "paper")
    apart = {name: counts.pop(name, 0) for name in ARITHMETIC}
    told = f"Of {counts.total()} statements of the paper {_told(counts)}."
    if not any(apart.values()):
        return told
    both = Counter({name.removeprefix("arithmetic: "): number for name, number in apart.items()})
    together = Counter({name: both[name] + counts[name] for name in both})
    arithmetic = f"{both.total()} more are arithmetic on printed numbers, of which {_told(both)}"
    return f"{told} {arithmetic}; with these {_told(together)}."


def _told(counts: Counter[str]) -> str:
    return ", ".join(_put(counts[name], said) for name, said in OUTCOMES.items() if counts[name])


def _put(number: int, said: str) -> str:
    """Return "2 hold", "1 is refuted"."""
    verb, _, rest = said.partition(" ")
    of_one = {"hold": "holds", "are": "is"}.get(verb, verb)
    return " ".join(filter(None, (str(number), of_one if number == 1 else verb, rest)))


def origin_text(row: Row) -> str:
    """Return whose statement a row is, in a few words."""
    whose, note = row["origin"], row.get("note", "")
    if whose == "paper":
        kind = {"misprint": ", a misprint", "arithmetic": ", arithmetic on printed numbers"}.get(row["kind"], "")
        return f"the paper, {editions_text(row)}{kind}"
    if whose == "ours":
        return f"ours, in the place of `{row['repairs']}`" if "repairs" in row else "ours"
    if whose == "sharpness":
        return f"sharpness of `{row['of']}`, without: {note}"
    return f"our reading: {note}" if whose == "reading" else str(note)


def editions_text(row: Row) -> str:
    """Return the editions that state a row."""
    return " and ".join(EDITIONS[name] for name in row["editions"])
