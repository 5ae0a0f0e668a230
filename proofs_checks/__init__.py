"""Checks of claims, one folder per paper or model; registered as entry point `teltheory.claims`."""

from proofs_checks import forest, tail_optimized
from teltheory.claims.registry import all_claims

__all__ = ["MODULES", "all_claims"]

MODULES = tuple(f"tail_optimized.{name}" for name in tail_optimized.MODULES)
