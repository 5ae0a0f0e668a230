"""Cases that are no traces: spaces that a function lists, and cases that are told by their fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Generic

from teltheory.claims.claim import C, Enumerated, Unshrunk, Values
from teltheory.workloads.laws import Finite


@dataclass(frozen=True)
class Listed(Enumerated, Generic[C]):
    """Cases that a function yields in classes of growing size, up to a limit of any kind for either effort.

    `note` says which: a text in which {} stands for the limit, or what makes a verdict's bounds of it.
    """

    up_to: Callable[[Any], Iterable[Iterable[C]]]
    quick: Any
    full: Any
    note: str | Callable[[Any], dict[str, Any]]

    def classes(self, effort: str) -> Iterator[Iterator[C]]:
        """Yield the cases up to the effort's limit."""
        return map(iter, self.up_to(getattr(self, effort)))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what the note says of the effort's limit."""
        limit = getattr(self, effort)
        return {"cases": self.note.format(limit)} if isinstance(self.note, str) else self.note(limit)


@dataclass(frozen=True)
class ToldCase(Unshrunk):
    """A case that its fields tell: whole numbers are its measures, all fields the counterexample."""

    def size(self) -> tuple[Any, ...]:
        """Return the measures first; of equal ones any order will do, if it is always the same."""
        return (*self.measures().values(), repr(self))

    def measures(self) -> dict[str, int]:
        """Return the whole numbers among the fields."""
        return {name: value for name, value in self._fields().items() if type(value) is int}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the fields and the values as plain data."""
        return told({**self._fields(), "values": values})

    def _fields(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


def told(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as plain data, by their names."""
    return {name: plain(value) for name, value in facts.items()}


def plain(value: Any) -> Any:
    """Return a value as plain data: fractions as text, a law as its probabilities by length."""
    if isinstance(value, Finite):
        return {str(length): str(chance) for length, chance in value.outcomes}
    if isinstance(value, Mapping):
        return told(value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, Fraction) else value
