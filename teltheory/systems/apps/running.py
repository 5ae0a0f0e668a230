"""One request on one engine: texts and inputs are filled in, outputs are generated (Parrot, Sections 5.3 and 7).

1. A prompt is parts of token ids, one for each text and each input, and an output wherever one is generated.
2. From its beginning, again and again: go to the furthest border ahead that the engine's `Kept` contexts have, or
   fill in or generate one part, in a new context forked from that of the part before.
3. A generated output is a part like the others from then on, so that what was generated is shared too.

The executor of sessions and the simulator both drive engines by this, so that what they fill in is the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from teltheory.systems.apps.engines.keeping import Borders, ContextPart, Kept, Tokens
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.prefixes import prefix_hashes
from teltheory.systems.apps.requests import Part as Piece
from teltheory.systems.apps.requests import Port, Request, Sampling

__all__ = ["run"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Ran:
    """What became of a prompt.

    Attributes
    ----------
    outputs : tuple of tuple of int
        Token ids of its outputs, in the order of the prompt.
    filled, forked : int
        Tokens that were filled in, and tokens that kept contexts had.
    """

    outputs: tuple[Tokens, ...]
    filled: int
    forked: int


async def run(request: Request, values: Mapping[str, str], kept: Kept) -> Ran:
    """Run a request.

    Parameters
    ----------
    request : Request
        Texts and ports.
    values : mapping of str to str
        What is filled in at each input port, by the name of the port, transformed already.
    kept : Kept
        The engine, with the contexts that requests share; one for the whole life of an engine.

    Returns
    -------
    Ran
        ``kept.engine.decode`` of an output is its text, before its transforms.

    Raises
    ------
    AppError
        What the engine raises. The contexts are left as if the request had not been there.
    """
    return await run_parts(encoded(request, values, kept.engine), kept)


def encoded(request: Request, values: Mapping[str, str], engine: Engine) -> tuple[Tokens | Sampling, ...]:
    """Return the prompt of a request in parts: token ids, and how each output is generated."""

    def part(piece: Piece) -> Tokens | Sampling:
        if isinstance(piece, Port) and piece.output:
            return request.sampling
        return tuple(engine.encode(piece if isinstance(piece, str) else values[piece.name]))

    return tuple(part(piece) for piece in request.parts)


async def run_parts(parts: Sequence[Tokens | Sampling], kept: Kept) -> Ran:
    """Run a prompt in parts, see `encoded`; empty ones are passed over."""
    walk = _Walk(kept, [part for part in parts if isinstance(part, Sampling) or part])
    walk.look()
    try:
        while walk.at < len(walk.parts):
            await walk.step()
    finally:
        await kept.leave(walk.here)
    return Ran(tuple(walk.outputs), walk.filled, walk.forked)


@dataclass(eq=False)
class _Walk:
    """How far a prompt is: `at` parts are done, and `here` holds their end."""

    kept: Kept
    parts: list[Tokens | Sampling]
    at: int = 0
    here: ContextPart | None = None
    filled: int = 0
    forked: int = 0
    outputs: list[Tokens] = field(default_factory=list)
    tokens: Tokens = ()
    borders: Borders = ()

    def look(self) -> None:
        """Find the tokens and borders before the next output."""
        ends = (k for k, part in enumerate(self.parts) if isinstance(part, Sampling))
        known = [part for part in self.parts[: next(ends, None)] if not isinstance(part, Sampling)]
        self.tokens, self.borders = tuple(chain.from_iterable(known)), prefix_hashes(known)

    async def step(self) -> None:
        """Go to the furthest border that is kept, or do the next part."""
        part = self.parts[self.at]
        if isinstance(part, Sampling):
            return await self._generate(part)
        found, at = self.kept.longest(self.tokens, self.borders, self.at)
        return await (self._fill(part) if found is None else self._fork(found, at))

    async def _fork(self, found: ContextPart, at: int) -> None:
        left, self.here = self.here, found
        self.kept.use(found)
        tokens = sum(len(part) for part in self.parts[self.at : at] if not isinstance(part, Sampling))
        self.forked, self.kept.forked, self.at = self.forked + tokens, self.kept.forked + tokens, at
        await self.kept.leave(left)

    async def _fill(self, tokens: Tokens) -> None:
        await self.kept.make_room(len(tokens))
        part = self.kept.enter(self.here, tokens, len(tokens))
        self.kept.name(part, self.borders[self.at][0])
        computed = await self._whole(part, self.kept.engine.fill(tokens, part.id, _id(self.here)))
        self.filled, self.kept.filled = self.filled + computed, self.kept.filled + computed
        self.here, self.at = part, self.at + 1

    async def _generate(self, sampling: Sampling) -> None:
        await self.kept.make_room(sampling.max_tokens)
        part = self.kept.enter(self.here, (), sampling.max_tokens)
        tokens = tuple(await self._whole(part, self.kept.engine.generate(sampling, part.id, _id(self.here))))
        self.kept.chosen(part, tokens)
        self.outputs.append(tokens)
        self.parts[self.at] = tokens
        self.look()
        self.kept.name(part, self.borders[self.at][0])
        self.here, self.at = part, self.at + 1

    async def _whole(self, part: ContextPart, work: Awaitable[Result]) -> Result:
        try:
            return await work
        except BaseException:
            await self.kept.fail(part)
            raise


def _id(part: ContextPart | None) -> int | None:
    return None if part is None else part.id
