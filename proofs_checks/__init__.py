"""Checks of claims, one folder per paper or model; registered as entry point `teltheory.claims`."""

from proofs_checks.forest import MODULES as OF_FORESTS
from proofs_checks.tail_optimized import MODULES as OF_TAILS
from teltheory.claims.registry import all_claims

__all__ = ["MODULES", "all_claims"]

MODULES = (*(f"tail_optimized.{name}" for name in OF_TAILS), *(f"forest.{name}" for name in OF_FORESTS))
"""Checks of the claims of Zhang et al. 2025, then of those on shared prefixes, a file per section of the ledger.

The last part of a module's name is its section's, so that no two are called the same.
"""
