"""Checks of claims, one folder per paper or model; registered as entry point `teltheory.claims`."""

import json
from pathlib import Path

from proofs_checks.forest import MODULES as OF_FORESTS
from proofs_checks.hints import MODULES as OF_HINTS
from proofs_checks.parrot import MODULES as OF_APPLICATIONS
from proofs_checks.prompt_cache import MODULES as OF_MODULES
from proofs_checks.queue import MODULES as OF_QUEUES
from proofs_checks.ragcache import MODULES as OF_RAGCACHE
from proofs_checks.tail_optimized import MODULES as OF_TAILS
from proofs_checks.tiers import MODULES as OF_TIERS
from teltheory.claims.registry import all_claims

__all__ = ["MODULES", "SECONDS", "all_claims"]

PACKAGES = {
    "tail_optimized": OF_TAILS,
    "forest": OF_FORESTS,
    "ragcache": OF_RAGCACHE,
    "prompt_cache": OF_MODULES,
    "parrot": OF_APPLICATIONS,
    "tiers": OF_TIERS,
    "queue": OF_QUEUES,
    "hints": OF_HINTS,
}
MODULES = tuple(f"{package}.{name}" for package, names in PACKAGES.items() for name in names)
"""Checks of the claims of Zhang et al. 2025, those on shared prefixes, RAGCache's, Prompt Cache's, Parrot's, and
those on tiers, queues and hints.

The last part of a module's name is its section's, so that no two are called the same.
"""
SECONDS: dict[str, float] = json.loads(Path(__file__).with_name("seconds.json").read_text(encoding="utf-8"))
"""What claims that take more than a second took in a ledger of before; `make slowest` writes it."""
