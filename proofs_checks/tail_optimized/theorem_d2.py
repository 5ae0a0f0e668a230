"""Theorem D.2: ET-LRU is optimal in the paper's belief MDP (Appendices D and E of Zhang et al. 2025).

A row that holds: at the end of every history and for every cache, every minimiser of problem (6) that fills the
cache has the least expected excess of the turns that follow. A row that is refuted: somewhere no minimiser has.
All in exact fractions; histories, laws of the gaps and numbers of turns that follow are the row's scope.
`docs/theorem-d2.md` has the exchange argument and the table of conditions.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.tail_optimized.instances.belief_grids import (
    A_HALF,
    AT_ONCE,
    COIN,
    FIRST,
    FORCED,
    ONE_IN_THREE,
    PROMPTS,
    SELDOM_ONE,
    TWO_GAPS,
    UP_TO_THREE,
    WORDS,
    ZERO_OR_TWO,
    Grid,
    Lengths,
    always,
    both,
    by_index,
    optimality_row,
)
from proofs_checks.tail_optimized.lemmas.exchange_proof import promising_proof, same_law_proof
from teltheory.belief.optimality import Ties, turn_rates
from teltheory.claims.beliefs import BeliefCase, Models
from teltheory.claims.claim import Claim, Proof
from teltheory.claims.origin import BOTH, OURS, Origin, repairs, sharpness
from teltheory.claims.registry import run
from teltheory.workloads.laws import fixed

SHORT = ((2, 2), (3, 2))
LONG = (*SHORT, (2, 3))
LENGTHS: Lengths = {"quick": SHORT, "full": (*LONG, (4, 2))}
LONGER: Lengths = {"quick": LONG, "full": (*LONG, (4, 2), (3, 3), (2, 4))}

RATES = {"homogeneous": ((1,),), "heterogeneous": ((1, 3),)}
RATES_OF_TWO = {"homogeneous": ((1, 1),), "heterogeneous": ((1, 3), (3, 1))}
RESPONSES = (fixed(0), COIN)


def row(
    id: str,
    statement: str,
    quick: Models,
    full: Models,
    note: str,
    source: str = "Theorem D.2",
    lengths: Lengths = LENGTHS,
    ties: Ties = "worst",
    origin: Origin = BOTH,
    proof: Callable[[], Proof] | None = None,
) -> Claim[BeliefCase]:
    """Return a row on the optimality of ET-LRU with the paper's belief."""
    rule = by_index("ET-LRU", turn_rates, ties)
    return optimality_row(id, source, statement, rule, (quick, full), lengths, note, origin, proof)


def combination(rates: str, prompts: str) -> Claim[BeliefCase]:
    """Return the row of one combination of rates and laws of prompts."""
    kinds = (RATES_OF_TWO if prompts == "by-conversation" else RATES)[rates]
    few = rates == "homogeneous" and prompts != "by-conversation"
    gaps = (AT_ONCE, TWO_GAPS) if few else (A_HALF,)
    return row(
        f"theorem-d2.{rates}.{prompts}",
        f"The same with {rates} turn rates and {WORDS[prompts]}.",
        Grid(kinds, PROMPTS[prompts], (1, 2) if few else (2,), gaps=gaps),
        Grid(kinds, PROMPTS[prompts], (1, 2, 3), (0, 1, 2), (AT_ONCE, A_HALF, TWO_GAPS), (1, 2), RESPONSES),
        f"{rates} rates, prompts {prompts}",
        lengths=LONGER if few else LENGTHS,
    )


ALL = both(
    Grid(RATES["heterogeneous"], PROMPTS["random"], (2,), (1,), (TWO_GAPS,)),
    Grid(RATES_OF_TWO["heterogeneous"], PROMPTS["by-conversation"], (2,), (1,), (TWO_GAPS,)),
)
theorem_d2 = row(
    "theorem-d2",
    "In the paper's belief MDP with optional caching every choice of ET-LRU that fills the cache is optimal, at "
    "every state: any turn rates, any law of a conversation's prompts that stays the same from turn to turn.",
    ALL,
    ALL,
    "heterogeneous rates, prompts random and by conversation",
    lengths={"quick": ((2, 2),), "full": LONG},
    proof=same_law_proof,
)
homogeneous_fixed = combination("homogeneous", "fixed")
homogeneous_random = combination("homogeneous", "random")
homogeneous_own = combination("homogeneous", "by-conversation")
heterogeneous_fixed = combination("heterogeneous", "fixed")
heterogeneous_random = combination("heterogeneous", "random")
heterogeneous_own = combination("heterogeneous", "by-conversation")

