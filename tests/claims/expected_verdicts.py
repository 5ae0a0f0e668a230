"""What the rows of the ledger are known to be; all others hold or are reproduced."""

from proofs_checks import all_claims

REFUTED = """
hindsight.initial-state theorem-b1.cap-is-necessary theorem-b1.capped.forced tel.cvar.given-threshold
tel.cvar.every-threshold theorem-31.strict theorem-31.mean-estimate theorem-31.mean-estimate.continuing
appendix-c.short.uncached appendix-c.short.trimmed appendix-c.first-case appendix-c.cases appendix-c.step
algorithm-1.as-printed algorithm-1.nonnegative algorithm-1.as-printed.v1 algorithm-1.nonnegative.v1
algorithm-1.terminates algorithm-1.terminates.trim-loop algorithm-1.terminates.lru-loop
trim.order-is-free.mean trim.order-is-free.mean.any-order theorem-31.threshold-lru.single-pass
figure-1.budget-exists figure-2.v1 section-3.infinitely-old appendix-e.repeated lemma-d3.real-threshold
lemma-d3.any-n algorithm-2.score.real-threshold belief.posterior theorem-d2.turn-law
theorem-d2.forced-heterogeneous theorem-d2.forced-random theorem-d2.bayes-random
theorem-d2.bayes-heterogeneous theorem-d2.bayes-next-event.homogeneous.random
theorem-d2.bayes-next-event.homogeneous.by-conversation theorem-d2.bayes-next-event.heterogeneous.fixed
theorem-d2.bayes-next-event.heterogeneous.random theorem-d2.bayes-next-event.heterogeneous.by-conversation
corollary.tlru paging.ever et-lru.printed-index figure-3.vllm-cpu kv-size.gb sensitivity.text
headline.sharegpt.violations.at-slo headline.p95-range sensitivity.high-xi.percentiles
forest.optimum.start.holes forest.weights.growing forest.weights.growing.relaxation forest.strict
forest.strict.forced forest.strict.natural forest.strict.belady forest.strict.belady.natural
forest.strict.belady.forced forest.strict.relaxation
forest.tlru.high-water.without-tail forest.tlru.last forest.tlru.last.forced forest.tlru.last.strict
forest.tlru.resident forest.tlru.resident.forced forest.tlru.nodes.high-water forest.tlru.nodes.last
forest.tlru.nodes.resident forest.stack.tlru.last.strict forest.stack.nodes forest.stack.nodes.chunks
forest.stack.tlru.nodes forest.tail-optimized-belady.inclusion.strict forest.nodes.excess.renewed
forest.nodes.excess.outputs
ragcache.full-prefill.a100 ragcache.latency-identity.all-requests ragcache.latency-identity.partial
ragcache.latency-identity.tokens.attention ragcache.placement.orphan ragcache.swap-out-once.no-loss
ragcache.swap-out-once.hits.pgdsf ragcache.swap-out-once.bound.pgdsf ragcache.fault.replica
ragcache.concurrent.all-but-one ragcache.pgdsf.linear.document ragcache.pgdsf.attention
ragcache.pgdsf.never-worse ragcache.pgdsf.least-misses ragcache.pgdsf.least-misses.lru ragcache.pgdsf.question
ragcache.pgdsf.new-size ragcache.pgdsf.remembered ragcache.pgdsf.window ragcache.formula-3.position
ragcache.clock ragcache.clock.late ragcache.reordering.printed ragcache.reordering.goes-on ragcache.starvation
ragcache.figure-10a.blocks ragcache.figure-10b.blocks ragcache.order-priority ragcache.order-priority.blocks
ragcache.order-priority.same-computation.documents ragcache.order-priority.same-cached.documents
ragcache.tlru.ends-behind ragcache.tlru.mean ragcache.retry.after.others ragcache.host-size.elsewhere
tiers.migration.gains tiers.lp.integral.tails tiers.tob.cascade.flat tiers.tob.cascade.scaled tiers.dual.pure
tiers.tlru.flat tiers.tlru.flat.natural tiers.tlru.flat.everyday tiers.tlru.last-tier.flat
tiers.tlru.last-tier.overlapped tiers.tlru.scaled.exact tiers.tlru.scaled.exact.tel
tiers.tlru.scaled.exact.round-robin tiers.tlru.scaled.exact.least-recent tiers.tlru.scaled.three
tiers.tlru.scaled.three.round-robin tiers.tlru.scaled.three.least-recent tiers.tlru.scaled.edits
tiers.tlru.scaled.overlapped tiers.tlru.scaled.rounded-down tiers.tlru.scaled.too-small
tiers.difference.scaled tiers.difference.tob.scaled tiers.difference.forest.scaled tiers.difference.forest.tob
tiers.difference.forest.flat.last tiers.difference.forest.flat.last.eager
tiers.difference.forest.flat.resident tiers.difference.forest.threshold.last
queue.theorem-3.1 queue.theorem-3.1.natural queue.theorem-3.1.lru-idle queue.theorem-3.1.more-work
queue.pooled.reached queue.router.min-ttft.round-robin queue.router.min-ttft.least-loaded
queue.router.min-ttft.affinity queue.router.round-robin.min-ttft queue.router.least-loaded.min-ttft
queue.router.affinity.min-ttft
prompt-cache.sets.first-used prompt-cache.sets.naive.greedy prompt-cache.sets.naive.program
prompt-cache.tlru.own.fresh prompt-cache.tlru.own.too-small prompt-cache.tlru.shared.fresh
prompt-cache.tlru.shared.too-small prompt-cache.tlru.shared.from-behind prompt-cache.whole.program
prompt-cache.whole.belady prompt-cache.whole.one-size.tail prompt-cache.two-tiers.program
prompt-cache.nesting.lru.document-order prompt-cache.nesting.lru.siblings prompt-cache.nesting.closed
prompt-cache.positions.two-members prompt-cache.ways.ancestors prompt-cache.ways.whole
prompt-cache.ways.whole.outside prompt-cache.memory.falcon-1b.decimal prompt-cache.memory.llama-70b
prompt-cache.saving.quadratic-part prompt-cache.saving.copying prompt-cache.saving.speed-up
prompt-cache.printed.cpu prompt-cache.printed.readme-range prompt-cache.batches.always
parrot.labels.first.order parrot.labels.first.strictest-first parrot.groups.consumer.any parrot.schedules.latency
parrot.schedules.makespan parrot.slowed.chains parrot.ties.spread parrot.ties.pack
parrot.affinity.preferred.strict parrot.affinity.preferred.none parrot.sharing.together parrot.sharing.tokens
parrot.sharing.dependent parrot.printed.lines parrot.printed.paged parrot.printed.gains
parrot.tail.reserve.too-small parrot.tail.request parrot.tail.request.path parrot.tail.equal
parrot.tail.equal.path parrot.tail.equal.on-overflow parrot.tail.program parrot.tail.program.path
parrot.tail.program.together
"""
UNDECIDABLE = """
sensitivity.text.p95 sensitivity.high-xi.extreme figure-4
ragcache.skew ragcache.skew.data-sets ragcache.prefill.one-second ragcache.full-prefill ragcache.with-transfer
prompt-cache.latency.gpu prompt-cache.latency.cpu prompt-cache.outputs.longbench prompt-cache.outputs.gaps
parrot.latency.chain parrot.latency.background parrot.latency.many parrot.latency.map-reduce parrot.latency.bing
parrot.latency.gpts parrot.latency.multi-agent parrot.latency.mixed parrot.latency.batching parrot.repeated
parrot.outside-engine parrot.latency.chain.transformers parrot.latency.bing.per-token
parrot.latency.mixed.throughput parrot.latency.knee ragcache.gains.ttft ragcache.gains.throughput
ragcache.host-size
"""
NOT_REPRODUCED = """
figure-5.median figure-6 table-1 table-3 table-5 table-6 sensitivity.peak sensitivity.high-xi.measured
prediction.poisson headline.measured
sensitivity.latency
"""
EXPECTED = {
    **dict.fromkeys(REFUTED.split(), "refuted"),
    **dict.fromkeys(NOT_REPRODUCED.split(), "not reproduced"),
    **dict.fromkeys(UNDECIDABLE.split(), "not decidable here"),
}
PROVED = """
theorem-31 theorem-31.per-request theorem-31.forced theorem-31.threshold-lru theorem-31.threshold-lru.first
theorem-31.threshold-lru.second theorem-31.large-q algorithm-1.repaired algorithm-1.single-pass
trim.order-is-free trim.order-is-free.named trim.order-is-free.named.forced trim.eager
theorem-31.threshold-lru.partial appendix-e.repeated.excess stack.lru stack.tlru stack.tlru-round-robin
theorem-d2 theorem-d2.turn-law.promising theorem-d2.exchange
forest.tlru.high-water forest.tlru.high-water.forced forest.tlru.high-water.running forest.tlru.high-water.closed
forest.stack.lru forest.stack.tlru.high-water forest.stack.tlru.last forest.belady.inclusion
forest.tail-optimized-belady.inclusion ragcache.starvation.overtaken
tiers.tlru.scaled tiers.tlru.scaled.least-recent tiers.tlru.scaled.eager tiers.tlru.scaled.inclusive
tiers.tlru.scaled.inclusive.eager tiers.tlru.first-tier tiers.tlru.last-tier tiers.tlru.last-tier.exact
tiers.tlru.last-tier.three tiers.tlru.one-budget tiers.tlru.one-budget.exact tiers.overlap
prompt-cache.tlru.own prompt-cache.tlru.own.exact prompt-cache.tlru.shared prompt-cache.tlru.shared.together
parrot.tail.reserve parrot.tail.reserve.path
"""
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
