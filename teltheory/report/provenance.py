"""What a page was made of and with: versions and digests, nothing of the machine or the moment."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import teltheory
from teltheory.errors import ArgumentError, FileError

LIBRARIES = ("numpy", "scipy", "numba", "highspy", "pyomo", "pyarrow", "sympy", "z3-solver", "cvc5", "matplotlib")
"""Those that numbers, verdicts or figures come from."""


def versions(libraries: Iterable[str] = LIBRARIES) -> list[tuple[str, str]]:
    """Return the versions of teltheory, Python and libraries; those that are not installed are left out."""
    pairs = [("teltheory", teltheory.__version__), ("Python", platform.python_version())]
    for name in libraries:
        try:
            pairs.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return pairs


def digests(files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the SHA-256 of files, each by its name alone.

    Raises
    ------
    FileError
        Where one cannot be read.
    """
    return [(file.name, f"SHA-256 {digest(file)}") for file in files]


def digest(file: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise FileError(f"{file}: {error.strerror}, expected a file") from None


def made_on(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the day that SOURCE_DATE_EPOCH names, nothing without it: a page says nothing of the clock.

    Raises
    ------
    ArgumentError
        Where it is no whole number of seconds.
    """
    given = environment.get("SOURCE_DATE_EPOCH")
    if given is None:
        return []
    try:
        return [("Date", datetime.fromtimestamp(int(given), UTC).strftime("%Y-%m-%d"))]
    except (ValueError, OverflowError, OSError):
        raise ArgumentError("SOURCE_DATE_EPOCH", given, "whole seconds since 1970") from None
