"""The runtime of Prompt Cache: models, keys and values of items, cached inference; needs the extra `modules`."""

from teltheory.modules.runtime.encoding import encode
from teltheory.modules.runtime.inference import Answer, Prefilled, answer, decode, prefill
from teltheory.modules.runtime.kv import KV, Buffer
from teltheory.modules.runtime.models import Model, load_model, model_of

__all__ = [
    "KV",
    "Answer",
    "Buffer",
    "Model",
    "Prefilled",
    "answer",
    "decode",
    "encode",
    "load_model",
    "model_of",
    "prefill",
]
