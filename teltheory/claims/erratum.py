"""An erratum: what is wrong at a place of the paper, what holds in its stead, and how its counterexample goes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from teltheory.errors import ArgumentError

Counterexample: TypeAlias = Mapping[str, Any]
"""The counterexample of a row of the ledger, as plain data."""


@dataclass(frozen=True)
class StateTable:
    """States that one can follow by hand.

    Attributes
    ----------
    title : str
        What they are states of.
    header : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        The states.
    below : str
        What they come to.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: str = ""


Show: TypeAlias = Callable[[Counterexample], tuple[StateTable, ...]]


@dataclass(frozen=True)
class Erratum:
    """What an error of the paper is, in words; every number comes from the ledger.

    Attributes
    ----------
    title : str
        A few words.
    place : str
        Where it stands in the paper.
    printed : str
        The statement as printed.
    fact : str
        What is the case.
    repair : str
        What to put in its place.
    shows : mapping of str to callable
        The refuted rows that say so, and how to show the counterexample of each.
    repaired_by : tuple of str
        Rows that hold, or are reproduced, and decide the repair.
    v1 : str
        What version 1 on arXiv does with it, where it withdraws or corrects it.
    scripts : mapping of str to str
        Files of `proofs_checks/counterexamples` that confirm a row's counterexample.
    no_timeline : str
        Why a counterexample has no timeline: what it is where it is no trace that a policy serves.
    """

    title: str
    place: str
    printed: str
    fact: str
    repair: str
    shows: Mapping[str, Show]
    repaired_by: tuple[str, ...] = ()
    v1: str = ""
    scripts: Mapping[str, str] = field(default_factory=dict)
    no_timeline: str = ""


def check_errata(rows: Mapping[str, Mapping[str, Any]], errata: tuple[Erratum, ...]) -> None:
    """Hold the errata against a whole ledger, its rows by identifier; `ArgumentError` names what does not fit.

    Each refuted statement of the paper has one erratum, each erratum speaks of refuted rows, and rows that decide
    a repair hold. Rows whose data are missing pass.
    """
    told = [name for erratum in errata for name in erratum.shows]
    for name in told:
        _expect(rows, name, ("refuted",))
        if told.count(name) > 1:
            raise ArgumentError("errata", name, "one erratum for each row, not two")
    for erratum in errata:
        for name in erratum.repaired_by:
            _expect(rows, name, ("holds", "reproduced"))
    for name, row in rows.items():
        if row["verdict"] == "refuted" and row["origin"] == "paper" and name not in told:
            raise ArgumentError("errata", f"none on {name}", "one for every refuted statement of the paper")


def _expect(rows: Mapping[str, Mapping[str, Any]], name: str, verdicts: tuple[str, ...]) -> None:
    if name not in rows:
        raise ArgumentError("errata", name, "a row of the ledger (errata need the whole ledger)")
    found = rows[name]["verdict"]
    if found not in (*verdicts, "not decidable here"):
        expected = " or ".join(map(repr, verdicts))
        raise ArgumentError("errata", f"{name}: {found}", f"a row that is {expected}, since an erratum says so")
