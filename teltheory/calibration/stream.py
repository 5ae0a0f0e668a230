"""A streamed completion: server-sent events, as httpx-sse reads them, and what they say of one prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from httpx_sse import EventSource, SSEError

from teltheory.errors import ProbeError

if TYPE_CHECKING:
    import httpx

SHOWN = 200


@dataclass(frozen=True)
class Answer:
    """What a server did with one prompt; `first_token` is on the clock of the reader."""

    prompt_tokens: int
    cached_tokens: int | None
    first_token: float


async def read_answer(response: httpx.Response, clock: Callable[[], float], hide: Callable[[str], str]) -> Answer:
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
    return Answer(*_counts(usage), first)


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
