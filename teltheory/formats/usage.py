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
from teltheory.model.usage import ADDED, NAMES, is_usage


def read(source: Source) -> Trace:
    """Make a trace of the records."""
    return read_log(source, Names("usage", NAMES, ADDED))


def _tells(fields: Mapping[str, Any], kind: str) -> bool:
    return is_usage(lambda name: name in fields or below(fields, name) is not None)


USAGE = Format(
    name="usage",
    fields=("usage", "prompt_tokens", "input_tokens"),
    tells=_tells,
    read=read,
    columns=True,
)
