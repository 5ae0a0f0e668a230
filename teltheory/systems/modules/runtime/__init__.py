"""The runtime of Prompt Cache: models, keys and values of items, cached inference; needs the extra `modules`."""

from teltheory.systems.modules.runtime.batch import Together, decode_together, prefill_together, tokens_together
from teltheory.systems.modules.runtime.cache import CachedAnswer, PromptCache
from teltheory.systems.modules.runtime.encoding import encode
from teltheory.systems.modules.runtime.inference import Answer, Prefilled, answer, decode, prefill
from teltheory.systems.modules.runtime.kv import KV, Buffer
from teltheory.systems.modules.runtime.models import Model, load_model, model_of
from teltheory.systems.modules.runtime.replacing import Replaced
from teltheory.systems.modules.runtime.stages import Seconds
from teltheory.systems.modules.runtime.store import ItemStore

__all__ = [
    "KV",
    "Answer",
    "Buffer",
    "CachedAnswer",
    "ItemStore",
    "Model",
    "Prefilled",
    "PromptCache",
    "Replaced",
    "Seconds",
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
