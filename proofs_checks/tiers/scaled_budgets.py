"""T-LRU in tiers against the LRU cascade: flat budgets lose, scaled ones in two tiers do not.

docs/proofs-tiers.md has the proofs, and where they end. Excesses are in parts of a
token.
"""

from dataclasses import replace

from proofs_checks.tiers.chains import Chain, SmallChains
from proofs_checks.tiers.dominance import Duel
from proofs_checks.tiers.lemmas import one_budget, two_tiers
from teltheory.claims.claim import Claim, rows
from teltheory.claims.origin import repairs, sharpness
from teltheory.claims.worlds import Given

LOADS = ((0, 1), (0, 2), (0, 3))
JUDGED = SmallChains({1: 3, 2: 3, 3: 2}, {1: 3, 2: 3, 3: 3}, LOADS)
ENUMERATED = replace(JUDGED, quick={1: 4, 2: 5, 3: 5, 4: 3}, full={1: 6, 2: 6, 3: 6, 4: 4, 5: 3})
INCLUSIVE = replace(JUDGED, inclusive=True)
INCLUSIVE_ENUMERATED = replace(ENUMERATED, inclusive=True)
THREE = replace(JUDGED, loads=((0, 1, 3),), quick={1: 3, 2: 3, 3: 2})
THREE_ENUMERATED = replace(THREE, quick={1: 4, 2: 5, 3: 5, 4: 3}, full={1: 5, 2: 6, 3: 6, 4: 4})
SCALED = "b_i = min(L, b / (1 - load of tier i), rounded up)"
GROWING = "conversations that grow, whose estimates of the next prompt are never too small"

row = rows(source="T-LRU in tiers: docs/tiers-theory.md")
round_robin, flat = Duel(), Duel(("flat", "flat"), each=False)
least_recent, eager = Duel(trim="least-recent"), Duel(trim="eager")


flat_budgets = row(
    "tiers.tlru.flat",
    "With the budget b = L + Q - xi in both tiers and an estimate that is at least every prompt that "
    "continues a conversation, "
    "T-LRU's TEL is at most the LRU cascade's.",
    relation=flat.holds,
    space=JUDGED,
    compiled=flat.compiled(ENUMERATED),
    origin=sharpness("tiers.tlru.scaled", "the budget is scaled"),
)(flat.values)

NATURAL = SmallChains({2: 5, 3: 9}, {2: 5, 3: 9}, ((0, 2),), least=1, conversations=2)
flat_natural = row(
    "tiers.tlru.flat.natural",
    "The same if every prompt, response and capacity, the threshold and the estimate are at least 1.",
    relation=flat.holds,
    space=replace(NATURAL, quick={2: 5, 3: 7}, full={2: 5, 3: 7}),
    compiled=flat.compiled(NATURAL),
    origin=sharpness("tiers.tlru.scaled", "the budget is scaled"),
)(flat.values)

EVERYDAY = Chain(((0, 1000, 300), (1, 1000, 100), (1, 200, 500)), (500, 1500), (0, 1), parts=2, xi=500, q_hat=200)
flat_everyday = row(
    "tiers.tlru.flat.everyday",
    "The same for two conversations with prompts of 1,000 and 200 tokens.",
    relation=flat.holds,
    space=Given((EVERYDAY,), "one case"),
    origin=sharpness("tiers.tlru.scaled", "the budget is scaled"),
)(flat.values)


def scaled(id: str, duel: Duel, more: str, judged: SmallChains, enumerated: SmallChains) -> Claim[Chain]:
    """Return the row on scaled budgets in two tiers, with a way of trimming."""
    return row(
        id,
        f"Scaled budgets, {SCALED}, in two tiers: for {GROWING} and stay the same within a conversation, "
        "T-LRU has "
        f"at most the LRU cascade's excess at every turn{more}.",
        relation=duel.holds,
        space=judged,
        compiled=duel.compiled(enumerated),
        proof=two_tiers.proved,
    )(duel.values)


