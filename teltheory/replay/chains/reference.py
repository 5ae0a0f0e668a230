"""The reference replay: plain Python, to be read beside Algorithm 1 of Zhang et al. 2025.

For every turn, in order of arrival (the symbols are the paper's):

1. conversation theta arrives; its cached prefix is cut to the turn's history, and the turn reuses it;
2. L_theta <- h + q + a, X_theta <- L_theta, and theta becomes the most recent;
3. while sum_i X_i > C, the policy says what goes ("cut"): first what it does not keep at all, then surplus
   above the budgets (Algorithm 1's free eviction), then the rest in its order of eviction (Algorithm 1: LRU).

Under forced caching theta is left out of the cut of its own turn; the cut after the last turn, where theta may
be longer than the cache (9), is then left out: it changes no outcome.

Two loops of Algorithm 1 are run in strides instead of block by block: eviction takes from a conversation all
that it holds or all that is needed, whichever is less, and round-robin trimming takes whole rounds at once.
`tests/replay` holds both against a version that goes block by block.
"""

from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.outcome import Outcome
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import RULES, AnyPolicy, CuttingPolicy, Policy, settled, unlike

__all__ = ["replayed_turns"]


def replay_reference(
    instance: Instance, policy: AnyPolicy, progress: Callable[[int], object] | None = None
) -> Outcome:
    """Replay the instance's trace under a policy; `progress` gets the number of turns done, now and then."""
    reused = []
    for k, (taken, _) in enumerate(replayed_turns(instance, policy)):
        reused.append(taken)
        if progress is not None and k % 256 == 255:
            progress(k + 1)
    if reused and np.asarray(reused).dtype.kind not in "iub":
        raise ArgumentError("policy", policy, "one whose budget is whole numbers: // in place of /")
    return Outcome.of(instance, reused)


def replayed_turns(instance: Instance, policy: AnyPolicy) -> Iterator[tuple[int, dict[int, Node]]]:
    """Replay turn by turn.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    policy : Policy or CuttingPolicy
        What is kept and what goes first.

    Yields
    ------
    int
        What the turn reused.
    dict of int to Node
        By code, all that have arrived so far, as the cut leaves them; it changes with the next turn.
    """
    trace = instance.requests
    after = _rules(policy, instance)
    times = [None] * len(trace) if trace.arrival is None else trace.arrival.tolist()
    columns = (trace.code, instance.history, instance.total, instance.past, trace.next_turn)
    codes, histories, *_ = rows = [column.tolist() for column in columns]
    turns = [*map(NextTurn, range(len(trace)), histories, trace.prompt.tolist()), None]
    first_turns = dict(zip(codes[::-1], turns[-2::-1], strict=True)) if instance.initial else {}
    beginning = times[0] if times else None
    conversations = {
        start.code: Node(rank, start.past, start.cached, first_turns.get(start.code), start.code, seen=beginning)
        for rank, start in enumerate(instance.initial)
    }
    cache = dict(conversations)
    for k, (theta, history, total, past, following) in enumerate(zip(*rows, strict=True)):
        arriving = conversations.setdefault(theta, Node(len(conversations), 0, 0, None, theta))
        reused = min(arriving.cached, history)
        arriving.past = arriving.cached = past
        arriving.next, arriving.last, arriving.seen = turns[following], k, times[k]
        arriving.hits += 1
        cache.pop(theta, None)
        cache[theta] = arriving
        if k < len(trace) - 1 or not instance.forced:
            now = after(k, total - reused)
            if not (hasattr(now, "drops") or hasattr(now, "cut")):
                raise unlike(policy, f"{_way(policy)} says how to cut after turn {k}", now)
            cut(cache, now, instance.capacity, arriving if instance.forced else None)
        yield reused, conversations


def _rules(policy: Any, instance: Instance) -> Callable[[int, int], Policy | CuttingPolicy]:
    """Return what says how to cut after a turn, given its number and what it computed."""
    way = _way(policy)
    if way is None:
        said = settled(policy)
        return lambda *_: said
    given: tuple[Any, ...] = () if way == "observing" else (instance,)
    if way == "beside":
        shadows = policy.shadows(instance)
        given = (instance, shadows, [replay_reference(instance, shadow) for shadow in shadows])
    says = getattr(policy, way)(*given)
    if not callable(says):
        raise unlike(policy, f"{way} returns a function", says)
    return (lambda _, uncached: says(uncached)) if way == "observing" else (lambda k, _: says(k))


