"""The forest under a trace: prefixes that requests share, and the path that each request walks.

1. A node is a run of units (blocks or tokens) with one content and one past: its parent is the node before it.
   Nodes are numbered so that a parent comes before its children; -1 is the parent of a root.
2. A request is a path from a root down to its `leaf`, so memory is O(nodes + requests). The first `ask` units of
   the path are its input, the rest is output that it makes available. `total` is what a prefill with an empty
   cache computes; total - ask is a tail that no cache holds.
3. A private conversation is a chain: each turn walks down to its end and makes it longer. Where a history is
   shorter than the past, what is beyond stays as a branch; on a forest that *cuts* it is gone, as on a chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model import nodes
from teltheory.model.branching import NO_NODE, grown, leaves_out, with_next_trees
from teltheory.model.columns import Column, arrivals, checked, checked_block_size, lengths
from teltheory.model.display import counted, mean_of, table_of
from teltheory.model.hint_columns import SAID
from teltheory.model.hint_tables import columns_of, with_said
from teltheory.model.hints import Hints, checked_hints
from teltheory.model.nodes import at_nodes, sums_down
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.requests import Requests
from teltheory.model.tables import Tabular, made_of, of_lists
from teltheory.model.turns import bounds, consecutive_turns

OPTIONAL = ("arrival", "tokens", "conversation", "cluster")


@dataclass(frozen=True, eq=False)
class Forest(Requests, Tabular):
    """Nodes of shared prefixes and the requests that walk them. Make one with `Forest.from_paths`.

    ``forest[:1000]`` are its first requests. `to_arrow`, `to_pandas` and `to_polars` return a table with the
    columns of `from_table`, block ids counted from 0.

    Attributes
    ----------
    parent : ndarray of int64, shape (V,)
        Node before each node, -1 for a root; always a smaller number than the node's own.
    length : ndarray of int64, shape (V,)
        Units in each node, 1 or more.
    leaf : ndarray of int64, shape (n,)
        Deepest node of each request's path, -1 for an empty path.
    ask : ndarray of int64, shape (n,)
        Units of the path that are the request's input.
    total : ndarray of int64, shape (n,)
        Units that a prefill with an empty cache computes, `ask` or more.
    arrival : ndarray of float64, shape (n,), or None
        Seconds, never decreasing.
    block_size : int
        Tokens per unit.
    tokens : ndarray of int64, shape (n,), or None
        Tokens of each request's input, a last block that is not full included; see `inputs`.
    conversation : ndarray of int64, shape (n,), or None
        Conversation of each request, by number, where requests are turns: an empty path does not say it.
    cut : bool
        Whether what a request leaves out of its conversation's path is gone when it arrives, as on a chain; `held`
        and `peak` still count it.
    cluster : ndarray of int64, shape (n,), or None
        What the file says belongs together, such as a session with its agents; replays do not read it.
    hints : Hints or None
        What applications say of the requests; read by policies that are `Hinted`.
    """

    parent: IntArray
    length: IntArray
    leaf: IntArray
    ask: IntArray
    total: IntArray
    arrival: FloatArray | None = None
    block_size: int = 1
    tokens: IntArray | None = None
    conversation: IntArray | None = None
    cut: bool = False
    cluster: IntArray | None = None
    hints: Hints | None = None
    shared: ClassVar[bool] = True

    @classmethod
    def from_paths(
        cls,
        paths: Sequence[Sequence[int]],
        ask: Column | None = None,
        total: Column | None = None,
        arrival: Column | None = None,
        *,
        block_size: int = 1,
        tokens: Column | None = None,
        agent: Sequence[Any] | None = None,
    ) -> Forest:
        """Make a forest of nodes of length 1 from the blocks of each request.

        Parameters
        ----------
        paths : sequence of sequences of int
            Block ids of each request, root first. An id stands for a block and everything before it.
        ask : sequence of int, optional
            Blocks of each path that are input; the whole path when left out.
        total : sequence of int, optional
            Blocks that a prefill with an empty cache computes; `ask` when left out.
        arrival : sequence of float or of datetime, optional
            Seconds, finite, never decreasing; as in `Trace.from_turns`.
        block_size : int
            Tokens per block.
        tokens : sequence of int, optional
            Tokens of each input, if not `total` blocks; at least the blocks that it asks for.
        agent : sequence of int or of str, optional
            Who asks, by number or by name, None where that is not said; each request has its own when left out.

        Raises
        ------
        TraceError
            For a block with two parents, an ask beyond its path, a total below its ask, an input of fewer tokens
            than its blocks have: names the request (counted from 0), the value and what was expected.
        """
        held: dict[int, int] = {}
        parents: list[int] = []
        leaves = [nodes.walked(k, path, held, parents) for k, path in enumerate(paths)]
        parent, leaf = readonly(np.array(parents, np.int64)), readonly(np.array(leaves, np.int64))
        made = cls.of_nodes(parent, leaf, ask, total, arrival, block_size=block_size, tokens=tokens)
        return made if agent is None else made.with_hints(Hints.of(made, agent=agent))

    @classmethod
    def from_table(cls, table: Any, columns: Mapping[str, str] | None = None, *, block_size: int = 1) -> Forest:
        """Make a forest of a table with a row a request, in any order if it has arrival times.

        Parameters
        ----------
        table : DataFrame of pandas or polars, pyarrow.Table, relation of DuckDB, mapping of columns
            Has the column `paths`, of lists, and may have `ask`, `total`, `arrival` and `tokens`, as in
            `from_paths`, and the columns of `Hints.of`. Other columns are left alone.
        columns : mapping, optional
            The table's name of a column, such as ``{"paths": "hash_ids"}``; it has to be there.
        block_size : as in `from_paths`
        """
        make = with_said(partial(of_lists, partial(cls.from_paths, block_size=block_size)))
        return made_of(make, table, columns, ("paths",), ("ask", "total", "arrival", "tokens", *SAID))

    @classmethod
    def of_nodes(
        cls,
        parent: IntArray,
        leaf: IntArray,
        ask: Column | None = None,
        total: Column | None = None,
        arrival: Column | None = None,
        *,
        block_size: int = 1,
        tokens: Column | None = None,
    ) -> Forest:
        """Make a forest of nodes of length 1 that a reader has numbered; the rest as in `from_paths`.

        Parameters
        ----------
        parent : ndarray of int64, shape (V,)
            Node before each node, a smaller number, -1 for a root.
        leaf : ndarray of int64, shape (n,)
            Deepest node of each request's path, -1 for an empty path.
        ask, total, arrival, block_size, tokens : as in `from_paths`
        """
        size, n = checked_block_size(block_size), len(leaf)
        length = readonly(np.ones(len(parent), np.int64))
        end = at_nodes(sums_down(parent, length), leaf, 0)
        asked = readonly(end) if ask is None else lengths("ask", ask, n)
        checked("ask", asked, asked > end, "at most {}, the length of its path", end)
        computed = asked if total is None else lengths("total", total, n)
        checked("total", computed, computed < asked, "at least {}, what it asks for", asked)
        counted = None if tokens is None else lengths("tokens", tokens, n)
        if counted is not None:
            checked("tokens", counted, counted < asked * size, "at least {}, those of its blocks", asked * size)
        times = None if arrival is None else arrivals(arrival, n)
        return cls(readonly(parent), length, readonly(leaf), asked, computed, times, size, counted)

    @classmethod
    def of_turns(
        cls,
        conversation: IntArray,
        history: IntArray,
        prompt: IntArray,
        response: IntArray,
        arrival: FloatArray | None = None,
        block_size: int = 1,
    ) -> Forest:
        """Make the forest of conversations: a turn's prompt and response are a node below its history.

        A history that ends inside a node splits it there; what it leaves out stays as a branch.

        Parameters
        ----------
        conversation, history, prompt, response : ndarray of int64, shape (n,)
            Columns of a trace.
        arrival : ndarray of float64, shape (n,), optional
            Seconds.
        block_size : int
            Tokens per unit.
        """
        columns = (c.tolist() for c in (conversation, history, prompt + response))
        parent, length, leaf = grown(zip(*columns, strict=True))
        asked = readonly(history + prompt)
        return cls(parent, length, leaf, asked, asked, arrival, block_size, conversation=conversation)

    def __repr__(self) -> str:
        units = [] if self.block_size == 1 else [f"blocks of {counted(self.block_size, 'token')}"]
        return f"Forest({', '.join([counted(len(self), 'request'), counted(self.nodes, 'node'), *units])})"

    def _repr_html_(self) -> str:
        return table_of(repr(self), {"mean input": mean_of(self.total), "units of all nodes": f"{self.peak:,}"})

    def __len__(self) -> int:
        return len(self.leaf)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        same = [np.array_equal(*pair) for pair in zip(self._columns(), other._columns(), strict=True)]
        facts = [(one.block_size, one.cut, one.hints) for one in (self, other)]
        return facts[0] == facts[1] and all(same)

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> list[Any]:
        arrival = () if self.arrival is None else self.arrival
        return [self.parent, self.length, self.leaf, self.ask, self.total, arrival, self.inputs]

    @property
    def inputs(self) -> IntArray:
        """Tokens of each request's input, a last block that is not full included; shape (n,)."""
        return readonly(self.total * self.block_size) if self.tokens is None else self.tokens

    @property
    def nodes(self) -> int:
        """Number of nodes V."""
        return len(self.parent)

    @property
    def peak(self) -> int:
        """Units of all nodes: the most that an endless cache holds."""
        return sum(self.length.tolist())

    @property
    def asked(self) -> IntArray:
        """Units of each request's path that are its input, `ask`; shape (n,)."""
        return self.ask

    @property
    def held(self) -> IntArray:
        """Units of all nodes that requests have walked so far, after each; shape (n,)."""
        new = np.zeros(len(self) + 1, np.int64)
        np.add.at(new, self.first, self.length)
        return readonly(np.cumsum(new[:-1]))

    @property
    def is_private(self) -> bool:
        """Whether requests are turns of private conversations: it cuts, or `is_chains`."""
        return self.cut or self.is_chains

    @property
    def agents(self) -> IntArray:
        """Agent of each request: that of the hints, else its conversation, else itself; shape (n,)."""
        return super().agents if self.hints or self.conversation is None else self.conversation

    def with_hints(self, hints: Hints | None) -> Forest:
        """Return the forest with what applications say of its requests."""
        return replace(self, hints=checked_hints(hints, len(self)))

    @property
    def session(self) -> IntArray:
        """Tree of each request, as in `tree`; shape (n,)."""
        return self.tree

    @cached_property
    def depth(self) -> IntArray:
        """Units from the root to the end of each node, itself included; shape (V,)."""
        return readonly(sums_down(self.parent, self.length))

    @cached_property
    def root(self) -> IntArray:
        """Root of the tree of each node; shape (V,)."""
        return readonly(nodes.roots(self.parent))

    @cached_property
    def past(self) -> IntArray:
        """Length of each request's path, input and output; shape (n,)."""
        return readonly(at_nodes(self.depth, self.leaf, 0))

    @cached_property
    def first(self) -> IntArray:
        """First request through each node, n if there is none; shape (V,)."""
        return readonly(nodes.first_through(self.parent, self.leaf))

    @cached_property
    def known(self) -> IntArray:
        """Leading units of each request's input that an earlier request made available; shape (n,)."""
        known = np.array(self.past)
        above = at_nodes(self.first, self.parent, NO_NODE)
        (topmost,) = np.nonzero((self.first < len(self)) & (above != self.first))
        known[self.first[topmost]] = (self.depth - self.length)[topmost]
        return readonly(np.minimum(known, self.ask))

    @cached_property
    def is_chains(self) -> bool:
        """Whether requests are turns of private conversations that never shorten their past.

        No node has two children, no request asks for less than what the one before it in its tree left, and
        no request has a tail.
        """
        parents = self.parent[self.parent >= 0]
        if np.bincount(parents).max(initial=0) > 1 or bool((self.total > self.ask).any()):
            return False
        return bool((self.ask >= self.left_before).all())

    @cached_property
    def is_cut(self) -> bool:
        """Whether the forest cuts, and a request does leave out some of its conversation's path before it."""
        known = self.cut and self.conversation is not None
        return known and leaves_out(self.parent, self.conversation, self.leaf)  # type: ignore[arg-type]

    @cached_property
    def tree(self) -> IntArray:
        """Root of each request's path, or the next one of its conversation; else -1, -2, ...; shape (n,)."""
        tree = np.where(self.leaf >= 0, at_nodes(self.root, self.leaf, NO_NODE), -1 - np.arange(len(self)))
        return readonly(tree if self.conversation is None else with_next_trees(tree, self.conversation))

    @cached_property
    def left_before(self) -> IntArray:
        """Length of the path of the request before each in its tree, 0 if it is the first; shape (n,)."""
        earlier, later = consecutive_turns(self.tree)
        before = np.zeros(len(self), np.int64)
        before[later] = self.past[earlier]
        return readonly(before)

    def __getitem__(self, key: slice) -> Forest:
        """Return the requests of a slice such as ``forest[:1000]`` or ``forest[5000:]``, with what they walk."""
        if not isinstance(key, slice):
            raise ArgumentError("request", key, "a slice such as [:1000]; forest.path(k) has a request's nodes")
        shown = slice(*bounds(key, len(self)))
        some = replace(self, leaf=self.leaf[shown], **self._columns_of(shown))
        kept = some.first < len(some)
        parent, leaf = (readonly(nodes.renumbered(kept)[c]) for c in (self.parent[kept], some.leaf))
        return replace(some, parent=parent, length=readonly(self.length[kept]), leaf=leaf)

    def _table(self) -> dict[str, Any]:
        units = self.by_units()
        said = replace(self, conversation=None, cluster=None, hints=None)._columns_of(slice(None))
        return {"paths": [units.path(k) for k in range(len(self))], **said, **columns_of(self)}

    def _columns_of(self, shown: slice) -> dict[str, Any]:
        columns: dict[str, Any] = {name: getattr(self, name) for name in ("ask", "total", *OPTIONAL)}
        found = {name: column[shown] for name, column in columns.items() if column is not None}
        return found if self.hints is None else found | {"hints": self.hints[shown]}

    def to_blocks(self, block_size: int) -> Forest:
        """Count in blocks of `block_size` tokens, a multiple or a whole part of the forest's own.

        A larger block is one node of the paths that have all of it; what is left of a path is in no block, and
        still counts as input in `tokens`. A block that is cut into smaller ones is a node of several units: what
        two requests share of a block that differs is not known.

        Parameters
        ----------
        block_size : int
            Tokens per block.
        """
        size = checked_block_size(block_size)
        if size % self.block_size and self.block_size % size:
            raise ArgumentError("block_size", size, f"a multiple or a whole part of {self.block_size} tokens")
        ratio = Fraction(self.block_size, size)
        length = readonly(nodes.rescaled(self.depth, ratio) - nodes.rescaled(self.depth - self.length, ratio))
        ask, total = nodes.rescaled(self.ask, ratio), nodes.rescaled(self.total, ratio)
        forest = replace(self, length=length, ask=ask, total=total, block_size=size, tokens=self.inputs)
        return forest.without_empty_nodes()

    def without_empty_nodes(self) -> Forest:
        """Return the forest without nodes of length 0, which only a count in other units leaves."""
        parent, length, leaf = nodes.filled(self.parent, self.length, self.leaf)
        return replace(self, parent=parent, length=length, leaf=leaf)

    def by_units(self) -> Forest:
        """Return the forest with a node for each unit, itself if it has them."""
        if (self.length == 1).all():
            return self
        last, parent = np.cumsum(self.length), np.arange(-1, self.peak - 1)
        parent[last - self.length] = at_nodes(last - 1, self.parent, NO_NODE)
        leaf = readonly(at_nodes(last - 1, self.leaf, NO_NODE))
        return replace(self, parent=readonly(parent), length=readonly(np.ones(self.peak, np.int64)), leaf=leaf)

    def path(self, request: int) -> list[int]:
        """Return the nodes of a request, root first."""
        return nodes.path_to(self.parent, int(self.leaf[request]))
