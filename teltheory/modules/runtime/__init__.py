"""The runtime of Prompt Cache: models, keys and values of items, cached inference; needs the extra `modules`."""

from teltheory.modules.runtime.batch import Together, decode_together, prefill_together, tokens_together
from teltheory.modules.runtime.cache import PromptCache, Served
from teltheory.modules.runtime.encoding import encode
from teltheory.modules.runtime.inference import Answer, Prefilled, answer, decode, prefill
from teltheory.modules.runtime.kv import KV, Buffer
from teltheory.modules.runtime.models import Model, load_model, model_of
from teltheory.modules.runtime.replacing import Replaced
from teltheory.modules.runtime.stages import Seconds
from teltheory.modules.runtime.store import Store

__all__ = [
    "KV",
    "Answer",
    "Buffer",
    "Model",
    "Prefilled",
    "PromptCache",
    "Replaced",
    "Seconds",
    "Served",
    "Store",
    "Together",
    "answer",
    "decode",
    "decode_together",
    "encode",
    "load_model",
    "model_of",
    "prefill",
    "prefill_together",
    "tokens_together",
]
