"""The C files of the package, and the digest that ties them to the library made of them.

This file imports nothing but the standard library, as the build reads it before anything is installed.
"""

from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LIBRARY = "base/compiled_loops.so"
"""Where the library stands below the package, on every system."""


def sources(package: Path = PACKAGE) -> list[Path]:
    """Return the files that are compiled, in the order of their paths below the package."""
    return sorted(package.rglob("*.c"), key=lambda file: file.relative_to(package).as_posix())


def digest_of(package: Path = PACKAGE) -> str:
    """Return a digest of all C files and headers, with their places."""
    files = [*sources(package), *sorted(package.rglob("*.h"))]
    named = (file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() for file in files)
    return sha256(b"\0".join(named)).hexdigest()
