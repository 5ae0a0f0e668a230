"""Tokenizers by name: bytes, a tokenizer's file, or the tokenizer of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.formats.counting import ESTIMATE, EXPECTED, counter
from teltheory.systems.modules.pml.tokens import BYTES, Tokenizer
from teltheory.systems.modules.smollm2 import tokenizer


def tokenizer_of(named: str | Path | Tokenizer | Any) -> Tokenizer:
    """Return a tokenizer: itself, "bytes", "smollm2", or what `teltheory.formats.counting.counter` takes."""
    if isinstance(named, Tokenizer):
        return named
    if named == "bytes":
        return BYTES
    if named == "smollm2":
        return tokenizer()
    if isinstance(named, str) and named != ESTIMATE and "." not in named:
        raise ArgumentError("tokenizer", named, f"'bytes', 'smollm2', {EXPECTED}")
    counting = counter(named)
    return Tokenizer(counting.name, lambda text: counting.encode([text])[0], _no_text)


def _no_text(ids: Sequence[int]) -> str:
    return f"{len(ids)} tokens"
