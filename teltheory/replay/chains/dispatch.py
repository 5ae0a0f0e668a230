"""The fast replay: compiled loops over slots, the same outcome as the reference turn by turn.

A policy's rules are asked once (`teltheory.replay.chains.rules`), and their answers choose the loop: both orders
by recency have those of ``tlru.c``, orders by the next use that of ``belady.c``, any other that of
``generic.c``. A policy without rules may name a loop of its own: ET-LRU has those of ``scored.c``,
T-LRU with an adaptive threshold that of ``adaptive.c``, Work-Aware T-LRU that of ``work_aware.c``. All read the
arrays of `teltheory.replay.chains.slots`; lengths are int64 throughout, as with int32 the loops were at most 8 %
faster.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from teltheory.base.loops import call, loop
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, IntArray, exact_sum, readonly, whole_number
from teltheory.model.outcome import Outcome
from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.learned.etlru import ETLRU
from teltheory.policies.learned.return_aware import ReturnAwareTLRU
from teltheory.policies.policy import AnyPolicy, NotCompiledError, has_rules, own_loop, settled
from teltheory.policies.work_aware import WorkAwareTLRU
from teltheory.replay.chains.rules import SlotRules, places
from teltheory.replay.chains.scored import as_tlru, lowest_scores_first
from teltheory.replay.chains.slots import Layout, Slots, first_arrival_ranks, unless_never_cut
from teltheory.replay.learned.followed import follow_on_turns


def replay_kernel(instance: Instance, policy: AnyPolicy) -> Outcome:
    """Replay the instance's trace by a compiled loop; `NotCompiledError` if none does what the policy does."""
    policy = settled(policy)
    own = own_loop(policy)
    if own is not None:
        return OWN_LOOPS[own](instance, policy)
    if not has_rules(policy):
        raise _refusal(policy, "which the kernel does not run")
    slots = Slots.of(instance)
    rules = SlotRules.of(policy, instance, slots)
    if rules.by_recency:
        return _by_recency(instance, slots, rules, policy.trim)
    if rules.by_next_use and rules.full is slots.before_first_cut:
        caps = np.asarray(rules.budget)
        if caps.ndim and not (slots.ended & (caps > 0)).any():  # the loop relies on it
            return _by_next_use(instance, slots, caps, None)[0]
    if policy.trim == "round-robin":
        raise _refusal(policy, "which has round-robin trimming with orders of its own")
    return _generic(instance, slots, rules)


def _refusal(policy: AnyPolicy, why: str) -> NotCompiledError:
    return NotCompiledError("engine", "kernel", f"'reference' for {policy!r}, {why}")


def _by_recency(instance: Instance, slots: Slots, rules: SlotRules, trim: str | None) -> Outcome:
    least: IntArray | None = None
    safe = 0
    if rules.safe is not None and not instance.forced:
        full, safe = rules.kept, rules.safe
    else:
        full, least = map(readonly, unless_never_cut(rules.full, rules.least, slots, instance.forced))
    layout = _layout(instance, slots, full)
    exempt = slots.before_first_cut if instance.forced else None
    if not rules.trims:
        call("replay_lru", layout.sizes, layout, exempt)
    elif trim == "round-robin":
        _check_rounds(instance, np.minimum(full, safe) if least is None else np.maximum(full - least, 0))
        call("replay_round_robin_trim", layout.sizes, layout, exempt, least, safe, _leaves(instance))
    else:
        call("replay_least_recent_trim", layout.sizes, layout, exempt, least, safe)
    return _outcome(layout)


def _leaves(instance: Instance) -> tuple[IntArray, int, IntArray]:
    """Return the leaf of each slot in the tree of surpluses, how many there are, and the tree's room."""
    ranks = first_arrival_ranks(instance)
    leaves = int(ranks.max(initial=0)) + 1
    return ranks, leaves, np.empty(12 * leaves, np.int64)


def _check_rounds(instance: Instance, surplus: IntArray) -> None:
    """Refuse what the tree of surpluses can't count: all that may be trimmed together has to be below 2**63."""
    if exact_sum(surplus) > INT64_MAX:
        expected = f"'reference' for {len(instance)} turns whose surpluses add up to 2**63 or more, in rounds"
        raise NotCompiledError("engine", "kernel", expected)


