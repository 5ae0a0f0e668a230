"""`make sanitize`: run the comparisons of loops with references on a library that ends at what C does not define.

    PYTHONPATH=tests python -m mutants.sanitized [--workers 2] [TEST ...]

1. A copy of the project has a library without ``-fwrapv``, with the address and the undefined-behaviour sanitizer:
   a sum beyond 64 bits, a shift too far, an access beside an array or to one that is gone end the process, and the
   line is printed. numpy takes its arrays from ``malloc``, so that they have guards on both sides.
2. Leaks are not looked for, as Python leaks itself, nor memory of other libraries' C++ that is freed as C's.
3. TEST is given to pytest; if left out, the folders and files of `COMPARISONS` are, but for what is marked `long`.
   The run fails then if there is a loop that none of them has called.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants.copies import ROOT, copied, environment

from release.loops import compiler
from teltheory.base import loops
from teltheory.base.c_sources import prototypes

COMPARISONS = (
    "tests/base/test_loops.py", "tests/replay", "tests/optimal", "tests/serving", "tests/policies", "tests/belief",
    "tests/claims/test_compiled_claims.py", "tests/claims/test_compiled_enumeration.py",
    "tests/claims/test_compiled_policies.py", "tests/claims/test_second_encodings.py",
    "tests/claims/test_forest_rows.py", "tests/claims/test_dominance_rows.py",
    "tests/systems/rag/test_hnsw.py",
)  # fmt: skip
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:alloc_dealloc_mismatch=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
TESTS = ("-q", "--capture=sys", "-m", "not long and not model", "-p", "mutants.sanitized")
"""What is printed as a process ends gets past pytest that way. This file is a plugin, too."""
CALLED = "TELTHEORY_CALLED"
"""The variable that names a folder, in which the plugin makes a file for each loop that is called."""


def build(copy: Path) -> None:
    """Compile the library of a copy with the sanitizers."""
    words = [sys.executable, "release/loops.py", "--without-wrapping", f"--flags={FLAGS} -Wno-error"]
    subprocess.run(words, cwd=copy, env=environment(copy), check=True)


def preloaded() -> str:
    """Return what is loaded before Python: the sanitizer, and C++, whose exceptions it looks at."""
    compiler_of = compiler(None) or ["cc"]
    found = []
    for name in ("libasan.so", "libstdc++.so.6"):
        words = [*compiler_of, f"-print-file-name={name}"]
        file = Path(subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip())
        if not file.is_absolute() or not file.is_file():
            sys.exit(f"{name}: found {file}, expected that of gcc")
        found.append(str(file))
    return " ".join(found)


def pytest_configure() -> None:
    """Note which loops are called from now on."""
    found = loops.loop
    first = cache(lambda name: Path(os.environ[CALLED], name).touch())

    def noted(name: str) -> loops.Loop:
        first(name)
        return found(name)

    noted.cache_clear = found.cache_clear
    loops.loop = noted


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, test; return the exit code of the tests, 1 if a loop was not called that should have been."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (default: the cores)")
    parser.add_argument("tests", nargs="*", default=COMPARISONS)
    given = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="teltheory-sanitized-") as name:
        copy, called = copied(ROOT, Path(name, "copy")), Path(name, "called")
        called.mkdir()
        build(copy)
        words = [sys.executable, "-m", "pytest", *TESTS, "-n", str(given.workers), *given.tests]
        variables = {**environment(copy), **OPTIONS, CALLED: str(called), "LD_PRELOAD": preloaded()}
        code = subprocess.run(words, cwd=copy, env=variables, check=False).returncode
        missed = sorted({*prototypes()} - {file.name for file in called.iterdir()})
    if missed and given.tests is COMPARISONS:
        sys.exit(f"loops: found none that calls {', '.join(missed)}, expected a comparison of each")
    return code


if __name__ == "__main__":
    sys.exit(main())