FALLING = Grid(
    ((1,), (4,)),
    tuple(((fixed(first), law, fixed(0)),) for first in (1, 2) for law in (COIN, SELDOM_ONE, ZERO_OR_TWO)),
    gaps=(AT_ONCE, always("3/4"), A_HALF, always("9/20")),
)
turn_law = row(
    "theorem-d2.turn-law",
    "Some choice of ET-LRU is optimal also where the law of a conversation's prompts changes from turn to turn.",
    FALLING,
    FALLING,
    "a random second prompt, later ones 0",
    lengths={"quick": ((2, 1), (2, 2)), "full": ((2, 1), (2, 2))},
    ties="best",
    origin=sharpness("a conversation's prompts have one law"),
)
PROMISING = (
    ((FIRST, SELDOM_ONE, fixed(1)),),
    ((FIRST, fixed(0), ZERO_OR_TWO),),
    ((FIRST, fixed(2), fixed(0)),),
    ((fixed(1), FIRST, COIN),),
)
turn_law_promising = row(
    "theorem-d2.turn-law.promising",
    "ET-LRU is optimal where laws change from turn to turn, if for every length q that a later prompt can have q "
    "plus the prompt after it is stochastically at least that prompt: rising laws, or known lengths.",
    Grid(RATES["heterogeneous"], PROMISING, (2,), gaps=(A_HALF,)),
    Grid(RATES["heterogeneous"], PROMISING, (1, 2, 3), (0, 1, 2), (AT_ONCE, A_HALF, TWO_GAPS)),
    "heterogeneous rates; laws that rise, known lengths, and laws that fall by no more than the prompt",
    lengths={"quick": ((3, 2),), "full": ((3, 2), (4, 2), (2, 3), (3, 3))},
    origin=repairs("theorem-d2.turn-law"),
    proof=promising_proof,
)

APPENDIX_E = "Theorem D.2 with Appendix E"
KNOWN = (
    *(((UP_TO_THREE, fixed(q)),) for q in (0, 1)),
    ((FIRST, fixed(0)), (FIRST, fixed(2))),
    ((FIRST, fixed(2), fixed(0)), (FIRST, fixed(0), fixed(1))),
)
FORCED_KNOWN = both(
    Grid(((1,),), KNOWN[:2], (3, 4), (0, 2), (A_HALF,), base=FORCED),
    Grid(((1, 1),), KNOWN[2:], (4, 5), (1, 2), (AT_ONCE,), base=FORCED),
)
forced = row(
    "theorem-d2.forced",
    "Under forced caching ET-LRU is optimal where turn rates are homogeneous and lengths of prompts are known, "
    "the same or not for all conversations and turns.",
    FORCED_KNOWN,
    FORCED_KNOWN,
    "homogeneous rates, known lengths, also by conversation and by turn",
    APPENDIX_E,
)
forced_same_law = row(
    "theorem-d2.forced.one-law",
    "Under forced caching ET-LRU is optimal where turn rates are homogeneous and all prompts but the first have "
    "the same law.",
    Grid(
        ((1,),), (((UP_TO_THREE, SELDOM_ONE),), ((FIRST, ZERO_OR_TWO),)), (4,), (0, 1, 2), (A_HALF,), base=FORCED
    ),
    Grid(((1,),), (((UP_TO_THREE, SELDOM_ONE),), ((FIRST, ZERO_OR_TWO),)), (4, 5), (0, 1, 2), base=FORCED),
    "homogeneous rates, one law of prompts",
    APPENDIX_E,
    origin=OURS,
)
APART = Grid(
    ((1, 2), (1, 3)),
    (((FIRST, fixed(0)),), ((UP_TO_THREE, fixed(0)),)),
    (2, 3),
    (0,),
    (always("9/10"),),
    base=FORCED,
)
forced_heterogeneous = row(
    "theorem-d2.forced-heterogeneous",
    "Under forced caching some choice of ET-LRU is optimal also where turn rates differ.",
    APART,
    APART,
    "two turn rates, prompts 0 after the first",
    APPENDIX_E,
    ties="best",
    origin=sharpness("turn rates are homogeneous"),
)
OWN_LAWS = Grid(
    ((1, 1),),
    tuple(((UP_TO_THREE, fixed(1)), (UP_TO_THREE, law)) for law in (ONE_IN_THREE, ZERO_OR_TWO)),
    (4,),
    (1, 2),
    (always("9/10"),),
    base=FORCED,
)
forced_random = row(
    "theorem-d2.forced-random",
    "Under forced caching some choice of ET-LRU is optimal also where the laws of prompts differ between "
    "conversations.",
    OWN_LAWS,
    OWN_LAWS,
    "homogeneous rates, later prompts of 1, or of 0 or 2",
    APPENDIX_E,
    ties="best",
    origin=sharpness("prompts have known, fixed lengths"),
)


if __name__ == "__main__":
    run(__file__)
