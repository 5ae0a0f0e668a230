"""Times to the first token with kept modules and without, by kept and fresh tokens, one row a repeat, as CSV.

    python experiments/module_ttft.py times.csv
    python experiments/module_ttft.py times.csv --model FOLDER --repeats 3 --cells 0+1056 1024+32

What is timed, and how it is interleaved, is said in `teltheory.systems.modules.bench`; one thread. The cells with
no kept tokens are the control: a prompt of fresh tokens alone is computed as without a cache.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from teltheory.base.extras import needed
from teltheory.errors import TelTheoryError
from teltheory.systems.modules.bench import BenchCell, Timed, timed
from teltheory.systems.modules.runtime import load_model

COLUMNS = ("model", "kept", "fresh", "way", "repeat", "wall_s", "cpu_s")
CELLS = ["0+288", "0+1056", "256+32", "512+32", "1024+32", "1024+128", "1024+512", "2048+32", "4096+32"]


def cell(text: str) -> BenchCell:
    """Return the cell of a text such as "1024+32": kept and fresh tokens."""
    kept, _, fresh = text.partition("+")
    return BenchCell(int(kept), int(fresh))


def rows(model: str, times: Sequence[Timed]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `COLUMNS`."""
    for one in times:
        for repeat, (wall, cpu) in enumerate(zip(one.wall, one.cpu, strict=True)):
            yield model, one.cell.kept, one.cell.fresh, one.way, repeat, f"{wall:.6f}", f"{cpu:.6f}"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="the CSV file to write")
    parser.add_argument("--model", default="smollm2", help="smollm2, or a local folder of Hugging Face")
    parser.add_argument(
        "--cells", type=cell, nargs="+", default=[cell(one) for one in CELLS], metavar="KEPT+FRESH"
    )
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def main() -> int:
    """Write the CSV; return the exit code."""
    asked = arguments()
    try:
        needed("torch", "modules").set_num_threads(1)
        model = load_model(asked.model)
        times = timed(model, asked.cells, asked.repeats)
    except TelTheoryError as error:
        sys.stderr.write(f"module_ttft: {error}\n")
        return 2
    with asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(model.name, times))
    return 0


if __name__ == "__main__":
    sys.exit(main())
