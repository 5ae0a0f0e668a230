"""The models on which Theorem D.2 and its neighbours are decided (rates, laws, C, xi, gaps), and their rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product
from typing import Literal, TypeAlias

from teltheory.belief.mdp import Solver
from teltheory.belief.model import BeliefKind, BeliefMDP
from teltheory.belief.optimality import Decision, Index, Ties, decisions, turn_rates
from teltheory.claims.beliefs import AllHistories, BeliefCase, Models, costs, optimal_everywhere, rule_of
from teltheory.claims.claim import Claim, Proof, SecondRoute, Values, claim
from teltheory.claims.origin import BOTH, Origin, reading
from teltheory.workloads.laws import Finite, fixed

Laws: TypeAlias = tuple[Finite, ...]
Gaps: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
Lengths: TypeAlias = Mapping[str, tuple[tuple[int, int], ...]]
Rates: TypeAlias = Literal["homogeneous", "heterogeneous"]

HALF = Fraction(1, 2)
FIRST = Finite((1, 2), (HALF, HALF))
COIN = Finite((0, 1), (HALF, HALF))
ZERO_OR_TWO = Finite((0, 2), (HALF, HALF))
SELDOM_ONE = Finite((0, 1), (Fraction(2, 3), Fraction(1, 3)))

UP_TO_THREE = Finite((1, 2, 3), (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)))
MOSTLY_ONE = Finite((1, 2), (Fraction(8, 9), Fraction(1, 9)))
ONE_IN_THREE = Finite((0, 2), (Fraction(2, 3), Fraction(1, 3)))
TWO_IN_THREE = Finite((0, 1), (Fraction(1, 3), Fraction(2, 3)))
SHORT_OR_LONG = Finite((1, 2, 3), (Fraction(4, 5), Fraction(1, 10), Fraction(1, 10)))

AT_ONCE: Gaps = ((Fraction(1), Fraction(1)),)
A_HALF: Gaps = ((HALF, Fraction(1)),)
TWO_GAPS: Gaps = ((Fraction(3, 4), HALF), (Fraction(1, 3), HALF))
"""Laws of x = exp(-t): no time passes (the paper's "without loss of generality"), always 1/2, one of two."""
ANY_GAPS = (AT_ONCE, A_HALF, TWO_GAPS)
NODES: Gaps = ((Fraction(9, 10), Fraction(1)), (Fraction(1, 3), Fraction(2)))
"""Gaps and their weights before the density of a next turn, where conversations race."""


def always(x: str) -> Gaps:
    """Return the law of a single gap."""
    return ((Fraction(x), Fraction(1)),)


PROMPTS: dict[str, tuple[tuple[Laws, ...], ...]] = {
    "fixed": (((FIRST, fixed(0)),), ((FIRST, fixed(1)),)),
    "random": (((FIRST, ZERO_OR_TWO),), ((FIRST, SELDOM_ONE),)),
    "by-conversation": (((FIRST, fixed(0)), (FIRST, fixed(2))), ((FIRST, fixed(1)), (FIRST, ZERO_OR_TWO))),
}
"""Kinds' laws of the first prompt and the later ones: alike for all, or two kinds."""

WORDS = {
    "fixed": "one known length of all prompts but the first",
    "random": "one law of all prompts but the first",
    "by-conversation": "a law, or a known length, of the prompts of each conversation",
}

PAPER = BeliefMDP(0, 0, (BeliefKind(1, (fixed(0),)),))
FORCED = replace(PAPER, forced=True)
BAYES = replace(PAPER, belief="bayes")
RACE = replace(BAYES, race=True, gaps=NODES)


@dataclass(frozen=True)
class Grid:
    """A product of models: turn rates of the kinds, laws of each kind's prompts, C, xi, gaps, births, responses.

    Rates with a single law get a kind for each rate; `births` are lambda_conv; `base` is what all have in common.
    """

    rates: tuple[tuple[int, ...], ...]
    laws: tuple[tuple[Laws, ...], ...]
    capacities: Sequence[int] = (1, 2)
    thresholds: Sequence[int] = (0, 1)
    gaps: tuple[Gaps, ...] = (AT_ONCE, TWO_GAPS)
    births: tuple[int, ...] = (1,)
    responses: tuple[Finite, ...] = (fixed(0),)
    base: BeliefMDP = PAPER

    def __call__(self) -> Iterator[BeliefMDP]:
        """Yield the models."""
        shapes = product(self.rates, self.laws, self.responses, self.births, self.gaps)
        for rates, laws, response, births, gaps in shapes:
            for capacity, xi in product(self.capacities, self.thresholds):
                yield replace(
                    self.base,
                    capacity=capacity,
                    xi=xi,
                    kinds=kinds_of(rates, laws, response),
                    birth_rate=Fraction(births),
                    gaps=gaps,
                )


def kinds_of(rates: tuple[int, ...], laws: tuple[Laws, ...], response: Finite) -> tuple[BeliefKind, ...]:
    """Return the kinds, equally likely: a rate each, and laws each or the same for all."""
    count = max(len(rates), len(laws))
    return tuple(
        BeliefKind(rates[i % len(rates)], laws[i % len(laws)], response, Fraction(1, count)) for i in range(count)
    )


def both(*grids: Callable[[], Iterator[BeliefMDP]]) -> Callable[[], Iterator[BeliefMDP]]:
    """Return the models of several grids, one after the other."""
    return lambda: chain.from_iterable(grid() for grid in grids)


def by_recursion(case: BeliefCase, values: Values) -> Values:
    """Compute the costs of what the rule keeps, and the least ones, state by state with memory."""
    solver, state = Solver(case.model), case.state
    return {
        rule_of(values): [solver.cost_of_keeping(state, kept, case.turns) for kept in values["kept"]],
        "optimal": [solver.cost(state, cached, case.turns) for cached in values["cached"]],
    }


BY_RECURSION = SecondRoute("recursion over states with memory", by_recursion)
Rule: TypeAlias = tuple[str, Callable[[BeliefCase], list[Decision]]]
"""The name of a rule, and its decisions on a case."""


def by_index(name: str, index: Index, ties: Ties) -> Rule:
    """Return the rule of an index, with the worst or the best of its choices."""
    return name, lambda case: decisions(case.tables, case.state, case.turns, index, ties)


EVERY_CHOICE = by_index("ET-LRU", turn_rates, "worst")
SOME_CHOICE = by_index("ET-LRU", turn_rates, "best")
"""ET-LRU's choices by belief turn rates, of which there are several if scores are equal."""
POSTERIOR = reading("the belief is the posterior, where the paper has exp(-mu tau)")
"""Whose statement a row with the posterior is: no edition of the paper says that its theorem holds with it."""


def optimality_row(
    id: str,
    statement: str,
    quick: Models,
    full: Models | None,
    note: str,
    *,
    source: str,
    rule: Rule,
    lengths: Lengths,
    origin: Origin = BOTH,
    proof: Callable[[], Proof] | None = None,
    second: SecondRoute[BeliefCase] = BY_RECURSION,
    conversations: int = 3,
) -> Claim[BeliefCase]:
    """Return a row on the optimality of a rule, at the end of every history and for every cache.

    `full` are the models at full effort, if others than at quick; `lengths` are the turns so far and to come.
    """
    name, decide = rule

    def values(case: BeliefCase) -> Values | None:
        return costs(name, decide(case)) if case.feasible else None

    space = AllHistories({"quick": quick, "full": full or quick}, lengths, note, conversations)
    return claim(id, source, statement, optimal_everywhere, space, proof, second=second, origin=origin)(values)
