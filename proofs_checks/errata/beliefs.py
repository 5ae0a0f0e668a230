"""Errata of Appendices D and E: the belief, Lemma D.3, and how far Theorem D.2 reaches."""

from __future__ import annotations

from collections.abc import Iterable

from proofs_checks.errata.shows import cut, silence
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import decision, facts

FOLDER = "proofs_checks/counterexamples"


def script(row: str) -> str:
    """Return the file that confirms the counterexample of a row."""
    return f"{FOLDER}/{row.replace('-', '_').replace('.', '_')}.py"


def scripts(rows: Iterable[str]) -> dict[str, str]:
    """Return the files that confirm the counterexamples of some rows."""
    return {row: script(row) for row in rows}


BAYES = ("theorem-d2.bayes-random", "theorem-d2.bayes-heterogeneous")

BELIEFS = (
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
        scripts={"belief.posterior": f"{FOLDER}/belief_posterior.py"},
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
        scripts=scripts(["lemma-d3.real-threshold", "algorithm-2.score.real-threshold"]),
    ),
    Erratum(
        title="Theorem D.2 with the posterior for the belief",
        place="Appendix D, Theorem D.2 with the belief of the same appendix",
        printed="ET-LRU is optimal under the stochastic conversation model, the belief being exp(−μτ).",
        fact="With the true posterior in the place of exp(−μτ) the theorem ends at random prompts and at two "
        "turn rates: belief turn rates λπ are no longer proportional to the chances to be next.",
        repair="With the posterior ET-LRU is optimal for homogeneous rates where prompts have known lengths or "
        "ξ = 0.",
        shows=dict.fromkeys(BAYES, decision),
        repaired_by=("theorem-d2.bayes", "theorem-d2.bayes.zero-threshold"),
        scripts=scripts(BAYES),
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
        scripts=scripts(["corollary.tlru"]),
    ),
)
