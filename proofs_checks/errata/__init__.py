"""The errata: one for every statement of the paper that the ledger refutes; `docs/errata.md` is made of them."""

from proofs_checks.errata.shows import cut, silence, solutions, until_it_loops
from proofs_checks.tail_optimized.algorithm_1 import (
    of_version_1,
    of_version_1_from_0,
    to_the_letter,
    with_printed_lru_loop,
    with_printed_test,
    with_printed_trim_loop,
)
from proofs_checks.tail_optimized.theorem_31 import BASELINE, t_lru, threshold_lru
from proofs_checks.tail_optimized.trimming import t_lru_by
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import decision, facts, traced
from teltheory.policies import LRU, TailOptimizedBelady

FOLDER = "proofs_checks/counterexamples"


def scripts(*rows: str) -> dict[str, str]:
    """Return the files that confirm the counterexamples of some rows, and are named after them."""
    return {row: f"{FOLDER}/{row.replace('-', '_').replace('.', '_')}.py" for row in rows}


def of_next_turns(*rows: str) -> dict[str, str]:
    """Return how the script that all rows on next turns share confirms the counterexamples of some rows."""
    return {row: f"{FOLDER}/next_turns.py {row}" for row in rows}


REPAIRED = ("algorithm-1.repaired",)
WITHDRAWN = "leaves out Theorem 3.1 and this proof of it"
T_LRU_ALONE = traced({"T-LRU, turn by turn": t_lru})
THREE = traced(
    {
        "LRU, turn by turn": lambda case: LRU(),
        "Threshold-LRU, turn by turn": threshold_lru,
        "T-LRU, turn by turn": t_lru,
    }
)