def _generic(instance: Instance, slots: Slots, rules: SlotRules) -> Outcome:
    layout, holds = _layout(instance, slots, slots.before_first_cut), _held_at_start(instance, slots)
    orders = tuple(places(keys, len(holds)) for keys in (rules.trimming, rules.eviction))
    room = np.empty(2 * (len(holds) // 63 + 12), np.uint64), np.empty(2 * len(holds), np.int64)
    call("replay_generic", layout.sizes, layout, rules.full, rules.least, orders, holds, instance.forced, room)
    return _outcome(layout)


def _outcome(layout: Layout) -> Outcome:
    return Outcome(readonly(layout.cached), readonly(layout.uncached))


def _scored(instance: Instance, policy: ETLRU) -> Outcome:
    same = as_tlru(instance, policy)
    if same is not None:
        return replay_kernel(instance, same)
    slots = Slots.of(instance)
    layout = _layout(instance, slots, slots.before_first_cut)
    lowest_scores_first(instance, policy, slots, layout, _held_at_start(instance, slots))
    return _outcome(layout)


def _adaptive(instance: Instance, policy: AdaptiveTLRU) -> Outcome:
    slots = Slots.of(instance)
    if policy.trim == "round-robin":
        _check_rounds(instance, slots.past)
    layout, waiting = _layout(instance, slots, slots.before_first_cut), np.empty(len(slots.past), np.int64)
    cache = _held_at_start(instance, slots), slots.past, waiting, _leaves(instance)
    how = instance.forced, policy.trim == "round-robin", policy.trim == "eager"
    place, xi, served = np.zeros(3, np.int64), policy.xi, 0
    serve = loop("serve_at_threshold").bound(layout.sizes, layout, cache, how, place, then=3)
    while served < len(instance):
        first, served = served, min(len(instance), served + policy.every if served else policy.window)
        serve(max(xi - policy.q_hat, 0), first, served)
        if policy.updates_after(served):
            xi = whole_number("xi", policy.updated(xi, layout.uncached[served - policy.window : served]))
    return _outcome(layout)


def _work_aware(instance: Instance, policy: WorkAwareTLRU) -> Outcome:
    work, unit = policy.work.as_integer_ratio()
    if (work + unit) * (len(instance) + len(instance.initial) + 1) > INT64_MAX:
        raise _refusal(policy, "whose work has too many digits")
    slots = Slots.of(instance)
    layout = _layout(instance, slots, slots.before_first_cut)
    least = readonly(np.minimum(policy.kept(slots.past), layout.full))
    call("replay_work_aware", layout.sizes, layout, least, work, unit, instance.forced)
    return _outcome(layout)


def _experts(instance: Instance, policy: ReturnAwareTLRU) -> Outcome:
    return follow_on_turns(instance, policy).outcome


OWN_LOOPS: dict[str, Callable[[Instance, Any], Outcome]] = {
    "adaptive": _adaptive,
    "experts": _experts,
    "scored": _scored,
    "work-aware": _work_aware,
}


def replay_with_log(instance: Instance, xi: int) -> tuple[Outcome, IntArray]:
    """Replay Tail-Optimized Belady; return the outcome and the log of ``belady.c``."""
    slots = Slots.of(instance)
    caps = np.asarray(SlotRules.of(TailOptimizedBelady(xi), instance, slots).budget)
    log = np.empty((len(instance.initial) + 2 * len(instance.requests), 2), np.int64)
    outcome, logged = _by_next_use(instance, slots, caps, log)
    return outcome, log[:logged]


def _by_next_use(instance: Instance, slots: Slots, caps: IntArray, log: IntArray | None) -> tuple[Outcome, int]:
    layout, holds = _layout(instance, slots, slots.before_first_cut), _held_at_start(instance, slots)
    bits = np.empty(len(instance) // 63 + 12, np.uint64)
    caps = np.ascontiguousarray(caps)
    logged = call("replay_belady", layout.sizes, layout, caps, holds, instance.forced, bits, log)
    return _outcome(layout), logged


def _held_at_start(instance: Instance, slots: Slots) -> IntArray:
    holds, initial = np.zeros(len(slots.past), np.int64), len(instance.initial)
    holds[:initial] = slots.before_first_cut[:initial]
    return holds


def _layout(instance: Instance, slots: Slots, full: IntArray) -> Layout:
    """Return the arrays; the outcome's come from numpy, which asks for large pages.

    All that is only read is closed for writing, as each mixture of open and closed arrays is compiled anew.
    """
    n = len(instance.requests)
    return Layout(
        instance.history,
        instance.requests.prompt,
        readonly(full),
        slots.previous,
        slots.following,
        instance.capacity,
        cached=np.empty(n, np.int64),
        uncached=np.empty(n, np.int64),
    )
