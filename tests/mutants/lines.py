"""`make mutants-lines`: plant one fault each in lines drawn at random, and count those that narrow tests let pass.

    PYTHONPATH=tests python -m mutants.lines --lines 300 --seed 1 [--found FILE] [--workers 2] [--limit 600]

1. All lines of `PLACES` in which a fault can be planted (`sites`) are put in an order that the seed draws. The
   first N are taken, and in each one of its sites. More lines with the same seed begin with the same ones.
   What a seed drew once is kept in ``drawn/SEED.txt``, so that other lines of the code change nothing of it: a
   fault is planted where its line is now, and a line that is gone is not counted.
2. The narrow tests of a file are those of the folder that mirrors its room, and the files of tests that import it,
   or import what calls its loops if it is in C. They run in one process, those that import the file first, until
   one fails. One that does not end counts too. A copy with a fault in C is compiled before.
3. What was found is kept in FILE, a line each, and not looked for again while the line of the code is the same.
4. A survivor that changes no result, or speed alone, may be named in `exempt.txt`, with the reason.

The exit code is 1 if more than 5 % survive, or more than 10 % are exempt.
"""

import argparse
import json
import random
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, get_args

from mutants import c_sites
from mutants.copies import ROOT, Runner, copied
from mutants.judges import Judges
from mutants.plant import ended_at_last, plant
from mutants.sites import Site, sites_of

from teltheory.base.processes import cores

PLACES = ("replay", "optimal", "policies", "serving", "cost/metrics.py")
BESIDE = {"policies": ("replay",)}
"""Rooms whose tests judge what another room says."""
QUICK = "not long and not ledger and not model"
EXEMPT, DRAWN = Path(__file__).parent / "exempt.txt", Path(__file__).parent / "drawn"
MOST_SURVIVORS, MOST_EXEMPT = 0.05, 0.10
LOOP = re.compile(r"^\w+ (\w+)\(", re.MULTILINE)
"""How a function of C begins that Python calls."""
Verdict = Literal["caught", "survived", "exempt", "problem"]


@dataclass(frozen=True)
class Drawn:
    """A fault in a line of a file; what it has in common with `mutants.fault.Fault` is what planting asks for."""

    file: str
    site: Site
    text: str

    @property
    def name(self) -> str:
        """Where the fault is, as the name of a folder."""
        return f"{self.file.replace('/', '.')}-{self.site.line}-{self.site.start}"

    @property
    def wrong(self) -> str:
        """The line, and what becomes of a piece of it."""
        return f"{self.text.strip()}    {self.text[self.site.start : self.site.end]} -> {self.site.planted}"

    @property
    def key(self) -> str:
        """What it is known by in a file of what was found."""
        return f"{self.file}: {self.wrong}"

    @property
    def rows(self) -> tuple[str, ...]:
        """No row of the ledger is decided again."""
        return ()

    @property
    def tests(self) -> tuple[str, ...]:
        """The narrow tests, as one run of pytest."""
        return (" ".join(narrow_tests(self.file)),)

    def planted_in(self, text: str) -> str:
        """Return the file's text with the fault."""
        if text.splitlines()[self.site.line - 1] != self.text:
            raise LookupError(f"{self.file}, line {self.site.line}: found another line than the one drawn")
        return self.site.planted_in(text)


@dataclass(frozen=True)
class Found:
    """What became of a fault."""

    key: str
    line: int
    verdict: Verdict
    by: str
    seconds: float


def drawn(lines: int, seed: int) -> list[Drawn]:
    """Return the first lines of the order that a seed draws, each with a site, or of those that it drew before."""
    kept = DRAWN / f"{seed}.txt"
    if kept.is_file():
        return [fault for key in kept.read_text().splitlines()[:lines] for fault in _standing(key)]
    rng = random.Random(seed)
    every = [(file, number, sites) for file in _files() for number, sites in sorted(_sites(file).items())]
    rng.shuffle(every)
    chosen = ((file, number, rng.choice(sites)) for file, number, sites in every[:lines])
    return [Drawn(file, site, _lines(file)[number - 1]) for file, number, site in chosen]


def _standing(key: str) -> list[Drawn]:
    """Return the fault of a key, if its line still stands."""
    file = key.split(": ", 1)[0]
    if not (ROOT / file).is_file():
        return []
    every = (
        Drawn(file, site, _lines(file)[number - 1]) for number, sites in _sites(file).items() for site in sites
    )
    return [fault for fault in every if fault.key == key][:1]


def _files() -> Iterator[str]:
    for place in PLACES:
        path = ROOT / "teltheory" / place
        found = sorted(file for form in ("py", "c", "h") for file in path.rglob(f"*.{form}"))
        found = found if path.is_dir() else [path]
        yield from (str(file.relative_to(ROOT)) for file in found)


@lru_cache
def _lines(file: str) -> tuple[str, ...]:
    return tuple((ROOT / file).read_text().splitlines())


@lru_cache
def _sites(file: str) -> dict[int, list[Site]]:
    sites = sites_of if file.endswith(".py") else c_sites.sites_of
    return sites("\n".join(_lines(file)) + "\n")


