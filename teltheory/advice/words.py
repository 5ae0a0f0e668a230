"""Numbers of an advice in words: a gain and its interval, a setting, memory, times as many."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from teltheory.cost.kv_cache import KVSize
from teltheory.model.tiers import tiers_of

if TYPE_CHECKING:
    from teltheory.advice import Advice, Estimate


def change(estimate: Estimate) -> str:
    """Return a share in words: the number, its interval, and which way it goes."""
    sign, way = (-1, "higher") if rounded(estimate.value) < 0 else (1, "lower")
    return f"{sign * rounded(estimate.value):,.1f} %{ends_of(estimate, sign * 100, ',.1f')} {way}"


def ends_of(estimate: Estimate, times: float, form: str) -> str:
    """Return an interval in brackets behind its number, in a unit; nothing where none is known."""
    if not isfinite(estimate.low):
        return ""
    low, high = sorted(round(times * end, 3) + 0.0 for end in (estimate.low, estimate.high))
    return f" [{low:{form}}, {high:{form}}]"


def rounded(share: float) -> float:
    """Return a share in per cent as it is printed, never -0."""
    return round(100 * share, 1) + 0.0


def setting(advice: Advice, margin: int) -> str:
    """Return a margin as a threshold and a prompt estimate."""
    xi, q_hat = advice.as_set(margin)
    return f"ξ = {xi:,} and Q̂ = {q_hat:,}"


def times(before: int, after: int) -> str:
    """Return how many times as much as before it is, as text."""
    return f"{after / before if before else 1:.3f} times"


def in_one_unit(*seconds: float) -> tuple[list[str], str]:
    """Return times as text, and their unit: milliseconds if all are below a second."""
    if max(seconds) < 1:
        return [f"{1000 * one:.1f}" for one in seconds], "ms"
    return [f"{one:.3f}" for one in seconds], "s"


def memory(advice: Advice) -> str:
    """Return the memory of a replica."""
    tiers = tiers_of(advice.capacity)
    return f"{in_memory(tiers.capacities, advice.shape)}{' in tiers' if len(tiers) > 1 else ''}"


def size_of(advice: Advice) -> int:
    """Return the tokens of the first tier."""
    found: int = tiers_of(advice.capacity).capacities[0]
    return found


def in_memory(tokens: Sequence[int], shape: KVSize | None) -> str:
    """Return numbers of tokens, and in brackets their bytes if the size of a token is known."""
    text = " + ".join(f"{n:,}" for n in tokens) + " tokens"
    if shape is None:
        return text
    return f"{text} ({' + '.join(f'{shape.bytes(n) / 2**30:,.1f}' for n in tokens)} GiB of {shape.name})"
