"""The linear program with nested rows, and Tail-Optimized Belady's cascade, against all contents of the tiers.

docs/proofs-tiers.md has the proof and the counterexamples by hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

from proofs_checks.tiers.cascades import ALL_CONTENTS, row, with_edits
from proofs_checks.tiers.chains import Chain, Row
from proofs_checks.tiers.plain_chains import Kind, excesses
from proofs_checks.tiers.states import foreseen, least, relaxed
from teltheory.claims.claim import Claim, Space, Values
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given

TAILS = replace(ALL_CONTENTS, thresholds=True, conversations=2, quick={2: 2, 3: 3, 4: 4}, full={3: 5, 4: 5})
QUARTER = Chain(((0, 2, 0), (1, 2, 0), (0, 0, 0), (1, 0, 0)), (0, 3), (0, 1), 4, 1)


def both(case: Chain) -> Values:
    """Return the optimum of the relaxation and the least TEL."""
    return {"relaxation": relaxed(case), "least": least(case)}


integral = row(
    "tiers.lp.integral",
    "At xi = 0 the linear program with nested rows has an integral optimum: the least that any plan has.",
    space=with_edits(ALL_CONTENTS, growing=True),
)(both)

integral_tails = row(
    "tiers.lp.integral.tails",
    "The linear program with nested rows has an integral optimum for every xi.",
    space=Given((QUARTER,), "one case"),
    origin=sharpness("tiers.lp.integral", "xi = 0"),
)(both)


def cascade(kinds: tuple[Kind, ...], space: Space[Chain]) -> Claim[Chain]:
    """Return the row on Tail-Optimized Belady's cascade."""
    kind = kinds[0]

    def values(case: Chain) -> Values:
        known = replace(case, q_hat=None)
        return {"cascade": sum(excesses(case, foreseen(known, kinds))), "least": least(case)}

    return row(
        f"tiers.tob.cascade.{kind}",
        f"Tail-Optimized Belady's cascade with {kind} budgets has the least TEL of all plans in tiers.",
        space=space,
        origin=sharpness("tiers.belady.every-load", "xi = 0"),
    )(values)


BOTH_IN_TIER_0 = Chain(((0, 2, 0), (1, 2, 0), (0, 0, 0), (1, 0, 0)), (1, 1), (0, 2), 4, 1)
flat = cascade(("flat", "flat"), TAILS)
scaled = cascade(("scaled", "scaled"), Given((BOTH_IN_TIER_0,), "one case"))


@dataclass(frozen=True)
class Turn(ToldCase):
    """What a turn needs, its past, the loads in parts of 4, and the prices of a token of each tier in quarters."""

    need: int
    past: int
    loads: Row
    prices: Row

    def vertices(self, tiers: int) -> Iterator[tuple[Fraction, ...]]:
        """Yield the plans that use so many tiers, all of the past or just what the turn needs."""
        for used in combinations(range(len(self.loads)), tiers):
            for amounts in self._amounts([4 - self.loads[i] for i in used]):
                if min(amounts, default=0) >= 0 and sum(amounts) <= self.past:
                    plan = dict(zip(used, amounts, strict=True))
                    yield tuple(Fraction(plan.get(i, 0)) for i in range(len(self.loads)))

    def _amounts(self, worths: list[int]) -> Iterator[tuple[Fraction, ...]]:
        if not worths:
            yield ()
        if len(worths) == 1:
            yield (Fraction(self.past),)
            yield (Fraction(4 * self.need, worths[0]),)
        if len(worths) == 2 and worths[0] != worths[1]:
            first = Fraction(4 * self.need - worths[1] * self.past, worths[0] - worths[1])
            yield (first, self.past - first)

    def price(self, plan: tuple[Fraction, ...]) -> Fraction:
        """Return what a turn has above xi under a plan, and what its tokens cost."""
        worth = sum((4 - load) * x for load, x in zip(self.loads, plan, strict=True))
        return max(Fraction(0), 4 * self.need - worth) + sum(
            (p * x for p, x in zip(self.prices, plan, strict=True)), Fraction(0)
        )

    def on_a_grid(self) -> Fraction:
        """Return the least price of the plans in sixths of a token."""
        amounts = range(6 * self.past + 1)
        plans = (plan for plan in product(amounts, repeat=len(self.loads)) if sum(plan) <= 6 * self.past)
        return Fraction(min(map(self._in_sixths, plans)), 6)

    def _in_sixths(self, plan: Row) -> int:
        worth = sum((4 - load) * x for load, x in zip(self.loads, plan, strict=True))
        return max(0, 24 * self.need - worth) + sum(p * x for p, x in zip(self.prices, plan, strict=True))


def turns(most: int) -> Iterator[Iterator[Turn]]:
    """Yield turns by what they need, then by their past, in three tiers, with every price that falls."""
    for need in range(1, most + 1):
        for past in range(need, most + 1):
            yield (
                Turn(need, past, loads, prices)
                for loads in ((0, 1, 2), (0, 2, 3))
                for prices in product(range(5), repeat=3)
                if prices[0] >= prices[1] >= prices[2]
            )


PRICED = Listed(turns, 2, 2, "needs and pasts up to {}, three tiers, two rows of loads, prices from 0 to 4")


def at_vertices(turn: Turn, most: int) -> Fraction:
    """Return the least price of the plans that use at most so many tiers."""
    return min(turn.price(plan) for tiers in range(most + 1) for plan in turn.vertices(tiers))


@row(
    "tiers.dual.pure",
    "At given prices a turn has a best plan that uses one tier: all of its past, or just what it needs.",
    space=PRICED,
    relation=lambda of: of["one tier"] <= of["sixths"],
    origin=sharpness("tiers.dual.mixed", "plans may use two tiers"),
)
def pure(turn: Turn) -> Values:
    """Compare with all plans in sixths of a token."""
    return {"one tier": at_vertices(turn, 1), "sixths": turn.on_a_grid()}


@row(
    "tiers.dual.mixed",
    "At given prices a turn has a best plan that uses at most two tiers: one alone, or two that together "
    "hold all of "
    "its past and are worth just what it needs.",
    space=PRICED,
    relation=lambda of: of["two tiers"] <= of["sixths"],
)
def mixed(turn: Turn) -> Values:
    """Compare with all plans in sixths of a token."""
    return {"two tiers": at_vertices(turn, 2), "sixths": turn.on_a_grid()}
