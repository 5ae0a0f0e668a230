"""T-LRU against Threshold-LRU where only part of the surplus goes (Section 4.2, Appendix C of Zhang et al. 2025).

Appendix C's proof trims all surplus; Algorithm 1 trims just enough, and its `if` form one block a
conversation. Just enough keeps "T-LRU <= Threshold-LRU", in whatever order: either no budget is touched, or
all surplus goes. One pass of trimming does not: LRU then evicts although surplus of short conversations is
left, which Threshold-LRU drops.
"""

from __future__ import annotations

from dataclasses import replace

from proofs_checks.tail_optimized.algorithm_1 import one_pass
from proofs_checks.tail_optimized.lemmas import induction_threshold
from proofs_checks.tail_optimized.theorem_31 import THRESHOLD_LRU, dominated, has_cutoff, threshold_lru
from proofs_checks.tail_optimized.trimming import ALL_ORDERS, reachable_excesses
from teltheory.claims.case import Case, compared
from teltheory.claims.claim import Values, claim
from teltheory.claims.origin import OURS, reading
from teltheory.claims.registry import run
from teltheory.claims.worlds import SmallWorlds, upper_bounds

SOME_ORDERS = replace(ALL_ORDERS, quick={1: 3, 2: 3, 3: 4}, full={1: 6, 2: 6, 3: 5, 4: 3})
SPACE = SmallWorlds({1: 4, 2: 4, 3: 5}, {1: 6, 2: 6, 3: 6, 4: 4}, estimates=upper_bounds)


@claim(
    "theorem-31.threshold-lru.partial",
    "Section 4.2, for Algorithm 1's partial trimming",
    "Where xi is at least the upper bound and just enough surplus goes, in whatever order, T-LRU's excess is at "
    "most Threshold-LRU(xi - upper bound)'s at every turn.",
    relation=dominated,
    space=SOME_ORDERS,
    proof=induction_threshold.t_lru_against_threshold_lru,
    origin=OURS,
)
def partial(case: Case) -> Values | None:
    """Compare the largest excess of any order with Threshold-LRU's, turn by turn."""
    if not has_cutoff(case):
        return None
    _, most = reachable_excesses(case, lambda past, _: past + case.q_hat - case.xi, ends=False)
    return {"T-LRU, any order": most, "Threshold-LRU": case.excesses(threshold_lru(case))}


single_pass = claim(
    "theorem-31.threshold-lru.single-pass",
    "Section 4.2, with the `if` form of the longer summary's Algorithm 1",
    "Where xi is at least the upper bound, one pass that trims at most one block of each conversation, and then "
    "LRU, has a TEL of at most Threshold-LRU(xi - upper bound)'s.",
    dominated,
    SPACE,
    origin=reading("the `if` form of v1 together with the sentence on Threshold-LRU, which v1 does not have"),
)(compared(Case.tel, {"single pass": one_pass, **THRESHOLD_LRU}, has_cutoff))


if __name__ == "__main__":
    run(__file__)
