"""Items to keys and values: one pass for each item, or for all whose passes are the same."""

from __future__ import annotations

from collections.abc import Sequence

from teltheory.systems.modules.items import Item, Pass, encoding
from teltheory.systems.modules.pml.layout import Layout
from teltheory.systems.modules.runtime.kv import KV
from teltheory.systems.modules.runtime.models import Model


def encode(model: Model, layout: Layout, items: Sequence[Item]) -> dict[Item, KV]:
    """Return the keys and values of items, each as its own encoding sees it (Gim et al. 2024, section 3.3).

    Raises
    ------
    ArgumentError
        A schema of more positions than the model has.
    """
    model.check_positions("schema", layout.length)
    passes: dict[bytes, dict[Item, Pass]] = {}
    for item in items:
        one = encoding(layout, item)
        passes.setdefault(one.tokens.tobytes() + one.positions.tobytes(), {})[item] = one
    made = {item: kv for same in passes.values() for item, kv in _encoded(model, same).items()}
    return {item: made[item] for item in items}


def _encoded(model: Model, same: dict[Item, Pass]) -> dict[Item, KV]:
    first = next(iter(same.values()))
    if not len(first.tokens):
        return {item: model.buffer().last(0) for item in same}
    _, kv = model.forward(first.tokens, first.positions, last_only=True)
    return {item: kv.select(one.keep) for item, one in same.items()}
