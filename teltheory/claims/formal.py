"""The proofs in Coq: their files, and the programs that Coq extracts of them.

The files stand beside the claims (`proofs_checks/formal`). `programs` compiles what the programs need anew, so
that Coq accepts the proofs that are there, and not those that were.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import copy, which

from teltheory.errors import TelTheoryError
from teltheory.model.instance import Instance

TOOLS = {"coqc": "coq", "ocamlopt": "ocaml", "gcc": "gcc"}
"""What the programs are made with, and the Debian packages that have it."""
BOUND = "bound"
OCAML = ("checked.ml", "extracted.mli", "extracted.ml", "verified.ml")


class ProofToolError(TelTheoryError):
    """Coq or OCaml is missing, or does not accept what is there."""


def folder() -> Path:
    """Return the folder of the proofs."""
    spec = find_spec("proofs_checks")
    if spec is None or spec.origin is None:
        raise ProofToolError("found no folder proofs_checks, expected the proofs in Coq there")
    return Path(spec.origin).parent / "formal"


def needed_by(name: str, files: Path) -> Iterator[str]:
    """Yield the names of the files that a file of the proofs needs, each after those that it needs itself."""
    done: list[str] = []

    def visit(one: str) -> None:
        if one not in done and (files / f"{one}.v").is_file():
            for line in re.findall(r"^Require (?:Import )?([\w\s]+)\.", (files / f"{one}.v").read_text(), re.M):
                for other in line.split():
                    visit(other)
            done.append(one)

    visit(name)
    yield from done


@cache
def machine_checked(row: str) -> dict[str, str]:
    """Return the theorem in Coq that is a row of the ledger, with its file and a digest of all that it needs.

    It is what `make formal` noted in ``accepted.txt`` after Coq had accepted it, as long as no file that it needs
    was changed since: then "missing" says so. Nothing for a row that no theorem is.
    """
    listed = {one: rest for one, *rest in map(str.split, (folder() / "rows.txt").read_text().splitlines())}
    if row not in listed:
        return {}
    file, theorem = listed[row]
    noted = {tuple(line.split()) for line in (folder() / "accepted.txt").read_text().splitlines()}
    needed = list(needed_by(file.removesuffix(".v"), folder()))
    digests = {f"{one}.v": sha256((folder() / f"{one}.v").read_bytes()).hexdigest() for one in needed}
    changed = [one for one, digest in digests.items() if (digest, one) not in noted]
    if changed or ("closed", f"{needed[-1]}.{theorem}") not in noted:
        return {"missing": f"{', '.join(changed) or theorem} is not what Coq accepted last: run make formal"}
    together = sha256("".join(digests.values()).encode()).hexdigest()
    return {"theorem": theorem, "file": f"proofs_checks/formal/{file}", "sha256": together[:16]}


def programs(into: Path) -> Path:
    """Compile proofs and programs into an empty folder; return the path of the program.

    Raises
    ------
    ProofToolError
        A tool is missing, or Coq or OCaml accepts a file not.
    """
    missing = [tool for tool in TOOLS if which(tool) is None]
    if missing:
        packages = " ".join(TOOLS[tool] for tool in missing)
        raise ProofToolError(f"found no {', '.join(missing)}, expected the Debian packages {packages}")
    source = folder()
    for file in (*source.glob("*.v"), *source.glob("*.ml")):
        copy(file, into)
    for name in needed_by("Extraction", into):
        _run(["coqc", "-q", f"{name}.v"], into)
    _run(["ocamlopt", "-w", "-a", "-o", "verified", *OCAML], into)
    return into / "verified"


def _run(command: list[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise ProofToolError(f"{' '.join(command[:1] + command[-1:])}: ended with {done.returncode}: {said}")


def answers(program: Path, questions: Iterable[str]) -> list[list[int]]:
    """Return the whole numbers that the program answers each line with (`verified.ml` says what it reads)."""
    lines = list(questions)
    asked = "".join(line + "\n" for line in lines)
    done = subprocess.run([program], input=asked, capture_output=True, text=True, check=False)
    found = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    if done.returncode or len(found) != len(lines):
        raise ProofToolError(f"{program.name}: answered {len(found)} of {len(lines)} lines: {done.stderr.strip()}")
    return found


def question(word: str, instance: Instance, xi: int, q_hat: int = 0, steps: Iterable[int] = ()) -> str:
    """Return a line for the program: the replay of an instance, or with steps from 1 the bound of certificates."""
    trace, starts = instance.requests, instance.initial
    codes = 1 + max([*trace.code.tolist(), *(start.code for start in starts)], default=-1)
    held = [(start.code, start.past, start.cached, q_hat) for start in starts]
    columns = (trace.code, instance.history, trace.prompt, trace.response)
    turns = [(*row, q_hat) for row in zip(*(column.tolist() for column in columns), strict=True)]
    lists = [held, turns] + [[(step,) for step in steps]] * (word == BOUND)
    numbers = [codes, instance.capacity, xi, int(instance.forced)]
    numbers += [number for one in lists for number in (len(one), *(n for row in one for n in row))]
    return " ".join(map(str, [word, *numbers]))
