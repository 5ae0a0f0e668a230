"""The optimum of tiny instances by trying every cache state after every turn.

This is the judge of the replay, of the formulations and of Tail-Optimized Belady, so it shares nothing with
them but the instance: the states are tuples of cached lengths, the transitions are written from the problem's
description (a prefix may be kept of what is available; forced: the arriving conversation is kept whole).
"""

from collections.abc import Callable, Iterator
from itertools import product

from teltheory.model.instance import Instance

State = tuple[int, ...]
Cost = Callable[[int], int]


def smallest_total(instance: Instance, cost: Cost) -> int:
    """Return the smallest sum over turns of ``cost(uncached)`` that any policy reaches."""
    total = instance.total.tolist()
    return smallest_cost(instance, lambda k, reused: cost(total[k] - reused))


def smallest_rising_total(instance: Instance, cost: Cost) -> int:
    """Return `smallest_total` for a cost that never falls as `uncached` rises, on instances of some ten turns.

    Whoever holds a longer prefix of every conversation can do all that another can, at no more cost. So only what
    overflows is cut, a unit at a time, from every conversation that may lose one.
    """
    values = {_start(instance): 0}
    for k in range(len(instance.requests)):
        theta, total = int(instance.requests.code[k]), int(instance.total[k])
        at_hand: dict[State, int] = {}
        for state, value in values.items():
            after = (*state[:theta], int(instance.past[k]), *state[theta + 1 :])
            _lower(at_hand, after, value + cost(total - _reused(state, instance, k)))
        values = at_hand if k == len(instance.requests) - 1 else _cut_a_unit_at_a_time(at_hand, instance, theta)
    return min(values.values())


def _cut_a_unit_at_a_time(values: dict[State, int], instance: Instance, theta: int) -> dict[State, int]:
    fitting: dict[State, int] = {}
    while values:
        shorter: dict[State, int] = {}
        for state, value in values.items():
            if sum(state) <= instance.capacity:
                _lower(fitting, state, value)
                continue
            for i, kept in enumerate(state):
                if kept and not (instance.forced and i == theta):
                    _lower(shorter, (*state[:i], kept - 1, *state[i + 1 :]), value)
        values = shorter
    return fitting


def _lower(values: dict[State, int], state: State, value: int) -> None:
    if value < values.get(state, value + 1):
        values[state] = value


def smallest_cost(instance: Instance, cost: Callable[[int, int], int]) -> int:
    """Return the smallest sum over turns of ``cost(turn, reused)`` that any policy reaches."""
    values = {_start(instance): 0}
    for k in range(len(instance.requests)):
        after: dict[State, int] = {}
        for state, value in values.items():
            new = value + cost(k, _reused(state, instance, k))
            for successor in _successors(state, instance, k):
                _lower(after, successor, new)
        values = after
    return min(values.values())


def all_reuses(instance: Instance) -> set[tuple[int, ...]]:
    """Return every sequence of reused lengths that some policy reaches."""
    paths: set[tuple[State, tuple[int, ...]]] = {(_start(instance), ())}
    for k in range(len(instance.requests)):
        paths = {
            (after, (*reuses, _reused(state, instance, k)))
            for state, reuses in paths
            for after in _successors(state, instance, k)
        }
    return {reuses for _, reuses in paths}


def states_before_last(instance: Instance) -> set[State]:
    """Return every cache state, cached lengths by code, in which some policy meets the last turn."""
    states = {_start(instance)}
    for k in range(len(instance.requests) - 1):
        states = {after for state in states for after in _successors(state, instance, k)}
    return states


def _start(instance: Instance) -> State:
    held = {start.code: start.cached for start in instance.initial}
    codes = {*held, *instance.requests.code.tolist()}
    return tuple(held.get(code, 0) for code in range(len(codes)))


def _reused(state: State, instance: Instance, k: int) -> int:
    return min(state[int(instance.requests.code[k])], int(instance.history[k]))


def _successors(state: State, instance: Instance, k: int) -> Iterator[State]:
    """Yield every cache state that may follow turn k."""
    if k == len(instance.requests) - 1:
        yield ()
        return
    theta, past = int(instance.requests.code[k]), int(instance.past[k])
    at_hand = (*state[:theta], past, *state[theta + 1 :])
    least = [past if instance.forced and i == theta else 0 for i in range(len(state))]
    for kept in product(*(range(low, high + 1) for low, high in zip(least, at_hand, strict=True))):
        if sum(kept) <= instance.capacity:
            yield kept
