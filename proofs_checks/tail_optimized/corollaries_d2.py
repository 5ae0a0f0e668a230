"""What Appendix D draws from Theorem D.2: LRU, T-LRU and classic paging.

LRU and T-LRU are the policies of a replay, ties and trimming included; the last rows are rules by an index, as in
`theorem_d2.py`.
"""

from collections.abc import Callable
from functools import partial

from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import Grid, Laws, always, both, optimality_row
from teltheory.belief.model import BeliefMDP, Policy
from teltheory.belief.optimality import Decision, alive, decisions_of, turn_rates
from teltheory.claims.beliefs import BeliefCase, Models, as_replayed
from teltheory.claims.origin import reading, repairs
from teltheory.policies import LRU, TLRU
from teltheory.policies.policy import Trim
from teltheory.workloads.laws import fixed

SOURCE = "Theorem D.2, implications"
LENGTHS: grids.Lengths = {"quick": ((2, 2), (3, 2)), "full": ((2, 2), (3, 2), (2, 3), (4, 2), (3, 3))}
FEWER: grids.Lengths = {"quick": ((3, 1), (2, 2)), "full": ((3, 1), (2, 2), (3, 2), (2, 3))}
SAME = ((1,),)


def t_lru(trim: Trim) -> Callable[[BeliefMDP], Policy]:
    """Return T-LRU with the known length of later prompts as its estimate."""

    def policy(model: BeliefMDP) -> Policy:
        (length,) = model.kinds[0].prompts[-1].lengths
        return as_replayed(TLRU(model.xi, length, trim))

    return policy


def trimmed_either_way(case: BeliefCase) -> list[Decision]:
    """Return T-LRU's decisions, at each cache the better one of round-robin and least-recent trimming."""
    trims: tuple[Trim, ...] = ("round-robin", "least-recent")
    found = (decisions_of(case.tables, case.state, case.turns, t_lru(trim)(case.model)) for trim in trims)
    return [min(choices, key=lambda decision: decision.cost) for choices in zip(*found, strict=True)]


row = partial(optimality_row, source=SOURCE, lengths=LENGTHS)


def replayed(name: str, policy: Callable[[BeliefMDP], Policy]) -> grids.Rule:
    """Return the rule of a policy of the replay."""
    return name, lambda case: decisions_of(case.tables, case.state, case.turns, policy(case.model))


def alike(base: BeliefMDP, laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...]) -> tuple[Models, Models]:
    """Return the models of a row with one turn rate, at either effort."""
    gaps = (grids.NODES,) if base.race else (grids.A_HALF,)
    more = (grids.NODES,) if base.race else grids.ANY_GAPS
    return Grid(SAME, laws, (2,), xis, gaps, base=base), Grid(SAME, laws, (1, 2, 3), xis, more, (1, 2), base=base)


def under_the_posterior(laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...]) -> tuple[Models, Models]:
    """Return the models of a row with the posterior: given gaps, and a race."""
    (quick, full), (race, longer_race) = (alike(base, laws, xis) for base in (grids.BAYES, grids.RACE))
    return both(quick, race), both(full, longer_race)


ANY = (*grids.PROMPTS["fixed"], *grids.PROMPTS["random"], grids.PROMPTS["by-conversation"][1])
REPLAYED_LRU = replayed("LRU", lambda model: as_replayed(LRU()))
LRU_STATEMENT = "LRU is optimal for xi = 0 and homogeneous rates"
corollary_lru = row(
    "corollary.lru",
    f"{LRU_STATEMENT}, with the paper's belief.",
    *alike(grids.PAPER, ANY, (0,)),
    "homogeneous rates, any prompts, xi = 0",
    rule=REPLAYED_LRU,
)
corollary_lru_bayes = row(
    "corollary.lru.bayes",
    f"{LRU_STATEMENT}, with the posterior.",
    *under_the_posterior(ANY, (0,)),
    "homogeneous rates, any prompts, xi = 0",
    rule=REPLAYED_LRU,
    lengths=FEWER,
    origin=grids.POSTERIOR,
)
ONE_LENGTH = tuple(((grids.FIRST, fixed(length)),) for length in (1, 2))
NATURAL = Grid(((1, 3),), ONE_LENGTH, (1, 2), (1, 2), (grids.A_HALF,), responses=(fixed(1),))
corollary_tlru = row(
    "corollary.tlru",
    "T-LRU is optimal where the prompts of later turns have one known length, whatever the turn rates.",
    NATURAL,
    None,
    "two turn rates, one known length; every prompt, response, C and xi at least 1",
    rule=("T-LRU", trimmed_either_way),
    lengths={"quick": ((2, 1), (3, 1)), "full": ((2, 1), (3, 1), (3, 2))},
)
T_LRU_STATEMENT = "T-LRU is optimal for a known length of the prompts and homogeneous rates"
FIXED = (*grids.PROMPTS["fixed"], ((grids.FIRST, fixed(2)),))
REPLAYED_T_LRU = replayed("T-LRU", t_lru("round-robin"))
corollary_tlru_homogeneous = row(
    "corollary.tlru.homogeneous",
    f"{T_LRU_STATEMENT}, with the paper's belief.",
    *alike(grids.PAPER, FIXED, (0, 1, 2)),
    "homogeneous rates, one known length",
    rule=REPLAYED_T_LRU,
    origin=repairs("corollary.tlru"),
)
corollary_tlru_homogeneous_bayes = row(
    "corollary.tlru.homogeneous.bayes",
    f"{T_LRU_STATEMENT}, with the posterior.",
    *under_the_posterior(FIXED, (0, 1, 2)),
    "homogeneous rates, one known length",
    rule=REPLAYED_T_LRU,
    lengths=FEWER,
    origin=repairs("corollary.tlru"),
)

PAGES: tuple[tuple[Laws, ...], ...] = (((fixed(1), fixed(0)),),)
PAGE_RATES = ((1, 3), (2, 3), (1, 1))
PAGING = (
    Grid(PAGE_RATES, PAGES, (1, 2), (0,), (grids.A_HALF,)),
    Grid(PAGE_RATES, PAGES, (1, 2, 3), (0,), (*grids.ANY_GAPS, always("9/10")), (1, 2)),
)
"""Classic paging: first prompts 1, later prompts and responses 0, xi = 0."""
corollary_paging = row(
    "corollary.paging",
    "In classic paging with the paper's belief it is optimal to evict the conversation that is least likely to be "
    "next, by lambda pi.",
    *PAGING,
    "one page a conversation, two rates",
    rule=grids.by_index("rule", turn_rates, "worst"),
)
paging_ever = row(
    "paging.ever",
    "In classic paging it is optimal to evict the conversation that is least likely ever to return, by pi.",
    *PAGING,
    "one page a conversation, two rates",
    rule=grids.by_index("rule", alive, "best"),
    lengths={"quick": ((2, 1), (3, 1), (2, 2)), "full": ((2, 1), (3, 1), (2, 2), (3, 2))},
    origin=reading("least likely to return: ever, not next"),
)
