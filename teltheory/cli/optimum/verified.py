"""`teltheory check-certificate --verified`: the same bound by a program that Coq extracts from its proof."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from teltheory.base.progress import loading
from teltheory.claims.formal import answers, programs, turn_numbers
from teltheory.cli.optimum.certificate import Certified
from teltheory.errors import CertificateError
from teltheory.optimal.certificate import Certificate

SAID = (
    "Verified by checker_is_sound (proofs_checks/formal/Checker.v): trusted are Coq, its extraction, OCaml and "
    "the reading of the files, not what found the certificates."
)
COVERED = "TEL of private conversations under optional caching"


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
    if not isinstance(proof, Certificate) or not entry.prefixes.chains or entry.forced:
        raise CertificateError(f"{place}: found {entry.about!r}{_mode(entry)}, and --verified knows {COVERED}")
    turns = turn_numbers(
        [requests.code, requests.history, requests.prompt, requests.response, [0] * len(requests)]
    )
    steps = proof.steps.tolist()
    numbers = [entry.memory, entry.xi, *turns, len(steps), *steps]
    return int(proof.objective), " ".join(map(str, ["bound", *numbers]))


def _mode(entry: Certified) -> str:
    return " under forced caching" if entry.forced else "" if entry.prefixes.chains else " of shared prefixes"
