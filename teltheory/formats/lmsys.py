"""LMSYS-Chat-1M, and JSON lines with `messages` as OpenAI's API has them; without times."""

from teltheory.formats.chat import chats
from teltheory.formats.format import has_list
from teltheory.formats.messages import MessageShape
from teltheory.formats.wildchat import WILDCHAT

LMSYS = chats(
    "lmsys",
    MessageShape(("conversation", "messages")),
    fields=("conversation", "messages"),
    tells=lambda fields, kind: (
        has_list(fields, "messages") or (has_list(fields, "conversation") and not WILDCHAT.tells(fields, kind))
    ),
)
