"""Usage records: what an API said of each request, as OpenAI's and Anthropic's have it, one record a request.

1. OpenAI's `prompt_tokens` (or `input_tokens`) are the whole input, cached tokens in it. Anthropic's
   `input_tokens` are what was neither read from its cache nor written to it, so `cache_read_input_tokens` and
   `cache_creation_input_tokens` are added. A record that has none of the two is read alike in both.
2. They stand in `usage`, in the `usage` of a `response` or of its `body`, or in the record itself.
3. Usage names no conversation: the record must, as `conversation_id`, `session_id`, ..., at last `user`.
"""

from collections.abc import Mapping
from typing import Any

from teltheory.formats.format import Format, Source
from teltheory.formats.mapped import Names
from teltheory.formats.mapped import read as read_log
from teltheory.formats.records import below
from teltheory.model.trace import Trace

PLACES = ("usage.", "response.usage.", "response.body.usage.", "")
CONVERSATIONS = ("conversation_id", "session_id", "conversation", "thread_id", "session", "chat_id")
TIMES = (
    *("timestamp", "created_at", "created", "time", "start_time", "request_time", "arrival", "response.created"),
    *("ts", "datetime"),
)
CACHED = ("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens")
READ, WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"


def _everywhere(*names: str) -> tuple[str, ...]:
    return tuple(place + name for place in PLACES for name in names)


NAMES = Names(
    "usage",
    {
        "conversation": (*CONVERSATIONS, *(f"metadata.{name}" for name in CONVERSATIONS), "user_id", "user"),
        "total": _everywhere("prompt_tokens", "input_tokens"),
        "response": _everywhere("completion_tokens", "output_tokens"),
        "arrival": TIMES,
        "cached_tokens": _everywhere(*CACHED, READ),
    },
    {f"{place}input_tokens": (f"{place}{READ}", f"{place}{WRITTEN}") for place in PLACES},
)


def read(source: Source) -> Trace:
    """Make a trace of the records."""
    return read_log(source, NAMES)


def _tells(fields: Mapping[str, Any], kind: str) -> bool:
    for asked, answered in (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens")):
        if any(_has(fields, place + asked) and _has(fields, place + answered) for place in PLACES):
            return True
    return False


def _has(fields: Mapping[str, Any], name: str) -> bool:
    return name in fields or below(fields, name) is not None


USAGE = Format(
    name="usage",
    fields=("usage", "prompt_tokens", "input_tokens"),
    tells=_tells,
    read=read,
    data="of your own clients or gateway: a record a request with the API's `usage`",
    columns=True,
)
