"""ET-LRU against value iteration: the next turns exactly, on models that are drawn class by class (ours).

A class says whether rates differ, which prompts there are, which belief, and whether caching is forced. The value
iteration is that of `teltheory.belief.tables`, backward from the last turn; `plain_beliefs.py` judges it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any, TypeAlias

from proofs_checks.tail_optimized.corollaries_d2 import REPLAYED_LRU, REPLAYED_T_LRU
from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.plain_beliefs import Judge
from teltheory.belief.model import BeliefKind, BeliefMDP
from teltheory.belief.optimality import Index, Ties, next_turns, printed_turn_rates, turn_rates
from teltheory.claims.beliefs import (
    BeliefCase,
    PastTurn,
    costs,
    model_as_dict,
    next_steps,
    optimal_everywhere,
    rule_of,
)
from teltheory.claims.claim import Claim, SecondRoute, Values, claim
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness
from teltheory.workloads.laws import Finite, fixed

INDICES: dict[str, Index] = {"belief": turn_rates, "printed": printed_turn_rates, "next": next_turns}
Space: TypeAlias = Listed[BeliefCase]
Route: TypeAlias = SecondRoute[BeliefCase]
Horizons: TypeAlias = Callable[[BeliefCase], Sequence[int]]
"""Which numbers of turns to come a row asks about."""
BY = "a judge in fractions alone"
Draw: TypeAlias = Callable[[Random], BeliefMDP]
DECAYS = (Fraction(1, 3), grids.HALF, Fraction(2, 3), Fraction(3, 4), Fraction(9, 10), Fraction(1))
SIZES = {"fixed": (1,), "random": (2,), "by-conversation": (1, 2)}
CHANCES = (grids.HALF, Fraction(1, 3), Fraction(2, 3), Fraction(8, 9))
BASES = {
    ("paper", "optional"): grids.PAPER,
    ("paper", "forced"): grids.FORCED,
    ("bayes", "optional"): grids.BAYES,
    ("bayes", "forced"): replace(grids.BAYES, forced=True),
}


def judge_of(case: BeliefCase) -> Judge:
    """Return the judge, who gets plain data."""
    return Judge(model_as_dict(case.model), [[str(s.x), *s[1:]] for s in case.steps])


def judged(index: str, ties: Ties, horizons: Horizons = lambda case: (case.turns,)) -> Route:
    """Return the judge's way to a rule by its index: what its worst or best choice costs, and the least."""

    def again(case: BeliefCase, values: Values) -> Values:
        judge, which, asked = judge_of(case), max if ties == "worst" else min, horizons(case)
        every, weights = values["cached"][: len(values["cached"]) // len(asked)], judge.weights(index)
        chosen = {cached: judge.choices(cached, weights) for cached in every}
        pairs = list(product(asked, every))
        return {
            rule_of(values): [which(judge.keeping(kept, m) for kept in chosen[cached]) for m, cached in pairs],
            "optimal": [judge.least(cached, m) for m, cached in pairs],
        }

    return SecondRoute(BY, again)


def kept_again(horizons: Horizons = lambda case: (case.turns,)) -> Route:
    """Return the judge's way to what a policy's choices cost, and the least, summed over horizons."""

    def again(case: BeliefCase, values: Values) -> Values:
        judge, asked = judge_of(case), horizons(case)
        return {
            rule_of(values): [sum(judge.keeping(kept, m) for m in asked) for kept in values["kept"]],
            "optimal": [sum(judge.least(cached, m) for m in asked) for cached in values["cached"]],
        }

    return SecondRoute(BY, again)


def drawn_law(rng: Random, least: int, most: int, sizes: tuple[int, ...] = (1, 2)) -> Finite:
    """Draw a law of that many lengths."""
    lengths, first = sorted(rng.sample(range(least, most + 1), rng.choice(sizes))), rng.choice(CHANCES)
    return _law_of(*lengths, first=first) if len(lengths) > 1 else fixed(lengths[0])


@cache
def _law_of(*lengths: int, first: Fraction) -> Finite:
    return Finite(lengths, (first, 1 - first))


def drawn_model(rng: Random, rates: str, prompts: str, base: BeliefMDP, **given: Any) -> BeliefMDP:
    """Draw a model of a class; it has what is `given` in place of what is drawn."""
    count = 2 if rates == "heterogeneous" or prompts == "by-conversation" else 1
    speeds = rng.sample((1, 2, 3, 5, 8), 2) if rates == "heterogeneous" else [rng.randint(1, 3)] * count
    first, response, share = drawn_law(rng, 1, 3), drawn_law(rng, 0, 1, (1,)), rng.choice(CHANCES)
    later = [drawn_law(rng, 0, 2, SIZES[prompts]) for _ in range(count)]
    laws = [(first, law) for law in (later if prompts == "by-conversation" else later[:1] * count)]
    shares, decays = ((Fraction(1),), (share, 1 - share)), rng.sample(DECAYS, rng.randint(1, 2))
    parts = zip(speeds, laws, shares[count - 1], strict=True)
    drawn: dict[str, Any] = {
        "capacity": rng.randint(1, 2) + base.forced * rng.randint(1, 3),
        "xi": rng.randint(0, 2),
        "kinds": tuple(BeliefKind(speed, law, response, part) for speed, law, part in parts),
        "birth_rate": Fraction(rng.choice((0, 1, 4))),
        "death_rate": rng.randint(1, 2),
        "gaps": tuple(zip(decays, shares[len(decays) - 1], strict=True)),
        "race": base.belief == "bayes" and rng.random() < 1 / 2,
    }
    return replace(base, **drawn | given)


def drawn_case(rng: Random, draw: Draw) -> BeliefCase:
    """Draw a model and a history of two conversations or more at whose end some token has to go."""
    while True:
        model, steps = draw(rng), tuple[PastTurn, ...]()
        for _ in range(rng.randint(2, 4)):
            steps = (*steps, rng.choice(list(next_steps(model, steps, 3))))
        case, pasts = BeliefCase(model, steps, rng.choice((1, 2, 2, 2, 2, 2, 2, 3))), Counter[int]()
        for step in steps:
            pasts[step.place] += step.prompt + step.response
        if len(pasts) > 1 and pasts.total() > model.capacity and pasts[steps[-1].place] and case.feasible:
            return case


def drawn(name: str, draws: Mapping[str, Draw]) -> Space:
    """Return so many models of each class, with a history each; more at full effort."""

    def cases(models: int) -> Iterator[Iterator[BeliefCase]]:
        for title, draw in draws.items():
            rng = Random(f"{name} {title}")
            yield (drawn_case(rng, draw) for _ in range(models))

    def told(models: int) -> dict[str, Any]:
        facts = {"instances": models * len(draws), "generator": "Python's Random", "seed": name}
        return {"models": models * len(draws), "sampled": {**facts, "classes": "; ".join(draws)}}

    return Listed(cases, 1000, 5000, told)


def drawn_row(
    name: str, statement: str, space: Space, rule: grids.Rule, second: Route, **more: Any
) -> Claim[BeliefCase]:
    """Return a row on the optimality of a rule on drawn models."""

    def values(case: BeliefCase) -> Values | None:
        return costs(rule[0], rule[1](case))

    named = (name, "Theorem D.2, against value iteration", statement, optimal_everywhere, space)
    return claim(*named, second=second, sampled="proof" not in more, **more)(values)


ROW, RATES, PROMPTS = "belief.value-iteration", ("homogeneous", "heterogeneous"), tuple(SIZES)
EITHER, BOTH_WAYS, ONE_RATE, ONE_LENGTH = ("paper", "bayes"), ("optional", "forced"), RATES[:1], PROMPTS[:1]


def classes(*which: Sequence[str], **given: Any) -> dict[str, Draw]:
    """Return all classes of some beliefs, cachings, rates and prompts, by name; each model has what is `given`."""

    def drawing(belief: str, caching: str, rates: str, prompts: str) -> Draw:
        base = BASES[belief, caching]
        return lambda rng: drawn_model(rng, rates, prompts, base, **given)

    return {", ".join(one): drawing(*one) for one in product(*which)}


def validated(name: str, where: str, *which: Sequence[str]) -> Claim[BeliefCase]:
    """Return a row that every choice of ET-LRU is optimal in some classes."""
    rule = grids.by_index("ET-LRU", INDICES["belief"], "worst")
    statement = f"Every choice of ET-LRU is optimal for the next turns with {where}."
    return drawn_row(name, statement, drawn(name, classes(*which)), rule, judged("belief", "worst"))


def loses(index: str, caching: str, rates: str, prompts: str) -> Claim[BeliefCase]:
    """Return a row that some choice of ET-LRU is optimal in a class with the posterior; it is not."""
    name = f"{ROW}.bayes.{caching}.{rates}.{prompts}.{index}"
    space = drawn(name, classes(["bayes"], [caching], [rates], [prompts]))
    statement = (
        f"Some choice of ET-LRU by its {index} index is optimal with the posterior: {caching}, {rates}, {prompts}."
    )
    origin = sharpness(ROW, "the belief is the paper's" + ", caching is optional" * (caching == "forced"))
    rule = grids.by_index("ET-LRU", INDICES[index], "best")
    return drawn_row(name, statement, space, rule, judged(index, "best"), origin=origin)


def corollary(
    name: str, statement: str, prompts: Sequence[str], rule: grids.Rule, **given: int
) -> Claim[BeliefCase]:
    """Return a row on a policy of the replay."""
    space = drawn(name, classes(EITHER, BOTH_WAYS, ONE_RATE, prompts, **given))
    return drawn_row(name, f"{statement}, with either belief, optional or forced.", space, rule, kept_again())


PAPER, ALIKE = ("paper",), "one rate and one known length"
optional = validated(ROW, "the paper's belief and optional caching", PAPER, BOTH_WAYS[:1], RATES, PROMPTS)
FORCED = "the paper's belief, forced caching, one rate and one law"
forced = validated(f"{ROW}.forced", FORCED, PAPER, BOTH_WAYS[1:], ONE_RATE, PROMPTS[:2])
bayes = validated(f"{ROW}.bayes", f"the posterior, {ALIKE}", ("bayes",), BOTH_WAYS, ONE_RATE, ONE_LENGTH)
lru = corollary(f"{ROW}.lru", "LRU is optimal for xi = 0 and one rate", PROMPTS[1:2], REPLAYED_LRU, xi=0)
tlru = corollary(f"{ROW}.tlru", f"T-LRU is optimal for {ALIKE}", ONE_LENGTH, REPLAYED_T_LRU)
belief_random = loses("belief", "optional", "homogeneous", "random")
belief_own = loses("belief", "optional", "homogeneous", "by-conversation")
belief_rates = loses("belief", "optional", "heterogeneous", "fixed")
belief_rates_random = loses("belief", "optional", "heterogeneous", "random")
belief_rates_own = loses("belief", "optional", "heterogeneous", "by-conversation")
printed_random = loses("printed", "optional", "homogeneous", "random")
printed_own = loses("printed", "optional", "homogeneous", "by-conversation")
printed_rates = loses("printed", "optional", "heterogeneous", "fixed")
printed_rates_random = loses("printed", "optional", "heterogeneous", "random")
printed_rates_own = loses("printed", "optional", "heterogeneous", "by-conversation")
forced_own = loses("belief", "forced", "homogeneous", "by-conversation")
forced_rates = loses("belief", "forced", "heterogeneous", "fixed")
forced_rates_random = loses("belief", "forced", "heterogeneous", "random")
forced_rates_own = loses("belief", "forced", "heterogeneous", "by-conversation")
