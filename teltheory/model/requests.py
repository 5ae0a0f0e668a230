"""What a server is asked for: the one face of every kind of requests.

A kind says what of each request may be reused (`asked`), what each leaves at hand (`past`), and what an endless
cache would have (`known`, `held`). Kinds are Trace (private conversations), Forest (shared prefixes) and
ModuleTrace (sets of items). Whoever replays, optimises, measures or advises asks this face; what only one kind has
stands in its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray, readonly

if TYPE_CHECKING:
    from teltheory.model.hints import Hints


class Requests(ABC):
    """Requests in arrival order; arrays have an entry a request, in the kind's unit unless said otherwise.

    Attributes
    ----------
    total : ndarray of int64, shape (n,)
        What a prefill with an empty cache computes.
    arrival : ndarray of float64, shape (n,), or None
        Seconds, never decreasing.
    block_size : int
        Tokens per unit.
    shared : bool
        Whether requests walk prefixes that others share: a unit is then a block, and results are in tokens too.
    reuses_prefixes : bool
        Whether what a request reuses is a prefix of its input, so that it is known which units a threshold needs.
    hints : Hints or None
        What applications say of the requests; None where they say nothing, not even which agent asks.
    """

    block_size: int = 1
    hints: Hints | None = None
    shared: ClassVar[bool] = False
    reuses_prefixes: ClassVar[bool] = True

    if TYPE_CHECKING:  # may be fields of a dataclass, which takes what it inherits for a field's default

        @property
        def total(self) -> IntArray:
            """What a prefill of each request with an empty cache computes."""

        @property
        def arrival(self) -> FloatArray | None:
            """Seconds."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, key: slice, /) -> Self:
        """Return neighbours such as ``requests[:1000]``, as a server that starts empty sees them."""

    @property
    @abstractmethod
    def past(self) -> IntArray:
        """What is at hand after each request and may be cached, `asked` and output; shape (n,)."""

    @property
    @abstractmethod
    def known(self) -> IntArray:
        """What of each request an earlier one made available, `asked` or less; shape (n,)."""

    @property
    @abstractmethod
    def held(self) -> IntArray:
        """What an endless cache holds after each request; shape (n,)."""

    @property
    def asked(self) -> IntArray:
        """What of each request may be reused; shape (n,)."""
        return self.total

    @property
    def output(self) -> IntArray:
        """What each request adds behind what it asks for; shape (n,)."""
        return readonly(self.past - self.asked)

    @property
    def scale(self) -> int:
        """Results are in so many parts of a unit: in tokens of shared prefixes, else in the unit itself."""
        return self.block_size if self.shared else 1

    @property
    def inputs(self) -> IntArray:
        """Each request's input as results count it: in tokens of shared prefixes, else `total`; shape (n,)."""
        return self.total

    @property
    def peak(self) -> int:
        """Most that an endless cache holds."""
        return max(int(self.held.max(initial=0)), 0)

    @property
    def is_private(self) -> bool:
        """Whether nothing is shared between what a policy counts, so that rounds over it have a meaning."""
        return True

    @property
    def session(self) -> IntArray:
        """What requests belong together, by number, such as turns of a conversation; shape (n,)."""
        return np.arange(len(self))

    @property
    def agents(self) -> IntArray:
        """Agent of each request, by number: that of the hints, else its conversation, else itself; shape (n,)."""
        return np.arange(len(self)) if self.hints is None else self.hints.own_agent

    @property
    def continued_prompts(self) -> IntArray:
        """The new part of each request that continues something, counted as `inputs` are."""
        return readonly((self.inputs - self.known * self.scale)[self.known > 0])
