"""The verdict on a claim, and what the verdict rests on."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from teltheory.claims.claim import Claim

ScopeKind = Literal["machine-checked", "proved", "certified", "exhaustive", "sampled"]
VerdictWord = Literal[
    "holds", "refuted", "reproduced", "not reproduced", "undecided", "not decidable here", "error"
]


@dataclass(frozen=True)
class Scope:
    """What a verdict rests on.

    Attributes
    ----------
    kind : {"machine-checked", "proved", "certified", "exhaustive", "sampled"}
        Whether Coq accepted the statement as a theorem, there is a proof, a certificate of every case tried, every
        case within the bounds was tried, or some were.
    instances : int
        Number of cases tried that satisfy the claim's hypotheses; of a table or figure, its cells.
    bounds : dict
        The bounds, the random cases that came on top, and the proof.
    """

    kind: ScopeKind
    instances: int
    bounds: dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """The decision on a claim.

    Attributes
    ----------
    claim : Claim
        What was decided.
    verdict : str
        "holds" or "refuted"; "reproduced" or "not reproduced" where the claim has a rule; "undecided" where no
        case satisfied the hypotheses, "not decidable here" where data are missing, or "error" where the check
        itself broke.
    scope : Scope
        What the verdict rests on.
    counterexample : dict or None
        For a refuted claim: the smallest case found, with its values.
    seconds : float
        Time taken.
    problem : str or None
        For "error" and "not decidable here": what went wrong, or what is missing.
    numbers : dict or None
        Of a claim with a rule: its "cells", its "counts", which of them is the "error", and "nulls": what the rule
        counts of each null model, whether it accepts that, and whether our cells beat it.
    natural : dict or None
        Of a claim that was refuted on traces: the smallest natural counterexample, None if there is none among
        those tried, and how many were, within which bounds.
    """

    claim: Claim[Any]
    verdict: VerdictWord
    scope: Scope
    counterexample: dict[str, Any] | None = None
    seconds: float = 0.0
    problem: str | None = None
    numbers: dict[str, Any] | None = None
    natural: dict[str, Any] | None = None

    def __repr__(self) -> str:
        found = "" if self.counterexample is None else f", counterexample={self.counterexample}"
        return f"Verdict({self.verdict}, {self.scope.instances:,} instances, {self.scope.kind}{found})"

    @property
    def expected(self) -> bool:
        """Whether the ledger is sound: decided if the data are there, and not one of our own rows refuted."""
        return is_expected(self.verdict, self.claim)

    def as_dict(self) -> dict[str, Any]:
        """Return the row of the ledger as plain data."""
        row: dict[str, Any] = {
            **self.claim.as_dict(),
            "verdict": self.verdict,
            "scope": asdict(self.scope),
            "counterexample": self.counterexample,
            "seconds": round(self.seconds, 3),
        }
        if self.claim.rule is not None:
            row["rule"] = self.claim.rule.said
        more = {"numbers": self.numbers, "problem": self.problem, "natural": self.natural}
        return row | {name: value for name, value in more.items() if value is not None}


def is_expected(verdict: str, claim: Claim[Any]) -> bool:
    """Whether a verdict on a claim leaves the ledger sound."""
    if verdict in ("refuted", "not reproduced"):
        return claim.origin.whose != "ours"
    return verdict in ("holds", "reproduced", "not decidable here")
