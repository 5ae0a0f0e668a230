"""What can catch a fault: a row of the ledger that changes, or a test that fails that passes without it."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mutants.copies import Ended, Runner

Row = dict[str, Any]
WHERE = """
from importlib.util import find_spec
print(*(find_spec(name).origin for name in ("teltheory", "proofs_checks")))
"""


class Caught(NamedTuple):
    """What caught a fault; `problem` where what failed would have failed without it."""

    by: str
    problem: bool = False


class Judges:
    """The ledger and the tests, held against a copy without a fault.

    Parameters
    ----------
    clean : Path
        A copy without a fault.
    runner : Runner
        Runs the commands.
    limit : float
        Seconds that a command may take.
    marks : str
        Which tests run, as pytest's ``-m`` takes it; all of them when left out.
    """

    def __init__(self, clean: Path, runner: Runner, limit: float, marks: str = "") -> None:
        self.clean, self._runner, self._limit, self._marks = clean, runner, limit, marks
        self._expected: dict[str, Row] = {}
        self._passing: dict[str, bool] = {}
        self._lock = threading.Lock()

    def check_copy(self) -> None:
        """Make sure that a copy runs its own modules and loops and not the installed ones."""
        built = self.build(self.clean)
        if built is not None:
            raise RuntimeError(f"a copy without a fault is not compiled: {built}")
        ended = self._runner.python(self.clean, ["-c", WHERE], self._limit)
        if not all(Path(file).is_relative_to(self.clean) for file in ended.out.split()) or not ended.out:
            raise RuntimeError(f"a copy runs other modules than its own: {ended.out}{last_line(ended.err)}")

    def build(self, copy: Path) -> str | None:
        """Compile a copy's C files; return what kept it from being done."""
        ended = self._runner.build(copy, self._limit)
        return None if ended.code == 0 else last_line(ended.err)

    def decide_without_a_fault(self, ids: Sequence[str], workers: int) -> None:
        """Decide the rows that faults will be looked for in."""
        if not ids:
            return
        rows = self._ledger(self.clean, ids, workers, 10 * self._limit)
        if isinstance(rows, str):
            raise RuntimeError(f"without a fault: {rows}")
        self._expected = rows

    def by_ledger(self, copy: Path, row: str) -> Caught | None:
        """Decide a row with the fault; return what changed."""
        rows = self._ledger(copy, [row], 1, self._limit)
        if isinstance(rows, str):
            return Caught(f"row {row}: {rows}")
        changed = difference(self._expected[row], rows[row])
        return None if changed is None else Caught(f"row {row}: {changed}")

    def _ledger(self, copy: Path, ids: Sequence[str], workers: int, seconds: float) -> dict[str, Row] | str:
        claims = [argument for name in ids for argument in ("--claim", name)]
        command = ["-m", "teltheory", "verify", *claims, "--workers", str(workers), "--json", "-"]
        ended = self._runner.python(copy, command, seconds)
        if ended.code is None:
            return f"did not end in {seconds:g} s"
        try:
            return {row["id"]: row for row in json.loads(ended.out)["claims"]}
        except ValueError:
            return f"verify ended with {ended.code}: {last_line(ended.err)}"

    def by_tests(self, copy: Path, tests: str) -> Caught | None:
        """Run tests with the fault until one fails, and that one without it."""
        ended = self._pytest(copy, tests)
        if ended.code == 0:
            return None
        failed = first_failure(copy) or tests
        what = f"did not end in {self._limit:g} s: {tests}" if ended.code is None else failed
        if self._passes(tests if ended.code is None else failed):
            return Caught(what)
        return Caught(f"{what}, and without the fault too", problem=True)

    def _pytest(self, copy: Path, tests: str) -> Ended:
        return self._runner.python(
            copy,
            ["-m", "pytest", "-x", "-q", "-n0", "-m", self._marks, *([tests] if "::" in tests else tests.split())],
            self._limit,
        )

    def _passes(self, tests: str) -> bool:
        """Whether tests pass without a fault; found out once."""
        if tests not in self._passing:
            passing = self._pytest(self.clean, tests).code == 0
            with self._lock:
                self._passing[tests] = passing
        return self._passing[tests]


def difference(expected: Row, found: Row) -> str | None:
    """Return what of a row changed, seconds apart."""
    for field in ("verdict", "counterexample", "scope", "natural"):
        if expected.get(field) != found.get(field):
            words = isinstance(expected[field], str)
            return f"{expected[field]} became {found[field]}" if words else f"another {field}"
    return None


def first_failure(copy: Path) -> str | None:
    """Return the test that pytest noted as failed in a copy."""
    noted = copy / ".pytest_cache" / "v" / "cache" / "lastfailed"
    return next(iter(json.loads(noted.read_text())), None) if noted.is_file() else None


def last_line(text: str) -> str:
    """Return the last line of what a command printed."""
    return (text.strip().splitlines() or ["nothing printed"])[-1][:200]
