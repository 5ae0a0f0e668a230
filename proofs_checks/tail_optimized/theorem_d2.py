"""Theorem D.2: ET-LRU is optimal in the paper's belief MDP (Appendices D and E of Zhang et al. 2025).

A row that holds: at the end of every history and for every cache, every minimiser of problem (6) that fills the
cache has the least expected excess of the turns that follow. A row that is refuted: somewhere no minimiser has.
All in exact fractions; histories, laws of the gaps and numbers of turns that follow are the row's scope.
`docs/beliefs.md` has the table of conditions, `docs/proofs-belief.md` the exchange argument.
"""

from functools import partial
from itertools import product

from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import Grid, always, both, optimality_row
from proofs_checks.tail_optimized.lemmas.exchange_proof import promising_proof, same_law_proof
from teltheory.claims.beliefs import BeliefCase
from teltheory.claims.claim import Claim
from teltheory.claims.origin import OURS, repairs, sharpness
from teltheory.workloads.laws import fixed

SHORT = ((2, 2), (3, 2))
LONG = (*SHORT, (2, 3))
LENGTHS: grids.Lengths = {"quick": SHORT, "full": (*LONG, (4, 2))}
LONGER: grids.Lengths = {"quick": LONG, "full": (*LONG, (4, 2), (3, 3), (2, 4))}

RATES = {"homogeneous": ((1,),), "heterogeneous": ((1, 3),)}
RATES_OF_TWO = {"homogeneous": ((1, 1),), "heterogeneous": ((1, 3), (3, 1))}
RESPONSES = (fixed(0), grids.COIN)

row = partial(optimality_row, source="Theorem D.2", rule=grids.EVERY_CHOICE, lengths=LENGTHS)


def combination(rates: str, prompts: str) -> Claim[BeliefCase]:
    """Return the row of one combination of rates and laws of prompts."""
    kinds = (RATES_OF_TWO if prompts == "by-conversation" else RATES)[rates]
    few = rates == "homogeneous" and prompts != "by-conversation"
    gaps = (grids.AT_ONCE, grids.TWO_GAPS) if few else (grids.A_HALF,)
    return row(
        f"theorem-d2.{rates}.{prompts}",
        f"The same with {rates} turn rates and {grids.WORDS[prompts]}.",
        Grid(kinds, grids.PROMPTS[prompts], (1, 2) if few else (2,), gaps=gaps),
        Grid(kinds, grids.PROMPTS[prompts], (1, 2, 3), (0, 1, 2), grids.ANY_GAPS, (1, 2), RESPONSES),
        f"{rates} rates, prompts {prompts}",
        lengths=LONGER if few else LENGTHS,
    )


ALL = both(
    Grid(RATES["heterogeneous"], grids.PROMPTS["random"], (2,), (1,), (grids.TWO_GAPS,)),
    Grid(RATES_OF_TWO["heterogeneous"], grids.PROMPTS["by-conversation"], (2,), (1,), (grids.TWO_GAPS,)),
)
theorem_d2 = row(
    "theorem-d2",
    "In the paper's belief MDP with optional caching every choice of ET-LRU that fills the cache is optimal, at "
    "every state: any turn rates, any law of a conversation's prompts that stays the same from turn to turn.",
    ALL,
    None,
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
    tuple(
        ((fixed(first), law, fixed(0)),)
        for first, law in product((1, 2), (grids.COIN, grids.SELDOM_ONE, grids.ZERO_OR_TWO))
    ),
    gaps=(grids.AT_ONCE, always("3/4"), grids.A_HALF, always("9/20")),
)
turn_law = row(
    "theorem-d2.turn-law",
    "Some choice of ET-LRU is optimal also where the law of a conversation's prompts changes from turn to turn.",
    FALLING,
    None,
    "a random second prompt, later ones 0",
    lengths={"quick": ((2, 1), (2, 2)), "full": ((2, 1), (2, 2))},
    rule=grids.SOME_CHOICE,
    origin=sharpness("theorem-d2", "a conversation's prompts have one law"),
)
PROMISING = (
    ((grids.FIRST, grids.SELDOM_ONE, fixed(1)),),
    ((grids.FIRST, fixed(0), grids.ZERO_OR_TWO),),
    ((grids.FIRST, fixed(2), fixed(0)),),
    ((fixed(1), grids.FIRST, grids.COIN),),
)
turn_law_promising = row(
    "theorem-d2.turn-law.promising",
    "ET-LRU is optimal where laws change from turn to turn, if for every length q that a later prompt can have q "
    "plus the prompt after it is stochastically at least that prompt: rising laws, or known lengths.",
    Grid(RATES["heterogeneous"], PROMISING, (2,), gaps=(grids.A_HALF,)),
    Grid(RATES["heterogeneous"], PROMISING, (1, 2, 3), (0, 1, 2), grids.ANY_GAPS),
    "heterogeneous rates; laws that rise, known lengths, and laws that fall by no more than the prompt",
    lengths={"quick": ((3, 2),), "full": ((3, 2), (4, 2), (2, 3), (3, 3))},
    origin=repairs("theorem-d2.turn-law"),
    proof=promising_proof,
)

