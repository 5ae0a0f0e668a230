"""Turns out of messages.

1. Messages of the user, the system and tools are prompt; those of the assistant are response.
2. A turn is all prompt messages since the last response, and the response: all assistant messages that follow
   without a prompt message in between.
3. Assistant messages before the first prompt message belong to the first turn's prompt: its input begins with
   them.
4. Prompt messages after the last response are left out: nothing says that a request with them was served.
5. A message without content counts as 0 tokens. Of content in parts the texts count; a tool call counts as its
   name and its arguments.

A report counts how often 3, 4, 5 and two assistant messages in a row were met.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from teltheory.formats.records import Record

PROMPT_ROLES = frozenset(
    ("user", "human", "system", "developer", "tool", "function", "observation", "tool_response", "ipython")
)
RESPONSE_ROLES = frozenset(
    ("assistant", "gpt", "chatgpt", "bing", "bard", "claude", "model", "function_call", "tool_call")
)


@dataclass(frozen=True)
class MessageShape:
    """The fields of a record that may hold its messages, and those of a message; the first that is there."""

    messages: tuple[str, ...]
    role: tuple[str, ...] = ("role",)
    content: tuple[str, ...] = ("content",)


@dataclass(frozen=True)
class Message:
    """One message: whether it is a response, its text, its fields and its name in errors."""

    answers: bool
    text: str
    fields: dict[str, Any]
    place: str


def messages_of(record: Record, shape: MessageShape, odd: Counter[str]) -> list[Message]:
    """Return the messages of a record; what is odd about them is counted, errors count messages from 0."""
    name = _present(record.fields, shape.messages)
    messages = record.needed(name)
    if not isinstance(messages, list):
        record.fail(name, messages, "a list of messages")
    return [_message(record, f"{name}[{i}]", message, shape, odd) for i, message in enumerate(messages)]


def _present(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of some names that has a value, the first of all where none has."""
    return next((name for name in names if fields.get(name) is not None), names[0])


def _message(record: Record, place: str, fields: Any, shape: MessageShape, odd: Counter[str]) -> Message:
    if not isinstance(fields, dict):
        record.fail(place, fields, "a message: an object")
    named, held = _present(fields, shape.role), _present(fields, shape.content)
    role = fields.get(named)
    if not isinstance(role, str) or role not in PROMPT_ROLES | RESPONSE_ROLES:
        record.fail(f"{place}.{named}", role, "a role such as user, human, system, tool, assistant or gpt")
    text = _text(record, f"{place}.{held}", fields.get(held), odd)
    calls = _calls(record, f"{place}.tool_calls", fields.get("tool_calls"))
    if not text and not calls:
        odd["messages without content"] += 1
    return Message(role in RESPONSE_ROLES, text + calls, fields, place)


def _text(record: Record, place: str, content: Any, odd: Counter[str]) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        record.fail(place, content, "a text, a list of parts, or null")
    texts = []
    for i, part in enumerate(content):
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
        if not isinstance(part, (str, dict)) or not isinstance(text, (str, type(None))):
            record.fail(f"{place}[{i}]", part, "a part: an object, with a text or without")
        odd["parts that are no text"] += text is None
        texts.append(text or "")
    return "".join(texts)


def _calls(record: Record, place: str, calls: Any) -> str:
    if calls is None:
        return ""
    if not isinstance(calls, list):
        record.fail(place, calls, "a list of tool calls")
    texts = []
    for i, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            record.fail(f"{place}[{i}]", call, "a tool call: an object with a function")
        texts += [str(function.get("name") or ""), str(function.get("arguments") or "")]
    return "".join(texts)


def turns_in(answers: Sequence[bool], odd: Counter[str]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, response, end) of each turn: prompt messages, then messages that are `answers`."""
    start, at = 0, _past(answers, 0, True)
    odd["conversations that begin with a response"] += at > 0
    while at < len(answers):
        response = _past(answers, at, False)
        end = _past(answers, response, True)
        if response == end:
            odd["prompts without a response, left out"] += 1
            return
        odd["responses in several messages"] += end - response > 1
        yield start, response, end
        start = at = end


def _past(answers: Sequence[bool], at: int, value: bool) -> int:
    while at < len(answers) and answers[at] == value:
        at += 1
    return at
