"""A JSON array of conversations as vLLM's multi-turn benchmark has them; without times."""

from teltheory.formats.chat import chats
from teltheory.formats.format import has_list
from teltheory.formats.messages import MessageShape

VLLM_MULTI_TURN = chats(
    "vllm-multi-turn",
    MessageShape(("messages",)),
    fields=("messages",),
    tells=lambda fields, kind: has_list(fields, "messages") and kind == "json",
)
