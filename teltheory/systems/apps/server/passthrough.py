"""Clients that know OpenAI's requests and nothing of sessions: each call is a session of its own.

1. The messages of a chat are a prompt with a variable for each content, ``user: `` before it and a line's end
   after it; then comes ``assistant: `` and the answer. A completion is the variable of its text and the answer.
2. A content is a value: what looks like a placeholder in it is text. Prefixes are shared as those of others.
3. Fields that change no answer here are passed over: `PASSED`. Others are errors unless they ask for what there is
   without them: `NEUTRAL`.
4. A stream has the whole text in one piece, as an engine gives its output at its end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from teltheory.errors import shown
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.faults import MALFORMED, TOO_LARGE, AppError
from teltheory.systems.apps.requests import Port, Sampling
from teltheory.systems.apps.server.bodies import SHOWN, Fields
from teltheory.systems.apps.server.calls import CRITERIA, sampling_of
from teltheory.systems.apps.sessions import Session

ROLES = ("system", "developer", "user", "assistant")
MOST_PROMPTS = 100
PASSED = (
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "seed",
    "service_tier",
    "store",
    "user",
)
NEUTRAL: Mapping[str, Any] = MappingProxyType(
    {
        "best_of": 1,
        "echo": False,
        "frequency_penalty": 0,
        "logit_bias": {},
        "logprobs": False,
        "n": 1,
        "presence_penalty": 0,
        "response_format": {"type": "text"},
        "suffix": "",
        "tool_choice": "none",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1,
    }
)


@dataclass(frozen=True)
class FilledPrompt:
    """Texts between values: one more text than values, of which the output follows the last."""

    texts: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def whole(self) -> str:
        """Return it as one text."""
        return "".join(text + value for text, value in zip(self.texts, (*self.values, ""), strict=True))

    def submit(self, session: Session, model: str | None, sampling: Sampling, k: int) -> str:
        """Put it into a session and return the variable of its answer."""
        names = [f"value{at}" for at in range(len(self.values))]
        ports = [
            Port(name, False, session.variable(value, name).id)
            for name, value in zip(names, self.values, strict=True)
        ]
        answer = Port("answer", True, session.fresh("answer"))
        marks = [*(f"{{{{input:{name}}}}}" for name in names), "{{output:answer}}"]
        prompt = "".join(text + mark for text, mark in zip(self.texts, marks, strict=True))
        session.submit(prompt, [*ports, answer], model, sampling, f"prompt {k}")
        return answer.variable


@dataclass(frozen=True)
class Completion:
    """An answer, and the tokens of its prompt and its own."""

    text: str
    prompt_tokens: int
    tokens: int
    whole: bool

    @property
    def reason(self) -> str:
        """Why it ends."""
        return "stop" if self.whole else "length"


@dataclass(frozen=True)
class OpenAIRequest:
    """What a client of OpenAI's form asks for."""

    chat: bool
    model: str | None
    prompts: tuple[FilledPrompt, ...]
    sampling: Sampling
    stream: bool
    with_usage: bool

    @classmethod
    def of(cls, body: Fields, chat: bool) -> OpenAIRequest:
        """Read a body; `AppError` 400 for what it must not have."""
        prompts = (_chat(body),) if chat else _completions(body)
        options = body.object("stream_options")
        found = cls(
            chat,
            body.maybe_name("model"),
            prompts,
            sampling_of(body, "max_completion_tokens"),
            body.maybe_flag("stream"),
            options.maybe_flag("include_usage"),
        )
        for name in PASSED:
            body.any(name)
        _check_neutral(body)
        body.done()
        return found

    async def of_session(self, session: Session, engines: Sequence[Engine], timeout: float) -> list[Completion]:
        """Let a session answer it."""
        asked = [prompt.submit(session, self.model, self.sampling, k) for k, prompt in enumerate(self.prompts)]
        texts = await session.gets(dict.fromkeys(asked, CRITERIA), timeout)
        engine = next(engine for engine in engines if self.model in {None, engine.model})
        return [self._choice(prompt, text, engine) for prompt, text in zip(self.prompts, texts, strict=True)]

    def _choice(self, prompt: FilledPrompt, text: str, engine: Engine) -> Completion:
        """Count the tokens of the texts; an answer of just as many as it may have was cut off."""
        tokens = len(engine.encode(text))
        return Completion(text, len(engine.encode(prompt.whole)), tokens, tokens != self.sampling.max_tokens)

    def answer(self, choices: Sequence[Completion], id: str, model: str) -> dict[str, object]:
        """Return the body of an answer."""
        kind = "chat.completion" if self.chat else "text_completion"
        listed = [self._listed(k, choice) for k, choice in enumerate(choices)]
        return {**_head(kind, id, model), "choices": listed, "usage": _usage(choices)}

    def events(self, choices: Sequence[Completion], id: str, model: str) -> Iterator[str]:
        """Give the events of a stream."""
        head = _head("chat.completion.chunk" if self.chat else "text_completion", id, model)
        for k, choice in enumerate(choices):
            for piece in self._pieces(choice):
                yield _event({**head, "choices": [{"index": k, "logprobs": None, **piece}]})
        if self.with_usage:
            yield _event({**head, "choices": [], "usage": _usage(choices)})
        yield "data: [DONE]\n\n"

    def _listed(self, k: int, choice: Completion) -> dict[str, object]:
        said: dict[str, object] = {"text": choice.text}
        if self.chat:
            said = {"message": {"role": "assistant", "content": choice.text, "refusal": None}}
        return {"index": k, **said, "logprobs": None, "finish_reason": choice.reason}

    def _pieces(self, choice: Completion) -> tuple[dict[str, object], ...]:
        """Return a text and its end, as a stream has them."""
        if self.chat:
            said: dict[str, object] = {"role": "assistant", "content": choice.text}
            return {"delta": said, "finish_reason": None}, {"delta": {}, "finish_reason": choice.reason}
        return {"text": choice.text, "finish_reason": None}, {"text": "", "finish_reason": choice.reason}


