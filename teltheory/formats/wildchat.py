"""WildChat: conversations of messages, with the time of each response (or of the conversation, in the first).

The number of a conversation is the record's place: `conversation_hash` is a hash of the content, which two
conversations may share.
"""

from teltheory.formats.chat import chats
from teltheory.formats.format import has_list
from teltheory.formats.messages import MessageShape

WILDCHAT = chats(
    "wildchat",
    MessageShape(("conversation",)),
    dated=True,
    fields=("conversation_hash", "conversation", "timestamp"),
    tells=lambda fields, kind: (
        has_list(fields, "conversation") and not {"conversation_hash", "timestamp"}.isdisjoint(fields)
    ),
)
