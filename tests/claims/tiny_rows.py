"""Rows with two encodings, and small bounds for both."""

from dataclasses import replace

from proofs_checks import all_claims
from teltheory.claims.compiled.forests import CompiledForests
from teltheory.claims.compiled.replays.space import CompiledReplays
from teltheory.claims.compiled.space import CompiledWorlds

COMPILED = [
    row for row in all_claims() if isinstance(row.compiled, CompiledWorlds | CompiledForests | CompiledReplays)
]
FORESTS = {"quick": {1: 2, 2: 3, 3: 2}, "samples": 20}
WORLDS = {"quick": {1: 2, 2: 2, 3: 2}, "full": {}, "start_tokens": {"quick": 1, "full": 1}, "samples": 0}


def tiny(row, **bulk):
    sizes = WORLDS if isinstance(row.compiled, CompiledWorlds) else FORESTS
    sizes = {**WORLDS, "quick": {2: 4}} if row.id.startswith("figure-1") else sizes
    worlds = replace(row.compiled.worlds, **{**sizes, **bulk})
    return replace(row, space=replace(row.space, **sizes), compiled=replace(row.compiled, worlds=worlds))
