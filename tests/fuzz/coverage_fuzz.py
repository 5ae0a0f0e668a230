"""Fuzz the reader of one format guided by coverage, with atheris: `pip install 'teltheory[fuzz]'`.

    PYTHONPATH=tests python tests/fuzz/coverage_fuzz.py own.csv --minutes 10 [--out out/fuzz]

atheris keeps inputs that reach new lines in OUT/corpus-FORMAT, from which the next run goes on; it changes them by
the same structure-aware changes as the other fuzzing. The first fault ends the run: atheris writes its input to
OUT/crash-... and `long_fuzz.py` tells what it is. Without a format it lists them.
"""

import argparse
import inspect
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz.formats import formats, path_for
from fuzz.mutations import mutated
from fuzz.oracle import judged

ROOT = Path(__file__).parents[2]
LARGEST = 1 << 16
READING = (
    "workloads",
    "calibration",
    "report",
    "trace",
    "records",
    "input_files",
    "kv_config",
    "latency_files",
    "latency_table",
)
READING += (
    "sweep.store",
    "claims.case",
    "claims.campaign",
    "cli.proof_files",
    "optimal.certificate",
    "optimal.prices",
)


def instrument(atheris):
    """Let atheris see which lines of the readers an input reaches; what numba compiles must stay as it is."""
    for name, module in list(sys.modules.items()):
        if name.startswith(tuple(f"teltheory.{part}" for part in READING)):
            for function in functions_of(module):
                atheris.instrument_func(function)


def functions_of(module):
    """Yield the functions and methods that a module defines."""
    for held in vars(module).values():
        for one in vars(held).values() if inspect.isclass(held) else (held,):
            plain = getattr(one, "__func__", getattr(one, "fget", one))
            if inspect.isfunction(plain) and plain.__module__ == module.__name__:
                yield plain


def fuzz(atheris, one, corpus, minutes):
    """Fuzz until the time is over or there is a fault."""
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / "valid").write_bytes(one.valid)
    with TemporaryDirectory() as folder:
        path = path_for(one, Path(folder))

        def look(data):
            path.write_bytes(data)
            judged(one.read, path)

        def change(data, most, seed):
            return mutated(Random(seed), one.kind, data)[:most]

        bounds = [f"-max_total_time={int(60 * minutes)}", f"-max_len={LARGEST}", "-rss_limit_mb=8192"]
        given = [sys.argv[0], *bounds, f"-artifact_prefix={corpus.parent}/", str(corpus)]
        atheris.Setup(given, look, custom_mutator=change)
        atheris.Fuzz()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format", nargs="?")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    given = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("coverage_fuzz needs atheris, which is not installed: pip install 'teltheory[fuzz]'")
    known = formats()
    instrument(atheris)
    if given.format not in known:
        sys.exit(f"found the format {given.format}, expected one of {', '.join(known)}")
    fuzz(atheris, known[given.format], given.out.absolute() / f"corpus-{given.format}", given.minutes)


if __name__ == "__main__":
    main()
