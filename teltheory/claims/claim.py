"""A claim: a statement, its cases, and what decides it (`teltheory.claims.verdict` has what comes of it)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from teltheory.claims.origin import OURS, Origin

if TYPE_CHECKING:
    from teltheory.claims.compiled.forests import CompiledForests
    from teltheory.claims.compiled.replays.space import CompiledReplays
    from teltheory.claims.compiled.space import CompiledWorlds

    Compiled: TypeAlias = CompiledWorlds | CompiledForests | CompiledReplays

__all__ = ["Values", "claim"]

Values: TypeAlias = Mapping[str, Any]
"""What a check computes, by name: whole numbers, fractions, and lists of them."""

Kind = Literal["statement", "misprint", "by construction", "arithmetic"]
Effort = Literal["quick", "full"]
EFFORTS: tuple[Effort, ...] = ("quick", "full")
MARGIN = Fraction(1, 2)
"""The part of a null model's error that ours must stay below. Of squared errors against the mean this is an
efficiency above 0.5 (Nash and Sutcliffe 1970), from which on a simulation is called satisfactory (Moriasi et
al. 2007)."""


class MissingDataError(Exception):
    """The cases of a claim need a file that is not there; the message names it."""


class AnyCase(Protocol):
    """An instance on which a claim is true or false."""

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest"."""

    def measures(self) -> dict[str, int]:
        """Return its size in words, for the place where an enumeration stopped."""

    def smaller(self) -> Iterator[Self]:
        """Yield the instances one step smaller."""

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the instance and the values that refute a claim as plain data."""


C = TypeVar("C", bound=AnyCase)
C_co = TypeVar("C_co", bound=AnyCase, covariant=True)


class Unshrunk:
    """A kind of case that is only enumerated, smallest first, so that none is made smaller."""

    def smaller(self) -> Iterator[Self]:
        """Yield nothing."""
        return iter(())


class Placed(Unshrunk):
    """A cell of a table or figure: all cells decide together, and none is a counterexample.

    What it computes is shown, by `shown(values)`, in its `row` and `column`.
    """

    def size(self) -> tuple[Any, ...]:
        """Return nothing: no cell is smaller than another."""
        return ()

    def measures(self) -> dict[str, int]:
        """Return nothing."""
        return {}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the values."""
        return dict(values)


class Space(Protocol[C_co]):
    """The cases on which a claim is decided."""

    def classes(self, effort: str) -> Iterator[Iterator[C_co]]:
        """Yield the cases to enumerate, in classes of growing size."""

    def sample_size(self, effort: str) -> int:
        """Return how many random cases follow."""

    def sample(self, rng: np.random.Generator) -> C_co | None:
        """Return a random case."""

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words and whole numbers."""


class Enumerated:
    """A space of which nothing is drawn at random."""

    def sample_size(self, effort: str) -> int:
        """Return 0."""
        return 0

    def sample(self, rng: np.random.Generator) -> None:
        """Return None."""
        return None


@dataclass(frozen=True)
class Proof:
    """A proof of a statement for every instance that it covers, checked by a program.

    Attributes
    ----------
    by : str
        What checked it, with its version.
    covers : str
        For which instances it proves the statement, and what remains to be done by hand.
    obligations : int
        Number of obligations that were proved.
    unproved : tuple of str
        Names of the obligations that were not: with any, the statement is not proved.
    """

    by: str
    covers: str
    obligations: int
    unproved: tuple[str, ...] = ()

    def __add__(self, other: Proof) -> Proof:
        """Return the proof that needs the obligations of both and covers what the first one says."""
        by = self.by if other.by in self.by else f"{self.by}; {other.by}"
        return Proof(by, self.covers, self.obligations + other.obligations, self.unproved + other.unproved)


@dataclass(frozen=True)
class SecondRoute(Generic[C]):
    """Another way to numbers that a claim computes; the runner compares the two on some of the cases.

    Attributes
    ----------
    by : str
        What it is.
    values : callable
        Computes some of a case's values again, by their names, from the case and the values that the claim found.
    """

    by: str
    values: Callable[[C, Values], Values]


Cells: TypeAlias = Sequence[Values]
"""The values of all cells of a table or figure."""


@dataclass(frozen=True)
class Rule:
    """How all cells of a table or figure together decide whether it is reproduced.

    A rule that anything passes decides nothing. So a rule names null models, which know nothing of what the row is
    about, and the error of our cells must be less than half of each null model's.

    Attributes
    ----------
    text : str
        The rule, in a sentence.
    count : callable
        Counts what the rule speaks of, from the values of all cells. The claim's relation must hold between the
        counts.
    error : str
        The count that says how far the cells are from the paper; "" if there are no null models.
    nulls : mapping of str to callable
        By name, null models: from all cells to the cells with the null model's numbers in the place of ours.
    """

    text: str
    count: Callable[[Cells], Values]
    error: str = ""
    nulls: Mapping[str, Callable[[Cells], Cells]] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """The rule with what it asks of the null models."""
        more = f" The {self.error} is less than half that of each null model: {', '.join(self.nulls)}."
        return self.text + (more if self.nulls else "")

    def beats(self, counts: Values, null: Values) -> bool:
        """Whether our counts are better than a null model's by the margin."""
        return bool(counts[self.error] < MARGIN * null[self.error])


