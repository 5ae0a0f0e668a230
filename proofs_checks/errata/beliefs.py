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


FORCED = ("theorem-d2.forced-heterogeneous", "theorem-d2.forced-random")
BAYES = ("theorem-d2.bayes-random", "theorem-d2.bayes-heterogeneous")
NEXT_EVENT = tuple(
    f"theorem-d2.bayes-next-event.{name}"
    for name in (
        "homogeneous.random",
        "homogeneous.by-conversation",
        "heterogeneous.fixed",
        "heterogeneous.random",
        "heterogeneous.by-conversation",
    )
)

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
        title="Lemma D.3 needs n to be the overflow",
        place="Appendix D, Lemma D.3 and the input n of Algorithm 2",
        printed="Algorithm 2 evicts n tokens, an input, and returns an optimal solution of (6), whose "
        "constraint is that the cache holds at most C.",
        fact="With n above the overflow tokens go that could have stayed, and (6) is better off with them.",
        repair="n = max(0, Σ X − C); or (6) with Σ X − n in the place of C.",
        shows={"lemma-d3.any-n": cut},
        repaired_by=("lemma-d3", "lemma-d3.any-n.total"),
        scripts=scripts(["lemma-d3.any-n"]),
    ),
    Erratum(
        title="Theorem D.2 does not reach laws that change from turn to turn",
        place="Appendix D, Theorem D.2 and its proof",
        printed="ET-LRU is optimal in the stochastic conversation model; the prompt's law is “possibly "
        "conversation-specific”. The proof's step “the extra token evicted from X(k) must be from conversation "
        "i(1) by the definition of the ranking of conversations” takes the ranking of the turn before.",
        fact="The theorem holds in the paper's belief MDP where a conversation's law stays the same. The step "
        "needs that a turn lowers no score of its conversation; where the law changes from turn to turn it "
        "can, and ET-LRU is not optimal.",
        repair="Say that the law stays the same, or that q and the prompt after it are together stochastically "
        "at least the next prompt, for each of its lengths q.",
        shows={"theorem-d2.turn-law": decision},
        repaired_by=("theorem-d2", "theorem-d2.turn-law.promising"),
        scripts=scripts(["theorem-d2.turn-law"]),
    ),
    Erratum(
        title="Forced caching: neither condition of Theorem D.2 can be left out",
        place="Appendix E, Expected-Tail-Optimized LRU",
        printed="Under forced caching Theorem D.2 continues to hold where every future prompt has a known "
        "length and conversations have one turn rate.",
        fact="So it is. Without one turn rate for all, and with laws of prompts by conversation, no choice of "
        "ET-LRU is optimal: a conversation must be kept that is worth less than what goes for it.",
        repair="None needed. The first condition can be weakened: one random law for all conversations will do.",
        shows=dict.fromkeys(FORCED, decision),
        repaired_by=("theorem-d2.forced", "theorem-d2.forced.one-law"),
        scripts=scripts(FORCED),
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
        title="Theorem D.2 with the posterior and the chance to be next",
        place="Appendix D, Theorem D.2 with the belief of the same appendix",
        printed="“The probability that conversation i generates the next request is proportional to its belief "
        "turn-arrival rates”; ET-LRU weighs by these rates.",
        fact="With the posterior, weighing by the exact chance to be next is right for the next turn. It is "
        "not optimal for the turns after it: the order of these chances changes while time passes.",
        repair="It is optimal for homogeneous rates and one known length of all prompts but the first.",
        shows=dict.fromkeys(NEXT_EVENT, decision),
        repaired_by=("theorem-d2.bayes-next-event.homogeneous.fixed",),
        scripts=scripts(NEXT_EVENT),
    ),
    Erratum(
        title="Classic paging: “least likely to return” must mean next",
        place="Appendix D, third implication of Theorem D.2",
        printed="Where Q = 0 after the first turn and responses have no length, the optimal policy “evicts the "
        "block whose conversation is least likely to return”.",
        fact="The conversation that is least likely ever to return, by π, can be the one that is most likely "
        "to be next.",
        repair="Evict the conversation that is least likely to be next, by λπ.",
        shows={"paging.ever": decision},
        repaired_by=("corollary.paging",),
        scripts=scripts(["paging.ever"]),
    ),
)
