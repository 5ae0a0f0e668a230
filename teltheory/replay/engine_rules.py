"""What an engine's cache really does, as one value; in short ``vllm``, ``sglang:chunk=2048``, ``trtllm``, ...

1. *Nodes.* Blocks go one by one, or whole nodes of a radix tree (`teltheory.replay.radix.nodes`).
2. *Orphans.* A block may outlive its parent, and is hit again once the parent is computed anew.
3. *References.* Running requests hold their paths: no cut touches those (forced caching).
4. *Tail.* The last token of an input is always computed: of an input of full blocks the last block is not hit.
   What is behind the full blocks takes a block while its request runs, so each running request leaves one less.
5. *Mark* and *trim* of a T-LRU that leaves them out. An engine has one of each, so that another one is refused.
6. *Sessions* (of nodes) and *priorities*: what engines make of hints (`tt.Hints`) by themselves.

The rules of vLLM and SGLang were compared with the engines (docs/engines.md). Those of TensorRT-LLM were not: they
are what its documentation says of the pool on the GPU, and its source of priorities. It has no T-LRU, so that no
mark is known; whether it computes the last block of full blocks anew is not said there.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import readonly, whole_number
from teltheory.model.tiers import several
from teltheory.model.units import read_tokens
from teltheory.policies.online import LRU
from teltheory.policies.policy import MARKS, TRIMS, LeastRecentlyUsed, Mark, Trim
from teltheory.policies.retention import PriorityQueues
from teltheory.replay.asked import Cache
from teltheory.replay.radix.nodes import RadixNodes

YES_NO = {"yes": True, "no": False}
WORDS: Mapping[str, Mapping[str, Any]] = {
    "mark": {"none": None, **{mark: mark for mark in MARKS}},
    "trim": {"none": None, **{trim: trim for trim in TRIMS[1:]}},
}
"""What may stand behind a parameter, if not yes or no."""
OF_NODES = tuple(field.name for field in fields(RadixNodes))


@dataclass(frozen=True)
class Rules:
    """What an engine's cache really does: a value for `rules`, whose short form is its text.

    ``str(rules)`` and ``Rules.of(text)`` turn one into the other.

    Parameters
    ----------
    nodes : RadixNodes, optional
        What goes whole, with the most tokens of a node; None if blocks go one by one.
    orphans : bool
        Whether a block may outlive its parent (`cache="holes"`).
    references : bool
        Whether running requests hold their paths (`forced=True`); with nodes they must.
    tail : bool
        Whether the last token is computed anew, and what is behind full blocks takes a block while it runs.
    priorities : bool
        Whether LRU has a queue for each priority, as TensorRT-LLM (`teltheory.policies.retention`).
    mark : {"high-water", "resident", "last"}, optional
        T-LRU's, where it has none of its own.
    trim : {"least-recent", "eager"}, optional
        How surplus goes, where a policy does not say so.

    Raises
    ------
    ArgumentError
        For rules that contradict each other.
    """

    nodes: RadixNodes | None = None
    orphans: bool = False
    references: bool = False
    tail: bool = False
    priorities: bool = False
    mark: Mark | None = None
    trim: Trim | None = None

    def __post_init__(self) -> None:
        if not (self.nodes is None or isinstance(self.nodes, RadixNodes)):
            raise ArgumentError("nodes", self.nodes, "RadixNodes(), or None for blocks that go one by one")
        for name in ("orphans", "references", "tail"):
            wanted = [True, False] if self.nodes is None else [name == "references"]
            if getattr(self, name) not in wanted:
                beside = "" if self.nodes is None else " where whole nodes go"
                raise ArgumentError(name, getattr(self, name), " or ".join(map(repr, wanted)) + beside)
        if self.priorities not in ([False] if self.nodes or self.orphans else [True, False]):
            only = "True or False; False where nodes go whole or blocks outlive their parents"
            raise ArgumentError("priorities", self.priorities, only)
        for name, words in WORDS.items():
            if getattr(self, name) not in words.values():
                raise ArgumentError(name, getattr(self, name), "one of " + ", ".join([*words][1:]))

    @classmethod
    def of(cls, given: Any) -> Rules:
        """Return rules, or those of a text such as ``sglang:chunk=2048:split=yes``; of None those of blocks."""
        if given is None or isinstance(given, Rules):
            return given or STRICT
        name, *parameters = given.split(":") if isinstance(given, str) else ("",)
        if name not in NAMED:
            raise ArgumentError("rules", given, f"{', '.join(NAMED)}, or tt.Rules(...)")
        found = NAMED[name]
        for parameter in parameters:
            found = found._changed(given, *parameter.partition("=")[::2])
        return found

    def _changed(self, text: str, key: str, value: str) -> Rules:
        """Return rules with another value of a parameter."""
        if key not in self._plain:
            raise ArgumentError("rules", text, f"{', '.join(self._plain)}, each as key=value behind a colon")
        read: Any
        if key == "chunk":
            read = None if value == "none" else read_tokens("chunk", value)
        elif value in WORDS.get(key, YES_NO):
            read = WORDS.get(key, YES_NO)[value]
        else:
            raise ArgumentError("rules", text, f"{key}={' or '.join(WORDS.get(key, YES_NO))}")
        if key in OF_NODES and self.nodes is not None:
            return replace(self, nodes=replace(self.nodes, **{key: read}))
        return replace(self, **{key: read})

    @property
    def _plain(self) -> dict[str, Any]:
        """All parameters, those of nodes first."""
        return {
            **({} if self.nodes is None else vars(self.nodes)),
            **{k: v for k, v in vars(self).items() if k != "nodes"},
        }

    def __str__(self) -> str:
        told: list[list[str]] = [
            [name, *(f"{key}={_word(value)}" for key, value in self._plain.items() if base._plain[key] != value)]
            for name, base in NAMED.items()
            if base._plain.keys() == self._plain.keys()
        ]
        return min((":".join(parts) for parts in told), key=lambda text: text.count(":"))

    @property
    def cache(self) -> Cache:
        """What may stay in the cache, as `replay` takes it."""
        return self.nodes or ("holes" if self.orphans else "strict")

    def policy(self, policy: Any) -> Any:
        """Return a policy with the mark and the trimming of the engine.

        Raises
        ------
        ArgumentError
            If it has others.
        """
        if hasattr(policy, "told"):
            return policy.around(self.policy(policy.policy))
        own: dict[str, Any] = {"mark": getattr(policy, "mark", None), "trim": getattr(policy, "trim", None)}
        left_out = {}
        for name, given in own.items():
            wanted = getattr(self, name)
            if given is None and wanted is not None and (hasattr(policy, name) or _trims(policy)):
                left_out[name] = wanted
            elif given not in (None, "next", wanted) and wanted is not None:
                raise ArgumentError(name, given, f"{wanted}, or none of its own, under the rules {self}")
        if left_out:
            policy = copy(policy)
            for name, wanted in left_out.items():
                object.__setattr__(policy, name, wanted)
        if not self.priorities:
            return policy
        if type(policy) not in (LRU, PriorityQueues):
            raise ArgumentError("policy", policy, f"LRU, which has a queue a priority under the rules {self}")
        return PriorityQueues()

    def on(
        self, requests: Any, capacity: Any, cache: Any = "strict", forced: bool = False, running: int = 1
    ) -> Ruled:
        """Return what is replayed, or solved, in which room, cache and mode.

        Raises
        ------
        ArgumentError
            For requests without shared blocks, tiers, and a cache beside the rules.
        """
        if self == STRICT:
            return Ruled(requests, capacity, cache, forced)
        if not requests.shared:
            raise ArgumentError("rules", str(self), "a Forest with them, such as trace.forest")
        if several(capacity) is not None:
            raise ArgumentError("rules", str(self), "one cache with them, not tiers")
        if cache not in ("strict", self.cache):
            raise ArgumentError("cache", cache, f"none beside the rules {self}")
        seen, room = self._with_tails(requests, whole_number("capacity", capacity), running)
        return Ruled(seen, room, self.cache, forced or self.references)

    def _with_tails(self, forest: Forest, capacity: int, running: int) -> tuple[Forest, int]:
        """Return requests without what they compute anyway, and the capacity without the room of their tails."""
        if not self.tail:
            return forest, capacity
        full = forest.inputs == forest.ask * forest.block_size
        tails = 0 if full.all() else running
        asked = forest.ask - (full & (forest.ask > 0))
        return replace(forest, ask=readonly(asked)), max(capacity - tails, 0)


class Ruled(NamedTuple):
    """Requests, their room, the cache and the mode that rules come to."""

    requests: Any
    capacity: Any
    cache: Any
    forced: bool


def _word(value: Any) -> str:
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _trims(policy: Any) -> bool:
    """Whether a policy has budgets, which look at a mark."""
    return getattr(type(policy), "budget", LeastRecentlyUsed.budget) is not LeastRecentlyUsed.budget


STRICT = Rules()
NAMED: Mapping[str, Rules] = {
    "strict": STRICT,
    "holes": Rules(orphans=True),
    "vllm": Rules(orphans=True, references=True, tail=True, mark="last", trim="least-recent"),
    "sglang": Rules(RadixNodes(8192), references=True, mark="resident", trim="least-recent"),
    "trtllm": Rules(references=True),
}
"""Rules by name: blocks, leaves first; blocks that may outlive their parents; and what engines do.

The chunk is what SGLang takes by itself on GPUs of 60 to 160 GB, such as the H100.
"""
