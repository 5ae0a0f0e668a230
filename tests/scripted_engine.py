"""An engine for tests that says what a test wants, and counts its contexts; short requests."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from teltheory.systems.apps import AppError, Port, Sampling
from teltheory.systems.apps.engines import Contexts
from teltheory.systems.apps.sessions import Session


class Scripted:
    """Bytes as tokens; an output is what `says` makes of the text before it.

    `log` has the texts before outputs in the order in which these were begun; `steps` is how often a generation
    gives way to others.
    """

    def __init__(
        self,
        says: Callable[[str], str] = lambda text: f"[{len(text)}]",
        name: str = "scripted",
        capacity: int = 64_000,
        latency_capacity: int = 64_000,
        model: str = "scripted",
        steps: int = 3,
    ) -> None:
        self.says, self.name, self.model, self.steps = says, name, model, steps
        self.capacity, self.latency_capacity = capacity, latency_capacity
        self.contexts = Contexts(capacity, name)
        self.log: list[str] = []
        self.running = self.most = 0

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: Sequence[int]) -> str:
        return bytes(tokens).decode()

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        self.contexts.fill(token_ids, context_id, parent)
        await asyncio.sleep(0)
        return len(token_ids)

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        context = self.contexts.begin(context_id, parent)
        before = self.decode(context.tokens)
        self.log.append(before)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for _ in range(self.steps):
                await asyncio.sleep(0)
            tokens = self.encode(self.says(before))[: sampling.max_tokens]
            for token in tokens:
                self.contexts.append(context_id, token)
            return tokens
        finally:
            self.running -= 1
            self.contexts.end(context_id)

    async def free(self, context_id: int) -> None:
        self.contexts.free(context_id)


SHORT = Sampling(max_tokens=40)


def call(
    session: Session, name: str, inputs: Sequence[str], outputs: Sequence[str], text: str = "", **ports: str
) -> None:
    """Submit a request whose prompt is its name, a text, its inputs and its outputs; `ports` are transforms."""
    entries = [Port(v, False, v, ports.get(v, "")) for v in inputs]
    entries += [Port(v, True, v, ports.get(v, "")) for v in outputs]
    prompt = f"{name}{text}:" + "".join(f"<{{{{{v}}}}}>" for v in [*inputs, *outputs])
    session.submit(prompt, entries, sampling=SHORT, name=name)


async def outcome(awaited: Awaitable[str]) -> str | AppError:
    """Return a value or the failure."""
    try:
        return await awaited
    except AppError as error:
        return error