@lru_cache
def narrow_tests(file: str) -> tuple[str, ...]:
    """Return the files of tests that run for a file of the package, those that import or call it first."""
    room = Path(file).relative_to("teltheory").with_suffix("")
    mirrored = next(folder for folder in room.parents if (ROOT / "tests" / folder).is_dir())
    folders = [mirrored, *map(Path, BESIDE.get(room.parts[0], ()))]
    modules = [_module(one) for one in ([file] if file.endswith(".py") else _callers(file))]
    every = {str(test.relative_to(ROOT)): test.read_text() for test in sorted((ROOT / "tests").rglob("test_*.py"))}
    importing = [test for test, text in every.items() if any(f"from {one} import" in text for one in modules)]
    near = [test for folder in folders for test in every if Path(test).is_relative_to(Path("tests") / folder)]
    return tuple(dict.fromkeys((*sorted(importing, key=lambda test: test not in near), *near)))


def _module(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")


def _callers(file: str) -> list[str]:
    """Return the files in Python that name a loop of a file in C, or of one that includes the header."""
    files = [one for form in ("c", "py") for one in sorted((ROOT / "teltheory").rglob(f"*.{form}"))]
    every = {str(one.relative_to(ROOT)): one.read_text() for one in files}
    including = [one for one, text in every.items() if f'#include "{file.removeprefix("teltheory/")}"' in text]
    loops = [name for one in {file, *including} & {*every} for name in LOOP.findall(every[one])]
    return [
        one for one, text in every.items() if one.endswith(".py") and any(f'"{name}"' in text for name in loops)
    ]


def exemptions() -> dict[str, str]:
    """Return the reason of each exemption by its key."""
    pairs = (text.split("\n    ", 1) for text in EXEMPT.read_text().split("\n\n") if text.strip())
    return {key.strip(): reason.strip() for key, reason in pairs}


def known(place: Path) -> dict[str, Found]:
    """Return what was found so far."""
    text = place.read_text() if place.is_file() else ""
    whole = text[: text.rfind("\n") + 1].splitlines()
    return {found.key: found for found in (Found(**json.loads(line)) for line in whole)}


def look(faults: Sequence[Drawn], place: Path, workers: int, limit: float) -> list[Found]:
    """Plant what is not known yet; return what became of all of them."""
    before, reasons = known(place), exemptions()
    missing = [fault for fault in faults if fault.key not in before]
    runner = Runner()
    place.write_text("".join(json.dumps(asdict(found)) + "\n" for found in before.values()))
    with TemporaryDirectory(prefix="teltheory-lines-") as name, ended_at_last(runner), place.open("a") as file:
        judges = Judges(copied(ROOT, Path(name) / "clean"), runner, limit, QUICK)
        judges.check_copy()
        with ThreadPoolExecutor(workers) as pool, ended_at_last(runner):
            for planted in pool.map(lambda fault: plant(fault, Path(name), judges, narrow=True), missing):
                verdict: Verdict = "caught" if planted.good else "problem" if planted.caught else "survived"
                by = planted.caught.by if planted.caught else ""
                fault = planted.fault
                before[fault.key] = Found(fault.key, fault.site.line, verdict, by, round(planted.seconds, 1))
                file.write(json.dumps(asdict(before[fault.key])) + "\n")
                file.flush()
                say(f"{verdict:8}  {planted.seconds:6.1f} s  {fault.key}    {by}")
    return [_judged(before[fault.key], reasons) for fault in faults]


def _judged(found: Found, reasons: dict[str, str]) -> Found:
    exempt = found.verdict == "survived" and found.key in reasons
    return Found(**{**asdict(found), "verdict": "exempt", "by": reasons[found.key]}) if exempt else found


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="make mutants-lines", description="Plant one fault each in drawn lines.")
    parser.add_argument("--lines", type=int, default=300, help="how many lines (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    parser.add_argument(
        "--found", type=Path, default=Path("out/mutated-lines.jsonl"), help="where results are kept"
    )
    parser.add_argument("--workers", type=int, default=cores(), help="faults at a time (default: the cores)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that a run of tests may take")
    parser.add_argument("--list", action="store_true", help="list the faults and their tests, and plant none")
    options = parser.parse_args(arguments)
    faults = drawn(options.lines, options.seed)
    if options.list:
        for fault in faults:
            say(f"{fault.file}:{fault.site.line}  {fault.wrong}    {len(fault.tests[0].split())} files of tests")
        return 0
    options.found.parent.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return summed_up(look(faults, options.found, max(1, options.workers), options.limit))
    except KeyboardInterrupt:
        return 130


def summed_up(found: Sequence[Found]) -> int:
    """Print what was not caught, and the counts; return the exit code."""
    for verdict in ("survived", "problem", "exempt"):
        for one in found:
            if one.verdict == verdict:
                say(f"{verdict}: {one.key}" + (f" ({one.by})" if one.by else ""))
    every: tuple[Verdict, ...] = get_args(Verdict)
    counts = {verdict: sum(one.verdict == verdict for one in found) for verdict in every}
    shares = ", ".join(f"{verdict} {count} ({count / len(found):.1%})" for verdict, count in counts.items())
    say(f"{len(found)} lines: {shares}")
    missed = counts["survived"] + counts["problem"]
    return int(missed > MOST_SURVIVORS * len(found) or counts["exempt"] > MOST_EXEMPT * len(found))


if __name__ == "__main__":
    sys.exit(main())
