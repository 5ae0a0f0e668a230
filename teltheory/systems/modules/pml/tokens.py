"""What makes tokens of text, by one protocol; `teltheory.systems.modules.tokenizers` has them by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


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
