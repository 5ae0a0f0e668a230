"""Contexts of an engine that prompts share, from the first that fills a prefix in to the last that uses it.

1. Each part of a prompt has a context of its own, forked from that of the part before, so that a later prompt can
   fork at any border. A border has a hash of the tokens up to it (`teltheory.systems.apps.prefixes`).
2. A prompt forks from the context of the furthest border whose hash is kept and whose tokens are the same, also
   while that is still being filled: the engine waits for it.
3. A context that nobody uses any more is idle if its prefix is `wanted`; else it is freed, then those above it.
4. Idle ones go, the least recent first, where the engine has no room for what is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from itertools import count

from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.faults import UNKNOWN, AppError

Tokens = tuple[int, ...]
Borders = Sequence[tuple[int, int]]
"""Hash of the tokens up to a border, and their number, border by border."""


@dataclass(eq=False)
class ContextPart:
    """A context that holds one part of prompts.

    Attributes
    ----------
    id : int
        Of the context.
    above : Part or None
        What it was forked from.
    tokens : tuple of int
        Its own; none while they are generated.
    room : int
        Tokens that it takes: while they are generated, the most that they may become.
    hash : int or None
        Of all tokens to its end, once they are known.
    users : int
        Requests that are at it, and parts that are forked from it.
    failed : bool
        Whether the engine did not finish it.
    """

    id: int
    above: ContextPart | None
    tokens: Tokens
    room: int
    hash: int | None = None
    users: int = 1
    failed: bool = False


def always(hash: int) -> bool:
    """Want every prefix."""
    return True


def never(hash: int) -> bool:
    """Want none."""
    return False


@dataclass(eq=False)
class Kept:
    """The contexts of an engine that prompts share; nobody else makes any there.

    Attributes
    ----------
    engine : Engine
        Whose contexts.
    wanted : function of int
        Whether a prefix, by its hash, is kept when no request uses it.
    held : int
        Room of its contexts.
    filled, forked, generated : int
        Tokens of all requests so far: computed for their prompts, found in kept contexts, and chosen.
    by_hash : dict of int to ContextPart
        The contexts that a request can fork from now, by the hash of their prefix.
    """

    engine: Engine
    wanted: Callable[[int], bool] = always
    held: int = 0
    filled: int = 0
    forked: int = 0
    generated: int = 0
    _ids: count[int] = field(default_factory=count)
    by_hash: dict[int, ContextPart] = field(default_factory=dict)
    _idle: dict[ContextPart, None] = field(default_factory=dict)

    @property
    def hashes(self) -> Set[int]:
        """Prefixes that a request can fork from now; they change as contexts come and go."""
        return self.by_hash.keys()

    @property
    def idle(self) -> int:
        """How many contexts no request uses."""
        return len(self._idle)

    def longest(self, tokens: Tokens, borders: Borders, after: int = 0) -> tuple[ContextPart | None, int]:
        """Return the context of the furthest kept border beyond the first `after`, and its number."""
        for k in range(len(borders), after, -1):
            hash, length = borders[k - 1]
            part = self.by_hash.get(hash)
            if part is not None and _holds(part, tokens[:length]):
                return part, k
        return None, after

    def enter(self, above: ContextPart | None, tokens: Tokens, room: int) -> ContextPart:
        """Return a new part below another one; who was at that is at the new one now."""
        self.held += room
        return ContextPart(next(self._ids), above, tokens, room)

    def name(self, part: ContextPart, hash: int) -> None:
        """Let requests find a part by its hash, unless another one has it."""
        part.hash = hash
        self.by_hash.setdefault(hash, part)

    def chosen(self, part: ContextPart, tokens: Tokens) -> None:
        """Write down what was generated in a part."""
        self.held += len(tokens) - part.room
        self.generated += len(tokens)
        part.tokens, part.room = tokens, len(tokens)

    def use(self, part: ContextPart) -> None:
        """Count one more user of a part."""
        part.users += 1
        self._idle.pop(part, None)

    async def leave(self, part: ContextPart | None) -> None:
        """Count one user less; a part without any is idle, or it is freed and leaves the one above."""
        while part is not None:
            part.users -= 1
            if part.users:
                return
            if self._is_wanted(part):
                self._idle[part] = None
                return
            part = await self._freed(part)

    async def fail(self, part: ContextPart) -> None:
        """Go back from a part that the engine did not finish to the one above; nobody finds it from now on."""
        part.failed = True
        self._forget(part)
        if part.above is not None:
            self.use(part.above)
        await self.leave(part)

    async def make_room(self, tokens: int) -> None:
        """Free idle contexts, the least recent first, until there is room for tokens or none is idle."""
        while self._idle and self.held + tokens > self.engine.capacity:
            await self._drop(next(iter(self._idle)))

    async def sweep(self) -> None:
        """Free the idle contexts whose prefixes are not wanted any more."""
        for part in list(self._idle):
            if part in self._idle and not self._is_wanted(part):
                await self._drop(part)

    async def close(self) -> None:
        """Free all idle contexts, and from now on what becomes idle."""
        self.wanted = never
        await self.sweep()

    def _is_wanted(self, part: ContextPart) -> bool:
        return part.hash is not None and self.by_hash.get(part.hash) is part and self.wanted(part.hash)

    def _forget(self, part: ContextPart) -> None:
        if part.hash is not None and self.by_hash.get(part.hash) is part:
            del self.by_hash[part.hash]

    async def _drop(self, part: ContextPart) -> None:
        del self._idle[part]
        await self.leave(await self._freed(part))

    async def _freed(self, part: ContextPart) -> ContextPart | None:
        """Free a part's context and return the part above; the engine may not have made one that failed."""
        self._forget(part)
        self.held -= part.room
        try:
            await self.engine.free(part.id)
        except AppError as error:
            if not part.failed or error.code != UNKNOWN:
                raise
        return part.above


def _holds(part: ContextPart | None, tokens: Tokens) -> bool:
    """Whether the contexts down to a part hold just these tokens."""
    end = len(tokens)
    while part is not None:
        begin = end - len(part.tokens)
        if begin < 0 or tokens[begin:end] != part.tokens:
            return False
        end, part = begin, part.above
    return end == 0
