"""ET-LRU, T-LRU and LRU beside the optimum of the belief MDP: by horizon, by rates and gaps, and what each keeps.

Two kinds of conversations, of turn rates 1 and r, are equally likely; deaths and births have rate 1. Percentages
are of the optimal saving, from the start.

1. *Horizons* and *rates*: prompts of 1 or 2, evenly; C = 2 and xi = 1. Horizons of 1 to 4 turns forget nobody; all
   turns to come, at discount 9/10, forget who was silent for 4 turns.
2. *Decisions*: one token a conversation; C = 1 and xi = 0. A conversation of rate 1 was just served, one of rate r
   was silent for some turns. Which of the two tokens is kept?
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from teltheory.belief.compared import LOST
from teltheory.belief.iteration import Solution, regret, value_iteration
from teltheory.belief.model import Belief, BeliefKind, BeliefMDP, Heard, Policy, Recent, as_state
from teltheory.belief.rules import POLICIES
from teltheory.paper.rows import BeliefDecision, BeliefRegret
from teltheory.workloads.laws import Finite, fixed

HALF, GAMMA = Fraction(1, 2), Fraction(9, 10)
BELIEFS: tuple[Belief, Belief] = ("paper", "bayes")
RATIOS, HORIZONS = (1, 2, 4, 8, 16), range(1, 5)
GAP, SHORT_GAP = Fraction(2, 3), Fraction(9, 10)
GAPS = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), GAP, Fraction(3, 4), Fraction(7, 8))
SILENT, FORGET, FORGET_DECISIONS = range(1, 7), 4, 7
ONE_OR_TWO, ONE_TOKEN = (Finite((1, 2), (HALF, HALF)),), (fixed(1), fixed(0))
SETTINGS = str((GAMMA, RATIOS, GAP, SHORT_GAP, HORIZONS, GAPS, SILENT, FORGET, FORGET_DECISIONS))
"""All that the tables depend on."""


def two_rates(prompts: tuple[Finite, ...], ratio: int, gap: Fraction, believed: Belief) -> BeliefMDP:
    """Return the model of two kinds, one `ratio` times as fast as the other, with room for one token or two."""
    kinds = tuple(BeliefKind(rate, prompts, share=HALF) for rate in (1, ratio))
    one = prompts == ONE_TOKEN
    return BeliefMDP(2 - one, 1 - one, kinds, gaps=((gap, Fraction(1)),), belief=believed)


def horizons() -> Iterator[BeliefRegret]:
    """Yield a row a policy, by turns ahead, under both beliefs."""
    for believed, turns in product(BELIEFS, HORIZONS):
        yield from _regrets(8, GAP, believed, turns=turns)


def rates() -> Iterator[BeliefRegret]:
    """Yield a row a policy, for all turns, by rates and gaps under the posterior."""
    for ratio, gap in product(RATIOS, GAPS):
        yield from _regrets(ratio, gap, "bayes", discount=GAMMA, silent=FORGET)


def _regrets(ratio: int, gap: Fraction, believed: Belief, **ahead: Any) -> Iterator[BeliefRegret]:
    best, *others = regret(two_rates(ONE_OR_TWO, ratio, gap, believed), list(POLICIES.values()), **ahead)
    for name, one in zip(POLICIES, others, strict=True):
        lost = 100 * max(best.value - one.value, 0.0) / best.value
        yield BeliefRegret(believed, ahead.get("turns", 0), ratio, float(gap), name, lost)


def decisions() -> Iterator[BeliefDecision]:
    """Yield whose token the optimum and each index of ET-LRU keep, by ratio and silent turns."""
    for believed, ratio in product(BELIEFS, RATIOS):
        model = two_rates(ONE_TOKEN, ratio, SHORT_GAP, believed)
        best = value_iteration(model, GAMMA, FORGET_DECISIONS)
        for silent in SILENT:
            at = Recent((Heard(0, 1, 1), Heard(1, 1, 1, silent)))
            yield BeliefDecision(believed, ratio, silent, "optimum", _best(best, at))
            for name, policy in POLICIES.items():
                yield BeliefDecision(believed, ratio, silent, name, _keeps(model, policy, at))


def _best(best: Solution, at: Recent) -> str:
    values = best.of_keeping(at, (1, 1))
    more = values[0, 1] - values[1, 0]
    return "either" if abs(more) <= LOST else "silent" if more > 0 else "served"


def _keeps(model: BeliefMDP, policy: Policy, at: Recent) -> str:
    kept: Sequence[int] = policy(model, as_state(model, at), (1, 1))
    return "silent" if kept[1] else "served"