def _way(policy: object) -> str | None:
    """Return the method that says what cuts after each turn, None for rules and for what cuts itself."""
    return next((way for way in ("beside", "bound_to", "observing") if hasattr(policy, way)), None)


def cut(
    cache: dict[int, Node],
    policy: Any,
    capacity: int,
    exempt: Node | None,
) -> None:
    """Cut the cache (least recent first) to the capacity."""
    candidates = [c for c in cache.values() if c is not exempt]
    if hasattr(policy, "cut"):
        policy.cut(candidates, _overflow(cache, capacity))
        if _overflow(cache, capacity) > 0:
            raise ArgumentError("policy", policy, "one whose cut leaves no more than the capacity")
        if getattr(policy, "forgets", False):
            _forget_empty(cache)
        return
    policy = settled(policy)
    for conversation in candidates:
        if policy.drops(conversation):
            conversation.cached = 0
    try:
        if policy.trim == "eager":
            trim_all(candidates, policy)
        overflow = _overflow(cache, capacity)
        if overflow > 0:
            trim = trim_in_rounds if policy.trim == "round-robin" else trim_in_order
            overflow = trim(candidates, policy, overflow)
            evict(candidates, policy, overflow)
    except TypeError:
        _check_answers(policy, candidates)
        raise
    _forget_empty(cache)


def _check_answers(policy: Any, nodes: Sequence[Node]) -> None:
    """Raise `ArgumentError` for a rule that returns no number of a node."""
    for rule in RULES[1:]:
        for said in map(getattr(policy, rule), nodes):
            if not isinstance(said, Real):
                raise unlike(policy, f"{rule} returns a number", said) from None


def _forget_empty(cache: dict[int, Node]) -> None:
    for code in [code for code, conversation in cache.items() if conversation.cached == 0]:
        del cache[code]


def _overflow(cache: dict[int, Node], capacity: int) -> int:
    return sum([conversation.cached for conversation in cache.values()]) - capacity


def trim_all(candidates: Sequence[Node], policy: Policy) -> None:
    """Trim every surplus, overflow or not."""
    for conversation in candidates:
        kept = policy.budget(conversation)
        if kept < conversation.cached:
            if kept < 0:
                raise unlike(policy, "budget is 0 or more", kept)
            conversation.cached = kept


def trim_in_order(candidates: Sequence[Node], policy: Policy, overflow: int) -> int:
    """Trim whole surpluses in the policy's order until the overflow is gone; return what is left of it."""
    for conversation in sorted(candidates, key=policy.trim_key):
        surplus = max(0, conversation.cached - policy.budget(conversation))
        if surplus > conversation.cached:
            raise unlike(policy, "budget is 0 or more", conversation.cached - surplus)
        trimmed = min(surplus, overflow)
        conversation.cached -= trimmed
        overflow -= trimmed
        if overflow == 0:
            break
    return overflow


def trim_in_rounds(candidates: Sequence[Node], policy: Policy, overflow: int) -> int:
    """Trim one unit a conversation and round, in order of first arrival; return the overflow that is left.

    While every conversation with surplus has at least r of it and r rounds do not exceed the overflow, r
    rounds are one step; the last, unfinished round takes one unit from the first conversations.
    """
    surplus = {c.first: c.cached - policy.budget(c) for c in candidates}
    in_round = sorted((c for c in candidates if surplus[c.first] > 0), key=lambda c: c.first)
    for conversation in in_round:
        if surplus[conversation.first] > conversation.cached:
            raise unlike(policy, "budget is 0 or more", conversation.cached - surplus[conversation.first])
    while in_round and overflow > 0:
        rounds = min(overflow // len(in_round), *(surplus[c.first] for c in in_round))
        trimmed, visited = (rounds, in_round) if rounds else (1, in_round[:overflow])
        for conversation in visited:
            conversation.cached -= trimmed
            surplus[conversation.first] -= trimmed
        overflow -= trimmed * len(visited)
        in_round = [c for c in in_round if surplus[c.first] > 0]
    return overflow


def evict(candidates: Sequence[Node], policy: Policy, overflow: int) -> None:
    """Evict in the policy's order, each conversation from the end of its prefix, until the overflow is gone."""
    if overflow == 0:
        return
    for conversation in sorted(candidates, key=policy.eviction_key):
        evicted = min(conversation.cached, overflow)
        conversation.cached -= evicted
        overflow -= evicted
        if overflow == 0:
            break
