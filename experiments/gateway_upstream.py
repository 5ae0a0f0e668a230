"""A server as vLLM is one, on this machine: it counts calls, keeps bodies, and streams ten pieces.

    python -m experiments.gateway_upstream 9001

serves it; GET `/stats` says what it was asked, POST `/set` how it answers from now on.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as Call
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from teltheory.systems.apps.server.listening import bound, listening, serve

PIECES = 10
USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": PIECES,
    "total_tokens": 900 + PIECES,
    "prompt_tokens_details": {"cached_tokens": 512},
}


class Upstream:
    """What it was asked, and how it answers: `fault` is for all calls, `dies` the pieces before its end."""

    def __init__(self, model: str = "m", first: float = 0.0, each: float = 0.0) -> None:
        self.model, self.first, self.each = model, first, each
        self.calls: list[tuple[str, bytes, dict[str, str]]] = []
        self.ended = self.running = self.most = 0
        self.fault: tuple[int, str] | None = None
        self.dies: int | None = None
        self.echo = False
        self.known: set[str] = set()
        self.hits: list[bool] = []

    def app(self) -> Starlette:
        """Return the application."""
        paths = ("/v1/chat/completions", "/v1/completions")
        own = [Route("/stats", self.stats), Route("/set", self.set, methods=["POST"])]
        listed = Route("/v1/models", self.models)
        return Starlette(routes=[listed, *own, *(Route(path, self.answer, methods=["POST"]) for path in paths)])

    async def models(self, call: Call) -> Response:
        """List the model."""
        return JSONResponse({"data": [{"id": self.model}]})

    async def stats(self, call: Call) -> Response:
        """Say what it was asked."""
        paths = [path for path, _, _ in self.calls]
        return JSONResponse({"calls": paths, "ended": self.ended, "hits": self.hits})

    async def set(self, call: Call) -> Response:
        """Forget what it was asked, and answer otherwise."""
        said = await call.json()
        self.calls.clear()
        self.hits.clear()
        self.ended = 0
        for name in ("fault", "dies", "first", "each", "echo"):
            if name in said:
                setattr(self, name, said[name])
        return JSONResponse({})

    async def answer(self, call: Call) -> Response:
        """Answer a call."""
        data = await call.body()
        self.calls.append((call.url.path, data, dict(call.headers)))
        if self.fault is not None:
            status, text = self.fault
            headers = {"retry-after": "7"} if status == 429 else {}
            return JSONResponse({"error": {"message": text}}, status, headers)
        body = json.loads(data)
        self.remember(body)
        if body.get("stream"):
            return StreamingResponse(self.pieces(), media_type="text/event-stream")
        await self.busy(self.first + self.each * PIECES, call)
        said = {"x-request-id": json.dumps({"path": call.url.path, "body": body})} if self.echo else {}
        return JSONResponse(whole(self.model, "chat" in call.url.path), headers=said)

    def remember(self, body: dict[str, Any]) -> None:
        """Count a hit where the beginning of a prompt, without its last message, was here."""
        said = [json.dumps(message) for message in body.get("messages", ())]
        beginning = "".join(said[:-2])
        self.hits.append(bool(beginning) and beginning in self.known)
        self.known.update("".join(said[: k + 1]) for k in range(len(said)))

    async def busy(self, seconds: float, call: Call) -> None:
        """Take time as long as somebody waits, and count those who do."""
        with self.counted():
            end = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < end and not await call.is_disconnected():
                await asyncio.sleep(0.01)

    async def pieces(self) -> AsyncIterator[str]:
        """Give ten pieces, the last with a reason and what it took."""
        with self.counted():
            for k in range(PIECES):
                await asyncio.sleep(self.each if k else self.first)
                if k == self.dies:
                    raise ConnectionResetError
                yield f"data: {json.dumps(piece(self.model, k))}\n\n"
            yield "data: [DONE]\n\n"

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count who is answered at a time."""
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            yield
        finally:
            self.running -= 1
            self.ended += 1


def piece(model: str, k: int) -> dict[str, Any]:
    """Return the k-th chunk of a streamed chat."""
    last = k == PIECES - 1
    choice = {"index": 0, "delta": {"content": f"w{k} "}, "finish_reason": "tool_calls" if last else None}
    head = {"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": USAGE if last else None}


def whole(model: str, chat: bool) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    said = {"message": {"role": "assistant", "content": "hello"}} if chat else {"text": "hello"}
    choice = {"index": 0, **said, "logprobs": None, "finish_reason": "length"}
    kind = "chat.completion" if chat else "text_completion"
    return {"id": "up", "object": kind, "created": 1, "model": model, "choices": [choice], "usage": USAGE}


@contextmanager
def upstreams(*servers: Upstream) -> Iterator[list[str]]:
    """Serve each on a port of its own and give their addresses."""
    with ExitStack() as stack:
        yield [stack.enter_context(listening(server.app())) for server in servers]


def main(port: str) -> int:
    """Serve one at a port, with a vLLM's pace."""
    with bound("127.0.0.1", int(port)) as at:
        serve(Upstream(first=0.06, each=0.02).app(), at)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