ERRATA = (
    Erratum(
        title="Formulation (1)-(5): x at t = 1 is free",
        place="Appendix B, (1)-(5)",
        printed="Constraints (4) and (5) bound x[i, t + 1] for t ≥ 1, by the past where i arrives at t and by "
        "x[i, t] where it does not; (3) bounds the sum at every t. Nothing else bounds x[i, 1].",
        fact="A conversation may be cached before any of it was ever computed, so that the optimum of the "
        "printed formulation can be below that of the problem it describes.",
        repair="Add x[i, 1] ≤ what the initial cache holds of i; 0 from an empty start.",
        shows={"hindsight.initial-state": solutions},
        repaired_by=("hindsight.initial-state.given", "hindsight.integral", "theorem-b1"),
        no_timeline="the counterexample is a solution of a formulation, which no policy made",
    ),
    Erratum(
        title="Theorem B.1's proof: an optimum need not respect the caps",
        place="Appendix B, proof of Theorem B.1, first step",
        printed="The optimal solution to (1) must satisfy x[i, t] ≤ (total − ξ)⁺ at every arrival: a larger x "
        "“contradicts the optimality”.",
        fact="Lowering x to the cap changes no excess and frees room, but nothing says that the room is of "
        "use: an optimal solution can reuse more than the cap. The theorem itself holds.",
        repair="“Some optimal solution satisfies the caps, and under them the largest sum of x is optimal for "
        "(1).”",
        shows={
            "theorem-b1.cap-is-necessary": traced(
                {**BASELINE, "Tail-Optimized Belady": lambda case: TailOptimizedBelady(case.xi)}
            )
        },
        repaired_by=("theorem-b1.cap-is-enough", "theorem-b1"),
    ),
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
        no_timeline="the loop is in the cut after the first turn, so no turn ends",
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
        shows={
            "section-3.infinitely-old": traced(
                {"The engine": t_lru_by("least-recent"), "Algorithm 1, in rounds": t_lru}
            )
        },
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
    Erratum(
        title="The belief exp(−μτ) leaves out the silence",
        place="Appendix D, Belief Markov Decision Process, “π_i(t) = exp(−μ(t − last turn time))”",
        printed="The belief that conversation i is alive at time t, updated from what was observed, is "
        "exp(−μτ), τ the time since its last turn.",
        fact="That i sent no turn for τ is observed too, and makes it less likely to be alive. exp(−μτ) is the "
        "probability of being alive τ after a turn when one has not looked since; it is too large for all λ, τ "
        "> 0. (The same sentence gives the mean of a conversation's life as μ; it is 1/μ.)",
        repair="π = (μ + λ) / (λ + μ exp((μ + λ)τ)).",
        shows={"belief.posterior": silence},
        repaired_by=("belief.posterior.silence", "belief.posterior.alive-at-last-turn"),
        scripts=scripts("belief.posterior"),
        no_timeline="the counterexample is a belief about one conversation",
    ),
    Erratum(
        title="Lemma D.3 needs a whole threshold",
        place="Appendix D, Lemma D.3 and the score of Algorithm 2",
        printed="Algorithm 2 returns an optimal solution of (6), since P(L + Q − ξ ≥ X) is what the expected "
        "excess grows by when one more token goes.",
        fact="That identity is true for whole ξ. For another ξ the last token to go costs a fraction, the "
        "score counts it in full, and Algorithm 2 can evict the wrong token.",
        repair="Take whole ξ, or the growth of the expected excess itself for the score.",
        shows={"lemma-d3.real-threshold": cut, "algorithm-2.score.real-threshold": facts},
        repaired_by=(
            "lemma-d3",
            "lemma-d3.real-threshold.marginal",
            "algorithm-2.score",
            "algorithm-2.score.difference",
        ),
        scripts=scripts("lemma-d3.real-threshold", "algorithm-2.score.real-threshold"),
        no_timeline="the counterexample is a single cut, without turns",
    ),
    Erratum(
        title="T-LRU's optimality needs one turn rate for all",
        place="Appendix D, second implication of Theorem D.2",
        printed="“If the user prompt length is deterministic, Expected-Tail-Optimized LRU is reduced to a "
        "deterministic version as stated in Algorithm 1 … Theorem D.2 thus establishes the optimality of "
        "Tail-Optimized LRU in this model”, in which conversation i has a turn rate λ̄_i of its own.",
        fact="Algorithm 1 evicts by recency, ET-LRU by λ̄π. With two turn rates these differ: a conversation that "
        "is a little less recent and three times as fast is likelier to be next. The implication before it, on "
        "LRU, names the condition.",
        repair="“… and turn rates are homogeneous”.",
        shows={"corollary.tlru": decision},
        repaired_by=("corollary.tlru.homogeneous", "corollary.tlru.homogeneous.bayes"),
        scripts=of_next_turns("corollary.tlru"),
        no_timeline="the counterexample is a decision, after which several futures are possible",
    ),
    Erratum(
        title="Tables 1 and 3: two headings belong to other columns",
        place="Tables 1 and 3, the headings ξ = 200 ms and ξ = 300 ms",
        printed="Tables 1 and 3 have columns for ξ = 50, 100, 200, 300 and 500 ms. Section 4.2 says that at "
        "C = 1,000 ξ = 200 ms improves P90 most and ξ = 300 ms P95.",
        v1="prints the same numbers under 50, 100, 150, 200 and 500 ms; its sentence on P90 agrees with them, and "
        "for the one on P95 it has no column",
        fact="Under the printed headings the largest P90 improvement at C = 1,000 stands at ξ = 300 ms, against "
        "the sentence. The column headed 300 ms is that of 200 ms, the one headed 200 ms that of 150 ms.",
        repair="Head the columns 150 and 200 ms; the sentence on P90 then is right, for P95 there is no column.",
        shows={"sensitivity.text": facts},
        repaired_by=("sensitivity.text.headings", "table-1.headings", "table-3.headings"),
        scripts=scripts("sensitivity.text"),
        no_timeline="the counterexample is numbers that the paper prints",
    ),
    Erratum(
        title="The conclusion's 20-30 % in P95 are not in Table 1",
        place="Section 6 of version 1 on arXiv, “(e.g., 20-30% improvement in P95 TTFT)”",
        printed="T-LRU improves P95 of TTFT by 20 to 30 %.",
        fact="No P95 improvement in the paper's tables reaches 25 %, and 20 % are reached at the largest capacity "
        "alone; at the smallest the best threshold gives a tenth of that.",
        repair="Up to 23.9 %, as the abstract has it.",
        shows={"headline.p95-range": facts},
        repaired_by=("headline.p95",),
        no_timeline="the counterexample is numbers that the paper prints",
    ),
)
