"""Counterexamples that campaigns found, kept as files that a test replays.

A file has the claim, the case with its values, the batch that it comes from, and whether it refutes the claim:
true as it is written; false, by hand, once what was wrong in the toolkit is mended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from teltheory.claims.batches import Batch
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim
from teltheory.claims.search import refutes
from teltheory.errors import ArgumentError, FileError
from teltheory.input_files import read_json

FIELDS = ("claim", "refutes", "counterexample", "origin")


def regression(example: dict[str, Any], origin: Batch) -> tuple[str, dict[str, Any]]:
    """Return name and content of the file for a counterexample."""
    name = hashlib.sha256(json.dumps(example, sort_keys=True).encode()).hexdigest()[:8]
    where = {"generator": origin.generator, "batch": origin.number, "seed": origin.seed}
    content = {"claim": origin.claim, "refutes": True, "counterexample": example, "origin": where}
    return f"{origin.claim}-{name}.json", content


def read_regression(file: Path) -> dict[str, Any]:
    """Read a file; `FileError` if it is none."""
    content = read_json(file, "a counterexample")
    if not isinstance(content, dict) or tuple(content) != FIELDS:
        raise FileError(f"{file}: found other fields, expected {', '.join(FIELDS)}")
    if type(content["claim"]) is not str or type(content["refutes"]) is not bool:
        raise FileError(f"{file}: found another claim or word on it, expected a name, and true or false")
    try:
        Case.of(content["counterexample"])
    except ArgumentError as error:
        raise FileError(f"{file}, counterexample, {error}") from None
    return content


def complaints(claim: Claim[Case], content: dict[str, Any]) -> Iterator[str]:
    """Replay a file's case against its claim and yield what is not as the file says."""
    example = content["counterexample"]
    case = Case.of(example)
    if refutes(claim, case) is not content["refutes"]:
        yield f"the case {'no longer refutes' if content['refutes'] else 'refutes'} {claim.id}"
    if not content["refutes"]:
        return
    if case.as_counterexample(claim.values(case) or {}) != example:
        yield "the values are others"
    if case.world != case.world.canonical():
        yield "the conversations are not numbered in order of appearance"
    yield from (f"a smaller case refutes too: {smaller}" for smaller in case.smaller() if refutes(claim, smaller))
