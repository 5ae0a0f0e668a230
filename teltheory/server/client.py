"""Streamed completions from one server: one prompt, one answer or one error that says what to do."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError

from teltheory.base.peers import bounded_async, without_key
from teltheory.errors import ArgumentError, ProbeError

Prompt = str | list[int]

ENDPOINT = "/v1/completions"
SHOWN = 200


@dataclass(frozen=True)
class ServerReply:
    """What a server did with one prompt; `first_token` is on the clock of the reader."""

    prompt_tokens: int
    cached_tokens: int | None
    first_token: float


def checked_url(url: str) -> str:
    """Return a server's address without a trailing slash or ``/v1``; no error shows credentials or a query."""
    expected = "an address such as http://localhost:8000"
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError):
        raise ArgumentError("url", "text that is no address", expected) from None
    if parsed.userinfo:
        raise ArgumentError("url", "an address with credentials", f"{expected}, and a key with --api-key-env NAME")
    if parsed.query or parsed.fragment:
        raise ArgumentError("url", "an address with a query or fragment", expected)
    port = 80 if parsed.port is None else parsed.port
    if parsed.scheme not in ("http", "https") or not parsed.host or not 1 <= port <= 65_535:
        raise ArgumentError("url", str(parsed), expected)
    return str(parsed).rstrip("/").removesuffix("/v1")


def checked_key(key: str, source: str) -> str:
    """Return an API key without white space around it; an error names only its `source`."""
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise ArgumentError(source, "nothing that can be a key", "a key of printable ASCII characters")
    return key


class Completions:
    """Streamed completions of one model at one address; an async context manager.

    Nothing is sent elsewhere: redirects are not followed, and proxies in the environment are ignored. The key is
    sent to the server and never shown; `timeout` is in seconds, from sending to the end of the stream.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        timeout: float = 120.0,
        key: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if not timeout > 0:
            raise ArgumentError("timeout", timeout, "seconds, more than 0")
        self.url, self.model, self._timeout, self._key, self._clock = checked_url(url), model, timeout, key, clock
        headers = {"Accept": "text/event-stream"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self._http = httpx.AsyncClient(
            headers=headers,
            timeout=None,
            transport=bounded_async(transport),
            trust_env=False,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Completions:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def ask(self, prompt: Prompt) -> ServerReply:
        """Send a prompt for one token; `first_token` is in seconds after sending."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._asked(prompt)
        except TimeoutError:
            late = f"no whole answer within {self._timeout:g} s"
            raise ProbeError(f"{self.url}: {late}; see the server's log, or give it longer by --timeout") from None
        except httpx.RequestError as error:
            raise ProbeError(f"{self.url}: {self._broken(error)}") from None
        except ProbeError as error:
            raise ProbeError(f"{self.url}: {error}", error.status) from None

    async def _asked(self, prompt: Prompt) -> ServerReply:
        one_token = {"max_tokens": 1, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}}
        body = {"model": self.model, "prompt": prompt, **one_token}
        request = self._http.build_request("POST", self.url + ENDPOINT, json=body)
        began = self._clock()
        response = await self._http.send(request, stream=True)
        try:
            if response.status_code != httpx.codes.OK:
                await response.aread()
                said = one_line(self._without_key(response.text)) or "no reason given"
                refusal = f"HTTP {response.status_code}: {said}; {self._advice(response.status_code)}"
                raise ProbeError(refusal, response.status_code)
            answer = await read_answer(response, self._clock, self._without_key)
            return replace(answer, first_token=answer.first_token - began)
        finally:
            await response.aclose()

    def _broken(self, error: httpx.RequestError) -> str:
        reason = one_line(self._without_key(str(error)))
        if isinstance(error, httpx.ConnectError):
            return f"no connection ({reason or 'refused'}); is a server running at that address?"
        broke = f"the connection broke before the answer was whole ({reason or type(error).__name__})"
        return f"{broke}; see the server's log, then run the same command again"

    def _advice(self, status: int) -> str:
        if 300 <= status < 400:
            return "the probe sends only to the address given: give the one that the server redirects to"
        if status in (401, 403):
            return "name the environment variable with a valid key: --api-key-env NAME"
        if status == 404:
            return f"does the server have a model {self.model!r} (GET /v1/models lists them) and {ENDPOINT}?"
        if status in (400, 413, 422):
            return "does the model take prompts that long (--lengths) and token ids that high (--vocabulary)?"
        if status == 429:
            return "wait until the server is free, then run the same command again"
        return "see the server's log, then run the same command again"

    def _without_key(self, text: str) -> str:
        return without_key(text, self._key)


async def read_answer(
    response: httpx.Response, clock: Callable[[], float], hide: Callable[[str], str]
) -> ServerReply:
    """Read a stream to its end; `hide` takes out of each event what no message may show."""
    first: float | None = None
    usage: object = None
    ended = False
    try:
        async for sent in EventSource(response).aiter_sse():
            if sent.data.strip() == "[DONE]":
                ended = True
            elif sent.data:
                event = _object(hide(sent.data))
                first = clock() if first is None and _has_token(event) else first
                usage = event.get("usage") or usage
    except SSEError:
        found = response.headers.get("content-type", "")
        raise _malformed(hide(found), "a stream of server-sent events (does it know stream=true?)") from None
    if first is None:
        raise _early("the first token", ended)
    if usage is None:
        raise _early("the usage", ended)
    return ServerReply(*_counts(usage), first)


def one_line(text: str) -> str:
    """Return the beginning of what a server wrote, fit for a message."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * SHOWN]).split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "..."


def _early(missing: str, ended: bool) -> ProbeError:
    if not ended:
        return ProbeError(
            f"the server closed the connection before {missing}; see its log, then run the same command again"
        )
    if missing == "the usage":
        return ProbeError(
            "the server reported no usage: it must know stream_options.include_usage, as vLLM and SGLang do"
        )
    return ProbeError("the server ended the stream without a token; see its log for what became of the request")


def _object(text: str) -> dict[str, Any]:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise _malformed(text, "JSON") from None
    if not isinstance(event, dict):
        raise _malformed(text, "an object")
    if event.get("error"):
        raise ProbeError(f"the server failed while it answered: {one_line(text)}; see its log")
    return event


def _has_token(event: dict[str, Any]) -> bool:
    choices = event.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return False
    return bool(choices[0].get("text") or choices[0].get("finish_reason"))


def _counts(usage: object) -> tuple[int, int | None]:
    """Return prompt and cached tokens, the latter None if there are no details."""
    prompt = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if type(prompt) is not int or prompt < 1:
        raise _malformed(json.dumps(usage), "a usage with prompt_tokens")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    if details is None:
        return prompt, None
    cached = details.get("cached_tokens") if isinstance(details, dict) else details
    if cached is not None and (type(cached) is not int or not 0 <= cached <= prompt):
        raise _malformed(json.dumps(usage), "cached_tokens between 0 and prompt_tokens")
    return prompt, cached


def _malformed(found: str, expected: str) -> ProbeError:
    return ProbeError(f"the server sent {one_line(found)!r}, expected {expected}; is it OpenAI-compatible?")
