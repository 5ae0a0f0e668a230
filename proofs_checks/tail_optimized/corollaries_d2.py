"""What Appendix D draws from Theorem D.2: LRU, T-LRU and classic paging.

LRU and T-LRU are the policies of a replay, ties and trimming included; the last rows are rules by an index, as in
`theorem_d2.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.tail_optimized.instances.belief_grids import (
    A_HALF,
    AT_ONCE,
    BAYES,
    FIRST,
    NODES,
    PAPER,
    PROMPTS,
    RACE,
    TWO_GAPS,
    Grid,
    Laws,
    Lengths,
    always,
    both,
    by_index,
    optimality_row,
)
from teltheory.belief.model import BeliefMDP, Policy
from teltheory.belief.optimality import Decision, Index, Ties, alive, decisions_of, turn_rates
from teltheory.belief.rules import as_replayed
from teltheory.claims.beliefs import BeliefCase, Models
from teltheory.claims.claim import Claim
from teltheory.claims.origin import BOTH, Origin, reading, repairs
from teltheory.claims.registry import run
from teltheory.policies import LRU, TLRU
from teltheory.policies.policy import Trim
from teltheory.workloads.laws import fixed

SOURCE = "Theorem D.2, implications"
LENGTHS: Lengths = {"quick": ((2, 2), (3, 2)), "full": ((2, 2), (3, 2), (2, 3), (4, 2), (3, 3))}
FEWER: Lengths = {"quick": ((3, 1), (2, 2)), "full": ((3, 1), (2, 2), (3, 2), (2, 3))}
SAME = ((1,),)


def lru(model: BeliefMDP) -> Policy:
    """Return LRU."""
    return as_replayed(LRU())


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


def row(
    id: str,
    statement: str,
    policy: Callable[[BeliefMDP], Policy],
    models: tuple[Models, Models],
    note: str,
    lengths: Lengths = LENGTHS,
    origin: Origin = BOTH,
) -> Claim[BeliefCase]:
    """Return a row on the optimality of a policy."""

    def replayed(case: BeliefCase) -> list[Decision]:
        return decisions_of(case.tables, case.state, case.turns, policy(case.model))

    rule = ("LRU" if policy is lru else "T-LRU", replayed)
    return optimality_row(id, SOURCE, statement, rule, models, lengths, note, origin)


def grids(base: BeliefMDP, laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...]) -> tuple[Models, Models]:
    """Return the models of a row at either effort."""
    gaps = (NODES,) if base.race else (A_HALF,)
    more = (NODES,) if base.race else (AT_ONCE, A_HALF, TWO_GAPS)
    return Grid(SAME, laws, (2,), xis, gaps, base=base), Grid(SAME, laws, (1, 2, 3), xis, more, (1, 2), base=base)


def under_the_posterior(laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...]) -> tuple[Models, Models]:
    """Return the models of a row with the posterior: given gaps, and a race."""
    (quick, full), (race, longer_race) = (grids(base, laws, xis) for base in (BAYES, RACE))
    return both(quick, race), both(full, longer_race)


ANY = (*PROMPTS["fixed"], *PROMPTS["random"], PROMPTS["by-conversation"][1])
LRU_STATEMENT = "LRU is optimal for xi = 0 and homogeneous rates"
corollary_lru = row(
    "corollary.lru",
    f"{LRU_STATEMENT}, with the paper's belief.",
    lru,
    grids(PAPER, ANY, (0,)),
    "homogeneous rates, any prompts, xi = 0",
)
corollary_lru_bayes = row(
    "corollary.lru.bayes",
    f"{LRU_STATEMENT}, with the posterior.",
    lru,
    under_the_posterior(ANY, (0,)),
    "homogeneous rates, any prompts, xi = 0",
    FEWER,
)
NATURAL = Grid(
    ((1, 3),), (((FIRST, fixed(1)),), ((FIRST, fixed(2)),)), (1, 2), (1, 2), (A_HALF,), (1,), (fixed(1),)
)
corollary_tlru = optimality_row(
    "corollary.tlru",
    SOURCE,
    "T-LRU is optimal where the prompts of later turns have one known length, whatever the turn rates.",
    ("T-LRU", trimmed_either_way),
    (NATURAL, NATURAL),
    {"quick": ((2, 1), (3, 1)), "full": ((2, 1), (3, 1), (3, 2))},
    "two turn rates, one known length; every prompt, response, C and xi at least 1",
    BOTH,
)
T_LRU_STATEMENT = "T-LRU is optimal for a known length of the prompts and homogeneous rates"
FIXED = (*PROMPTS["fixed"], ((FIRST, fixed(2)),))
corollary_tlru_homogeneous = row(
    "corollary.tlru.homogeneous",
    f"{T_LRU_STATEMENT}, with the paper's belief.",
    t_lru("round-robin"),
    grids(PAPER, FIXED, (0, 1, 2)),
    "homogeneous rates, one known length",
    origin=repairs("corollary.tlru"),
)
corollary_tlru_homogeneous_bayes = row(
    "corollary.tlru.homogeneous.bayes",
    f"{T_LRU_STATEMENT}, with the posterior.",
    t_lru("round-robin"),
    under_the_posterior(FIXED, (0, 1, 2)),
    "homogeneous rates, one known length",
    FEWER,
    repairs("corollary.tlru"),
)


def paging(
    id: str, statement: str, index: Index, ties: Ties, lengths: Lengths, origin: Origin
) -> Claim[BeliefCase]:
    """Return a row on classic paging: first prompts 1, later prompts and responses 0, xi = 0."""
    pages: tuple[tuple[Laws, ...], ...] = (((fixed(1), fixed(0)),),)
    rates = ((1, 3), (2, 3), (1, 1))
    quick = Grid(rates, pages, (1, 2), (0,), (A_HALF,))
    full = Grid(rates, pages, (1, 2, 3), (0,), (AT_ONCE, A_HALF, TWO_GAPS, always("9/10")), (1, 2))
    rule = by_index("rule", index, ties)
    return optimality_row(
        id, SOURCE, statement, rule, (quick, full), lengths, "one page a conversation, two rates", origin
    )


corollary_paging = paging(
    "corollary.paging",
    "In classic paging with the paper's belief it is optimal to evict the conversation that is least likely to be "
    "next, by lambda pi.",
    turn_rates,
    "worst",
    LENGTHS,
    BOTH,
)
paging_ever = paging(
    "paging.ever",
    "In classic paging it is optimal to evict the conversation that is least likely ever to return, by pi.",
    alive,
    "best",
    {"quick": ((2, 1), (3, 1), (2, 2)), "full": ((2, 1), (3, 1), (2, 2), (3, 2))},
    reading("least likely to return: ever, not next"),
)


if __name__ == "__main__":
    run(__file__)
