"""Small models and states of the belief MDP at random, and policies for them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np

from teltheory.belief.configurations import Truncation, by_recency
from teltheory.belief.graph import Graph, truncated_graph
from teltheory.belief.model import BeliefMDP, Kind, State, after, allocations, arrivals, first_turn
from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.workloads.laws import Finite

GAPS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1))


def random_law(rng: np.random.Generator, longest: int) -> Finite:
    lengths = rng.choice(longest + 1, size=rng.integers(1, min(longest, 1) + 2), replace=False)
    first = Fraction(int(rng.integers(1, 4)), 4) if len(lengths) > 1 else Fraction(1)
    return Finite(tuple(sorted(lengths.tolist())), (first, 1 - first)[: len(lengths)])


def random_shares(rng: np.random.Generator, number: int) -> list[Fraction]:
    first = Fraction(int(rng.integers(1, 5)), 5)
    return [first, 1 - first] if number > 1 else [Fraction(1)]


def random_model(rng: np.random.Generator, forced: bool | None = None, longest: int = 2) -> BeliefMDP:
    kinds = tuple(
        Kind(
            int(rng.integers(1, 4)),
            tuple(random_law(rng, longest) for _ in range(rng.integers(1, 3))),
            random_law(rng, int(rng.integers(0, 2))),
            share,
        )
        for share in random_shares(rng, int(rng.integers(1, 3)))
    )
    decays = rng.choice(len(GAPS), size=rng.integers(1, 3), replace=False)
    belief = ("paper", "bayes")[rng.integers(2)]
    return BeliefMDP(
        capacity=int(rng.integers(1, 4)),
        xi=int(rng.integers(0, 2)),
        kinds=kinds,
        birth_rate=Fraction(int(rng.integers(0, 3))),
        death_rate=int(rng.integers(0, 3)),
        gaps=tuple((GAPS[i], share) for i, share in zip(decays, random_shares(rng, len(decays)), strict=True)),
        belief=belief,
        race=belief == "bayes" and bool(rng.integers(2)),
        forced=bool(rng.integers(2)) if forced is None else forced,
    )


def random_state(rng: np.random.Generator, model: BeliefMDP, turns: int) -> State:
    kind = model.kinds[0]
    state = first_turn(model, 0, kind.prompts[0].lengths[-1], kind.response.lengths[-1])
    for _ in range(turns):
        following = list(arrivals(model, state))
        state = after(model, state, following[rng.integers(len(following))])
    return state


def random_cached(rng: np.random.Generator, model: BeliefMDP, state: State) -> tuple[int, ...]:
    """Anything up to the pasts; all of the last one under forced caching."""
    cached = [int(rng.integers(known.past + 1)) for known in state.conversations]
    if model.forced:
        cached[state.arrived] = state.conversations[state.arrived].past
    return tuple(cached)


def random_truncation(rng: np.random.Generator, model: BeliefMDP) -> Truncation:
    longest = int(rng.integers(1, model.capacity + 1 if model.forced else 5))
    return Truncation(longest, Fraction(1, int(rng.integers(2, 7))), int(rng.integers(1, 4)))


def random_truncated_graphs(rng: np.random.Generator, number: int, most_nodes: int) -> Iterator[Graph]:
    """Yield graphs of truncations; where a model has too many configurations or can't cache by force, another."""
    found = 0
    while found < number:
        model = random_model(rng)
        truncation = random_truncation(rng, model)
        try:
            graph = truncated_graph(model, truncated_start(model, truncation), truncation, most_nodes)
        except (ArgumentError, ForcedCachingError):
            continue
        if len(graph.nodes) > 3:
            found += 1
            yield graph


def truncated_start(model: BeliefMDP, truncation: Truncation) -> State:
    kind = model.kinds[0]
    state = first_turn(model, 0, kind.prompts[0].lengths[-1], kind.response.lengths[-1])
    return truncation.of(state)[0]


def least_recently_used(model: BeliefMDP, state: State, cached: tuple[int, ...]) -> tuple[int, ...]:
    kept, room = [0] * len(cached), model.capacity
    for i in reversed(state.recency):
        kept[i] = min(cached[i], room)
        room -= kept[i]
    return tuple(kept)


def arbitrary(seed: int):
    """A policy without rhyme or reason that does not depend on the order of a state's conversations."""

    def policy(model: BeliefMDP, state: State, cached: tuple[int, ...]) -> tuple[int, ...]:
        ordered = tuple(cached[i] for i in state.recency)
        canonical = by_recency(state)
        allowed = allocations(model, canonical, ordered)
        kept = Random(f"{seed} {canonical} {ordered}").choice(allowed)
        return tuple(kept[state.recency.index(i)] for i in range(len(kept)))

    return policy
