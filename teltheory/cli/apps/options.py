"""What the commands on applications share: how texts become tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from teltheory.cli.parts import option
from teltheory.formats.counting import counter
from teltheory.systems.apps.engines.tokens import utf8

BYTES = "bytes"
tokens_option = option(
    "--tokenizer",
    default=BYTES,
    show_default=True,
    metavar="bytes|characters/4|FILE",
    help="Tokenizer of texts. bytes, characters/4, a tokenizer.json or a .tiktoken file.",
)


@dataclass(frozen=True)
class Tokens:
    """A tokenizer by its name: token ids of a text, and their number."""

    name: str
    encode: Callable[[str], Sequence[int]]

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        return len(self.encode(text))


def tokens_of(tokenizer: str) -> Tokens:
    """Return what --tokenizer names."""
    if tokenizer == BYTES:
        return Tokens(BYTES, utf8)
    made = counter(tokenizer)
    return Tokens(made.name, lambda text: made.encode([text])[0])
