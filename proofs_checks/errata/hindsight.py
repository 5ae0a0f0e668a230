"""Errata of Appendix B."""

from __future__ import annotations

from proofs_checks.errata.shows import solutions
from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import traced
from teltheory.policies import LRU, TailOptimizedBelady

HINDSIGHT = (
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
                {"LRU": lambda case: LRU(), "Tail-Optimized Belady": lambda case: TailOptimizedBelady(case.xi)}
            )
        },
        repaired_by=("theorem-b1.cap-is-enough", "theorem-b1"),
    ),
)
