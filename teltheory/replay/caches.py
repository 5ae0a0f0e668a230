"""The short form of caches on the command line: ``strict``, ``holes``, ``radix``, ``radix:2048``, ``radix-split``.

``radix`` is SGLang's tree of whole nodes; a number is the most tokens of a node, the size of a prefill chunk.
``radix-split`` is the same with nodes that are cut at the policy's budget.
"""

from teltheory.errors import ArgumentError
from teltheory.model.units import read_tokens
from teltheory.replay import Cache
from teltheory.replay.radix.nodes import RadixNodes

PLAIN: dict[str, Cache] = {"strict": "strict", "holes": "holes"}
RADIX = {"radix": False, "radix-split": True}
"""Whether nodes are cut at the budget."""


def read_cache(text: str) -> Cache:
    """Read a cache.

    Parameters
    ----------
    text : str
        ``strict``, ``holes``, ``radix`` or ``radix-split``; the last two also with the tokens of a chunk.

    Raises
    ------
    ArgumentError
        For any other text.
    """
    name, colon, rest = text.partition(":")
    if text in PLAIN:
        return PLAIN[text]
    if name not in RADIX:
        raise ArgumentError("cache", text, "strict, holes, radix, radix:2048 or radix-split")
    if not colon:
        return RadixNodes(split=RADIX[name])
    return RadixNodes(read_tokens("cache", rest), RADIX[name])


def always_forced(cache: Cache) -> bool:
    """Whether a cache has forced caching alone."""
    return isinstance(cache, RadixNodes)
