"""Theorem D.2 without a horizon, with other costs, in multiples of a length: what holds, and where it ends (ours).

`plain_beliefs.py` is the judge of every row: it knows a case as a counterexample tells it, and shares no code.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random

from proofs_checks.tail_optimized.belief_validation import (
    BY,
    INDICES,
    PROMPTS,
    RATES,
    drawn,
    drawn_model,
    drawn_row,
    judge_of,
    judged,
    kept_again,
)
from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import Grid, Laws, always, both, optimality_row
from proofs_checks.tail_optimized.lemmas.exchange_proof import convex_proof, same_law_proof
from teltheory.belief.model import Allocation, BeliefMDP, Hinges, allocations
from teltheory.belief.optimality import Decision, decisions
from teltheory.claims.beliefs import BeliefCase, Models
from teltheory.claims.claim import SecondRoute, Values
from teltheory.claims.origin import OURS, sharpness
from teltheory.workloads.laws import Finite, fixed


def horizons(case: BeliefCase) -> range:
    """Return every number of turns to come up to the case's."""
    return range(1, case.turns + 1)


def at_every_horizon(case: BeliefCase) -> list[Decision]:
    """Return ET-LRU's worst choices, for each number of turns to come."""
    found = (decisions(case.tables, case.state, m, INDICES["belief"]) for m in horizons(case))
    return [one for every in found for one in every]


def caches(case: BeliefCase) -> Iterator[Allocation]:
    """Yield every cache from which some token has to go."""
    theta, pasts = case.state.arrived, [known.past for known in case.state.conversations]
    for cached in product(*(range(past * (i == theta), past + 1) for i, past in enumerate(pasts))):
        if sum(cached) - cached[theta] <= case.model.capacity < sum(cached):
            yield cached


def one_decision(case: BeliefCase) -> list[Decision]:
    """Return for each cache the decision that costs least over all horizons together, beside the best of each."""
    tables = [case.tables.of_keeping(case.state, m) for m in horizons(case)]
    found = []
    for cached in caches(case):
        ways = {kept: [table.at(kept) for table in tables] for kept in allocations(case.model, case.state, cached)}
        kept = min(ways, key=lambda way: sum(ways[way]))
        best = min(ways, key=lambda way: ways[way][-1])
        least = sum((min(each) for each in zip(*ways.values(), strict=True)), Fraction(0))
        found.append(Decision(cached, kept, sum(ways[kept], Fraction(0)), best, least))
    return found


def scaled(case: BeliefCase, d: int) -> BeliefCase:
    """Return the case with every length, C and xi times d."""

    def law(one: Finite) -> Finite:
        return Finite(tuple(d * length for length in one.lengths), one.probabilities)

    lengthened = ((kind, tuple(map(law, kind.prompts)), law(kind.response)) for kind in case.model.kinds)
    kinds = tuple(replace(kind, prompts=prompts, response=response) for kind, prompts, response in lengthened)
    model = replace(case.model, capacity=d * case.model.capacity, xi=d * case.model.xi, kinds=kinds)
    steps = tuple(step._replace(prompt=d * step.prompt, response=d * step.response) for step in case.steps)
    return replace(case, model=model, steps=steps)


DIVISOR = 2


def times(cached: Allocation) -> Allocation:
    """Return a cache in the finer model."""
    return tuple(DIVISOR * x for x in cached)


def in_multiples(case: BeliefCase) -> list[Decision]:
    """Return for each cache what is best in multiples of a length, beside what is best in single tokens."""
    finer = scaled(case, DIVISOR)
    coarse, fine = (one.tables.of_keeping(one.state, case.turns) for one in (case, finer))
    found = []
    for cached in caches(case):
        ways = {kept: coarse.at(kept) for kept in allocations(case.model, case.state, cached)}
        more = {kept: fine.at(kept) for kept in allocations(finer.model, finer.state, times(cached))}
        kept, best = min(ways, key=ways.__getitem__), min(more, key=more.__getitem__)
        found.append(Decision(cached, kept, DIVISOR * ways[kept], best, more[best]))
    return found


def both_sizes(case: BeliefCase, values: Values) -> Values:
    """Compute both by the judge."""
    judge, finer = judge_of(case), judge_of(scaled(case, DIVISOR))
    return {
        "multiples": [DIVISOR * judge.least(x, case.turns) for x in values["cached"]],
        "optimal": [finer.least(times(x), case.turns) for x in values["cached"]],
    }


@dataclass(frozen=True)
class Priced(BeliefMDP):
    """A model in which uncached tokens cost each kind something of its own, a sum of hinges."""

    prices: tuple[Hinges, ...] = ()

    def hinges(self, kind: int) -> Hinges:
        """Return the kind's."""
        return self.prices[kind]


def priced(model: BeliefMDP, prices: tuple[Hinges, ...]) -> Priced:
    """Return a model with prices."""
    return Priced(**vars(model), prices=prices)


def drawn_prices(rng: Random, of: tuple[str, str]) -> BeliefMDP:
    """Draw a model with a convex rising cost of each kind: one hinge or two."""
    model = drawn_model(rng, *of, grids.PAPER)
    hinges = [[(rng.randint(1, 4), rng.randint(0, 3)) for _ in range(rng.randint(1, 2))] for _ in model.kinds]
    return priced(model, tuple(map(tuple, hinges)))


VIOLATIONS = tuple((((1, xi), (-1, xi + 1)),) for xi in range(3))
"""A cost of 1 for more than xi uncached tokens."""


def prices(grid: Grid, *every: tuple[Hinges, ...]) -> Models:
    """Return the models of a grid, with the prices of each kind."""
    return lambda: (priced(model, each) for model, each in product(grid(), every))


