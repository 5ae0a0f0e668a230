"""Bytes as tokens, for engines without a tokenizer: any text is its UTF-8, and comes back from it."""

from collections.abc import Sequence


def utf8(text: str) -> list[int]:
    """Return the bytes of a text, ``?`` for half a pair of surrogates."""
    return list(text.encode(errors="replace"))


def from_utf8(tokens: Sequence[int]) -> str:
    """Return the text of bytes."""
    return bytes(tokens).decode(errors="replace")
