"""Prompt Cache for one schema: prompts are answered from kept items, which are encoded on first use.

A prompt goes through five stages (Gim et al. 2024, sections 3.4 and 4): *resolve* it against the schema; *fetch*
its items, from the slow tier into the fast one; *encode* those that are not kept; *prefill* its fresh tokens;
*decode*. The time to the first token is that of the first four.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as File

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.modules.items import Item, Way, checked_way, encoding, plan, size
from teltheory.modules.pml.layout import Layout
from teltheory.modules.pml.prompt import Prompt, Resolved, read_prompt, resolve
from teltheory.modules.pml.schema import Path
from teltheory.modules.runtime.encoding import encode
from teltheory.modules.runtime.eviction import Tier
from teltheory.modules.runtime.inference import Answer, decode, prefill
from teltheory.modules.runtime.kv import KV
from teltheory.modules.runtime.models import Model
from teltheory.modules.runtime.stages import Seconds, Stages
from teltheory.modules.runtime.store import Store
from teltheory.policies import LRU, AnyPolicy

FIRST_TOKEN = ("resolve", "fetch", "encode", "prefill")
"""The stages until the first token."""


@dataclass(frozen=True, eq=False)
class Served(Answer):
    """An answer, and what the cache did for it.

    Attributes
    ----------
    found : dict of Item to "fast" or "slow"
        The items that were kept, and where; the others were encoded.
    copied : int
        Bytes copied between the tiers: items that were used, and items that made room.
    stages : dict of Seconds
        Of resolve, fetch, encode, prefill and decode.
    """

    found: Mapping[Item, Tier] = field(repr=False)
    copied: int
    stages: Mapping[str, Seconds] = field(repr=False)


class PromptCache:
    """Answers prompts of a schema.

    Parameters
    ----------
    model : Model
        The model.
    layout : Layout
        The schema, laid out with the model's tokenizer.
    way : {"alone", "ancestors", "whole"}
        What the encoding of an item sees besides itself.
    scaffolds : sequence of sequences of paths
        Modules that are encoded together where a prompt imports them all.
    fast, slow : int or None
        Bytes of items kept in the model's memory, and in the processor's; None: no bound.
    policy : policy
        What is evicted first: `LRU`, `LFU`, `GDSF`, `TLRU` and others with rules.

    Attributes
    ----------
    simulated : bool
        Whether both tiers are the same memory, so that a copy between them is counted and costs no time.
    store : Store
        The items that are kept.

    Raises
    ------
    ArgumentError
        A schema of more positions than the model has, a scaffold of what is no kept module, no policy by rules.
    """

    def __init__(
        self,
        model: Model,
        layout: Layout,
        way: Way = "alone",
        scaffolds: Sequence[Sequence[Path]] = (),
        fast: int | None = None,
        slow: int | None = None,
        policy: AnyPolicy = LRU(),  # noqa: B008 (a frozen value)
    ) -> None:
        checked_way(way)
        model.check_positions("schema", layout.length)
        self.model, self.layout, self.way = model, layout, way
        self.scaffolds = [tuple(scaffold) for scaffold in scaffolds]
        self._check_scaffolds()
        self.store: Store[Item, KV] = Store(fast, slow, policy, self._moved)
        self._buffer = model.buffer()

    @property
    def simulated(self) -> bool:
        """Whether the tiers are told apart by bytes alone."""
        return self.model.shape.device == "cpu"

    def answer(self, prompt: str | File | Prompt | Resolved, tokens: int = 32) -> Served:
        """Answer a prompt.

        Parameters
        ----------
        prompt : str, Path, Prompt or Resolved
            Its PML, its file, or what was read of it before.
        tokens : int
            At most so many are decoded, each the likeliest.

        Raises
        ------
        FileError
            A prompt that does not fit its schema.
        ArgumentError
            One of more positions than the model has, or resolved against another layout.
        """
        stages, copied = Stages(), self.store.copied
        with stages.of("resolve"):
            planned = plan(self.resolved(prompt), self.way, self.scaffolds)
        with self.store.pinned(self._sizes(planned.items)):
            kept, found = self._at_hand(planned.items, stages)
            with stages.of("prefill"):
                prefilled = prefill(self.model, planned, kept, self._buffer)
                int(prefilled.logits.argmax())
        with stages.of("decode"):
            ids = decode(self.model, prefilled, tokens)
        first, encoded = stages.until(*FIRST_TOKEN), _tokens(kept, found)
        return Served(
            ids,
            self.model.tokenizer.decode(ids),
            prefilled.logits,
            prefilled.kept - encoded,
            prefilled.tokens - prefilled.kept,
            encoded,
            prefilled.next - prefilled.tokens,
            first.wall,
            first.cpu,
            found,
            self.store.copied - copied,
            stages.seconds,
        )

    def encode_all(self) -> Seconds:
        """Encode every item of the schema that is not kept, as far as the tiers go; return the time."""
        stages = Stages()
        for item in self.items():
            with self.store.pinned(self._sizes([item])):
                self._at_hand([item], stages)
        return stages.until("encode")

    def items(self) -> list[Item]:
        """Return all items that prompts of the schema can use: each module's own text, and the scaffolds."""
        own, spans = self.layout.own, self.layout.spans
        texts = [path for path in spans if any(piece.parameter is None for piece in own[path])]
        single = [Item((path,), self.way) for path in texts if spans[path].cache]
        return single + [Item(scaffold, self.way) for scaffold in self.scaffolds]

    def resolved(self, prompt: str | File | Prompt | Resolved) -> Resolved:
        """Return a prompt resolved against the schema's layout."""
        if not isinstance(prompt, Resolved):
            return resolve(prompt if isinstance(prompt, Prompt) else read_prompt(prompt), self.layout)
        if prompt.layout is not self.layout:
            raise ArgumentError("prompt", "one resolved against another layout", "one of this cache's layout")
        return prompt

    def _at_hand(self, items: Sequence[Item], stages: Stages) -> tuple[dict[Item, KV], dict[Item, Tier]]:
        """Return the keys and values of pinned items, and where those were found that were not encoded now."""
        tiers = {item: self.store.where(item) for item in items}
        found = {item: tier for item, tier in tiers.items() if tier is not None}
        with stages.of("fetch"):
            kept = {item: self.store.fetch(item) for item in found}
        missing = [item for item in items if item not in found]
        with stages.of("encode"):
            for item in missing:
                self.store.reserve(item, self._bytes(item), len(encoding(self.layout, item).tokens))
            made = encode(self.model, self.layout, missing) if missing else {}
            for item, kv in made.items():
                self.store.put(item, kv)
        return {item: kv for item, kv in (kept | made).items() if kv is not None}, found

    def _sizes(self, items: Iterable[Item]) -> dict[Item, int]:
        return {item: size(self.layout, item) for item in items}

    def _bytes(self, item: Item) -> int:
        return size(self.layout, item) * self.model.token_bytes

    def _moved(self, kv: KV, tier: Tier) -> KV:
        return kv.to(self.model.shape.device if tier == "fast" else "cpu")

    def _check_scaffolds(self) -> None:
        kept = {item.paths[0] for item in self.items() if len(item.paths) == 1}
        for scaffold in self.scaffolds:
            for path in scaffold:
                if path not in kept:
                    raise ArgumentError(
                        "scaffolds", "/".join(path), "modules of the schema with a text that is kept"
                    )


def _tokens(kept: Mapping[Item, KV], found: Mapping[Item, Tier]) -> int:
    """Return the tokens of the items that were not found."""
    return int(np.sum([len(kv) for item, kv in kept.items() if item not in found], dtype=np.int64))
