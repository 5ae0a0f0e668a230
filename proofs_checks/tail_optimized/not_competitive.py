"""TEL is not competitive (ours): what every policy pays against conversations that it can't tell apart.

`teltheory.optimal.adversary` has the game, docs/limits.md the proof. On this trace a policy without dice is one of
the ways to cut the caches before the draw; all of them are tried. A policy with dice is a mixture of them, and its
mean is no less than the least of theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import numpy as np

from proofs_checks.tail_optimized.lemmas.limit_proofs import game_proof
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Values, claim
from teltheory.claims.listed import Listed, ToldCase
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.model.instance import Instance
from teltheory.model.trace import Trace
from teltheory.optimal.adversary import Game, Turns, adversary
from teltheory.optimal.chains.brute_force import smallest_total, states_before_last
from teltheory.policies import LRU, SLOTLRU, TLRU, AdaptiveTLRU, AnyPolicy, Conversation, ThresholdLRU
from teltheory.policies.learned.etlru import ETLRU
from teltheory.workloads.laws import Finite

LEAST, BOUND, OPTIMUM = "the least of all policies", "n (K - h)", "the optimum"
TAKEN = "the adversary's, times K"
SEEDS = range(4)


def online_policies(xi: int) -> tuple[AnyPolicy, ...]:
    """Return policies of the toolkit that know only the past."""
    return (
        LRU(),
        ThresholdLRU(xi),
        *(TLRU(xi, q_hat, trim) for q_hat in (0, xi) for trim in ("round-robin", "least-recent", "eager")),
        SLOTLRU(A100_LLAMA2_7B, xi * A100_LLAMA2_7B.seconds_per_token, xi),
        AdaptiveTLRU(xi, xi, window=1, every=1),
        ETLRU(xi, Finite((xi,), (Fraction(1),)), 0.1, 1.0),
    )


@dataclass(eq=False)
class Dice:
    """A policy that takes each token from a conversation that it draws."""

    seed: int
    rng: np.random.Generator = field(init=False)

    def bound_to(self, instance: Instance) -> Any:
        """Throw the same dice in every replay."""
        self.rng = np.random.default_rng(self.seed)
        return lambda turn: self

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        """Take the overflow."""
        for _ in range(overflow):
            held = [conversation for conversation in conversations if conversation.cached]
            held[self.rng.integers(len(held))].cached -= 1


@dataclass(frozen=True)
class Played(ToldCase):
    """A phase of the game."""

    game: Game

    def turns(self, returning: int) -> Turns:
        """Return the phase in which one of the conversations returns."""
        return self.game.opened(0) + self.game.returned(returning)

    def instance(self, returning: int, capacity: int) -> Instance:
        """Return that phase with a capacity."""
        trace = Trace.from_turns(*zip(*self.turns(returning), strict=True))
        return Instance.of(trace, capacity, forced=self.game.forced)

    def measures(self) -> dict[str, int]:
        return {"conversations": self.game.conversations, "budget": self.game.budget}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        case = Case(World(self.turns(0)), self.game.capacity, self.game.xi, forced=self.game.forced)
        return case.as_counterexample(values)


def games(forced: bool) -> Listed[Played]:
    """Return all games up to a number of caches, fewest conversations first."""

    def up_to(most: int) -> Iterator[Iterator[Played]]:
        for conversations in range(2, 5):
            yield of(conversations, most)

    def of(conversations: int, most: int) -> Iterator[Played]:
        for budget in range(1, most):
            if (budget + 1) ** (conversations + forced) > most:
                return
            for augmentation, xi in product(range(1, conversations), (1, budget + 1)):
                yield Played(Game(budget, conversations, augmentation, xi, forced))

    return Listed(
        up_to, 125, 1300, lambda most: {"what": f"2 to 4 conversations, all games of at most {most:,} caches"}
    )


def paid(case: Played) -> Values:
    """Return what caches and the optimum pay, summed over who returns, and K times what the adversary takes."""
    game, returning = case.game, range(case.game.conversations)
    policies = (*online_policies(game.xi), Dice)
    attacks = [adversary(policy, **asdict(game), seeds=SEEDS) for policy in policies]
    hindsight = [
        smallest_total(case.instance(who, game.optimum_capacity), lambda uncached: max(uncached - game.xi, 0))
        for who in returning
    ]
    return {
        LEAST: least_of_all_caches(case),
        BOUND: game.budget * (game.conversations - game.augmentation),
        OPTIMUM: max(*hindsight, *(attack.optimum for attack in attacks)),
        TAKEN: [floor(attack.expected * game.conversations) for attack in attacks],
    }


def least_of_all_caches(case: Played) -> int:
    """Return the least sum, over who returns, of the last turn's excess, of all caches that can be reached."""
    game = case.game
    total = int(case.instance(0, game.capacity).total[-1])
    return min(
        sum(max(total - cached - game.xi, 0) for cached in cache[: game.conversations])
        for cache in states_before_last(case.instance(0, game.capacity))
    )


not_competitive = claim(
    "tel.not-competitive",
    "Beyond the paper: docs/limits.md",
    "TEL is not competitive: of K new conversations with a budget of n = C one returns, by a fair draw; with a "
    "cache of h C every online policy, with dice too, pays n (1 - h/K) on average at least, the optimum nothing.",
    relation=lambda values: values[LEAST] == values[BOUND] <= min(values[TAKEN]) and values[OPTIMUM] == 0,
    space=games(forced=False),
    proof=game_proof,
)(paid)

not_competitive_forced = replace(
    not_competitive,
    id="tel.not-competitive.forced",
    statement="The same under forced caching, with one more conversation that never returns, C = 2n, a cache of "
    "n + h n.",
    space=games(forced=True),
)
