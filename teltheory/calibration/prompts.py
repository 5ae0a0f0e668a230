"""Random prompts that no server can have cached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number

FIRST_ORDINARY = 300
_WORDS = (
    "time year people way day man thing woman life child world school state family student group country problem "
    "hand part place case week company system program question work government number night point home water room "
    "mother area money story fact month lot right study book eye job word business issue side kind head house "
    "service friend father power hour game line end member law car city"
)
WORDS = tuple(_WORDS.split())


@dataclass(frozen=True)
class RandomPrompt:
    """A prompt of token ids, or of words that are about a token each; its prefixes are prompts."""

    parts: tuple[int, ...] | tuple[str, ...]

    def prefix(self, length: int) -> str | list[int]:
        """Return the first `length` parts: a list of token ids, or text."""
        parts = self.parts[:length]
        if parts and isinstance(parts[0], str):
            return " ".join(str(part) for part in parts)
        return [int(part) for part in parts]


def random_prompt(kind: str, length: int, vocabulary: int, rng: np.random.Generator) -> RandomPrompt:
    """Draw ``"tokens"`` or words (``"text"``); no id is among the first few, where tokenizers keep special ones.

    The generator must be seeded differently for each run, or the server has the prompts cached.
    """
    if whole_number("vocabulary", vocabulary) < 2:
        raise ArgumentError("vocabulary", vocabulary, "a whole number of at least 2")
    if kind == "text":
        return RandomPrompt(tuple(WORDS[i] for i in rng.integers(len(WORDS), size=length)))
    ids = rng.integers(min(FIRST_ORDINARY, vocabulary // 2), vocabulary, size=length)
    return RandomPrompt(tuple(ids.tolist()))
