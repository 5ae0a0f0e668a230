"""Small models and states of the belief MDP at random, and policies for them."""

from fractions import Fraction
from random import Random

import numpy as np

from teltheory.belief.model import BeliefKind, BeliefMDP, State, after, allocations, arrivals, first_turn
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
        BeliefKind(
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


def arbitrary(seed: int):
    """A policy without rhyme or reason."""

    def policy(model: BeliefMDP, state: State, cached: tuple[int, ...]) -> tuple[int, ...]:
        return Random(f"{seed} {state} {cached}").choice(allocations(model, state, cached))

    return policy
