"""`teltheory check-certificate --verified`: the same bound by a program that Coq extracts from its proof."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from teltheory.base.progress import loading
from teltheory.claims.formal import BOUND, answers, programs, question
from teltheory.cli.optimum.certificate import Certified
from teltheory.errors import CertificateError
from teltheory.model.instance import Instance
from teltheory.optimal.certificate import Certificate

SAID = (
    "Verified by checker_is_sound (proofs_checks/formal/Checker.v): trusted are Coq, its extraction, OCaml and "
    "the reading of the files, not what found the certificates."
)


def verify(file: str, entries: Iterable[tuple[Certified, Any]]) -> str:
    """Have the extracted program bound what entries claim; return what was verified, and what is trusted for it.

    Raises
    ------
    ProofToolError
        Coq or OCaml is missing.
    CertificateError
        The program proves less than an entry claims, or knows nothing of what it is about.
    """
    claimed = [_claimed(f"{file}, certificates[{i}]", *pair) for i, pair in enumerate(entries)]
    with TemporaryDirectory(prefix="teltheory-") as folder, loading("the proofs in Coq"):
        found = answers(programs(Path(folder)), (line for _, line in claimed))
    for i, ((objective, _), [bound]) in enumerate(zip(claimed, found, strict=True)):
        if bound < objective:
            raise CertificateError(f"{file}, certificates[{i}], objective: found {objective}, Coq proves {bound}")
    return SAID


def _claimed(place: str, entry: Certified, requests: Any) -> tuple[int, str]:
    """Return the TEL that an entry claims to be least, and the question for the program."""
    proof = entry.proof
    if not isinstance(proof, Certificate) or not entry.prefixes.chains:
        found = entry.about if entry.prefixes.chains else f"{entry.about} of shared prefixes"
        raise CertificateError(f"{place}: found {found}, and --verified knows TEL of private conversations")
    instance = Instance.of(requests, entry.memory, forced=entry.forced)
    return int(proof.objective), question(BOUND, instance, entry.xi, steps=proof.steps.tolist())
