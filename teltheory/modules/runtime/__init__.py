"""The runtime of Prompt Cache: models, keys and values of items, cached inference; needs the extra `modules`."""

from teltheory.modules.runtime.cache import PromptCache, Served
from teltheory.modules.runtime.encoding import encode
from teltheory.modules.runtime.inference import Answer, Prefilled, answer, decode, prefill
from teltheory.modules.runtime.kv import KV, Buffer
from teltheory.modules.runtime.models import Model, load_model, model_of
from teltheory.modules.runtime.store import Store

__all__ = [
    "KV",
    "Answer",
    "Buffer",
    "Model",
    "Prefilled",
    "PromptCache",
    "Served",
    "Store",
    "answer",
    "decode",
    "encode",
    "load_model",
    "model_of",
    "prefill",
]
