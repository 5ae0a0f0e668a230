"""How requests are replayed, whatever kind they are of: the arguments of `teltheory.replay.replay`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from teltheory.errors import ArgumentError, MachineCodeError
from teltheory.model.initial import Initial
from teltheory.model.tiers import Tiers
from teltheory.policies.policy import OTHER_WAYS, RULES, NotCompiledError, check_trim
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.tiers.nodes import WholeNodes

Engine = Literal["auto", "kernel", "reference"]
Cache = Literal["strict", "holes", "whole"] | RadixNodes | WholeNodes
KERNEL_FROM = 500
"""Turns from which on a few replays by the kernel, loaded, are quicker than by the reference."""
UNITS_A_TURN = 3
"""Units of paths that the reference replays in the time of a turn, where it goes by units."""
REFERENCE_TO = 10_000
"""Turns up to which the reference takes a few seconds, and stands in for loops that there is no code of."""


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


@contextmanager
def or_reference(engine: Engine, turns: int) -> Iterator[None]:
    """Let the reference follow if no loop does what is asked; short of machine code too, with a warning.

    Raises
    ------
    NotCompiledError
        If the kernel was asked for.
    MachineCodeError
        If it was, or if the reference would take longer than seconds.
    """
    try:
        yield
    except NotCompiledError:
        if engine == "kernel":
            raise
    except MachineCodeError as error:
        if engine == "kernel":
            raise
        if turns > REFERENCE_TO:
            raise MachineCodeError(f"{error}; without it at most {REFERENCE_TO:,} turns are replayed") from error
        warnings.warn(f"{error}; something slower runs meanwhile", stacklevel=1)


def check_policy(policy: object) -> None:
    """Raise `ArgumentError` for what lacks rules, as a class does, or trims in no known way."""
    if isinstance(policy, type):
        raise ArgumentError("policy", policy, f"a policy such as LRU(): a value, {policy.__name__}(...)")
    missing = [rule for rule in (*RULES, "trim") if not hasattr(policy, rule)]
    if missing and not any(hasattr(policy, way) for way in OTHER_WAYS):
        derived = f"one derived from LeastRecentlyUsed, for its {', '.join(missing)}"
        raise ArgumentError("policy", policy, derived if len(missing) <= len(RULES) else "a policy such as LRU()")
    check_trim(getattr(policy, "trim", None))
