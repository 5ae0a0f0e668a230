"""What a probe measures: a grid of prompt lengths and cached shares, in shuffled passes."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number

LONGEST_PROMPT = 10_000_000
MOST_MEASUREMENTS = 1_000_000


@dataclass(frozen=True)
class ProbeStep:
    """One measurement of a plan: its cell, how many times that was measured before, n, and c < n, in tokens."""

    cell: int
    repeat: int
    prompt_tokens: int
    cached_tokens: int


@dataclass(frozen=True)
class ProbePlan:
    """What is measured where; two probes with the same plan can share a file.

    Cached shares, from 0 to below 1, are rounded down to whole blocks. The seed fixes the order and nothing else.
    """

    url: str
    model: str
    lengths: tuple[int, ...]
    shares: tuple[float, ...]
    repeats: int = 5
    seed: int = 0
    block_size: int = 16

    def __post_init__(self) -> None:
        for field, least in (("repeats", 1), ("seed", 0), ("block_size", 1)):
            _at_least(field, getattr(self, field), least)
        if not self.model or not self.model.isprintable():
            raise ArgumentError("model", self.model, "the printable name of a model")
        object.__setattr__(self, "lengths", _lengths(self.lengths))
        object.__setattr__(self, "shares", _shares(self.shares))
        if self.repeats * len(self.cells) > MOST_MEASUREMENTS:
            expected = f"at most {MOST_MEASUREMENTS:,} measurements, of {len(self.cells):,} cells"
            raise ArgumentError("repeats", self.repeats, expected)

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Prompt and cached tokens of each cell, in ascending order; cells that round to the same are one."""
        size, shares = self.block_size, [Fraction(str(share)) for share in self.shares]
        return tuple(sorted({(n, int(share * n) // size * size) for n in self.lengths for share in shares}))

    def steps(self) -> tuple[ProbeStep, ...]:
        """Return all measurements in their order: each repeat is one pass over all cells, shuffled anew."""
        rng = np.random.default_rng(self.seed)
        cells = self.cells
        order = [(int(cell), repeat) for repeat in range(self.repeats) for cell in rng.permutation(len(cells))]
        return tuple(ProbeStep(cell, repeat, *cells[cell]) for cell, repeat in order)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON has it."""
        return {**asdict(self), "lengths": list(self.lengths), "shares": list(self.shares)}


def _at_least(argument: str, value: object, least: int) -> int:
    number = whole_number(argument, value)
    if number < least:
        raise ArgumentError(argument, value, f"a whole number of at least {least}")
    return number


def _lengths(lengths: Sequence[int]) -> tuple[int, ...]:
    if not lengths:
        raise ArgumentError("lengths", lengths, "at least one length of a prompt")
    whole = sorted({_at_least("lengths", length, 1) for length in lengths})
    if whole[-1] > LONGEST_PROMPT:
        raise ArgumentError("lengths", whole[-1], f"at most {LONGEST_PROMPT:,} tokens")
    return tuple(whole)


def _shares(shares: Sequence[float]) -> tuple[float, ...]:
    if not shares:
        raise ArgumentError("shares", shares, "at least one cached share, such as 0")
    for share in shares:
        if not (math.isfinite(share) and 0 <= share < 1):
            raise ArgumentError("shares", share, "a share of at least 0 and below 1")
    return tuple(sorted({abs(float(share)) for share in shares}))
