"""Errata of Appendix C: statements of the printed proof of Theorem 3.1, which holds."""

from __future__ import annotations

from proofs_checks.tail_optimized.theorem_31 import t_lru, threshold_lru
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import traced
from teltheory.policies import LRU

WITHDRAWN = "leaves out Theorem 3.1 and this proof of it"


T_LRU_ALONE = traced({"T-LRU, turn by turn": t_lru})
THREE = traced(
    {
        "LRU, turn by turn": lambda case: LRU(),
        "Threshold-LRU, turn by turn": threshold_lru,
        "T-LRU, turn by turn": t_lru,
    }
)

APPENDIX_C = (
    Erratum(
        title="Appendix C: a short conversation's cost is its excess",
        place="Appendix C, “the costs (i.e., number of uncached tokens) under all three policies are all zero”",
        v1=WITHDRAWN,
        printed="Where L ≤ ξ − Q̄, the number of uncached tokens of the next turn is 0 under all three policies.",
        fact="The uncached tokens can be as many as L + Q, which is at most ξ; it is the excess that is 0.",
        repair="Say excess for cost: (L + Q − X − ξ)⁺ = 0.",
        shows={"appendix-c.short.uncached": T_LRU_ALONE},
        repaired_by=("appendix-c.short",),
    ),
    Erratum(
        title="Appendix C: T-LRU may cache what is above its budgets",
        place="Appendix C, “Tail-Optimized LRU also caches zero” and “Tail-Optimized LRU only stores L + Q̄ − ξ”",
        v1=WITHDRAWN,
        printed="T-LRU holds nothing of a conversation with L ≤ ξ − Q̄, and L + Q̄ − ξ of a longer one before "
        "it evicts by LRU; so X of T-LRU = L + Q̄ − ξ wherever X of LRU is at least that.",
        fact="Algorithm 1 trims on overflow only, and only until the cache fits: a conversation keeps its "
        "surplus while there is room. (Where T-LRU trims after every turn it holds nothing of short ones.)",
        repair="X of T-LRU ≥ L + Q̄ − ξ in the place of equality; the proof needs no more.",
        shows={"appendix-c.short.trimmed": T_LRU_ALONE, "appendix-c.first-case": THREE},
        repaired_by=("appendix-c.first-case.at-least", "appendix-c.short.trimmed.eager", "theorem-31"),
    ),
    Erratum(
        title="Appendix C: the two cases leave one out",
        place="Appendix C, “If X^LRU ≥ L + Q̄ − ξ” and “If X^TLRU < L + Q̄ − ξ”",
        v1=WITHDRAWN,
        printed="Either LRU holds at least the budget of a conversation, or T-LRU holds less than it.",
        fact="LRU can hold less than the budget while T-LRU holds all of it.",
        repair="Add the third case: there T-LRU's excess is 0, and Threshold-LRU holds at least what LRU does.",
        shows={"appendix-c.cases": THREE},
        repaired_by=("appendix-c.third-case", "theorem-31.per-request"),
    ),
)
