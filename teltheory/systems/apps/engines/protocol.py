"""What an engine can do: three methods on contexts (Parrot, Section 7, "universal engine abstraction").

1. A context holds tokens with the model's state for them. ``fill`` computes tokens that are given, ``generate``
   those that the model chooses, ``free`` gives the room back.
2. A new `context_id` makes a context: with `parent` a fork, which begins with all that the parent holds then, and
   else an empty one. An id that is in use goes on, and must not name a parent.
3. An engine does what one context was asked for in that order, and computes a parent before its forks; a fork may
   be asked for while its parent is still computed. Other contexts go on side by side (continuous batching).

The methods are coroutines of no event loop in particular: an engine on asyncio awaits futures, one on SimPy awaits
`Until(event)`; ``env.process(engine.fill(...))`` runs it. What drives engines (`teltheory.systems.apps.running`)
awaits nothing else, so that it runs in both.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from teltheory.systems.apps.requests import Sampling


class Engine(Protocol):
    """One model on one machine, with room for the tokens of its contexts.

    Attributes
    ----------
    name, model : str
        What messages call it, and what it serves.
    capacity, latency_capacity : int
        Tokens of all contexts together; at most so many while a request is there that asks for latency.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def capacity(self) -> int: ...  # noqa: D102
    @property
    def latency_capacity(self) -> int: ...  # noqa: D102

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of token ids."""

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        """Put tokens at the end of a context; return how many were computed."""

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        """Let the model go on with a context; return the tokens, which the context then holds."""

    async def free(self, context_id: int) -> None:
        """Give up a context that has no forks."""


@dataclass(frozen=True)
class Until:
    """An awaitable of what an event loop other than asyncio's is given, such as an event of SimPy."""

    event: Any

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield self.event)
