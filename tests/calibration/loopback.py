"""A server that streams like an OpenAI-compatible one, with a delay law, a prefix cache, and faults.

`Engine` decides what each request gets: a `Reply` of timed pieces. It runs on a virtual clock
(`virtual_transport`) and behind a real socket (`SocketServer`).
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import numpy as np

CLOSES, BREAKS, HANGS = "closes", "breaks", "hangs"


@dataclass
class Reply:
    """Status, then pieces of the body with the seconds before each, then how it ends."""

    pieces: list[tuple[float, bytes]]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    ending: str = CLOSES


@dataclass
class Law:
    """TTFT = alpha u + gamma (n² - c²) + beta + normal noise, in seconds; u = n - c."""

    alpha: float
    beta: float
    gamma: float
    noise: float = 0.0

    def delay(self, n: int, c: int, rng: np.random.Generator) -> float:
        mean = self.alpha * (n - c) + self.gamma * (n**2 - c**2) + self.beta
        return mean + self.noise * float(rng.standard_normal())


@dataclass
class Request:
    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    units: tuple[Any, ...] = ()
    cached: int = 0
    delay: float = 0.0
    late: float = 0.0


def untouched(reply: Reply, request: Request) -> Reply:
    return reply


@dataclass
class Engine:
    """The prefix cache in whole blocks, the delay law, and a fault that may change any reply."""

    law: Law
    block: int = 16
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    fault: Callable[[Reply, Request], Reply] = untouched
    takes_ids: bool = True
    counts_none: bool = False
    requests: list[Request] = field(default_factory=list)
    blocks: set[int] = field(default_factory=set)

    def answer(self, body: bytes, headers: dict[str, str]) -> Reply:
        request = Request(len(self.requests), json.loads(body), headers)
        self.requests.append(request)
        prompt = request.body["prompt"]
        if not self.takes_ids and not isinstance(prompt, str):
            return self.fault(refusal(400, "prompt must be text"), request)
        request.units = tuple(prompt.split()) if isinstance(prompt, str) else tuple(prompt)
        request.cached = self.lookup(request.units)
        request.delay = self.law.delay(len(request.units), request.cached, self.rng)
        return self.fault(self.stream(request), request)

    def lookup(self, units: tuple[Any, ...]) -> int:
        """Return the cached tokens, at least one fewer than the prompt, and cache the prompt's whole blocks."""
        whole, hit, unbroken, chain = len(units) // self.block, 0, True, 0
        for i in range(whole):
            chain = hash((chain, units[i * self.block : (i + 1) * self.block]))
            unbroken = unbroken and chain in self.blocks and (i + 1) * self.block < len(units)
            hit += unbroken
            self.blocks.add(chain)
        return hit * self.block

    def stream(self, request: Request) -> Reply:
        return Reply([(request.delay, token()), (0.001, self.usage(request)), (0.0, b"data: [DONE]\n\n")])

    def usage(self, request: Request) -> bytes:
        details = {"cached_tokens": request.cached} if request.cached or self.counts_none else None
        counts = {"prompt_tokens": len(request.units), "completion_tokens": 1, "prompt_tokens_details": details}
        return event({"choices": [], "usage": counts})


def event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def token(text: str = " the") -> bytes:
    return event({"choices": [{"index": 0, "text": text, "finish_reason": "length"}], "usage": None})


def refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Reply:
    body = json.dumps({"error": {"message": message}}).encode()
    return Reply([(0.0, body)], status, {"content-type": "application/json", **(headers or {})})


class VirtualClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TimedPieces(httpx.AsyncByteStream):
    def __init__(self, reply: Reply, clock: VirtualClock) -> None:
        self.reply, self.clock = reply, clock

    async def __aiter__(self):
        for seconds, piece in self.reply.pieces:
            self.clock.now += seconds
            yield piece
        if self.reply.ending == BREAKS:
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")
        if self.reply.ending == HANGS:
            await asyncio.sleep(3600)


def virtual_transport(engine: Engine, clock: VirtualClock) -> httpx.MockTransport:
    def handle(request: httpx.Request) -> httpx.Response:
        reply = _half_before_the_headers(engine.answer(request.content, dict(request.headers)), clock)
        return httpx.Response(reply.status, headers=reply.headers, stream=TimedPieces(reply, clock))

    return httpx.MockTransport(handle)


def _half_before_the_headers(reply: Reply, clock: VirtualClock) -> Reply:
    if not reply.pieces:
        return reply
    (seconds, piece), *others = reply.pieces
    clock.now += seconds / 2
    return replace(reply, pieces=[(seconds / 2, piece), *others])


class SocketServer:
    """An engine behind a real socket, in its own thread; a context manager."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.ready = threading.Event()

    def __enter__(self) -> "SocketServer":
        self.thread.start()
        assert self.ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(10)
        self.loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _run(self) -> None:
        self.loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self.stop, self.connections = asyncio.Event(), set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self.stop.wait()
        server.close()
        for task in self.connections:
            task.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(asyncio.current_task())
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.connections.discard(asyncio.current_task())
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in head.split("\r\n")[1:] if line)}
        body = await reader.readexactly(int(headers["content-length"]))
        moment = time.perf_counter()
        reply = self.engine.answer(body, headers)
        writer.write(f"HTTP/1.1 {reply.status} X\r\ntransfer-encoding: chunked\r\n".encode())
        writer.write("".join(f"{k}: {v}\r\n" for k, v in reply.headers.items()).encode() + b"\r\n")
        for seconds, piece in reply.pieces:
            moment += seconds
            await _until(moment)
            self.engine.requests[-1].late = self.engine.requests[-1].late or time.perf_counter() - moment
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if reply.ending == HANGS:
            await self.stop.wait()
        if reply.ending == CLOSES:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return reply.ending == CLOSES


async def _until(moment: float) -> None:
    while (left := moment - time.perf_counter()) > 0:
        await asyncio.sleep(left)
