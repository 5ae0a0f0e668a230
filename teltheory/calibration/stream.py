"""A streamed completion, as server-sent events, read with suspicion."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from teltheory.errors import ProbeError

LONGEST_LINE = 1 << 20
SHOWN = 200


@dataclass(frozen=True)
class Answer:
    """What a server did with one prompt.

    Attributes
    ----------
    prompt_tokens : int
        Length of the prompt, as the server counted it.
    cached_tokens : int or None
        How much of it the server took from its cache; None where it did not say.
    first_token : float
        When the first token came, on the clock of the reader.
    """

    prompt_tokens: int
    cached_tokens: int | None
    first_token: float


async def read_answer(
    chunks: AsyncIterable[bytes], clock: Callable[[], float], hide: Callable[[bytes], bytes]
) -> Answer:
    """Read a stream to its end; `hide` takes out of each line what no message may show.

    Raises
    ------
    ProbeError
        Where it is malformed, ends too early, carries an error or lacks the usage.
    """
    first: float | None = None
    usage: object = None
    ended = False
    async for event in _events(chunks, hide):
        if event is None:
            ended = True
            continue
        if first is None and _has_token(event):
            first = clock()
        usage = event.get("usage") or usage
    if first is None:
        raise _early("the first token", ended)
    if usage is None:
        raise _early("the usage", ended)
    return Answer(*_counts(usage), first)


def one_line(text: str) -> str:
    """Return the beginning of what a server wrote, fit for a message."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
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


async def _events(
    chunks: AsyncIterable[bytes], hide: Callable[[bytes], bytes]
) -> AsyncIterator[dict[str, Any] | None]:
    """Yield the objects of a stream, and None for its last event."""
    async for line in _lines(chunks):
        field, colon, value = hide(line).partition(b":")
        if field == b"data" and colon:
            yield None if value.strip() == b"[DONE]" else _object(value)
        elif field not in (b"", b"event", b"id", b"retry"):
            raise _malformed(hide(line), "a line of server-sent events (does it know stream=true?)")


async def _lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r")
        if len(rest) > LONGEST_LINE:
            raise ProbeError(
                f"the server sent a line of over {LONGEST_LINE:,} bytes, where a token was expected; "
                "is this an OpenAI-compatible server?"
            )


def _object(text: bytes) -> dict[str, Any]:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise _malformed(text, "JSON") from None
    if not isinstance(event, dict):
        raise _malformed(text, "an object")
    if event.get("error"):
        raise ProbeError(f"the server failed while it answered: {_shown(text)}; see its log")
    return event


def _has_token(event: dict[str, Any]) -> bool:
    choices = event.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return False
    return bool(choices[0].get("text") or choices[0].get("finish_reason"))


def _counts(usage: object) -> tuple[int, int | None]:
    """Return prompt and cached tokens, the latter None where there are no details."""
    prompt = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if type(prompt) is not int or prompt < 1:
        raise _malformed(json.dumps(usage).encode(), "a usage with prompt_tokens")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    if details is None:
        return prompt, None
    cached = details.get("cached_tokens") if isinstance(details, dict) else details
    if cached is not None and (type(cached) is not int or not 0 <= cached <= prompt):
        raise _malformed(json.dumps(usage).encode(), "cached_tokens between 0 and prompt_tokens")
    return prompt, cached


def _malformed(found: bytes, expected: str) -> ProbeError:
    return ProbeError(f"the server sent {_shown(found)!r}, expected {expected}; is it OpenAI-compatible?")


def _shown(text: bytes) -> str:
    return one_line(text[: 4 * SHOWN].decode(errors="replace"))
