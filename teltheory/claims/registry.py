"""The claims that packages register, in the ledger's order, and the claims of a single file.

A package registers its claims under the entry point group `teltheory.claims`: a module that defines them, or a
package whose `MODULES` lists the names of such modules, its sections. Its errata stand under `teltheory.errata`. A
package may also have `SECONDS`: what its slow claims took in a ledger of before, by their identifiers.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from teltheory.base.python_files import run_file
from teltheory.claims.claim import Claim
from teltheory.claims.erratum import Erratum
from teltheory.claims.estimates import refusing_estimates
from teltheory.errors import ArgumentError, FileError

__all__ = ["run"]

CLAIMS, ERRATA = "teltheory.claims", "teltheory.errata"


def _registered(group: str) -> tuple[EntryPoint, ...]:
    points = tuple(entry_points(group=group))
    if not points:
        raise FileError(f"{group}: found no entry point of this group, expected one; pip install -e . adds ours")
    return points


@cache
def sections() -> dict[str, tuple[str, ...]]:
    """Return the modules that define claims, by the name of their section, in the ledger's order.

    Two papers may have sections of one name.
    """
    found: dict[str, tuple[str, ...]] = {}
    for point in _registered(CLAIMS):
        listed = getattr(point.load(), "MODULES", None)
        for module in [point.value] if listed is None else [f"{point.value}.{name}" for name in listed]:
            section = module.rpartition(".")[2]
            found[section] = (*found.get(section, ()), module)
    return found


def slow_claims() -> dict[str, float]:
    """Return the seconds of slow claims in a ledger of before: a hint in which order to decide, and no more."""
    slow: dict[str, float] = {}
    for point in _registered(CLAIMS):
        slow |= getattr(point.load(), "SECONDS", {})
    return slow


def all_claims(names: Sequence[str] | None = None) -> tuple[Claim[Any], ...]:
    """Return the claims of some sections, all of them when left out, in the ledger's order."""
    known = sections()
    modules = (module for name in (known if names is None else names) for module in known[name])
    return tuple(claim for module in modules for claim in claims_of(import_module(module)))


def claims_of(module: ModuleType, file: str | None = None) -> tuple[Claim[Any], ...]:
    """Return the claims that a module defines, in its order; each names its file, by the module where left out."""
    name = file or module.__name__.replace(".", "/") + ".py"
    return tuple(replace(value, file=name) for value in vars(module).values() if isinstance(value, Claim))


@cache
def claims_of_file(file: str) -> tuple[Claim[Any], ...]:
    """Return the claims of a Python file, registered or not; `FileError` if it has none or can't be run."""
    path = Path(file)
    registered = next(_registered_as(path.resolve()), None)
    claims = claims_of(_run(path), path.name) if registered is None else claims_of(registered)
    if not claims:
        raise FileError(f"{file}: found no claims, expected a claim made by teltheory.claims.claim.claim")
    return claims if registered is not None else tuple(map(refusing_estimates, claims))


def _registered_as(path: Path) -> Iterator[ModuleType]:
    for name in chain.from_iterable(sections().values()):
        spec = find_spec(name)
        if spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path:
            yield import_module(name)


def _run(path: Path) -> ModuleType:
    return run_file(path, f"claims_in_{path.stem}", "a Python file that defines claims")


def check_identifiers(claims: Sequence[Claim[Any]]) -> None:
    """Raise `FileError` for an identifier that two of some claims, or one and a registered one, have."""
    known = {claim.id: claim for claim in all_claims()}
    for claim in claims:
        other = known.setdefault(claim.id, claim)
        if other != claim:
            raise FileError(f"{claim.file}: found the claim {claim.id!r} in {other.file} too, expected another id")


def claims_in(file: str | None) -> tuple[Claim[Any], ...]:
    """Return the claims of a file, all that are registered for None."""
    return all_claims() if file is None else claims_of_file(file)


def claims_where_named(names: Sequence[str]) -> tuple[Claim[Any], ...]:
    """Return the claims of the modules whose text has one of some names, in the ledger's order.

    No other module is imported. An identifier that a module puts together is in no text.
    """
    modules = (module for module in chain.from_iterable(sections().values()) if _says(module, names))
    return tuple(claim for module in modules for claim in claims_of(import_module(module)))


def _says(module: str, names: Sequence[str]) -> bool:
    return any(name in _text(module) for name in names)


@cache
def _text(module: str) -> str:
    spec = find_spec(module)
    return Path(spec.origin).read_text(encoding="utf-8") if spec is not None and spec.origin else ""


def claims_of_section(name: str) -> tuple[Claim[Any], ...]:
    """Return the claims of a section, or those whose source begins with a paper's words, such as Lemma D.3.

    Capitals, dashes and blanks are free: Theorem 3.1 is the section theorem_31. What is neither has no claims.
    """
    alike = [one for one in sections() if _letters(one) == _letters(name)]
    if alike:
        return all_claims(alike)
    words = _words(name)
    return tuple(claim for claim in all_claims() if words.strip() and _words(claim.source).startswith(words))


def _words(text: str) -> str:
    """Return the words and numbers of a text in small letters, a blank around each."""
    return f" {' '.join(re.findall(r'[a-z0-9]+(?:[.][a-z0-9]+)*', text.lower()))} "


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def claim_named(name: str, file: str | None = None) -> Claim[Any]:
    """Return a claim of the ledger, or of a file; `ArgumentError` if there is none of this name."""
    modules = sorted(chain.from_iterable(sections().values()), key=partial(_unsaid, name))
    every = [claims_of_file(file)] if file is not None else (claims_of(import_module(one)) for one in modules)
    found = next((claim for claims in every for claim in claims if claim.id == name), None)
    if found is None:
        raise ArgumentError("claim", name, "the identifier of a claim")
    return found


def _unsaid(name: str, module: str) -> int:
    """Return how little of an identifier a module says, 0 where it stands there in quotes."""
    parts = name.split(".")
    said = [f'"{name}"', *(".".join(parts[:n]) for n in range(len(parts), 0, -1))]
    return next((i for i, one in enumerate(said) if one in _text(module)), len(said))


def all_errata() -> tuple[Erratum, ...]:
    """Return the errata that are registered."""
    return tuple(erratum for point in _registered(ERRATA) for erratum in point.load())


def run(file: str) -> None:
    """Decide the claims of a file and print their rows: what a file of claims does when it is run."""
    (command,) = entry_points(group="console_scripts", name="teltheory")
    command.load()(["verify", file, *sys.argv[1:]])
