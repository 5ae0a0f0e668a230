"""`make mutants`: plant faults one by one, each in a private copy of the project, and print what caught each.

For a fault its rows of the ledger are decided again, each beside what it is without the fault, then its test files
run, then the folder of the first of them; what differs or fails first has caught it. A test counts that passes
without the fault. A command that does not end counts as well, if it ends without the fault.
"""

import argparse
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants.copies import ROOT, Runner, copied
from mutants.fault import FAULTS, Fault
from mutants.judges import Caught, Judges

from teltheory.base.processes import cores

Write = Callable[[str], object]
LIMIT = 180.0


@dataclass(frozen=True)
class Planted:
    """What became of a fault."""

    fault: Fault
    seconds: float
    caught: Caught | None

    @property
    def good(self) -> bool:
        """Whether it was caught, by something that does not fail without it."""
        return self.caught is not None and not self.caught.problem

    def line(self) -> str:
        """Return its line of the table."""
        mark = "caught  " if self.good else "PROBLEM " if self.caught else "SURVIVED"
        by = self.caught.by if self.caught else self.fault.wrong
        return f"{mark}  {self.fault.name:40}  {self.fault.file:42}  {self.seconds:6.1f} s  {by}\n"


def plant(fault: Fault, folder: Path, judges: Judges, narrow: bool = False) -> Planted:
    """Plant a fault in a copy of its own and look for what catches it; if `narrow`, not in the wider folder."""
    begin = time.perf_counter()
    copy = copied(judges.clean, folder / fault.name)
    try:
        file = copy / fault.file
        file.write_text(fault.planted_in(file.read_text()))
        _build(copy, file, judges)
        caught = next(_catching(fault, copy, judges, narrow), None)
    except LookupError as gone:
        caught = Caught(str(gone), problem=True)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return Planted(fault, time.perf_counter() - begin, caught)


def _build(copy: Path, file: Path, judges: Judges) -> None:
    failed = judges.build(copy) if file.suffix in (".c", ".h") else None
    if failed is not None:
        raise LookupError(f"does not compile: {failed}")


def _catching(fault: Fault, copy: Path, judges: Judges, narrow: bool) -> Iterator[Caught]:
    looks = [(judges.by_ledger, row) for row in fault.rows]
    looks += [(judges.by_tests, tests) for tests in (*fault.tests, *([] if narrow else _wider(fault)))]
    for look, where in looks:
        caught = look(copy, where)
        if caught is not None:
            yield caught


def _wider(fault: Fault) -> list[str]:
    """Return the folder of the first tests, unless that is the whole of all tests."""
    folders = [str(Path(tests.split("::")[0]).parent) for tests in fault.tests[:1]]
    return [folder for folder in folders if folder != "tests"]


def plant_all(faults: Sequence[Fault], workers: int, limit: float, write: Write, narrow: bool = False) -> bool:
    """Plant faults, write a line for each and the count; return whether all were caught."""
    rows = list(dict.fromkeys(row for fault in faults for row in fault.rows))
    runner, planted = Runner(), []
    with TemporaryDirectory(prefix="teltheory-mutants-") as name, ended_at_last(runner):
        folder = Path(name)
        judges = Judges(copied(ROOT, folder / "clean"), runner, limit)
        judges.check_copy()
        judges.decide_without_a_fault(rows, workers)
        with ThreadPoolExecutor(workers) as pool, ended_at_last(runner):
            for done in pool.map(lambda fault: plant(fault, folder, judges, narrow), faults):
                planted.append(done)
                write(done.line())
    caught = sum(done.good for done in planted)
    write(f"{caught} of {len(faults)} faults caught\n")
    return caught == len(faults)


@contextmanager
def ended_at_last(runner: Runner) -> Iterator[None]:
    """End what a runner still runs when the block ends."""
    try:
        yield
    finally:
        runner.stop()


def chosen(names: Sequence[str]) -> list[Fault]:
    """Return the faults of some names or numbers (from 1), all of them when none is given."""
    numbered = {str(i): fault for i, fault in enumerate(FAULTS, start=1)}
    known = {**numbered, **{fault.name: fault for fault in FAULTS}}
    for name in names:
        if name not in known:
            raise SystemExit(f"found no fault {name!r}, expected a number up to {len(FAULTS)} or one of --list")
    return [known[name] for name in names] or list(FAULTS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description="Plant faults and print what catches each.")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help="name or number; all of them when left out")
    parser.add_argument("--workers", type=int, default=cores(), help="faults at a time (default: the cores)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that a command may take")
    parser.add_argument("--list", action="store_true", help="list the faults and plant none")
    parser.add_argument("--narrow", action="store_true", help="leave out the folders beyond the named tests")
    options = parser.parse_args(arguments)
    faults = chosen(options.faults)
    if options.list:
        sys.stdout.writelines(
            f"{i:3}  {fault.name:40}  {fault.wrong}\n" for i, fault in enumerate(FAULTS, start=1)
        )
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return 0 if plant_all(faults, max(1, options.workers), options.limit, _written, options.narrow) else 1
    except KeyboardInterrupt:
        return 130


def _written(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
