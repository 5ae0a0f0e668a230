"""Theorem D.2: ET-LRU is optimal in the paper's belief MDP (Appendices D and E of Zhang et al. 2025).

A row holds where, at the end of every history and for every cache, every minimiser of problem (6) that fills the
cache has the least expected excess of the turns that follow, in exact fractions. The histories, the laws of the
gaps and the numbers of turns that follow are the row's scope. `docs/theorem-d2.md` has the exchange argument.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofs_checks.belief_grids import (
    AT_ONCE,
    HALF,
    PROMPTS,
    TWO_GAPS,
    Grid,
    both,
)
from teltheory.belief.optimality import decisions, turn_rates
from teltheory.claims.beliefs import BeliefCase, Histories, Models, costs, optimal_everywhere
from teltheory.claims.claim import Claim, Values, claim
from teltheory.workloads.laws import Finite, fixed

ALIKE, APART = ((1,),), ((1, 3),)
SHORT = ((2, 2), (3, 2))
LONG = ((2, 2), (3, 2), (1, 3), (2, 3))
LENGTHS: Mapping[str, tuple[tuple[int, int], ...]] = {"quick": SHORT, "full": (*LONG, (4, 2), (3, 3))}
LONGER: Mapping[str, tuple[tuple[int, int], ...]] = {"quick": LONG, "full": (*LONG, (4, 2), (3, 3), (2, 4))}


def et_lru(case: BeliefCase) -> Values | None:
    """Compare every minimiser of (6) with the paper's weights with the best."""
    return costs("ET-LRU", decisions(case.tables, case.state, case.turns, turn_rates))


def theorem(
    id: str,
    statement: str,
    quick: Models,
    full: Models,
    note: str,
    source: str = "Theorem D.2",
    lengths: Mapping[str, tuple[tuple[int, int], ...]] = LENGTHS,
) -> Claim[BeliefCase]:
    """Return a row on the optimality of ET-LRU with the paper's belief."""
    space = Histories({"quick": quick, "full": full}, lengths, note)
    return claim(id, source, statement, optimal_everywhere, space)(et_lru)


def combination(name: str, rates: str, prompts: str, longer: bool) -> Claim[BeliefCase]:
    """Return the row of one combination of rates and laws of prompts."""
    kinds = (ALIKE if rates == "homogeneous" else APART) if prompts != "by-conversation" else ALIKE_OR_APART[rates]
    quick = Grid(kinds, PROMPTS[prompts], gaps=(TWO_GAPS,))
    full = Grid(kinds, PROMPTS[prompts], (1, 2, 3), (0, 1, 2), (AT_ONCE, TWO_GAPS), (0, 1, 2), RESPONSES)
    return theorem(
        f"theorem-d2.{name}",
        f"The same with {rates} turn rates and {WORDS[prompts]}.",
        quick,
        full,
        f"{rates} rates, prompts {prompts}",
        lengths=LONGER if longer else LENGTHS,
    )


WORDS = {
    "fixed": "one known length of all prompts but the first",
    "random": "one law of all prompts but the first",
    "by-conversation": "a law, or a known length, of the prompts of each conversation",
}
ALIKE_OR_APART = {"homogeneous": ((1, 1),), "heterogeneous": ((1, 3), (3, 1))}
RESPONSES = (fixed(0), Finite((0, 1), (HALF, HALF)))

GENERAL = both(
    Grid(APART, PROMPTS["random"], gaps=(AT_ONCE,)),
    Grid(ALIKE_OR_APART["heterogeneous"], PROMPTS["by-conversation"], gaps=(AT_ONCE,)),
)

theorem_d2 = theorem(
    "theorem-d2",
    "In the paper's belief MDP with optional caching every choice of ET-LRU that fills the cache is optimal, at "
    "every state: any turn rates, any law of a conversation's prompts that stays the same from turn to turn.",
    GENERAL,
    GENERAL,
    "heterogeneous rates, prompts random and by conversation",
)
homogeneous_fixed = combination("homogeneous.fixed", "homogeneous", "fixed", longer=True)
homogeneous_random = combination("homogeneous.random", "homogeneous", "random", longer=True)
homogeneous_own = combination("homogeneous.by-conversation", "homogeneous", "by-conversation", longer=False)
heterogeneous_fixed = combination("heterogeneous.fixed", "heterogeneous", "fixed", longer=False)
heterogeneous_random = combination("heterogeneous.random", "heterogeneous", "random", longer=False)
heterogeneous_own = combination("heterogeneous.by-conversation", "heterogeneous", "by-conversation", longer=False)
