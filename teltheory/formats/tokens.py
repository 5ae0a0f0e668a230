"""Blocks of texts: what requests share is what their tokens share from the beginning.

A block is a run of so many tokens, named by a digest of their ids, below the block before it. Texts are made into
tokens one by one, as they are counted, without a chat template between them. Outputs are texts too, so that their
blocks are known: a path goes on through its output, and the last block that is not full is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate

import numpy as np

from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.counting import Counter
from teltheory.formats.format import Source
from teltheory.formats.records import Record
from teltheory.model.numbers import IntArray

DIGEST = 16
"""Bytes that name a block: two that differ agree by chance once in 2**128."""


@dataclass(frozen=True)
class Spoken:
    """Counts texts, and adds their blocks if the user names a size; each conversation begins with `system`."""

    counter: Counter
    system: Sequence[int]
    blocks: RequestBlocks | None

    @classmethod
    def of(cls, source: Source, counter: Counter) -> Spoken:
        """Return what the user asked for."""
        blocks = None if source.blocks is None else RequestBlocks(source.blocks, content=True)
        return cls(counter, counter.encode([source.system])[0], blocks)

    def add(self, record: Record, texts: Sequence[str], requests: Sequence[tuple[int, int]]) -> list[int]:
        """Return the tokens of a conversation's texts, the system prompt in the first; add its requests.

        A request is a pair: its input ends before one text, its output before another.
        """
        if self.blocks is None:
            return self._with_system(self.counter.count(texts))
        encoded = self.counter.encode(texts)
        tokens = self._with_system(list(map(len, encoded)))
        named = names(joined([self.system, *encoded]), self.blocks.block_size)
        until = [0, *accumulate(tokens)]
        for response, end in requests:
            self.add_named(record, named, until[response], until[end])
        return tokens

    def add_named(self, record: Record, named: Sequence[bytes], inputs: int, past: int) -> None:
        """Add a request of so many input tokens, which leaves a past behind, to the blocks."""
        if self.blocks is not None:
            size = self.blocks.block_size
            self.blocks.add(record, named[: past // size], inputs, inputs // size)

    def _with_system(self, tokens: list[int]) -> list[int]:
        return [tokens[0] + len(self.system), *tokens[1:]] if tokens else tokens


def joined(parts: Sequence[Sequence[int]]) -> IntArray:
    """Return the tokens of several texts as one array."""
    return np.concatenate([np.asarray(part, np.int64) for part in parts])


def names(tokens: IntArray, size: int) -> list[bytes]:
    """Return the names of the full blocks of some tokens."""
    content, width = tokens.tobytes(), size * tokens.itemsize
    full = range(0, len(tokens) // size * width, width)
    return [blake2b(content[at : at + width], digest_size=DIGEST).digest() for at in full]
