"""How requests are replayed, whatever kind they are of: the arguments of `teltheory.replay.replay`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from teltheory.errors import ArgumentError
from teltheory.model.initial import Initial
from teltheory.model.tiers import Tiers
from teltheory.policies.policy import OTHER_WAYS, RULES, check_trim
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.tiers.nodes import WholeNodes

Engine = Literal["auto", "kernel", "reference"]
Cache = Literal["strict", "holes", "whole"] | RadixNodes | WholeNodes
KERNEL_FROM = 2000
"""Turns from which on the kernel is quicker than loading it."""


@dataclass(frozen=True)
class Asked:
    """What `replay` was given beside the requests; `capacity` is in their unit, and `progress` hears of turns."""

    policy: Any
    capacity: int | Tiers
    forced: bool = False
    initial: Initial = ()
    engine: Engine = "auto"
    cache: Cache = "strict"
    running: int = 1
    progress: Callable[[int], object] | None = None


def check_policy(policy: object) -> None:
    """Raise `ArgumentError` for what lacks rules, as a class does, or trims in no known way."""
    if isinstance(policy, type):
        raise ArgumentError("policy", policy, f"a policy such as LRU(): a value, {policy.__name__}(...)")
    missing = [rule for rule in (*RULES, "trim") if not hasattr(policy, rule)]
    if missing and not any(hasattr(policy, way) for way in OTHER_WAYS):
        derived = f"one derived from LeastRecentlyUsed, for its {', '.join(missing)}"
        raise ArgumentError("policy", policy, derived if len(missing) <= len(RULES) else "a policy such as LRU()")
    check_trim(getattr(policy, "trim", None))