def models(engines: Sequence[Engine]) -> dict[str, dict[str, object]]:
    """Return what is listed of each model that engines have, by its name."""
    names = dict.fromkeys(engine.model for engine in engines)
    return {name: {"id": name, "object": "model", "created": 0, "owned_by": "teltheory"} for name in names}


def _chat(body: Fields) -> FilledPrompt:
    heads, contents = [], []
    for message in body.objects("messages"):
        heads.append(f"{_role(message)}: ")
        contents.append(_content(message))
        message.any("name")
        message.done()
    if not contents:
        raise AppError(MALFORMED, "body, messages", "none", "one or more")
    texts = [heads[0], *(f"\n{head}" for head in (*heads[1:], "assistant: "))]
    return FilledPrompt(tuple(texts), tuple(contents))


def _role(message: Fields) -> str:
    role = message.text("role")
    if role not in ROLES:
        raise AppError(MALFORMED, f"{message.place}, role", shown(role, SHOWN), f"one of {', '.join(ROLES)}")
    return role


def _content(message: Fields) -> str:
    """Return the text of a message, which may be a list of parts that are texts."""
    if not isinstance(message.any("content"), list):
        return message.text("content")
    texts = []
    for part in message.objects("content"):
        kind = part.text("type")
        if kind != "text":
            raise AppError(MALFORMED, f"{message.place}, {part.place}", shown(kind, SHOWN), "a text")
        texts.append(part.text("text"))
        part.done()
    return "".join(texts)


def _completions(body: Fields) -> tuple[FilledPrompt, ...]:
    found = body.texts("prompt")
    if not found:
        raise AppError(MALFORMED, "body", "no prompt", "prompt, a text or a list of texts")
    if len(found) > MOST_PROMPTS:
        raise AppError(TOO_LARGE, "body, prompt", f"{len(found):,} texts", f"at most {MOST_PROMPTS}")
    return tuple(FilledPrompt(("", ""), (text,)) for text in found)


def _check_neutral(body: Fields) -> None:
    for name, neutral in NEUTRAL.items():
        found = body.any(name)
        if found is not None and found != neutral:
            expected = f"{json.dumps(neutral)} or nothing: engines here can do no other"
            raise AppError(MALFORMED, f"body, {name}", shown(found, SHOWN), expected)


def _head(kind: str, id: str, model: str) -> dict[str, object]:
    return {"id": id, "object": kind, "created": int(time.time()), "model": model}


def _usage(choices: Sequence[Completion]) -> dict[str, int]:
    prompt, own = sum(choice.prompt_tokens for choice in choices), sum(choice.tokens for choice in choices)
    return {"prompt_tokens": prompt, "completion_tokens": own, "total_tokens": prompt + own}


def _event(data: Mapping[str, object]) -> str:
    return f"data: {json.dumps(data)}\n\n"
