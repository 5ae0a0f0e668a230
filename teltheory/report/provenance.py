"""What a page was made of and with: versions and digests, nothing of the machine or the moment."""

from __future__ import annotations

import platform
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import teltheory
from teltheory.input_files import read_bytes

LIBRARIES = ("numpy", "scipy", "numba", "highspy", "pyomo", "pyarrow", "sympy", "z3-solver", "cvc5", "matplotlib")
"""Those that numbers, verdicts or figures come from."""


def versions() -> list[tuple[str, str]]:
    """Return the versions of teltheory, Python and the libraries that are installed."""
    pairs = [("teltheory", teltheory.__version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            pairs.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return pairs


def digest(file: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    return sha256(read_bytes(file, "a file")).hexdigest()
