"""Chats and completions of clients, passed on to OpenAI-compatible servers as they came.

1. A body is read for its place alone (`teltheory.systems.apps.server.routing`). It waits with the requests of
   sessions, and Algorithm 1 says which engine has it. One chat is one call there.
2. The answer comes back as it is: status, body, ``Retry-After``; of a stream each piece as soon as it is there.
3. Where nobody listens, and where an engine says that it is busy (429), the others of its model are asked, the one
   with the fewest requests first; it then rests. Nothing is sent twice for any other reason.
4. A stream whose engine ends before its answer does, ends with an event that says so. A client that leaves ends
   the call.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import httpx
from starlette.requests import Request as Call
from starlette.responses import Response, StreamingResponse

from teltheory.errors import shown
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.faults import BUSY, ENGINE, MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.server.bodies import SHOWN
from teltheory.systems.apps.server.limits import Limits
from teltheory.systems.apps.server.metrics import Metrics
from teltheory.systems.apps.server.routing import TEXT, ChatPlace, ChatPrompt, CommonPrefix, longest_output
from teltheory.systems.apps.server.waiting import while_there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Receive, Scope, Send

    from teltheory.systems.apps.sessions import Manager

DOWN, BUSY_FOR, MOST_REST = 5.0, 1.0, 60.0
EVENTS = "text/event-stream"
PASSED = ("content-type", "retry-after", "x-request-id", "openai-processing-ms")


@dataclass(frozen=True)
class _Passing:
    """A chat on its way: its path and body, the tokens of its prompt, and its place, in bytes of text."""

    path: str
    body: bytes
    tokens: int
    place: ChatPlace
    engines: Sequence[RemoteEngine]


class Relay:
    """What passes a server.

    Parameters
    ----------
    manager : Manager
        Its engines are all `RemoteEngine`.
    limits : Limits
        How many may wait.
    metrics : Metrics
        Where answers are counted.
    """

    def __init__(self, manager: Manager, limits: Limits, metrics: Metrics) -> None:
        self._manager, self._limits, self._metrics = manager, limits, metrics
        self._common = CommonPrefix()

    async def answer(self, call: Call, path: str, body: bytes) -> Response:
        """Pass on a body; return the answer."""
        asked = self._asked(path, body)
        stack = AsyncExitStack()
        try:
            begun = monotonic()
            engine, answer = await while_there(call, self._sent(asked, stack))
            self._metrics.answered(engine, answer.status_code, asked.tokens, monotonic() - begun)
            if answer.headers.get("content-type", "").startswith(EVENTS):
                return _Stream(stack.pop_all(), engine, answer, _headers(answer))
            content = await while_there(call, _whole(engine, answer))
            return Response(content, answer.status_code, _headers(answer))
        finally:
            await stack.aclose()

    def _asked(self, path: str, body: bytes) -> _Passing:
        said = parsed(body)
        engines, model = self._engines(said.get("model")), said.get("model")
        prompt = ChatPrompt.of(said, path.endswith("chat/completions"))
        own = _tokens(prompt, engines[0])
        scale, room = TEXT * own, TEXT * (own + longest_output(said))
        borders = self._common.binding(prompt.borders())
        ends = tuple((hash, end * scale // prompt.tokens) for hash, end in borders)
        return _Passing(path, body, own, ChatPlace(next(self._manager.numbers), room, ends, model), engines)

    def _engines(self, model: object) -> list[RemoteEngine]:
        found = [e for e in self._manager.engines if isinstance(e, RemoteEngine) and model in (None, e.model)]
        if not found:
            models = ", ".join(dict.fromkeys(engine.model for engine in self._manager.engines))
            raise AppError(UNKNOWN, "body, model", shown(model, SHOWN), f"one of {models}")
        return found

    def _check_room(self) -> None:
        most = self._limits.chats
        if self._manager.executor.waiting >= most:
            raise AppError(BUSY, "server", f"{most:,} requests that wait", "fewer: try again later")

    async def _sent(self, asked: _Passing, stack: AsyncExitStack) -> tuple[RemoteEngine, httpx.Response]:
        """Wait for a place and send it there, or to the others if it is refused."""
        executor = self._manager.executor
        self._check_room()
        first = await stack.enter_async_context(executor.place(asked.place))
        busy: tuple[RemoteEngine, httpx.Response] | None = None
        for at in executor.order(first, asked.place.model):
            engine = executor.machines[at].engine
            assert isinstance(engine, RemoteEngine)
            executor.move(asked.place.key, at)
            answer = await engine.relay(asked.path, asked.body)
            if answer is None:
                executor.rest(at, DOWN)
                continue
            stack.push_async_callback(answer.aclose)
            if answer.status_code != BUSY:
                executor.machines[at].remember(hash for hash, _ in asked.place.borders)
                return engine, answer
            executor.rest(at, _rest(answer.headers.get("retry-after", "")))
            busy = engine, answer
        if busy is not None:
            return busy
        names = ", ".join(f"{engine.name} at {engine.url}" for engine in asked.engines)
        raise AppError(ENGINE, f"model {shown(asked.engines[0].model, SHOWN)}", f"nobody at {names}", "an engine")


class _Stream(StreamingResponse):
    """The pieces of an answer as they come; its place is left when the answer or the client has ended."""

    def __init__(
        self, stack: AsyncExitStack, engine: RemoteEngine, answer: httpx.Response, headers: Mapping[str, str]
    ) -> None:
        super().__init__(_pieces(engine, answer), answer.status_code, headers)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._stack.aclose()


async def _pieces(engine: RemoteEngine, answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in answer.aiter_raw():
            yield piece
    except httpx.HTTPError as error:
        yield f"\n\ndata: {json.dumps(engine.broken(error).body())}\n\n".encode()


async def _whole(engine: RemoteEngine, answer: httpx.Response) -> bytes:
    try:
        return await answer.aread()
    except httpx.HTTPError as error:
        raise engine.broken(error) from None


def parsed(body: bytes) -> dict[str, Any]:
    """Return the object that a body is; `AppError` 400 if it is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        why = f" ({shown(str(error), SHOWN)})"
        raise AppError(MALFORMED, "body", f"what is no JSON{why}", "a JSON object in UTF-8") from None
    if not isinstance(found, dict):
        raise AppError(MALFORMED, "body", "no object", "an object")
    return found


def _tokens(prompt: ChatPrompt, engine: RemoteEngine) -> int:
    """Return the tokens of a prompt, by an engine's tokenizer if it has one."""
    if engine.count is None or prompt.width != TEXT:
        return prompt.tokens
    return max(1, engine.count(prompt.data.decode(errors="replace")))


def _headers(answer: httpx.Response) -> dict[str, str]:
    return {name: answer.headers[name] for name in PASSED if name in answer.headers}


def _rest(after: str) -> float:
    """Return how long an engine rests that says when it will not be busy any more."""
    return min(float(after), MOST_REST) if after.isdecimal() else BUSY_FOR
