"""Two encodings of one claim, compared: the claim in plain Python, and a compiled one on many more cases.

The plain one enumerates its own, small classes. In each the two must agree: how many cases lie within the
hypotheses, how many refute, which of those is the smallest, and the sum of all values. Where they do not, the
first case on which they differ is named. A counterexample that the compiled one finds beyond must refute the
claim itself, with the same values.

A claim that is not about traces may know a second route to some of its values instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic

from teltheory.claims.claim import C, Claim, Values, exact_values


class DisagreementError(Exception):
    """The two encodings of a claim disagree; the message says where."""


@dataclass(frozen=True)
class Tally(Generic[C]):
    """What a check said of a class: cases within the hypotheses, how many refute, and the smallest that does.

    `total` is the sum of all values with weights, modulo 2^64.
    """

    within: int = 0
    refuting: int = 0
    total: int = 0
    smallest: C | None = None

    def __add__(self, other: Tally[C]) -> Tally[C]:
        """Return the tally of both, whatever their order."""
        found = [case for case in (self.smallest, other.smallest) if case is not None]
        return Tally(
            self.within + other.within,
            self.refuting + other.refuting,
            (self.total + other.total) % (1 << 64),
            min(found, key=lambda case: case.size(), default=None),
        )


def recompute(claim: Claim[C], case: C) -> None:
    """Compute what a claim's second route knows of a case; `DisagreementError` if the two differ."""
    values = None if claim.second is None else claim.values(case)
    if claim.second is None or values is None:
        return
    for name, again in claim.second.values(case, values).items():
        if again != values[name]:
            found = f"{name} {values[name]}, but by {claim.second.by} {again}"
            raise DisagreementError(f"{claim.id}: {case.as_counterexample(values)}: {found}")


def compare(claim: Claim[Any], effort: str) -> Tally[Any]:
    """Compare the two on every class that plain Python enumerates, up to the first that refutes.

    Return what plain Python tried; `DisagreementError` if the two differ.
    """
    assert claim.compiled is not None
    space: Any = claim.space
    total, covered = Tally[Any](), {size[:3] for size in claim.compiled.worlds.sizes(effort)}
    for size, cases in zip(space.sizes(effort), space.classes(effort), strict=True):
        if size[:3] not in covered:
            raise DisagreementError(f"{claim.id}: class {size[:3]} is not among the compiled ones")
        listed = list(cases)
        ours, theirs = plain_tally(claim, listed), claim.compiled.tally(*size)
        if ours != theirs:
            for case in listed:
                _hold(claim, case)
            found = (f"{t.within} instances, {t.refuting} refute, sum of values {t.total}" for t in (ours, theirs))
            raise DisagreementError(f"{claim.id}, class {size[:3]}: {', but compiled '.join(found)}")
        total += ours
        if ours.refuting:
            break
    return total


def plain_tally(claim: Claim[Any], cases: Iterable[Any]) -> Tally[Any]:
    """Check cases with the claim itself."""
    assert claim.compiled is not None
    within, total, refuting = 0, 0, []
    for case in cases:
        values = exact_values(claim, case)
        if values is None:
            continue
        within += 1
        total += claim.compiled.weighed(case, _row(values))
        if not claim.relation(values):
            refuting.append(case)
    smallest = min(refuting, key=lambda case: case.size(), default=None)
    return Tally(within, len(refuting), total % (1 << 64), smallest)


def tally(claim: Claim[Any], effort: str) -> Tally[Any]:
    """Enumerate by the compiled encoding, up to the first class that refutes.

    `DisagreementError` if the smallest case that refutes does not refute the claim itself, or with other values.
    """
    assert claim.compiled is not None
    total = Tally[Any]()
    for size in claim.compiled.worlds.sizes(effort):
        total += claim.compiled.tally(*size)
        if total.smallest is not None:
            _hold(claim, total.smallest)
            break
    return total


def _hold(claim: Claim[Any], case: Any) -> None:
    """Hold a case against both encodings; `DisagreementError` if they judge it differently."""
    assert claim.compiled is not None
    values = exact_values(claim, case)
    ours = (None, []) if values is None else (not claim.relation(values), _row(values))
    refuted, theirs = claim.compiled.judged(case)
    if ours != (refuted, [] if refuted is None else theirs):
        told = case.as_counterexample(values or {})
        raise DisagreementError(f"{claim.id}: {told}: {_told(*ours)}, but compiled {_told(refuted, theirs)}")


def _row(values: Values) -> list[int]:
    """Return all values in a row."""
    lists = (value if isinstance(value, Iterable) else (value,) for value in values.values())
    return [int(entry) for entries in lists for entry in entries]


def _told(refuted: bool | None, values: list[int]) -> str:
    if refuted is None:
        return "outside the hypotheses"
    return f"{'refuted' if refuted else 'true'} with values {values}"
