"""A case: one small instance with its parameters, on which a claim is true or false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from teltheory.claims.claim import Values
from teltheory.errors import ArgumentError
from teltheory.model.initial import Start
from teltheory.model.instance import Instance
from teltheory.model.numbers import whole_number
from teltheory.model.trace import Trace
from teltheory.policies.node import NextTurn
from teltheory.policies.policy import AnyPolicy, has_rules
from teltheory.replay.chains.reference import (
    PlainTurn,
    replay_reference,
    replayed_plainly,
    rules_for,
    whole_reuses,
)

__all__ = ["Case"]

Turns: TypeAlias = tuple[tuple[int, int, int], ...]
Starts: TypeAlias = tuple[tuple[int, int, int], ...]


_OF_A_CASE = ("turns", "initial", "capacity", "xi", "q_hat", "forced")
PARAMETERS = ("capacity", "xi", "q_hat")
Place: TypeAlias = tuple[str, int, int]
"""Where a number of a case stands: "turns" or "initial", which of them, and its column; or a parameter, 0, 0."""


@dataclass(frozen=True)
class World:
    """Turns (conversation, prompt, response) and an initial cache (conversation, past, cached)."""

    turns: Turns
    initial: Starts = ()
    _instances: dict[tuple[int, bool], Instance] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _uncached: dict[tuple[int, bool, AnyPolicy], list[int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def trace(self) -> Trace:
        """The turns as a cumulative trace."""
        columns = list(zip(*self.turns, strict=True)) or [(), (), ()]
        return Trace.from_turns(*columns)

    @cached_property
    def in_numbers(self) -> tuple[list[PlainTurn], list[Start]]:
        """The turns and the initial cache in plain numbers, as an instance of the trace has them."""
        past = {conversation: length for conversation, length, _ in self.initial}
        codes: dict[int, int] = {}
        coming: dict[int, NextTurn] = {}
        before = []
        for conversation, prompt, response in self.turns:
            before.append(past.get(conversation, 0))
            past[conversation] = before[-1] + prompt + response
            codes.setdefault(conversation, len(codes))
        turns = []
        for k, (conversation, prompt, response) in reversed([*enumerate(self.turns)]):
            code, total = codes[conversation], before[k] + prompt
            turns.append(PlainTurn(code, before[k], total, total + response, coming.get(code)))
            coming[code] = NextTurn(k, before[k], prompt)
        starts = [Start(codes.setdefault(c, len(codes)), length, cached) for c, length, cached in self.initial]
        return turns[::-1], starts

    @cached_property
    def held(self) -> int:
        """What the initial cache holds."""
        return sum(cached for _, _, cached in self.initial)

    @cached_property
    def tokens(self) -> int:
        """All prompts, responses and initial pasts together: no larger capacity ever overflows."""
        return sum(q + a for _, q, a in self.turns) + sum(past for _, past, _ in self.initial)

    @cached_property
    def continuing_prompts(self) -> list[int]:
        """Prompts of the turns that continue a conversation, the initial ones included."""
        seen = {conversation for conversation, _, _ in self.initial}
        prompts = []
        for conversation, prompt, _ in self.turns:
            if conversation in seen:
                prompts.append(prompt)
            seen.add(conversation)
        return prompts

    def canonical(self) -> World:
        """Return the world with its conversations numbered in order of appearance."""
        numbers: dict[int, int] = {}
        for conversation, _, _ in (*self.initial, *self.turns):
            numbers.setdefault(conversation, len(numbers))
        return World(
            tuple((numbers[c], prompt, response) for c, prompt, response in self.turns),
            tuple((numbers[c], past, cached) for c, past, cached in self.initial),
        )

    def changed(self, name: str, k: int, column: int, value: int) -> World:
        """Return the world with another number in its place."""
        entries = list(getattr(self, name))
        entries[k] = (*entries[k][:column], value, *entries[k][column + 1 :])
        rows: dict[str, Any] = {name: tuple(entries)}
        return replace(self, **rows)

    def forced_capacity(self) -> int:
        """Return the smallest capacity under which forced caching is feasible."""
        return max((turn.past for turn in self.in_numbers[0][:-1]), default=0)


@dataclass(frozen=True)
class Case:
    """A world with a capacity, a threshold, a prompt estimate and a caching mode."""

    world: World
    capacity: int
    xi: int = 0
    q_hat: int = 0
    forced: bool = False

    @classmethod
    def of(cls, example: Mapping[str, Any]) -> Case:
        """Return the case that `as_counterexample` wrote down; `ArgumentError` names a field of anything else."""
        if not isinstance(example, Mapping) or not set(_OF_A_CASE) <= set(example):
            raise ArgumentError("case", example, f"an object with {', '.join(_OF_A_CASE)}")
        turns, initial = (_triples(name, example[name]) for name in ("turns", "initial"))
        capacity, xi, q_hat = (whole_number(name, example[name]) for name in PARAMETERS)
        if not isinstance(example["forced"], bool):
            raise ArgumentError("forced", example["forced"], "true or false")
        return cls(World(turns, initial), capacity, xi, q_hat, example["forced"])

    @property
    def instance(self) -> Instance:
        """The world as an instance for replay, optimum and brute force."""
        known, key = self.world._instances, (self.capacity, self.forced)
        if key not in known:
            known[key] = Instance.of(
                self.world.trace, self.capacity, forced=self.forced, initial=self.world.initial
            )
        return known[key]

    def uncached(self, policy: AnyPolicy) -> list[int]:
        """Return the uncached length of each turn under a policy."""
        known, key = self.world._uncached, (self.capacity, self.forced, policy)
        if key not in known:
            known[key] = self._computed(policy)
        return known[key]

    def _computed(self, policy: AnyPolicy) -> list[int]:
        """Replay a policy; an instance is made where the policy asks for one, or where it is refused."""
        world, capacity, forced = self.world, self.capacity, self.forced
        if not has_rules(policy) or capacity < max(world.held, world.forced_capacity() if forced else 0):
            return list(map(int, replay_reference(self.instance, policy).uncached))
        turns, starts = world.in_numbers
        replay = replayed_plainly(turns, starts, capacity, forced, rules_for(policy))
        reused = whole_reuses([taken for taken, _ in replay], policy)
        return [turn.total - taken for turn, taken in zip(turns, reused, strict=True)]

    def excesses(self, policy: AnyPolicy) -> list[int]:
        """Return max(uncached - xi, 0) of each turn under a policy."""
        return [max(uncached - self.xi, 0) for uncached in self.uncached(policy)]

    def tel(self, policy: AnyPolicy) -> int:
        """Return the tail excess latency under a policy."""
        return sum(self.excesses(policy))

    def reuses(self, policy: AnyPolicy) -> list[int]:
        """Return the reused length of each turn under a policy."""
        turns, _ = self.world.in_numbers
        return [turn.total - uncached for turn, uncached in zip(turns, self.uncached(policy), strict=True)]

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": turns, conversations, tokens, then C, xi, q_hat."""
        world = self.world
        conversations = {c for c, _, _ in (*world.turns, *world.initial)}
        parameters = (self.capacity, self.xi, self.q_hat, self.forced)
        return (len(world.turns), len(conversations), world.tokens, *parameters, world.initial, world.turns)

    def measures(self) -> dict[str, int]:
        """Return turns, conversations and tokens."""
        return dict(zip(("turns", "conversations", "tokens"), self.size(), strict=False))

    def smaller(self) -> Iterator[Case]:
        """Yield the admissible cases one step smaller, conversations in order of appearance.

        A step takes away a turn (unless it is the only one) or a start, lowers a length by half or by one, or C,
        xi, q_hat.
        """
        for case in self._steps():
            if case.admissible:
                yield replace(case, world=case.world.canonical())

    def _steps(self) -> Iterator[Case]:
        turns, initial = self.world.turns, self.world.initial
        for k in range(len(turns) if len(turns) > 1 else 0):
            yield replace(self, world=World(turns[:k] + turns[k + 1 :], initial))
        for k in range(len(initial)):
            yield replace(self, world=World(turns, initial[:k] + initial[k + 1 :]))
        for place in self.places():
            value = self.at(place)
            if place[0] != "initial" and value > 0:
                yield from (self.put(place, less) for less in sorted({value // 2, value - 1}))

    def places(self) -> Iterator[Place]:
        """Yield where its numbers stand: initial cache, what is held first; turns; parameters."""
        yield from (("initial", k, column) for k in range(len(self.world.initial)) for column in (2, 1))
        yield from (("turns", k, column) for k in range(len(self.world.turns)) for column in (1, 2))
        yield from ((name, 0, 0) for name in PARAMETERS)

    def at(self, place: Place) -> int:
        """Return the number in a place."""
        name, k, column = place
        return int(getattr(self, name) if name in PARAMETERS else getattr(self.world, name)[k][column])

    def put(self, place: Place, value: int) -> Case:
        """Return the case with another number in a place."""
        if place[0] not in PARAMETERS:
            return replace(self, world=self.world.changed(*place, value))
        parameter: dict[str, Any] = {place[0]: value}
        return replace(self, **parameter)

    @property
    def admissible(self) -> bool:
        """Whether capacity, caching mode and initial cache go together."""
        try:
            Instance.of(self.world.trace, self.capacity, forced=self.forced, initial=self.world.initial)
        except ValueError:
            return False
        return True

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the case and the values that refute a claim, all in whole numbers."""
        return {
            "turns": [list(turn) for turn in self.world.turns],
            "initial": [list(start) for start in self.world.initial],
            "capacity": self.capacity,
            "xi": self.xi,
            "q_hat": self.q_hat,
            "forced": self.forced,
            "values": {name: value if isinstance(value, int) else list(value) for name, value in values.items()},
        }


def _triples(name: str, found: object) -> Turns:
    if not isinstance(found, Sequence) or not all(isinstance(one, Sequence) and len(one) == 3 for one in found):
        raise ArgumentError(name, found, "a list of three whole numbers each")
    triples = (tuple(whole_number(f"{name}[{i}]", value) for value in one) for i, one in enumerate(found))
    return tuple((c, n, m) for c, n, m in triples)


Policies: TypeAlias = Mapping[str, Callable[[Case], AnyPolicy]]
"""Policies by the names that a row's values have for them, each made for a case."""


def compared(
    measure: Callable[[Case, AnyPolicy], Any],
    policies: Policies,
    given: Callable[[Case], bool] = lambda case: True,
) -> Callable[[Case], Values | None]:
    """Return the check that computes a measure under policies, by their names, of cases that are `given`."""

    def values(case: Case) -> Values | None:
        return {name: measure(case, make(case)) for name, make in policies.items()} if given(case) else None

    return values
