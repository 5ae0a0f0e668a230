"""An engine that computes nothing: bytes are tokens, an output is letters that depend on what comes before."""

from collections.abc import Awaitable, Callable, Sequence

from teltheory.systems.apps import AppError, Sampling
from teltheory.systems.apps.engines import Contexts

Wait = Callable[[int], Awaitable[None]]


async def at_once(tokens: int) -> None:
    """Wait for nothing."""


def never(call: int) -> bool:
    """Let every call end well."""
    return False


class CountedEngine:
    """Its contexts are counted; `wait` is awaited with the tokens of each call, `fails` says which calls break."""

    name, model, latency_capacity = "counted", "letters", 100

    def __init__(self, wait: Wait = at_once, capacity: int = 10_000, fails: Callable[[int], bool] = never) -> None:
        self.wait, self.capacity, self.fails = wait, capacity, fails
        self.contexts = Contexts(capacity, self.name)
        self.calls = 0

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: Sequence[int]) -> str:
        return bytes(tokens).decode()

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        self.contexts.fill(token_ids, context_id, parent)
        await self._work(len(token_ids))
        return len(token_ids)

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        context = self.contexts.begin(context_id, parent)
        try:
            await self._work(sampling.max_tokens)
            for _ in range(sampling.max_tokens):
                self.contexts.append(context_id, 97 + sum(context.tokens) % 26)
        finally:
            self.contexts.end(context_id)
        return list(context.own)

    async def free(self, context_id: int) -> None:
        self.contexts.free(context_id)

    async def _work(self, tokens: int) -> None:
        self.calls += 1
        call = self.calls
        await self.wait(tokens)
        if self.fails(call):
            raise AppError(502, f"{self.name}, call {call}", "a planted failure", "an answer")