row = partial(optimality_row, source="Theorem D.2, its proof", full=None, origin=OURS)
LAWS: tuple[tuple[Laws, ...], ...] = (((grids.FIRST, grids.COIN),), ((grids.FIRST, fixed(1)),))
SIX_TURNS = both(
    Grid(((1, 3),), LAWS, (1, 2), (0, 1), (grids.A_HALF,), births=(0,)),
    Grid(((1,),), LAWS[1:], (1,), (0, 1), (grids.A_HALF,)),
)
every_horizon = row(
    "theorem-d2.every-horizon",
    "One decision is best for every number of turns to come: any choice of ET-LRU. So it is optimal for any "
    "weights of turns: each discount, a random horizon, the average. Conditions of theorem-d2.",
    SIX_TURNS,
    note="1 to 6 turns to come, all with one decision",
    rule=("ET-LRU", at_every_horizon),
    lengths={"quick": ((2, 6),), "full": ((2, 6), (3, 6))},
    proof=same_law_proof,
    second=judged("belief", "worst", horizons),
)
KNOWN: tuple[tuple[Laws, ...], ...] = (((grids.FIRST, fixed(0)),), ((grids.FIRST, fixed(1)),))
ONE_GAP = (always("3/4"), grids.A_HALF, always("1/3"))
one_for_all = row(
    "theorem-d2.every-horizon.bayes",
    "With the posterior some decision is the best for every number of turns to come.",
    Grid(((1, 3), (1, 8)), KNOWN[:1], (1, 2), (0,), ONE_GAP[:2], base=grids.BAYES),
    note="two rates, prompts 0 after the first",
    rule=("one decision", one_decision),
    lengths=dict.fromkeys(("quick", "full"), ((2, 2), (2, 3), (3, 2), (3, 3))),
    origin=sharpness("theorem-d2.every-horizon", "the belief is the paper's"),
    second=kept_again(horizons),
)
PRICED = {", ".join(one): partial(drawn_prices, of=one) for one in product(RATES, PROMPTS)}
convex = drawn_row(
    "theorem-d2.convex-costs",
    "Every choice of ET-LRU is optimal if uncached tokens cost each conversation something convex and rising of "
    "its own, as c (u - xi)+ with its own c and xi, and a token scores lambda pi times what it saves in the mean. "
    "Conditions of theorem-d2.",
    drawn("theorem-d2.convex-costs", PRICED),
    grids.EVERY_CHOICE,
    judged("belief", "worst"),
    proof=convex_proof,
)
sharp = partial(
    row,
    rule=grids.SOME_CHOICE,
    lengths=dict.fromkeys(("quick", "full"), ((2, 1), (3, 1), (2, 2), (3, 2))),
    note="one rate, one known length",
    second=judged("belief", "best"),
)
violations = sharp(
    "theorem-d2.convex-costs.violations",
    "Some choice of ET-LRU is optimal where a turn costs 1 if its uncached tokens exceed xi, which is not convex.",
    prices(Grid(((1,),), KNOWN, (1, 2), (0,), (always("9/10"), grids.A_HALF)), *VIOLATIONS),
    origin=sharpness("theorem-d2.convex-costs", "the cost is convex"),
)
TRUE_BELIEF = sharpness("theorem-d2.convex-costs", "the belief is the paper's")
on_bayes = partial(Grid, laws=KNOWN, thresholds=(0,), gaps=ONE_GAP, base=grids.BAYES)
convex_bayes = sharp(
    "theorem-d2.convex-costs.bayes",
    "With the posterior some choice of ET-LRU is optimal for a convex cost, one rate and known lengths.",
    prices(on_bayes(((1,),)), *((((1, 0), hinge),) for hinge in ((1, 1), (2, 1)))),
    origin=TRUE_BELIEF,
)
weights_bayes = sharp(
    "theorem-d2.convex-costs.bayes.weights",
    "With the posterior some choice of ET-LRU is optimal for weights by conversation, one rate and known lengths.",
    prices(on_bayes(((1, 1),)), *((((1, 0),), ((weight, 0),)) for weight in (2, 3))),
    origin=TRUE_BELIEF,
)

EVEN = "If C, xi and all lengths are even, it is enough to keep even numbers of tokens"
FEW = ((2, 1), (3, 1), (2, 2))
in_units = partial(row, rule=("multiples", in_multiples), second=SecondRoute(BY, both_sizes))
scaling = in_units(
    "theorem-d2.scaling",
    f"{EVEN}: with the paper's belief, and with any if C = 2. Conditions of theorem-d2.",
    both(
        Grid(((1, 3),), LAWS, (2,), (0, 1), (grids.A_HALF,)),
        Grid(((1, 8),), LAWS, (1,), (0, 1), (grids.TWO_GAPS,), base=grids.BAYES),
    ),
    note="twice the lengths of these models",
    lengths=dict.fromkeys(("quick", "full"), FEW),
)
SELDOM: grids.Gaps = ((Fraction(1), Fraction(1, 5)), (grids.HALF, Fraction(4, 5)))
scaling_bayes = in_units(
    "theorem-d2.scaling.bayes",
    f"{EVEN}, with the posterior.",
    Grid(((1, 8),), (((fixed(1),), (fixed(2), fixed(0))),), (2, 3), (0,), (SELDOM,), base=grids.BAYES),
    note="twice the lengths of these models: prompts 1, or first 2 and then 0",
    lengths=dict.fromkeys(("quick", "full"), (*FEW, (3, 2), (4, 2))),
    origin=sharpness("theorem-d2.scaling", "the belief is the paper's"),
    conversations=4,
)