@dataclass(frozen=True)
class Claim(Generic[C]):
    """A statement and the way to decide it.

    A check computes values and does not judge them; the relation that must hold between the values belongs to
    the claim, and the runner compares.

    Attributes
    ----------
    id : str
        Identifier in the ledger.
    source : str
        Where the statement stands.
    statement : str
        The statement, in one sentence.
    values : callable
        Computes what the statement speaks of on a case; None if the case lies outside its hypotheses.
    relation : callable
        Whether the values are as the statement says.
    space : Space
        The cases on which it is decided.
    origin : Origin
        Whose statement it is.
    kind : {"statement", "misprint", "by construction", "arithmetic"}
        A misprint is refuted as printed in one edition and corrected by a later one. What an input of the workload
        makes true is by construction; it is never counted as reproduced. Arithmetic holds printed numbers against
        each other, and is counted apart: it says nothing about a policy.
    proof : callable or None
        Proves the statement for more than can be tried. May raise MissingPackageError where the prover is missing.
    compiled : CompiledWorlds, CompiledForests, CompiledReplays or None
        The claim written a second time, for compiled enumeration up to larger bounds. The runner compares the two
        on all that `space`, then `SmallWorlds` or `SmallForests`, enumerates, which is a judge and no more.
    second : SecondRoute or None
        Another way to values, which the runner compares on some of the cases.
    certified : bool
        Whether the values of every case rest on a certificate that was checked.
    sampled : bool
        Whether the values of every case rest on random samples.
    rule : Rule or None
        For a table, figure or measured sentence of the paper: how its cells, which are `PlacedCase`, decide
        together that it is reproduced; all are shown.
    together : str or None
        Name of the work that claims share: those of one name are decided one after another by one process.
    file : str
        The file that defines it; `teltheory.claims.registry` knows.
    """

    id: str
    source: str
    statement: str
    values: Callable[[C], Values | None]
    relation: Callable[[Values], bool]
    space: Space[C]
    origin: Origin = OURS
    kind: Kind = "statement"
    proof: Callable[[], Proof] | None = None
    compiled: Compiled | None = None
    second: SecondRoute[C] | None = None
    certified: bool = False
    sampled: bool = False
    rule: Rule | None = None
    together: str | None = None
    file: str = field(default="", compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return what a row of the ledger says of it before it is decided."""
        facts = {name: getattr(self, name) for name in ("kind", "source", "file", "statement")}
        return {"id": self.id, **self.origin.as_dict(), **facts}


def claim(
    id: str,
    source: str,
    statement: str,
    relation: Callable[[Values], bool],
    space: Space[C],
    proof: Callable[[], Proof] | None = None,
    compiled: Compiled | None = None,
    second: SecondRoute[C] | None = None,
    *,
    origin: Origin = OURS,
    kind: Kind = "statement",
    certified: bool = False,
    sampled: bool = False,
    rule: Rule | None = None,
    together: str | None = None,
) -> Callable[[Callable[[C], Values | None]], Claim[C]]:
    """Make a claim of the function below it, which computes the values on a case."""

    def of(values: Callable[[C], Values | None]) -> Claim[C]:
        evidence = (proof, compiled, second, certified, sampled)
        return Claim(id, source, statement, values, relation, space, origin, kind, *evidence, rule, together)

    return of


def rows(**shared: Any) -> Callable[..., Callable[[Callable[[Any], Values | None]], Claim[Any]]]:
    """Return `claim` with some arguments given: what is left are the identifier, the statement, and the others."""

    def row(id: str, statement: str, **others: Any) -> Callable[[Callable[[Any], Values | None]], Claim[Any]]:
        return claim(id, statement=statement, **{**shared, **others})

    return row


def exact_values(claim: Claim[C], case: C) -> Values | None:
    """Return what a claim computes on a case.

    `TypeError` if a float is among it: only what is measured may rest on one, and that has a rule.
    """
    values = claim.values(case)
    number = None if values is None else next(_floats(values.values()), None)
    if number is not None:
        raise TypeError(f"found {number} among the values of {claim.id!r}, expected whole numbers or fractions")
    return values


def _floats(values: Iterable[Any]) -> Iterator[float]:
    for value in values:
        if type(value) is int:
            continue
        if isinstance(value, float):
            yield float(value)
        elif isinstance(value, (list, tuple)):
            yield from _floats(value)
        elif isinstance(value, Mapping):
            yield from _floats(value.values())
