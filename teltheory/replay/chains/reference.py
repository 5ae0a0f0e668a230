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
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.initial import Start
from teltheory.model.instance import Instance
from teltheory.model.outcome import Outcome
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import RULES, AnyPolicy, CuttingPolicy, Policy, Seen, settled, unlike

__all__ = ["replayed_turns"]


class PlainTurn(NamedTuple):
    """A turn in plain numbers; `next` is None if its conversation, `code`, never returns."""

    code: int
    history: int
    total: int
    past: int
    next: NextTurn | None
    time: float | None = None


def replay_reference(
    instance: Instance, policy: AnyPolicy, progress: Callable[[int], object] | None = None
) -> Outcome:
    """Replay the instance's trace under a policy; `progress` gets the number of turns done, now and then."""
    reused = []
    for k, (taken, _) in enumerate(replayed_turns(instance, policy)):
        reused.append(taken)
        if progress is not None and k % 256 == 255:
            progress(k + 1)
    return Outcome.of(instance, whole_reuses(reused, policy))


def whole_reuses(reused: list[int], policy: AnyPolicy) -> list[int]:
    """Return what turns reused; `ArgumentError` for a policy with which that is no whole number."""
    others = set(map(type, reused)) - {int}
    if others and np.asarray(reused).dtype.kind not in "iub":
        raise ArgumentError("policy", policy, "one whose budget is whole numbers: // in place of /")
    return [*map(int, reused)] if others else reused


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
    asked = rules_for(policy, instance)
    return replayed_plainly(turns_of(instance), instance.initial, instance.capacity, instance.forced, asked)


def turns_of(instance: Instance) -> list[PlainTurn]:
    """Return the turns of an instance in plain numbers."""
    trace = instance.requests
    columns = (trace.code, instance.history, instance.total, instance.past, trace.next_turn)
    *rows, following = (column.tolist() for column in columns)
    times = [None] * len(trace) if trace.arrival is None else trace.arrival.tolist()
    turns = [*map(NextTurn, range(len(trace)), rows[1], trace.prompt.tolist()), None]
    return [*map(PlainTurn, *rows, (turns[k] for k in following), times)]


def replayed_plainly(
    turns: Sequence[PlainTurn],
    initial: Sequence[Start],
    capacity: int,
    forced: bool,
    asked: Callable[[int, int], Policy | CuttingPolicy],
) -> Iterator[tuple[int, dict[int, Node]]]:
    """Replay turns; `asked` takes the number of a turn and what it computed, and says how to cut after it."""
    backwards = [*enumerate(turns)][::-1] if initial else []
    first_turns = {turn.code: NextTurn(k, turn.history, turn.total - turn.history) for k, turn in backwards}
    beginning = turns[0].time if turns else None
    conversations = {
        start.code: Node(rank, start.past, start.cached, first_turns.get(start.code), start.code, seen=beginning)
        for rank, start in enumerate(initial)
    }
    cache = dict(conversations)
    for k, (theta, history, total, past, following, time) in enumerate(turns):
        if theta not in conversations:
            conversations[theta] = Node(len(conversations), 0, 0, None, theta)
        arriving = conversations[theta]
        reused = min(arriving.cached, history)
        arriving.past = arriving.cached = past
        arriving.next, arriving.last, arriving.seen = following, k, time
        arriving.hits += 1
        cache.pop(theta, None)
        cache[theta] = arriving
        if k < len(turns) - 1 or not forced:
            _cut(cache, asked(k, total - reused), capacity, arriving if forced else None)
        yield reused, conversations


def rules_for(policy: Any, instance: Any = None) -> Callable[[int, int], Any]:
    """Return what says how to cut after a turn, given its number and what it computed.

    A policy that works by rules needs no instance.
    """
    way = _way(policy)
    if way is None:
        said = _that_cuts(policy, policy, "it has rules, or a cut")
        return lambda *_: said
    says = getattr(policy, way)(*(() if way == "observing" else (instance,)))
    if not callable(says):
        raise unlike(policy, f"{way} returns a function", says)
    watched = [replayed_turns(instance, one) for one in (policy.shadows(instance) if way == "beside" else ())]

    def asked(k: int, uncached: int) -> Any:
        given = (uncached,) if way == "observing" else (k, [*map(_seen, watched)]) if watched else (k,)
        return _that_cuts(says(*given), policy, f"{way} says how to cut after turn {k}")

    return asked


def _seen(watched: Iterator[tuple[int, dict[int, Node]]]) -> Seen:
    reused, conversations = next(watched)
    return reused, lambda node: conversations[node.code].cached


def _that_cuts(found: Any, policy: Any, what: str) -> Any:
    if not (hasattr(found, "drops") or hasattr(found, "cut")):
        raise unlike(policy, what, found)
    return settled(found)


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
    _cut(cache, settled(policy), capacity, exempt)


def _cut(cache: dict[int, Node], policy: Any, capacity: int, exempt: Node | None) -> None:
    candidates = [c for c in cache.values() if c is not exempt]
    if hasattr(policy, "cut"):
        policy.cut(candidates, _overflow(cache, capacity))
        if _overflow(cache, capacity) > 0:
            raise ArgumentError("policy", policy, "one whose cut leaves no more than the capacity")
        if getattr(policy, "forgets", False):
            _forget_empty(cache)
        return
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
