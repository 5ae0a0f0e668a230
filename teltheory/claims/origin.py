"""Whose statement a row decides: only what an edition of the paper states counts for it or against it."""

from dataclasses import dataclass
from typing import Any, Literal

Whose = Literal["paper", "reading", "sharpness", "another paper", "ours"]
Edition = Literal["pmlr", "v1"]
EDITIONS: dict[Edition, str] = {
    "pmlr": "PMLR text",
    "v1": "arXiv v1",
}
"""The editions of the paper in words: the text whose footer names ICML and PMLR 267, and arXiv:2510.15152v1."""


@dataclass(frozen=True)
class Origin:
    """Whose statement it is.

    Attributes
    ----------
    whose : {"paper", "reading", "sharpness", "another paper", "ours"}
        The paper's own words; ours, as one of several ways to read them; ours, on what happens where a condition
        of another row is left out; another paper's words, which count neither for the paper nor against it; or
        ours, beyond the paper.
    editions : tuple of {"pmlr", "v1"}
        Of the paper's: the editions that state it.
    note : str
        Of a reading: which one it is. Of sharpness: which condition is left out. Of another paper's: which paper.
    repairs : str
        The row in whose place the statement is put; "" if there is none.
    of : str
        Of sharpness: the row whose condition is left out. Whose statement that is decides beside which rows it
        counts.
    """

    whose: Whose
    editions: tuple[Edition, ...] = ()
    note: str = ""
    repairs: str = ""
    of: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as fields of a row of the ledger; what it does not have is left out."""
        more = {"editions": list(self.editions), "note": self.note, "repairs": self.repairs, "of": self.of}
        return {"origin": self.whose} | {name: value for name, value in more.items() if value}


PMLR = Origin("paper", ("pmlr",))
"""Stated by the text whose footer names PMLR 267."""
V1 = Origin("paper", ("v1",))
"""Stated by version 1 on arXiv."""
BOTH = Origin("paper", ("pmlr", "v1"))
"""Stated by both."""
OURS = Origin("ours")


def reading(note: str) -> Origin:
    """Return the origin of one way to read the paper's words."""
    return Origin("reading", note=note)


def sharpness(of: str, note: str) -> Origin:
    """Return the origin of a statement that leaves out a condition, which the note says, of a row."""
    return Origin("sharpness", note=note, of=of)


def another(paper: str) -> Origin:
    """Return the origin of a statement of another paper."""
    return Origin("another paper", note=paper)


def repairs(row: str) -> Origin:
    """Return the origin of a statement that we put in the place of a row's."""
    return Origin("ours", repairs=row)
