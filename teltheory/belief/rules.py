"""The policies that are compared: ET-LRU with three indices, LRU and T-LRU, all by Algorithm 2's eviction.

Tokens go one by one, always one of a conversation whose last cached token has the lowest score r P(L + Q - xi >=
X); of equal scores the least recent conversation's. ET-LRU takes the law of the next prompt for Q, and for r an
index:

- *printed*: lambda exp(-mu tau), tau the time since the last turn;
- *belief*: lambda pi now;
- *next*: the chance to be next, lambda pi after the gap, the mean over gaps.

Under the paper's belief the three agree. T-LRU takes r = 1 and for Q the mean next prompt, rounded up; LRU takes
the same score for all tokens.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil

import numpy as np
from numpy.typing import NDArray

from teltheory.belief.model import BeliefKind, BeliefMDP, Policy, State
from teltheory.belief.optimality import INDICES, ScoreRule, et_lru, next_turns, printed_turn_rates, turn_rates
from teltheory.belief.slots import SlotModel, Type
from teltheory.workloads.laws import Finite, fixed


def alike(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return 1 for each conversation."""
    return [Fraction(1)] * len(state.conversations)


def _mean_prompt(model: BeliefMDP, kind: BeliefKind, turns: int) -> Finite:
    law = kind.prompt(turns)
    return fixed(ceil(sum(length * p for length, p in law.outcomes)))


lru = ScoreRule("lru", alike, lambda model, kind, turns: fixed(model.xi))
tlru = ScoreRule("tlru", alike, _mean_prompt)
POLICIES: dict[str, ScoreRule] = {rule.name: rule for rule in (lru, tlru, *map(et_lru, INDICES))}


def ranks_of(rule: ScoreRule, slots: SlotModel) -> NDArray[np.int32] | None:
    """Return the order of a rule's scores, by history, slot, type and tokens.

    None if a score depends on other slots too, as the chance to be next does where there are several gaps: what it
    is divided by depends on the gap.
    """
    if rule.index not in (alike, *INDICES.values()) or (rule.index is next_turns and len(slots.model.gaps) > 1):
        return None
    laws = [rule.law(slots.model, slots.model.kinds[k], turns) for k, turns, _ in slots.types]
    longest, typed = max(past for _, _, past in slots.types), list(zip(slots.types, laws, strict=True))
    scores = []
    for h, k, (one, law) in product(range(slots.histories), range(slots.silent), typed):
        weight = _weight(rule, slots, one, slots.elapsed(h, k))
        tails = (law.exactly_at_least(x - one[2] + slots.model.xi) for x in range(longest + 1))
        scores.append([weight * tail for tail in tails])
    order = {score: i for i, score in enumerate(sorted({score for row in scores for score in row}))}
    ranks = np.array([[order[score] for score in row] for row in scores], np.int32)
    return ranks.reshape(slots.histories, slots.silent, len(slots.types), longest + 1)


def _weight(rule: ScoreRule, slots: SlotModel, one: Type, x: Fraction) -> Fraction:
    if rule.index is alike:
        return Fraction(1)
    if rule.index is printed_turn_rates:
        return slots.model.kinds[one[0]].turn_rate * x**slots.model.death_rate
    return slots.rate(one, x if rule.index is turn_rates else x * slots.model.gaps[0][0])


def name_of(policy: Policy) -> str:
    """Return a policy's name."""
    return str(getattr(policy, "name", getattr(policy, "__name__", "policy")))
