"""What makes tokens of text, by one protocol: bytes, a tokenizer's file, or the tokenizer of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.formats.counting import ESTIMATE, EXPECTED, counter


@dataclass(frozen=True)
class Tokenizer:
    """Makes token ids of text.

    Attributes
    ----------
    name : str
        What a report calls it.
    encode : callable
        Token ids of a text, without special tokens around it.
    decode : callable
        Text of token ids.
    unknown : int
        Token that stands where a parameter's argument will.
    end : int or None
        Token that ends an answer.
    """

    name: str
    encode: Callable[[str], Sequence[int]] = field(repr=False)
    decode: Callable[[Sequence[int]], str] = field(repr=False)
    unknown: int = 0
    end: int | None = None


BYTES = Tokenizer(
    "bytes",
    lambda text: list(text.encode("utf-8", "surrogatepass")),
    lambda ids: bytes(ids).decode("utf-8", "replace"),
)
"""One token a byte; for layouts without a model."""


def tokenizer_of(named: str | Path | Tokenizer | Any) -> Tokenizer:
    """Return a tokenizer: itself, "bytes", "smollm2", or what `teltheory.formats.counting.counter` takes."""
    if isinstance(named, Tokenizer):
        return named
    if named == "bytes":
        return BYTES
    if named == "smollm2":
        from teltheory.systems.modules.smollm2 import tokenizer

        return tokenizer()
    if isinstance(named, str) and named != ESTIMATE and "." not in named:
        raise ArgumentError("tokenizer", named, f"'bytes', 'smollm2', {EXPECTED}")
    counting = counter(named)
    return Tokenizer(counting.name, lambda text: counting.encode([text])[0], _no_text)


def _no_text(ids: Sequence[int]) -> str:
    return f"{len(ids)} tokens"
