"""How long documents and questions are, in tokens: counted, estimated, fixed, or drawn from a law.

1. `Words(factor)`: words between spaces, times a factor, rounded up. 4 tokens for 3 words of English is a rule of
   thumb, not a count.
2. A whole number: every text has so many tokens.
3. A `Law` of `teltheory.workloads`: lengths are drawn, whatever the texts say; 0 becomes 1.
4. Anything that `teltheory.formats` takes as a tokenizer: a file, or "characters/4".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.formats.counting import counter
from teltheory.model.numbers import IntArray, rational, readonly, whole_number
from teltheory.workloads.laws import Law


@dataclass(frozen=True)
class Words:
    """Tokens of a text: its words times a factor above 0, rounded up, at least 1."""

    factor: Fraction = Fraction(4, 3)

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", rational("factor", self.factor, 0, above=True))

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text."""
        up, down = self.factor.as_integer_ratio()
        return [max(1, -(-len(text.split()) * up // down)) for text in texts]


Lengths: TypeAlias = Words | int | Law | str | Path
"""How lengths are found; see the module."""


def counted(
    how: Lengths, count: int, texts: Sequence[str] | None, rng: np.random.Generator
) -> tuple[IntArray, str]:
    """Return the tokens of `count` texts, each at least 1, and how they were found, in words."""
    if isinstance(how, Law):
        return readonly(np.maximum(how.sample(rng, count), 1)), f"lengths: drawn from {how!r}"
    if isinstance(how, (int, np.integer)):
        every = whole_number("lengths", how)
        return readonly(np.full(count, every, np.int64)), f"lengths: {every:,} tokens each"
    if texts is None:
        raise ArgumentError("lengths", how, "a whole number or a law, as there are no texts to count")
    if isinstance(how, Words):
        return readonly(np.array(how(texts), np.int64)), f"lengths: words × {how.factor}, an estimate"
    found = counter(how)
    return readonly(np.maximum(found.count(texts), 1).astype(np.int64)), f"lengths: {found.name}"
