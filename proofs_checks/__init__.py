"""Checks of the paper's claims, one file a section, one short function a claim."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from teltheory.claims.claim import Claim, claims_of

MODULES = (
    "hindsight",
    "certificates",
    "beyond_tel",
    "theorem_31",
    "appendix_c",
    "appendix_c_step",
    "algorithm_1",
    "algorithm_2",
    "scores",
    "trimming",
    "partial_trimming",
    "figures_1_2",
    "engines",
    "stack",
    "figure_3",
    "posterior",
    "theorem_d2",
    "theorem_d2_exchange",
    "theorem_d2_bayes",
    "corollaries_d2",
    "printed_index",
    "printed_numbers",
    "printed_tables",
    "headlines",
    "figure_4",
    "figures_5_6",
    "tables_1_to_6",
    "predictions",
    "headlines_measured",
    "tail_measures",
    "not_competitive",
    "hardness",
)


def all_claims(modules: Sequence[str] = MODULES) -> tuple[Claim[Any], ...]:
    """Return the claims of some sections, all of them when left out, in the ledger's order."""
    return tuple(claim for name in modules for claim in claims_of(import_module(f"proofs_checks.{name}")))