scaled_budgets = scaled("tiers.tlru.scaled", round_robin, "", JUDGED, ENUMERATED)
scaled_least_recent = scaled(
    "tiers.tlru.scaled.least-recent", least_recent, ", if the least recent are trimmed first", JUDGED, ENUMERATED
)
scaled_eager = scaled("tiers.tlru.scaled.eager", eager, ", if all surplus goes at once", JUDGED, ENUMERATED)
scaled_inclusive = scaled(
    "tiers.tlru.scaled.inclusive", round_robin, ", in inclusive tiers", INCLUSIVE, INCLUSIVE_ENUMERATED
)
scaled_inclusive_eager = scaled(
    "tiers.tlru.scaled.inclusive.eager",
    eager,
    ", in inclusive tiers, if all surplus goes at once",
    INCLUSIVE,
    INCLUSIVE_ENUMERATED,
)

first = Duel(("scaled", "LRU"))
first_tier = row(
    "tiers.tlru.first-tier",
    f"T-LRU in the first of two tiers, LRU in the second: for {GROWING} and stay the same within a "
    "conversation it "
    "has at most the LRU cascade's excess at every turn.",
    relation=first.holds,
    space=JUDGED,
    compiled=first.compiled(ENUMERATED),
    proof=two_tiers.proved,
)(first.values)

last = Duel(("LRU", "scaled"))
last_tier = row(
    "tiers.tlru.last-tier",
    f"LRU in all tiers but the last, T-LRU with the scaled budget there: for {GROWING} it has at most the LRU "
    "cascade's excess at every turn, in any number of tiers.",
    relation=last.holds,
    space=JUDGED,
    compiled=last.compiled(ENUMERATED),
    proof=one_budget.last_tier,
)(last.values)

last_exact = row(
    "tiers.tlru.last-tier.exact",
    "The same with the prompt that comes next for the estimate.",
    relation=last.holds,
    space=replace(JUDGED, estimates="exact"),
    compiled=last.compiled(replace(ENUMERATED, quick={1: 4, 2: 6, 3: 6, 4: 4}, estimates="exact")),
    proof=one_budget.last_tier,
)(last.values)

last_of_three = Duel(("LRU", "LRU", "scaled"))
last_tier_of_three = row(
    "tiers.tlru.last-tier.three",
    "The same in three tiers.",
    relation=last_of_three.holds,
    space=THREE,
    compiled=last_of_three.compiled(THREE_ENUMERATED),
    proof=one_budget.last_tier,
)(last_of_three.values)

flat_last = Duel(("LRU", "flat"), each=False)
last_tier_flat = row(
    "tiers.tlru.last-tier.flat",
    "LRU in the first tier and T-LRU with the flat budget b in the second has a TEL of at most the LRU cascade's.",
    relation=flat_last.holds,
    space=JUDGED,
    compiled=flat_last.compiled(ENUMERATED),
    origin=sharpness("tiers.tlru.last-tier", "the budget is scaled"),
)(flat_last.values)

one = Duel(("last", "last", "last"))
one_for_all = row(
    "tiers.tlru.one-budget",
    "One budget in all tiers, that of the last one, min(L, b / (1 - load of the last tier), rounded up): for "
    f"{GROWING} T-LRU has at most the LRU cascade's excess at every turn, in any number of tiers.",
    relation=one.holds,
    space=THREE,
    compiled=one.compiled(THREE_ENUMERATED),
    proof=one_budget.in_all_tiers,
    origin=repairs("tiers.tlru.scaled.three"),
)(one.values)

one_eager = Duel(("last", "last"), trim="eager")
one_for_all_exact = row(
    "tiers.tlru.one-budget.exact",
    "The same with the prompt that comes next for the estimate, if all surplus goes at once.",
    relation=one_eager.holds,
    space=replace(JUDGED, estimates="exact"),
    compiled=one_eager.compiled(replace(ENUMERATED, quick={1: 4, 2: 6, 3: 6, 4: 4}, estimates="exact")),
    proof=one_budget.in_all_tiers,
    origin=repairs("tiers.tlru.scaled.exact"),
)(one_eager.values)
