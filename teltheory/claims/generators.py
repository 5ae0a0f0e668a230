"""Random cases for campaigns, larger and nastier than those that the samples of a claim have.

A generator draws a world and then its parameters, within the reach and the hypotheses of a claim's space:

small
    The worlds of the samples.
heavy-tailed
    Up to the reach: lengths are lognormal with a random spread, some of them 0; a few conversations come often.
adversarial
    Lengths of a few values only, conversations in a cycle with a few turns out of place; xi, q_hat and C are
    chosen so that, within two units, a conversation holds its budget (X = L + q_hat - xi), and the pasts or
    budgets of some conversations fill the cache.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from teltheory.claims.case import Case, World
from teltheory.claims.worlds import SmallWorlds, chosen
from teltheory.model.numbers import IntArray

Random: TypeAlias = np.random.Generator


@dataclass(frozen=True)
class Generator:
    """A way to draw cases, so many a batch; its name stands in stores and scopes.

    `draw` returns None if the draw has no admissible parameter.
    """

    name: str
    drawn: int
    draw: Callable[[Random, SmallWorlds], Case | None]


def small(rng: Random, space: SmallWorlds) -> Case | None:
    """Draw a case as the samples do, no larger than the space's reach."""
    within = replace(space, most_turns=max(2, min(space.most_turns, space.reach.turns)))
    world = fitted(within.random_world(rng), space.reach.tokens)
    return space.with_parameters(rng, with_an_estimate(rng, space, world.canonical()))


def heavy_tailed(rng: Random, space: SmallWorlds) -> Case | None:
    """Draw lengths with a heavy tail, and parameters anywhere or near budgets."""
    turns = _number_of_turns(rng, space)
    world = _with_starts(rng, space, _popular(rng, space, turns), _lognormal(rng, space, (turns, 2)))
    return _anywhere_or_near(rng, space, with_an_estimate(rng, space, world))


