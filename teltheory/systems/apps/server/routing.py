"""What a chat says of its place: size, and the prefixes that bind it to an engine.

1. A prompt is bytes: the messages and tools as JSON, the text of a completion, or token ids. Four bytes of text,
   or one id, count as a token, unless the engine's tokenizer counts them.
2. Prefixes end at every 64 tokens, further in at every 1,024. A prefix that most chats begin with says nothing of
   where one belongs: more than half of the last 1,000 chats (and six at least) share the common prefix, and only
   what ends 256 tokens or more behind it binds.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import Any

from teltheory.systems.apps.faults import MALFORMED, AppError
from teltheory.systems.apps.waiting import Job

TEXT, ID = 4, 8
"""Bytes of a token of a text, and of a token id."""
GRID, WIDE, FINE = 64, 1_024, 2_048
BINDING, RECENT, SOME, LOOKED_AT = 256, 1_000, 10, 16_384
DEFAULT_TOKENS = 256


@dataclass(frozen=True)
class ChatPrompt:
    """The beginning of what an engine will read.

    Attributes
    ----------
    data : bytes
        It.
    width : int
        Bytes of a token.
    """

    data: bytes
    width: int

    @classmethod
    def of(cls, body: Mapping[str, Any], chat: bool) -> ChatPrompt:
        """Return that of a body; `AppError` 400 if it has none."""
        found = body.get("messages" if chat else "prompt")
        if not found or not isinstance(found, list if chat else (str, list)):
            raise AppError(MALFORMED, "body", f"no {'messages' if chat else 'prompt'}", "some")
        if chat:
            said = json.dumps([body.get("tools"), found], ensure_ascii=False, separators=(",", ":"))
            return cls(said.encode(errors="surrogatepass").rstrip(b'}]"'), TEXT)
        first = found[0] if isinstance(found, list) and isinstance(found[0], list) else found
        if isinstance(first, list) and all(type(id) is int and 0 <= id < 2**63 for id in first):
            return cls(b"".join(id.to_bytes(ID, "big") for id in first), ID)
        text = first if isinstance(first, str) else json.dumps(first)
        return cls(text.encode(errors="surrogatepass"), TEXT)

    @property
    def tokens(self) -> int:
        """Tokens by its bytes, rounded up."""
        return -(-len(self.data) // self.width)

    def borders(self) -> tuple[tuple[int, int], ...]:
        """Return (hash, tokens up to there) of its prefixes."""
        running, done, found = blake2b(digest_size=8), 0, []
        for end in _ends(len(self.data) // self.width):
            running.update(self.data[done * self.width : end * self.width])
            found.append((int.from_bytes(running.digest(), "big"), end))
            done = end
        return tuple(found)


def _ends(tokens: int) -> list[int]:
    return [*range(GRID, min(tokens, FINE) + 1, GRID), *range(FINE + WIDE, tokens + 1, WIDE)]


@dataclass
class CommonPrefix:
    """The longest prefix that more than half of the last chats share."""

    _chats: deque[tuple[int, ...]] = field(default_factory=deque)
    _count: Counter[int] = field(default_factory=Counter)

    def binding(self, borders: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        """Return the prefixes of a chat that bind it, and count it among the last."""
        most = max(len(self._chats), SOME) / 2
        shared = takewhile(lambda border: self._count[border[0]] > most, borders)
        common = max((length for _, length in shared), default=0)
        self._add(tuple(hash for hash, length in borders if length <= LOOKED_AT))
        return tuple((hash, length) for hash, length in borders if length >= common + BINDING)

    def _add(self, hashes: tuple[int, ...]) -> None:
        self._chats.append(hashes)
        self._count.update(hashes)
        if len(self._chats) > RECENT:
            self._count.subtract(gone := self._chats.popleft())
            for hash in gone:
                if not self._count[hash]:
                    del self._count[hash]


@dataclass(frozen=True)
class ChatPlace:
    """A chat in the queue: it has the place of a session that opened when it came."""

    number: int
    tokens: int
    borders: tuple[tuple[int, int], ...]
    model: str | None

    @property
    def key(self) -> Hashable:
        """What the executor calls it."""
        return "chat", self.number

    def job(self) -> Job:
        """Return it as Algorithm 1 sees it: somebody waits for it."""
        return Job(self.key, self.number, "latency", self.tokens, None, self.borders, self.model)


def longest_output(body: Mapping[str, Any]) -> int:
    """Return the tokens that a body lets an engine generate, for all answers; 256 where it says nothing."""
    given = (body.get(name) for name in ("max_completion_tokens", "max_tokens"))
    most = next((one for one in given if type(one) is int and one > 0), DEFAULT_TOKENS)
    several = body.get("n")
    return most * (several if type(several) is int and several > 0 else 1)
