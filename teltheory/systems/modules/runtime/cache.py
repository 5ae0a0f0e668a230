"""Prompt Cache for one schema: prompts are answered from kept items, which are encoded on first use.

A prompt goes through five stages (Gim et al. 2024, sections 3.4 and 4): *resolve* it against the schema; *fetch*
its items, from the slow tier into the fast one; *encode* those that are not kept; *prefill* its fresh tokens;
*decode*. The time to the first token is that of the first four.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path as File

from teltheory.errors import ArgumentError
from teltheory.policies import LRU, AnyPolicy
from teltheory.systems.modules.items import (
    Item,
    PromptPlan,
    Way,
    by_age,
    checked_scaffold,
    checked_way,
    encoding,
    plan,
    size,
)
from teltheory.systems.modules.pml.layout import Layout
from teltheory.systems.modules.pml.prompt import Prompt, Resolved, read_prompt, resolve
from teltheory.systems.modules.pml.schema import Path
from teltheory.systems.modules.runtime.batch import decode_together, prefill_together
from teltheory.systems.modules.runtime.encoding import encode
from teltheory.systems.modules.runtime.eviction import Tier
from teltheory.systems.modules.runtime.inference import Answer, decode, prefill
from teltheory.systems.modules.runtime.kv import KV
from teltheory.systems.modules.runtime.models import Model
from teltheory.systems.modules.runtime.replacing import Replaced, moved, stale_items, with_text
from teltheory.systems.modules.runtime.stages import Seconds, Stages
from teltheory.systems.modules.runtime.store import ItemStore

FIRST_TOKEN = ("resolve", "fetch", "encode", "prefill")
"""The stages until the first token."""


@dataclass(frozen=True, eq=False)
class CachedAnswer(Answer):
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


@dataclass(frozen=True)
class _Did:
    """What a cache did for a prompt, or for a batch of them."""

    found: Mapping[Item, Tier]
    copied: int
    stages: Stages


class PromptCache:
    """Answers prompts of a schema.

    Parameters
    ----------
    model : Model
        The model.
    layout : Layout
        The schema, laid out with the model's tokenizer.
    way : {"alone", "ancestors", "whole"}
        What the encoding of an item sees besides itself; "alone" is the paper's.
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
        A schema of more positions than the model has, a scaffold that no prompt can use, no policy by rules.
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
        self.scaffolds = [self._in_order(scaffold) for scaffold in scaffolds]
        self.store: ItemStore[Item, KV] = ItemStore(fast, slow, policy, self._moved)
        self._buffer = model.buffer()

    @property
    def simulated(self) -> bool:
        """Whether the tiers are told apart by bytes alone."""
        return self.model.shape.device == "cpu"

    def answer(self, prompt: str | File | Prompt | Resolved, tokens: int = 32) -> CachedAnswer:
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
        with self._pinned(planned.items, stages) as (kept, found), stages.of("prefill"):
            prefilled = prefill(self.model, planned, kept, self._buffer)
            int(prefilled.logits.argmax())
        with stages.of("decode"):
            ids = decode(self.model, prefilled, tokens)
        computed = prefilled.tokens - prefilled.kept
        did = _Did(found, self.store.copied - copied, stages)
        return self._served(planned, ids, prefilled.logits, computed, prefilled.next, did)

    def batch(self, prompts: Sequence[str | File | Prompt | Resolved], tokens: int = 32) -> list[CachedAnswer]:
        """Answer prompts together, as one sequence in which each item stands once.

        Their seconds, bytes and stages are those of the whole batch, in each answer. All their items are pinned.

        Parameters
        ----------
        prompts : sequence of str, Path, Prompt or Resolved
            Prompts, as for `answer`; one or more.
        tokens : int
            At most so many are decoded for each, the likeliest.

        Raises
        ------
        FileError, ArgumentError
            As for `answer`, or no prompt.
        """
        stages, copied = Stages(), self.store.copied
        with stages.of("resolve"):
            plans = [plan(self.resolved(prompt), self.way, self.scaffolds) for prompt in prompts]
        items = dict.fromkeys(item for planned in plans for item in planned.items)
        with self._pinned(items, stages) as (kept, found), stages.of("prefill"):
            together = prefill_together(self.model, plans, kept, self._buffer)
            together.logits.argmax(dim=-1).tolist()
        with stages.of("decode"):
            answers = decode_together(self.model, together, tokens)
        did = _Did(found, self.store.copied - copied, stages)
        ends = zip(together.logits, together.fresh.tolist(), together.next.tolist(), strict=True)
        return [
            self._served(planned, ids, *end, did) for planned, ids, end in zip(plans, answers, ends, strict=True)
        ]

    def replace(self, path: Path, text: str | Sequence[str]) -> Replaced:
        """Replace a module's own text; what is kept and read it before is encoded anew, and nothing else.

        Prompts that were resolved before are refused afterwards.

        Parameters
        ----------
        path : tuple of str
            The module; () is the schema itself, whose text is in every prompt.
        text : str or sequence of str
            Its own text; one for each part, if parameters or modules inside divide it.

        Raises
        ------
        ArgumentError
            An unknown module, another number of texts than it has, a text without a token, or a schema that gets
            longer than the model.
        """
        old, new = self.layout, with_text(self.layout, tuple(path), text)
        self.model.check_positions("schema", new.length)
        stale = stale_items(old, new, self.items())
        encoded = tuple(item for item in stale if self.store.where(item) is not None)
        for item in stale:
            self.store.forget(item)
        self.layout, stages = new, Stages()
        with self._pinned(encoded, stages):
            pass
        tokens = sum(self._sizes(encoded).values())
        return Replaced(new, stale, encoded, moved(old, new), tokens, stages.until("encode"))

    def encode_all(self) -> Seconds:
        """Encode every item of the schema that is not kept, as far as the tiers go; return the time."""
        stages = Stages()
        for item in self.items():
            with self._pinned([item], stages):
                pass
        return stages.until("encode")

    def items(self) -> list[Item]:
        """Return all items that prompts of the schema can use: each module's own text, and the scaffolds."""
        together = [Item(scaffold, self.way) for scaffold in self.scaffolds]
        return [Item((path,), self.way) for path in self._texts()] + together

    def resolved(self, prompt: str | File | Prompt | Resolved) -> Resolved:
        """Return a prompt resolved against the schema's layout."""
        if not isinstance(prompt, Resolved):
            return resolve(prompt if isinstance(prompt, Prompt) else read_prompt(prompt), self.layout)
        if prompt.layout is not self.layout:
            raise ArgumentError("prompt", "one resolved against another layout", "one of this cache's layout")
        return prompt

    @contextmanager
    def _pinned(self, items: Iterable[Item], stages: Stages) -> Iterator[tuple[dict[Item, KV], dict[Item, Tier]]]:
        """Pin items; yield their keys and values, and where those were found that were not encoded now."""
        sizes = self._sizes(items)
        with self.store.pinned(sizes):
            yield self._at_hand(list(sizes), stages)

    def _at_hand(self, items: Sequence[Item], stages: Stages) -> tuple[dict[Item, KV], dict[Item, Tier]]:
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

    def _served(
        self, planned: PromptPlan, ids: list[int], logits: object, computed: int, end: int, did: _Did
    ) -> CachedAnswer:
        sizes = self._sizes(planned.items)
        encoded = sum(tokens for item, tokens in sizes.items() if item not in did.found)
        total, first = planned.resolved.total, did.stages.until(*FIRST_TOKEN)
        return CachedAnswer(
            ids,
            self.model.tokenizer.decode(ids),
            logits,
            sum(sizes.values()) - encoded,
            computed,
            encoded,
            end - total,
            first.wall,
            first.cpu,
            {item: did.found[item] for item in planned.items if item in did.found},
            did.copied,
            did.stages.seconds,
        )

    def _sizes(self, items: Iterable[Item]) -> dict[Item, int]:
        return {item: size(self.layout, item) for item in by_age(self.layout, items)}

    def _bytes(self, item: Item) -> int:
        return size(self.layout, item) * self.model.token_bytes

    def _moved(self, kv: KV, tier: Tier) -> KV:
        return kv.to(self.model.shape.device if tier == "fast" else "cpu")

    def _texts(self) -> list[Path]:
        """Return the modules whose own text is kept, in document order."""
        own, spans = self.layout.own, self.layout.spans
        cached = (path for path in spans if spans[path].cache)
        return [path for path in cached if any(one.tokens and one.parameter is None for one in own[path])]

    def _in_order(self, scaffold: Sequence[Path]) -> tuple[Path, ...]:
        """Return the modules of a scaffold as its item has them: in document order, each once."""
        kept = self._texts()
        for path in scaffold:
            if path not in kept:
                raise ArgumentError("scaffolds", "/".join(path), "modules of the schema with a text that is kept")
        checked_scaffold(self.layout, scaffold)
        return tuple(path for path in kept if path in scaffold)