def adversarial(rng: Random, space: SmallWorlds) -> Case | None:
    """Draw lengths of a few values, conversations in a cycle, and parameters near budgets."""
    turns = _number_of_turns(rng, space)
    unit = int(rng.integers(1, max(2, 2 * space.reach.tokens // (3 * turns))))
    few = np.array([0, 1, unit, unit + 1, 2 * unit, max(unit - 1, 0)])[rng.integers(0, 6, 3)]
    lengths = few[rng.integers(0, 3, (turns, 2))]
    lengths[:, 1] *= rng.integers(0, 2)
    world = _with_starts(rng, space, _cycle(rng, space, turns), lengths)
    return near_budgets(rng, space, with_an_estimate(rng, space, world))


GENERATORS = (
    Generator("small", 400, small),
    Generator("heavy-tailed", 150, heavy_tailed),
    Generator("adversarial", 150, adversarial),
)


def near_budgets(rng: Random, space: SmallWorlds, world: World) -> Case | None:
    """Choose xi, q_hat and C so that a budget and the capacity are met within two units."""
    pasts = _pasts(rng, world)
    estimate = (
        chosen(rng, world.continuing_prompts or [0])
        if rng.random() < 0.5
        else max(world.continuing_prompts, default=0)
    )
    length = chosen(rng, pasts)
    held = chosen(rng, [0, length, chosen(rng, pasts), int(rng.integers(0, length + 1))])
    xi = nearest(space.thresholds(world), length + estimate - min(held, length) + _jitter(rng))
    q_hat = None if xi is None else nearest(space.estimates(world, xi), estimate + int(rng.integers(0, 2)))
    if xi is None or q_hat is None:
        return None
    budgets = [max(0, min(past, past + q_hat - xi)) for past in pasts]
    filling = [one for one in (pasts if rng.random() < 0.5 else budgets) if rng.random() < 0.6]
    capacity = nearest(space.feasible_capacities(world), sum(filling) + _jitter(rng))
    return None if capacity is None else Case(world, capacity, xi, q_hat, space.forced)


def with_an_estimate(rng: Random, space: SmallWorlds, world: World) -> World:
    """Return the world, one prompt lengthened where only that makes an estimate admissible (a whole mean)."""
    turn = int(rng.integers(0, len(world.turns)))
    xi, prompt = int(space.thresholds(world)[-1]), world.turns[turn][1]
    for more in range(min(len(world.turns), space.reach.tokens - world.tokens) + 1):
        changed = world.changed("turns", turn, 1, prompt + more)
        if len(space.estimates(changed, xi)):
            return changed
    return world


def fitted(world: World, tokens: int) -> World:
    """Return the world with all lengths scaled down so that it has at most so many tokens."""
    if world.tokens <= tokens:
        return world
    every = world.tokens
    return World(
        tuple((c, q * tokens // every, a * tokens // every) for c, q, a in world.turns),
        tuple((c, past * tokens // every, held * tokens // every) for c, past, held in world.initial),
    )


def _anywhere_or_near(rng: Random, space: SmallWorlds, world: World) -> Case | None:
    return near_budgets(rng, space, world) if rng.random() < 0.5 else space.with_parameters(rng, world)


def _number_of_turns(rng: Random, space: SmallWorlds) -> int:
    """Return 2 turns up to the reach, a large number as likely as a small one."""
    return round(float(np.exp(rng.uniform(np.log(2), np.log(space.reach.turns)))))


def _number_of_conversations(rng: Random, space: SmallWorlds) -> int:
    return int(rng.integers(1, min(space.reach.conversations, max(space.conversations, 20)) + 1))


def _total(rng: Random, space: SmallWorlds, turns: int) -> float:
    """Return how many tokens a world is to have."""
    return float(np.exp(rng.uniform(np.log(min(turns, space.reach.tokens)), np.log(space.reach.tokens))))


def _popular(rng: Random, space: SmallWorlds, turns: int) -> IntArray:
    """Return conversations of which a few come often, in bursts."""
    number = _number_of_conversations(rng, space)
    weights = 1.0 / np.arange(1, number + 1) ** rng.uniform(0, 2)
    drawn = rng.choice(number, turns, p=weights / weights.sum())
    again = rng.random(turns) < rng.choice([0.0, 0.3, 0.7])
    last = np.maximum.accumulate(np.where(again, 0, np.arange(turns)))
    return drawn[last].astype(np.int64)


def _cycle(rng: Random, space: SmallWorlds, turns: int) -> IntArray:
    """Return conversations that come in turn, some of the turns out of place."""
    number = _number_of_conversations(rng, space)
    drawn = np.arange(turns) % number
    out_of_place = rng.random(turns) < rng.choice([0.0, 0.1, 0.5])
    drawn[out_of_place] = rng.integers(0, number, int(out_of_place.sum()))
    return drawn.astype(np.int64)


def _lognormal(rng: Random, space: SmallWorlds, shape: tuple[int, int]) -> IntArray:
    """Return lengths with a heavy tail, scaled to a random total."""
    drawn = rng.lognormal(0, rng.uniform(0.2, 3), shape) * (rng.random(shape) > rng.uniform(0, 0.5))
    scaled: IntArray = np.floor(drawn * (_total(rng, space, shape[0]) / max(drawn.sum(), 1e-9))).astype(np.int64)
    return scaled


def _with_starts(rng: Random, space: SmallWorlds, conversations: IntArray, lengths: IntArray) -> World:
    """Return the world of these turns, with an initial cache where the space has one, fitted and canonical."""
    turns = tuple(zip(conversations.tolist(), lengths[:, 0].tolist(), lengths[:, 1].tolist(), strict=True))
    starts = []
    number = min(int(rng.integers(0, space.starts + 1)), len(set(conversations.tolist())))
    for conversation in rng.permutation(np.unique(conversations))[:number].tolist():
        past = int(rng.choice(lengths.ravel())) + int(rng.integers(0, 3))
        starts.append((conversation, past, int(rng.integers(0, past + 1))))
    return fitted(World(turns, tuple(starts)), space.reach.tokens).canonical()


def _pasts(rng: Random, world: World) -> list[int]:
    """Return the pasts of the conversations after a random turn."""
    past = {conversation: length for conversation, length, _ in world.initial}
    for conversation, prompt, response in world.turns[: int(rng.integers(1, len(world.turns) + 1))]:
        past[conversation] = past.get(conversation, 0) + prompt + response
    return list(past.values())


def _jitter(rng: Random) -> int:
    return int(rng.integers(-2, 3))


def nearest(admissible: Sequence[int], wanted: int) -> int | None:
    """Return the admissible value (they ascend) that is nearest to the one wanted, None if there is none."""
    above = bisect_left(admissible, wanted)
    around = admissible[max(above - 1, 0) : above + 1]
    return min(around, key=lambda value: abs(value - wanted), default=None)
