"""ShareGPT: conversations of messages with `from` and `value`, without times."""

from teltheory.formats.chat import chats
from teltheory.formats.format import has_list
from teltheory.formats.messages import MessageShape

SHAREGPT = chats(
    "sharegpt",
    MessageShape(("conversations", "items"), ("from", "role"), ("value", "content")),
    fields=("conversations",),
    tells=lambda fields, kind: has_list(fields, "conversations"),
)
