"""Checks of claims, one folder per paper or model; registered as entry point `teltheory.claims`."""

from proofs_checks.forest import MODULES as OF_FORESTS
from proofs_checks.ragcache import MODULES as OF_RAGCACHE
from proofs_checks.tail_optimized import MODULES as OF_TAILS
from teltheory.claims.registry import all_claims

__all__ = ["MODULES", "all_claims"]

MODULES = tuple(
    f"{package}.{name}"
    for package, names in {"tail_optimized": OF_TAILS, "forest": OF_FORESTS, "ragcache": OF_RAGCACHE}.items()
    for name in names
)
"""Checks of the claims of Zhang et al. 2025, those on shared prefixes, and RAGCache's, a file per section.

The last part of a module's name is its section's, so that no two are called the same.
"""