APPENDIX_E = "Theorem D.2 with Appendix E"
KNOWN = (
    *(((grids.UP_TO_THREE, fixed(q)),) for q in (0, 1)),
    ((grids.FIRST, fixed(0)), (grids.FIRST, fixed(2))),
    ((grids.FIRST, fixed(2), fixed(0)), (grids.FIRST, fixed(0), fixed(1))),
)
FORCED_KNOWN = both(
    Grid(((1,),), KNOWN[:2], (3, 4), (0, 2), (grids.A_HALF,), base=grids.FORCED),
    Grid(((1, 1),), KNOWN[2:], (4, 5), (1, 2), (grids.AT_ONCE,), base=grids.FORCED),
)
forced = row(
    "theorem-d2.forced",
    "Under forced caching ET-LRU is optimal where turn rates are homogeneous and lengths of prompts are known, "
    "the same or not for all conversations and turns.",
    FORCED_KNOWN,
    None,
    "homogeneous rates, known lengths, also by conversation and by turn",
    source=APPENDIX_E,
)
SAME_LAW = (((grids.UP_TO_THREE, grids.SELDOM_ONE),), ((grids.FIRST, grids.ZERO_OR_TWO),))
forced_same_law = row(
    "theorem-d2.forced.one-law",
    "Under forced caching ET-LRU is optimal where turn rates are homogeneous and all prompts but the first have "
    "the same law.",
    Grid(((1,),), SAME_LAW, (4,), (0, 1, 2), (grids.A_HALF,), base=grids.FORCED),
    Grid(((1,),), SAME_LAW, (4, 5), (0, 1, 2), base=grids.FORCED),
    "homogeneous rates, one law of prompts",
    source=APPENDIX_E,
    origin=OURS,
)
APART = Grid(
    ((1, 2), (1, 3)),
    (((grids.FIRST, fixed(0)),), ((grids.UP_TO_THREE, fixed(0)),)),
    (2, 3),
    (0,),
    (always("9/10"),),
    base=grids.FORCED,
)
forced_heterogeneous = row(
    "theorem-d2.forced-heterogeneous",
    "Under forced caching some choice of ET-LRU is optimal also where turn rates differ.",
    APART,
    None,
    "two turn rates, prompts 0 after the first",
    source=APPENDIX_E,
    rule=grids.SOME_CHOICE,
    origin=sharpness("theorem-d2.forced", "turn rates are homogeneous"),
)
OWN_LAWS = Grid(
    ((1, 1),),
    tuple(
        ((grids.UP_TO_THREE, fixed(1)), (grids.UP_TO_THREE, law))
        for law in (grids.ONE_IN_THREE, grids.ZERO_OR_TWO)
    ),
    (4,),
    (1, 2),
    (always("9/10"),),
    base=grids.FORCED,
)
forced_random = row(
    "theorem-d2.forced-random",
    "Under forced caching some choice of ET-LRU is optimal also where the laws of prompts differ between "
    "conversations.",
    OWN_LAWS,
    None,
    "homogeneous rates, later prompts of 1, or of 0 or 2",
    source=APPENDIX_E,
    rule=grids.SOME_CHOICE,
    origin=sharpness("theorem-d2.forced", "prompts have known, fixed lengths"),
)
