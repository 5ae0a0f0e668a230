"""The fast replay: compiled loops over slots, the same outcome as the reference turn by turn.

LRU and the T-LRU variants have the loops of `teltheory.replay.recency`, Belady and Tail-Optimized Belady that of
`teltheory.replay.furthest`, ET-LRU those of `teltheory.replay.scored`, T-LRU with an adaptive threshold those of
`teltheory.replay.adaptive`, and policies of one's own with orders of their own that of `teltheory.replay.ruled`.
All read the arrays of `teltheory.replay.slots`; lengths are int64 throughout, as with int32 the loops were at most
8 % faster.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from typing_extensions import TypeIs

from teltheory.errors import ArgumentError
from teltheory.instance import Instance
from teltheory.numbers import IntArray, readonly
from teltheory.outcome import Outcome
from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.online import LRU, TLRU, ThresholdLRU
from teltheory.policies.policy import AnyPolicy, Policy, TimedPolicy, has_rules
from teltheory.replay.adaptive import follow_tail
from teltheory.replay.furthest import furthest_first
from teltheory.replay.recency import Layout, by_recency, in_rounds, untrimmed
from teltheory.replay.slots import (
    BY_NEXT_TURN,
    BY_RECENCY,
    Slots,
    first_arrival_ranks,
    settled,
    unless_never_cut,
    worth_keeping,
)


def replay_kernel(instance: Instance, policy: AnyPolicy) -> Outcome:
    """Replay the instance's trace under one of the toolkit's own policies, or by the rules of any other.

    A class that is derived from one of the toolkit's own counts as another: its rules may differ.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    policy : Policy, TimedPolicy or AdaptiveTLRU
        One of `teltheory.replay.slots.BY_RECENCY` or `BY_NEXT_TURN`, `ETLRU`, `AdaptiveTLRU`, or one with rules.

    Returns
    -------
    Outcome
        What each turn reused and computed.

    Raises
    ------
    ArgumentError
        Where the policy is of neither kind.
    """
    if _is_timed(policy):
        return _scored(instance, policy)
    if type(policy) is AdaptiveTLRU:
        return _adaptive(instance, policy)
    if not has_rules(policy):
        raise ArgumentError("engine", "kernel", f"'reference' for {policy!r}, which the kernel does not run")
    if type(policy) in BY_NEXT_TURN:
        return _furthest_first(instance, policy, np.empty((0, 2), np.int64))[0]
    slots = Slots.of(instance)
    if type(policy) not in BY_RECENCY:
        return _ruled(instance, policy, slots)
    least: IntArray | None = None
    safe = 0
    if _keeps_all_but_a_constant(policy, instance):
        full, safe = slots.past, max(policy.xi - policy.q_hat, 0)
    else:
        full, least = map(readonly, settled(policy, slots, instance))
    plain = isinstance(policy, (LRU, ThresholdLRU)) or policy.trim == "eager"
    return _by_recency(instance, slots, full, least, safe, "none" if plain else policy.trim)


def _by_recency(
    instance: Instance, slots: Slots, full: IntArray, least: IntArray | None, safe: int, trim: str
) -> Outcome:
    layout = _layout(instance, slots, full)
    exempt = slots.at_hand if instance.forced else None
    if trim == "none":
        untrimmed(layout, exempt)
    elif trim == "round-robin":
        in_rounds(layout, least, safe, first_arrival_ranks(instance), exempt)
    else:
        by_recency(layout, least, safe, exempt)
    return _outcome(layout)


def _ruled(instance: Instance, policy: Policy, slots: Slots) -> Outcome:
    """Replay a policy of somebody's own by what its rules say of every slot."""
    from teltheory.replay.ruled import Rules, by_rules

    rules = Rules.of(policy, instance, slots)
    if rules.by_recency:
        full, least = map(readonly, unless_never_cut(rules.full, rules.least, slots, instance.forced))
        return _by_recency(instance, slots, full, least, 0, "none" if policy.trim == "eager" else policy.trim)
    if policy.trim == "round-robin":
        raise ArgumentError("engine", "kernel", f"'reference' for {policy!r}: round-robin with its own orders")
    layout = _layout(instance, slots, slots.at_hand)
    arrays = rules.full, rules.least, rules.trimming, rules.eviction
    by_rules(layout, arrays, _held_at_start(instance, slots), instance.forced)
    return _outcome(layout)


def _is_timed(policy: AnyPolicy) -> TypeIs[TimedPolicy]:
    return hasattr(policy, "bound_to")


def _keeps_all_but_a_constant(policy: Policy, instance: Instance) -> TypeGuard[TLRU]:
    """Whether budgets need no array of their own: T-LRU where every slot comes under a cut with its whole past."""
    simple = not instance.initial and not instance.forced
    return simple and type(policy) is TLRU and policy.trim != "eager"


def _outcome(layout: Layout) -> Outcome:
    return Outcome(readonly(layout.cached), readonly(layout.uncached))


def _scored(instance: Instance, policy: TimedPolicy) -> Outcome:
    from teltheory.replay.expected import as_tlru, lowest_scores_first

    same = as_tlru(instance, policy)
    if same is not None:
        return replay_kernel(instance, same)
    slots = Slots.of(instance)
    layout = _layout(instance, slots, slots.at_hand)
    lowest_scores_first(instance, policy, slots, layout, _held_at_start(instance, slots))
    return _outcome(layout)


def _adaptive(instance: Instance, policy: AdaptiveTLRU) -> Outcome:
    slots = Slots.of(instance)
    layout = _layout(instance, slots, slots.at_hand)
    follow_tail(policy, layout, slots.past, first_arrival_ranks(instance), instance.forced)
    return _outcome(layout)


def replay_with_log(instance: Instance, xi: int) -> tuple[Outcome, IntArray]:
    """Replay Tail-Optimized Belady; return the outcome and the log of `teltheory.replay.furthest`."""
    log = np.empty((len(instance.initial) + 2 * len(instance.trace), 2), np.int64)
    outcome, logged = _furthest_first(instance, TailOptimizedBelady(xi), log)
    return outcome, log[:logged]


def _furthest_first(instance: Instance, policy: Policy, log: IntArray) -> tuple[Outcome, int]:
    slots = Slots.of(instance)
    layout = _layout(instance, slots, slots.at_hand)
    caps = worth_keeping(policy, slots, instance)
    logged = furthest_first(layout, caps, _held_at_start(instance, slots), instance.forced, log)
    return _outcome(layout), logged


def _held_at_start(instance: Instance, slots: Slots) -> IntArray:
    holds, initial = np.zeros(len(slots.at_hand), np.int64), len(instance.initial)
    holds[:initial] = slots.at_hand[:initial]
    return holds


def _layout(instance: Instance, slots: Slots, full: IntArray) -> Layout:
    """Return the arrays; the outcome's come from numpy, which asks for large pages.

    All that is only read is closed for writing, as each mixture of open and closed arrays is compiled anew.
    """
    n = len(instance.trace)
    return Layout(
        instance.history,
        instance.trace.prompt,
        readonly(full),
        slots.previous,
        slots.following,
        instance.capacity,
        cached=np.empty(n, np.int64),
        uncached=np.empty(n, np.int64),
    )
