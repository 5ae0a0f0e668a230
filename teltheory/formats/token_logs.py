"""Requests whose tokens are in the log of an engine: they share blocks, and name no conversation.

A request goes on from the latest that ends on its input's path of blocks, and is in its conversation. The user
names the blocks' size: the server's page size, or a coarser one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import Ends, RequestBlocks
from teltheory.formats.counting import Counter, counter
from teltheory.formats.format import Source
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns
from teltheory.formats.tokens import joined, names


@dataclass
class TokenLog:
    """What was read, and what turns text into tokens."""

    requests: RequestColumns
    blocks: RequestBlocks
    ends: Ends
    counter: Counter | None
    system: Sequence[int]

    @classmethod
    def of(cls, source: Source) -> "TokenLog":
        """Return an empty log for what the user asked for."""
        if source.blocks is None:
            wanted = "the tokens per block, such as 16 (--blocks 16), as the log does not say it"
            raise ArgumentError("blocks", None, wanted)
        blocks = RequestBlocks(source.blocks, content=True)
        counts = None if source.tokenizer is None else counter(source.tokenizer)
        if source.system and counts is None:
            raise ArgumentError("system", source.system, "a tokenizer with it")
        system = counts.encode([source.system])[0] if counts is not None else ()
        return cls(RequestColumns(blocks=blocks), blocks, Ends(blocks), counts, system)

    @property
    def tokenizer(self) -> str | None:
        """What counted the tokens, None if the log has them."""
        return None if self.counter is None else self.counter.name

    def tokens(self, ids: Any, text: Any) -> Sequence[int] | None:
        """Return the ids of tokens, or those of a text if there is a tokenizer; None if there is neither."""
        if ids is None and isinstance(text, str) and self.counter is not None:
            return self.counter.encode([text])[0]
        return ids  # type: ignore[no-any-return]

    def add(
        self,
        record: Record,
        asked: Sequence[int],
        answer: Sequence[int],
        produced: int,
        time: float,
    ) -> None:
        """Add a request with the tokens of its input and, where they are known, of its output."""
        number, size, inputs = len(self.requests), self.blocks.block_size, len(self.system) + len(asked)
        try:
            named = names(joined([self.system, asked, answer]), size)
        except OverflowError:
            record.fail("ids of tokens", max([*asked, *answer], key=abs), "numbers below 2**63")
        leaf = self.blocks.add(record, named, inputs, inputs // size)
        end = leaf
        for _ in range(len(named) - inputs // size):
            end = self.blocks.before(end)
        before = self.ends.before(end)
        self.requests.parent.append(before)
        self.requests.add(number if before < 0 else self.requests.conversation[before], inputs, produced, time)
        self.ends.move(number, leaf)
