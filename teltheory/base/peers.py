"""What an HTTP peer sends: read up to a bound, never unpacked, and shown without the key that was sent to it.

Every client of the toolkit sends through `bounded` or `bounded_async`. Of an answer that is longer or compressed
comes an `httpx.ReadError`, as of a connection that breaks. So who reads it, whole or in events, needs no bound.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache, partial

import httpx

MOST = 1 << 24
"""Bytes of one answer, which is text that a model wrote."""
IN_A_POOL = 8
"""Connections that share a pool."""
IDLE = 2.0
"""Seconds after which an unused connection is not used again; servers close theirs after five or more."""
_trusted = cache(partial(httpx.create_ssl_context, trust_env=False))  # to read them takes longer than a request


class _Count:
    """Counts the bytes of an answer."""

    def __init__(self, most: int | None = None) -> None:
        self.bytes, self.most = 0, most or MOST

    def checked(self, part: bytes) -> bytes:
        self.bytes += len(part)
        if self.bytes > self.most:
            raise httpx.ReadError(f"an answer of more than {self.most:,} bytes")
        return part


class _Part(httpx.SyncByteStream):
    def __init__(self, whole: httpx.SyncByteStream, most: int | None) -> None:
        self._whole, self._most = whole, most

    def __iter__(self) -> Iterator[bytes]:
        yield from map(_Count(self._most).checked, self._whole)

    def close(self) -> None:
        self._whole.close()


class _AsyncPart(httpx.AsyncByteStream):
    def __init__(self, whole: httpx.AsyncByteStream, ended: Callable[[], None]) -> None:
        self._whole, self._ended = whole, ended

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = _Count()
        async for part in self._whole:
            yield count.checked(part)

    async def aclose(self) -> None:
        try:
            await self._whole.aclose()
        finally:
            self._ended()


class _Bounded(httpx.BaseTransport):
    def __init__(self, network: httpx.BaseTransport, most: int | None) -> None:
        self._network, self._most = network, most

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "identity"
        answer = self._network.handle_request(request)
        if _is_packed(answer):
            answer.close()
            raise httpx.ReadError("a compressed answer, which was not asked for")
        assert isinstance(answer.stream, httpx.SyncByteStream)
        part = _Part(answer.stream, self._most)
        return httpx.Response(
            answer.status_code, headers=answer.headers, extensions=answer.extensions, stream=part
        )

    def close(self) -> None:
        self._network.close()


class _BoundedAsync(httpx.AsyncBaseTransport):
    """Requests go to pools of few connections each: a pool looks at all of its connections for every request."""

    def __init__(self, network: httpx.AsyncBaseTransport | None) -> None:
        self._fixed = network
        self._pools: list[httpx.AsyncBaseTransport] = [network] if network else []
        self._busy = [0] * len(self._pools)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "identity"
        at = self._pool()
        self._busy[at] += 1
        ended = self._once(at)
        try:
            answer = await self._pools[at].handle_async_request(request)
            if _is_packed(answer):
                await answer.aclose()
                raise httpx.ReadError("a compressed answer, which was not asked for")
        except BaseException:
            ended()
            raise
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        part = _AsyncPart(answer.stream, ended)
        return httpx.Response(
            answer.status_code, headers=answer.headers, extensions=answer.extensions, stream=part
        )

    def _pool(self) -> int:
        """Return the first pool with room, so that its idle connections are used."""
        for at, busy in enumerate(self._busy):
            if busy < IN_A_POOL or self._fixed is not None:
                return at
        several = httpx.Limits(max_keepalive_connections=IN_A_POOL, keepalive_expiry=IDLE)
        self._pools.append(httpx.AsyncHTTPTransport(verify=_trusted(), trust_env=False, limits=several))
        self._busy.append(0)
        return len(self._pools) - 1

    def _once(self, at: int) -> Callable[[], None]:
        """Return what counts the end of a request, the first time that it is called."""
        open = [at]

        def ended() -> None:
            if open:
                self._busy[open.pop()] -= 1

        return ended

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()


def _is_packed(answer: httpx.Response) -> bool:
    return answer.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


def bounded(network: httpx.BaseTransport | None = None, most: int | None = None) -> httpx.BaseTransport:
    """Return what carries requests, the network by default, and bounds an answer by `most` or `MOST` bytes."""
    return _Bounded(network or httpx.HTTPTransport(verify=_trusted(), trust_env=False), most)


def bounded_async(network: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncBaseTransport:
    """Return the same for an `httpx.AsyncClient`."""
    return _BoundedAsync(network)


def without_key(text: str, key: str | None) -> str:
    """Return what a peer wrote without the key that was sent to it, as it is and as JSON and Python quote it."""
    if not key:
        return text
    for form in {key, json.dumps(key)[1:-1], repr(key)[1:-1]}:
        text = text.replace(form, "***")
    return text
