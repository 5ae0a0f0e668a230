"""What a policy's rules see: a node, or all nodes at once as arrays, through the same names.

On the chain engine a node is a conversation. A rule that is marked `on_arrays` is asked once for all nodes, and
once per node by the reference, so its expression has to hold for numbers and for arrays: `larger`, `smaller` and
`choose` stand in for ``max``, ``min`` and ``if``. A policy with a rule that is not marked is for the reference.

Three helpers say in addition what the compiled loops need not compute: `all_but`, `furthest_first`, `ended_first`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from teltheory.errors import ArgumentError
from teltheory.model.numbers import INT64_MAX, IntArray

F = TypeVar("F", bound=Callable[..., Any])

ALL_BUT, FURTHEST_FIRST, ENDED_FIRST = "all but", "furthest first", "ended first"


class NextTurn(NamedTuple):
    """A turn that is still to come; only clairvoyant policies look at it.

    `ahead` is what of its input is promised to other items first: 0 but for a request for a set of items.
    """

    turn: int
    history: int
    prompt: int
    ahead: int = 0

    def need(self, xi: int) -> int:
        """Return how much of a cache the turn can use to lower its excess: min(h, max(0, total - xi))."""
        return smaller(self.history, larger(self.history + self.prompt - xi - self.ahead, 0))


ENDED = NextTurn(INT64_MAX, 0, 0)
"""The next turn of what never returns."""


@dataclass(slots=True)
class Node:
    """What a policy sees of a conversation at a cut.

    Attributes
    ----------
    first : int
        Rank by first arrival; conversations of the initial cache come before all others, as they are listed.
    past : int
        L, the length of the longest known input through the node, in the trace's unit.
    cached : int
        X, the length of the cached prefix.
    next : Turn or None
        Its next turn, None if it never returns.
    code : int
        Its number, as in `Trace.code`.
    last : int
        Its last turn; -1 for a conversation of the initial cache that has not arrived yet.
    hits : int
        How many turns it has had.
    seen : float or None
        Arrival of its last turn in seconds; read it as `time`.
    """

    first: int
    past: int
    cached: int
    next: NextTurn | None
    code: int = -1
    last: int = -1
    hits: int = 0
    seen: float | None = None

    @property
    def depth(self) -> int:
        """Distance from the root to the node's end: a conversation is a chain, so its past."""
        return self.past

    @property
    def length(self) -> int:
        """Length of the node itself: a conversation is one node, so its past."""
        return self.past

    @property
    def since(self) -> int:
        """On a forest: the request that added the block to the cache."""
        raise ArgumentError(
            "trace", "private conversations", "a Forest: the policy looks at what happened to blocks"
        )

    @property
    def reads(self) -> int:
        """On a forest: how many requests went through the block since it was added, that one included."""
        return self.since

    @property
    def asked(self) -> int:
        """Length of all items of its last request together: a conversation comes alone, so its past."""
        return self.past

    @property
    def ahead(self) -> int:
        """Length of those items of its last request that are more recent than it: of a conversation none."""
        return 0

    @property
    def coming(self) -> NextTurn:
        """The next turn; `ENDED` if there is none."""
        return self.next or ENDED

    @property
    def ended(self) -> bool:
        """Whether it never returns."""
        return self.next is None

    @property
    def time(self) -> float:
        """Arrival of its last turn in seconds; for the initial cache, of the first turn of all.

        Raises
        ------
        ArgumentError
            If the trace has no arrival times.
        """
        if self.seen is None:
            raise ArgumentError("trace", "no arrival times", "arrival times, which the policy looks at")
        return self.seen


def on_arrays(rule: F) -> F:
    """Mark a rule that holds for arrays of nodes as it does for one node.

    The mark belongs to the function: a subclass that overrides the rule has to mark its own.
    """
    rule.on_arrays = True  # type: ignore[attr-defined]
    return rule


def larger(one: int, other: int) -> int:
    """Return the larger of two numbers, of arrays entry by entry."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return max(one, other)


def smaller(one: int, other: int) -> int:
    """Return the smaller of two numbers, of arrays entry by entry."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.minimum(one, other)
    return min(one, other)


def choose(condition: bool, then: int, otherwise: int) -> int:
    """Return `then` if the condition holds, else the other; of arrays entry by entry."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


@dataclass(frozen=True, eq=False)
class Deferred(NDArrayOperatorsMixin):
    """An array that is computed when something reads it, of a kind that compiled loops know without it.

    `ALL_BUT` are pasts less at most `safe`; `FURTHEST_FIRST` and `ENDED_FIRST` are keys by next turns, and by
    whether there is one.
    """

    kind: str
    of: NDArray[Any]
    safe: int = 0

    def computed(self) -> IntArray:
        """Return the array."""
        if self.kind == ALL_BUT:
            return _less(self.of, self.safe)
        return -self.of if self.kind == FURTHEST_FIRST else (~self.of).astype(np.int64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.computed(), dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = (one.computed() if isinstance(one, Deferred) else one for one in inputs)
        return getattr(ufunc, method)(*arrays, **options)


def all_but(past: int, safe: int) -> int:
    """Return max(past - safe, 0): all of a past but at most `safe` of it, 0 or more."""
    if not isinstance(past, np.ndarray):
        return max(past - safe, 0)
    return _less(past, safe) if isinstance(safe, np.ndarray) else Deferred(ALL_BUT, past, safe)


def _less(past: IntArray, safe: int | IntArray) -> IntArray:
    left: IntArray = np.subtract(past, safe)
    return np.maximum(left, 0, out=left)


def furthest_first(node: Node) -> int:
    """Return the key by which the furthest next turn goes first; never is furthest of all."""
    turn = node.coming.turn
    return Deferred(FURTHEST_FIRST, turn) if isinstance(turn, np.ndarray) else -turn


def ended_first(node: Node) -> int:
    """Return the key by which what never returns goes first."""
    ended = node.ended
    return Deferred(ENDED_FIRST, ended) if isinstance(ended, np.ndarray) else int(not ended)
