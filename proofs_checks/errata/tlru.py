"""Errata of Section 3, Section 4.2's choice of the estimate, and Figure 1."""

from __future__ import annotations

from proofs_checks.algorithm_1 import (
    one_pass,
    to_the_letter,
    with_printed_lru_loop,
    with_printed_test,
    with_printed_trim_loop,
)
from proofs_checks.errata.shows import until_it_loops
from proofs_checks.theorem_31 import threshold_lru
from proofs_checks.trimming import LatestFirst
from teltheory.claims.case import Case
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import traced
from teltheory.policies import LRU, TLRU


def lru(case: Case) -> LRU:
    """Return LRU."""
    return LRU()


def t_lru(case: Case) -> TLRU:
    """Return T-LRU with round-robin trim."""
    return TLRU(case.xi, case.q_hat)


def least_recent(case: Case) -> TLRU:
    """Return T-LRU with least-recent trim."""
    return TLRU(case.xi, case.q_hat, "least-recent")


BESIDE_LRU = traced({"T-LRU": t_lru, "LRU": lru})
REPAIRED = ("algorithm-1.repaired",)

TLRU_ERRATA = (
    Erratum(
        title="Theorem 3.1 needs an upper bound; the mean prompt is none",
        place="Section 4.2, “we fix the input parameter next-prompt length Q̂ … to be the average prompt "
        "length”, beside Theorem 3.1",
        printed="T-LRU with an upper bound on prompt lengths is never worse than LRU (Theorem 3.1); the "
        "experiments run it with the average prompt, and Section 3 speaks of a policy that “never degrades "
        "system performance”.",
        fact="With the average for an estimate T-LRU can have a larger tail excess latency than LRU: a prompt "
        "longer than the estimate needs blocks that were trimmed as free. That is so for the mean of all "
        "prompts and for the mean of those that continue a conversation.",
        repair="The guarantee is for Q̂ ≥ every prompt that continues a conversation; with a smaller estimate "
        "it is a matter of measurement.",
        shows={"theorem-31.mean-estimate": BESIDE_LRU, "theorem-31.mean-estimate.continuing": BESIDE_LRU},
        repaired_by=("theorem-31", "theorem-31.per-request"),
    ),
    Erratum(
        title="Algorithm 1: the test ≥ trims a block too many",
        place="Algorithm 1, “if X_i ≥ L_i + Q̂_i − ξ”",
        printed="A block of conversation i is evicted for free where X_i ≥ L_i + Q̂_i − ξ.",
        fact="At equality the block is within the TEL-safe budget, and without it the next turn can exceed the "
        "threshold. With this test alone as printed, and all else repaired, T-LRU can be worse than LRU.",
        repair="X_i > L_i + Q̂_i − ξ.",
        shows={"algorithm-1.as-printed": traced({"Algorithm 1 with >=": with_printed_test, "LRU": lru})},
        repaired_by=(*REPAIRED, "theorem-31"),
    ),
    Erratum(
        title="Algorithm 1: counts can become negative",
        place="Algorithm 1, “X_i ← X_i − 1” in the trim loop",
        printed="The trim loop lowers every X_i that passes its test, and nothing demands that X_i ≥ 1.",
        fact="A conversation of which nothing is cached can pass the test; its count then becomes negative, "
        "and the sum is down by a block that nobody held.",
        repair="Trim where X_i ≥ 1 too.",
        shows={"algorithm-1.nonnegative": until_it_loops("Algorithm 1 as printed", to_the_letter)},
        repaired_by=REPAIRED,
    ),
    Erratum(
        title="Algorithm 1: both loops can go on for ever",
        place="Algorithm 1, “while Σ X_i > C” before the trimming, and “X_i > 1” in the loop that evicts by LRU",
        printed="The trim loop goes on while Σ X_i > C (a longer summary of the paper has `if`). The LRU loop "
        "takes a block of the least recent conversation with X_i > 1 (the summary has X_i ≥ 1, so that this "
        "may be an error of print).",
        fact="Where no conversation passes the test the trim loop changes nothing and is never left, so that "
        "LRU never evicts. Where every conversation holds at most one block and the cache is still too full, "
        "the LRU loop finds none to take a block of.",
        repair="Leave the trim loop when a round trims nothing, and let LRU take the last block (X_i ≥ 1). The "
        "summary's `if`, which trims at most one block of each conversation before LRU evicts, ends too.",
        shows={
            "algorithm-1.terminates": until_it_loops("Algorithm 1 as printed", to_the_letter),
            "algorithm-1.terminates.trim-loop": until_it_loops("The printed trim loop", with_printed_trim_loop),
            "algorithm-1.terminates.lru-loop": until_it_loops("The printed LRU loop", with_printed_lru_loop),
        },
        repaired_by=(*REPAIRED, "algorithm-1.single-pass"),
    ),
    Erratum(
        title="With one pass of trimming T-LRU can be worse than Threshold-LRU",
        place="Section 4.2, generalisation of Theorem 3.1, with the `if` form of Algorithm 1 in a longer summary",
        printed="TEL of T-LRU ≤ TEL of Threshold-LRU(ξ − Q̄) where ξ ≥ Q̄; the summary's Algorithm 1 trims at most "
        "one block of each conversation before LRU evicts.",
        fact="LRU then evicts blocks of a long conversation although a short one, which Threshold-LRU drops, "
        "still has surplus. Against LRU one pass is enough; against Threshold-LRU it is not.",
        repair="Trim until the cache fits or no surplus is left, in any order.",
        shows={
            "theorem-31.threshold-lru.single-pass": traced(
                {"single pass": one_pass, "Threshold-LRU": threshold_lru}
            )
        },
        repaired_by=("theorem-31.threshold-lru.partial", "theorem-31.threshold-lru"),
    ),
    Erratum(
        title="The order of trimming matters where the estimate is below a prompt",
        place="Section 3, blocks marked as “infinitely old”, and Section 4.2's choice of the estimate",
        printed="Blocks above the budget are free, so that it does not matter which of them go first; the "
        "paper gives two orders, the rounds of Algorithm 1 and that of an LRU engine in which they are "
        "infinitely old.",
        fact="Where the estimate is below a prompt that comes, a block above the budget can be one that the "
        "next turn needs, and then the order in which they go changes the excess of a turn.",
        repair="The order is free where the estimate is at least every prompt that continues a conversation, "
        "or exact.",
        shows={
            "trim.order-is-free.mean": traced({"round-robin": t_lru, "least-recent": least_recent}),
            "trim.order-is-free.mean.any-order": traced(
                {
                    "least-recent": least_recent,
                    "latest first": lambda case: LatestFirst(case.xi, case.q_hat),
                }
            ),
        },
        repaired_by=("trim.order-is-free",),
    ),
    Erratum(
        title="Figure 1: the blocks of the budget need not exist",
        place="Section 1 and Figure 1, “at least L₂ + Q₃ − ξ blocks must be cached”",
        printed="Where L + Q > ξ, caching L + Q − ξ blocks brings the excess of the next turn to 0.",
        fact="Where the prompt alone exceeds the threshold there are fewer than L + Q − ξ blocks to cache, and "
        "the excess stays above 0 whatever is kept.",
        repair="The budget is min(L, (L + Q − ξ)⁺), and it brings the excess to 0 where ξ ≥ Q.",
        shows={"figure-1.budget-exists": traced({"LRU with C = L, so that all there is is kept": lru})},
        repaired_by=("figure-1.budget-exists.long-threshold", "figure-1"),
    ),
)
