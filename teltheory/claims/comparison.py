"""Two encodings of one claim, compared: the claim in plain Python, and a compiled one on many more cases.

The plain one enumerates its own, small classes. In each the two must agree: how many cases lie within the
hypotheses, how many refute, which of those is the smallest, and the sum of all values. Where they do not, the
first case on which they differ is named. A counterexample that the compiled one finds beyond must refute the
claim itself, with the same values.

A claim that is not about traces may know a second route to some of its values instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from teltheory.claims.claim import C, Claim, CompiledSpace, SizedSpace, Tally, Values, exact_values


class DisagreementError(Exception):
    """The two encodings of a claim disagree; the message says where."""


def row(values: Values) -> list[int]:
    """Return all values in a row."""
    return [
        int(entry) for value in values.values() for entry in (value if isinstance(value, Iterable) else (value,))
    ]


def recompute(claim: Claim[C], case: C) -> None:
    """Compute what a claim's second route knows of a case; `DisagreementError` if the two differ."""
    if claim.second is None:
        return
    values = claim.values(case)
    if values is None:
        return
    for name, again in claim.second.values(case, values).items():
        if again != values[name]:
            found = f"{name} {values[name]}, but by {claim.second.by} {again}"
            raise DisagreementError(f"{claim.id}: {case.as_counterexample(values)}: {found}")


def compare(claim: Claim[C], compiled: CompiledSpace[C], effort: str) -> Tally[C]:
    """Compare the two on every class that plain Python enumerates, up to the first that refutes.

    Return what plain Python tried; `DisagreementError` if the two differ.
    """
    space: SizedSpace[C] = claim.space  # type: ignore[assignment]
    total, covered = Tally[C](), {size[:3] for size in compiled.sizes(effort)}
    for size, cases in zip(space.sizes(effort), space.classes(effort), strict=True):
        if size[:3] not in covered:
            raise DisagreementError(f"{claim.id}: class {size[:3]} is not among the compiled ones")
        listed = list(cases)
        ours, compiled_tally = plain_tally(claim, compiled, listed), compiled.tally(*size)
        if ours != compiled_tally:
            raise DisagreementError(_difference(claim, compiled, listed, ours, compiled_tally))
        total += ours
        if ours.refuting:
            break
    return total


def plain_tally(claim: Claim[C], compiled: CompiledSpace[C], cases: Iterable[C]) -> Tally[C]:
    """Check cases with the claim itself."""
    within, total, refuting = 0, 0, list[C]()
    for case in cases:
        values = exact_values(claim, case)
        if values is None:
            continue
        within += 1
        total += compiled.weighed(case, row(values))
        if not claim.relation(values):
            refuting.append(case)
    smallest = min(refuting, key=lambda case: case.size(), default=None)
    return Tally(within, len(refuting), total % (1 << 64), smallest)


def tally(claim: Claim[C], compiled: CompiledSpace[C], effort: str) -> Tally[C]:
    """Enumerate by the compiled encoding, up to the first class that refutes.

    `DisagreementError` if the smallest case that refutes does not refute the claim itself, or with other values.
    """
    total = Tally[C]()
    for size in compiled.sizes(effort):
        total += compiled.tally(*size)
        if total.smallest is not None:
            for sentence in _differences(claim, compiled, [total.smallest]):
                raise DisagreementError(sentence)
            break
    return total


def _difference(
    claim: Claim[C], compiled: CompiledSpace[C], cases: list[C], ours: Tally[C], theirs: Tally[C]
) -> str:
    for sentence in islice(_differences(claim, compiled, cases), 1):
        return sentence
    found = (f"{t.within} instances, {t.refuting} refute, sum of values {t.total}" for t in (ours, theirs))
    size = ", ".join(f"{name} {number}" for name, number in cases[0].measures().items()) if cases else "no case"
    return f"{claim.id}, {size}: {', but compiled '.join(found)}"


def _differences(claim: Claim[C], compiled: CompiledSpace[C], cases: Iterable[C]) -> Iterator[str]:
    """Yield a sentence for each case that the two judge differently."""
    for case in cases:
        values = exact_values(claim, case)
        ours = (None, []) if values is None else (not claim.relation(values), row(values))
        refuted, theirs = compiled.judged(case)
        if ours != (refuted, [] if refuted is None else theirs):
            told = case.as_counterexample(values or {})
            yield f"{claim.id}: {told}: {_told(*ours)}, but compiled {_told(refuted, theirs)}"


def _told(refuted: bool | None, values: list[int]) -> str:
    if refuted is None:
        return "outside the hypotheses"
    return f"{'refuted' if refuted else 'true'} with values {values}"
