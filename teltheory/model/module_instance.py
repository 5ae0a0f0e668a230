"""A trace of module sets with the cache that meets it, checked once for replay, optimum and brute force."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import IntArray, readonly, whole_number


@dataclass(frozen=True)
class ModuleInstance:
    """Requests for sets of items, and the cache that meets them, empty.

    Attributes
    ----------
    trace : ModuleTrace
        The requests.
    capacity : int
        Capacity C, in tokens.
    forced : bool
        Forced caching: the items of a request are exempt from the cut right after it.
    whole : bool
        Whether an item is kept whole or not at all; else any prefix of it.
    """

    trace: ModuleTrace
    capacity: int
    forced: bool = False
    whole: bool = False

    @classmethod
    def of(cls, trace: ModuleTrace, capacity: int, *, forced: bool = False, whole: bool = False) -> ModuleInstance:
        """Check the arguments against each other.

        Raises
        ------
        ArgumentError
            A wrong argument.
        ForcedCachingError
            Items of a request, any but the last, that are larger than the capacity together.
        """
        if not isinstance(trace, ModuleTrace):
            raise ArgumentError("trace", type(trace).__name__, "a ModuleTrace")
        if not isinstance(forced, (bool, np.bool_)):
            raise ArgumentError("forced", forced, "True or False")
        instance = cls(trace, whole_number("capacity", capacity), bool(forced), whole)
        for k in np.flatnonzero(instance.asked[:-1] > instance.capacity)[:1] if forced else ():
            raise ForcedCachingError(int(k), int(instance.asked[k]), instance.capacity)
        return instance

    def __len__(self) -> int:
        return len(self.trace)

    @property
    def total(self) -> IntArray:
        """Tokens that each request computes with an empty cache; shape (n,)."""
        return self.trace.total

    @cached_property
    def asked(self) -> IntArray:
        """Tokens of each request's items together; shape (n,)."""
        return readonly(self.trace.total - self.trace.fresh)

    @property
    def exempt(self) -> int:
        """How many of the latest requests' items no cut touches."""
        return int(self.forced)


Instances: TypeAlias = Instance | ForestInstance | ModuleInstance
