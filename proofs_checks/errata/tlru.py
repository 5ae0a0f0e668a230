"""Errata of Section 3."""

from __future__ import annotations

from proofs_checks.errata.shows import until_it_loops
from proofs_checks.tail_optimized.algorithm_1 import (
    of_version_1,
    of_version_1_from_0,
    to_the_letter,
    with_printed_lru_loop,
    with_printed_test,
    with_printed_trim_loop,
)
from proofs_checks.tail_optimized.theorem_31 import BASELINE, t_lru
from teltheory.claims.case import Case
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import traced
from teltheory.policies import TLRU


def least_recent(case: Case) -> TLRU:
    """Return T-LRU with least-recent trim."""
    return TLRU(case.xi, case.q_hat, "least-recent")


REPAIRED = ("algorithm-1.repaired",)

TLRU_ERRATA = (
    Erratum(
        title="Algorithm 1: the test ≥ trims a block too many",
        place="Algorithm 1, “if X_i ≥ L_i + Q̂_i − ξ”",
        printed="A block of conversation i is evicted for free where X_i ≥ L_i + Q̂_i − ξ.",
        fact="At equality the block is within the TEL-safe budget, and without it the next turn can exceed the "
        "threshold. With this test alone as printed, and all else repaired, T-LRU can be worse than LRU.",
        repair="X_i > L_i + Q̂_i − ξ.",
        shows={
            "algorithm-1.as-printed": traced({"Algorithm 1 with >=": with_printed_test, **BASELINE}),
            "algorithm-1.as-printed.v1": traced({"Algorithm 1, `if` with >=": of_version_1_from_0, **BASELINE}),
        },
        repaired_by=(*REPAIRED, "theorem-31"),
    ),
    Erratum(
        title="Algorithm 1: counts can become negative",
        place="Algorithm 1, “X_i ← X_i − 1” in the trim loop",
        printed="The trim loop lowers every X_i that passes its test, and nothing demands that X_i ≥ 1.",
        fact="A conversation of which nothing is cached can pass the test; its count then becomes negative, "
        "and the sum is down by a block that nobody held.",
        repair="Trim where X_i ≥ 1 too.",
        shows={
            "algorithm-1.nonnegative": until_it_loops("Algorithm 1 as printed", to_the_letter),
            "algorithm-1.nonnegative.v1": until_it_loops("Algorithm 1 of version 1", of_version_1),
        },
        repaired_by=REPAIRED,
    ),
    Erratum(
        title="Algorithm 1: both loops can go on for ever",
        place="Algorithm 1, “while Σ X_i > C” before the trimming, and “X_i > 1” in the loop that evicts by LRU",
        printed="The trim loop goes on while Σ X_i > C. The LRU loop takes a block of the least recent "
        "conversation with X_i > 1.",
        v1="trims with `if` and evicts where X_i ≥ 1, so that both loops end",
        fact="Where no conversation passes the test the trim loop changes nothing and is never left, so that "
        "LRU never evicts. Where every conversation holds at most one block and the cache is still too full, "
        "the LRU loop finds none to take a block of. (The `if` of version 1, which trims at most one block of "
        "each conversation before LRU evicts, ends.)",
        repair="Leave the trim loop when a round trims nothing, and let LRU take the last block (X_i ≥ 1).",
        shows={
            "algorithm-1.terminates": until_it_loops("Algorithm 1 as printed", to_the_letter),
            "algorithm-1.terminates.trim-loop": until_it_loops("The printed trim loop", with_printed_trim_loop),
            "algorithm-1.terminates.lru-loop": until_it_loops("The printed LRU loop", with_printed_lru_loop),
        },
        repaired_by=(*REPAIRED, "algorithm-1.single-pass"),
    ),
    Erratum(
        title="Figure 2: an LRU engine with marks does not give 150",
        place="Section 3, “mark blocks that can be evicted ‘for free’ … as infinitely old”, with Figure 2",
        v1="has ξ = 150 in this example, with which every order of trimming gives 150",
        printed="T-LRU with ξ = 160 brings the largest uncached count to 150, and an LRU engine runs T-LRU if it "
        "marks the blocks above the budgets as infinitely old.",
        fact="150 is what the rounds of Algorithm 1 give, as many blocks of each conversation. An engine takes "
        "the marked blocks of the least recent conversation first, or those marked last: neither gives 150.",
        repair="ξ = 150; or the engine's own number.",
        shows={"section-3.infinitely-old": traced({"The engine": least_recent, "Algorithm 1, in rounds": t_lru})},
        repaired_by=("section-3.infinitely-old.v1", "section-3.infinitely-old.least-recent", "figure-2"),
    ),
    Erratum(
        title="Figure 1 of version 1: one pass of trimming does not give 150",
        place="Figure 1 of version 1, with its Algorithm 1, “if Σ X_i > C then foreach i”",
        printed="T-LRU with ξ = 150 keeps 50 blocks of both conversations, and the largest uncached count is 150.",
        fact="The `if` passes once over the conversations and takes one block of each; all the rest goes by LRU.",
        repair="`while` in the place of `if`, left when a round trims nothing.",
        shows={"figure-2.v1": traced({"Algorithm 1 of version 1": of_version_1})},
        repaired_by=("figure-2.v1.rounds", *REPAIRED),
    ),
)
