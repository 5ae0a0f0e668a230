"""What the rows of the ledger are known to be; all others hold or are reproduced."""

from csv import DictReader

from claims.rows import KEPT

from proofs_checks import all_claims
from teltheory.claims.formal import folder

EXPECTED = {
    row["row"]: row["verdict"]
    for row in DictReader(KEPT.read_text().splitlines())
    if row["verdict"] not in ("holds", "reproduced")
}
"""What `rows.csv` keeps, by row, but for rows that hold or are reproduced."""
PROVED = """
theorem-31 theorem-31.per-request theorem-31.forced theorem-31.threshold-lru theorem-31.threshold-lru.first
theorem-31.threshold-lru.second theorem-31.large-q algorithm-1.repaired algorithm-1.single-pass
trim.order-is-free trim.order-is-free.named trim.order-is-free.named.forced trim.eager
theorem-31.threshold-lru.partial appendix-e.repeated.excess stack.lru stack.tlru stack.tlru-round-robin
theorem-d2 theorem-d2.turn-law.promising theorem-d2.exchange theorem-d2.every-horizon theorem-d2.convex-costs
forest.tlru.high-water forest.tlru.high-water.forced forest.tlru.high-water.running forest.tlru.high-water.closed
forest.stack.lru forest.stack.tlru.high-water forest.stack.tlru.last forest.belady.inclusion
forest.tail-optimized-belady.inclusion ragcache.starvation.overtaken
tiers.tlru.scaled tiers.tlru.scaled.least-recent tiers.tlru.scaled.eager tiers.tlru.scaled.inclusive
tiers.tlru.scaled.inclusive.eager tiers.tlru.first-tier tiers.tlru.last-tier tiers.tlru.last-tier.exact
tiers.tlru.last-tier.three tiers.tlru.one-budget tiers.tlru.one-budget.exact tiers.overlap
prompt-cache.tlru.own prompt-cache.tlru.own.exact prompt-cache.tlru.shared prompt-cache.tlru.shared.together
parrot.tail.reserve parrot.tail.reserve.path
"""
MACHINE_CHECKED = {line.split()[0] for line in (folder() / "rows.txt").read_text().splitlines()}
CERTIFIED = {
    f"{name}{mode}"
    for name in (
        "theorem-b1.certificate",
        "violations.fewest",
        "weighted.certificate",
        "forest.optimum.certificate",
    )
    for mode in ("", ".forced")
} | {"forest.optimum.methods"}
DATA_ROWS = ("figure-3.vllm-cpu", "figure-3.a100-cold", "figure-4.lengths", "prediction.end-aware.mooncake")


def rows_of(*sections):
    return tuple(claim.id for claim in all_claims(sections))


BELIEF_ROWS = tuple(
    name
    for name in rows_of("theorem_d2", "theorem_d2_exchange", "theorem_d2_bayes", "corollaries_d2", "printed_index")
    if name != "et-lru.printed-index.ratio"
)
DRAWN_ROWS = rows_of("belief_validation")
JUDGED_ROWS = (*rows_of("theorem_d2_general"), *DRAWN_ROWS)
LIMIT_ROWS = rows_of("tail_measures", "not_competitive", "hardness", "hard_caches", "strict_capacity")
RAG_ROWS = tuple(claim.id for claim in all_claims() if claim.id.startswith("ragcache."))
PARROT_ROWS = rows_of(
    "app_labels",
    "app_groups",
    "app_schedules",
    "shared_prefixes",
    "app_dispatch",
    "merged_attention",
    "app_numbers",
)
MODULE_ROWS = tuple(claim.id for claim in all_claims() if claim.id.startswith("prompt-cache."))
TAIL_ROWS = rows_of("application_tails", "application_programs")
DIFFERENCE_ROWS = rows_of("differences")
TIER_ROWS = tuple(
    claim.id
    for claim in all_claims()
    if claim.id.startswith(("tiers.", "queue.")) and claim.id not in DIFFERENCE_ROWS
)
OPTIMUM_ROWS = rows_of("optimum", "weights", "strict")
SAMPLED = {claim.id for claim in all_claims() if claim.sampled}
MEASURED = SAMPLED - set(DRAWN_ROWS)
