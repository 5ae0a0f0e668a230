"""Random forests under hints, far more than the ledger's own run tries: every row that holds and is compiled.

python -m proofs_checks.hints.campaign --forests 1000000 [--seed 1]
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs_checks.hints.drawn import MOST_BLOCKS
from proofs_checks.hints.worlds import HintedCase
from teltheory.claims.claim import Claim
from teltheory.claims.comparison import Tally
from teltheory.claims.registry import all_claims

AT_ONCE, MOST_REQUESTS = 20_000, 8


def drawn_rows() -> Iterator[Claim[HintedCase]]:
    """Yield the rows on hints that are compiled and that no case of theirs is expected to refute."""
    rows: Any = all_claims(["release_hints", "keep_hints"])
    return (one for one in rows if one.compiled is not None and one.origin.whose == "ours")


def tried(row: Claim[Any], forests: int, seed: int) -> Tally[HintedCase]:
    """Check at least so many random forests that lie within the hypotheses, up to the first that refutes."""
    compiled: Any = row.compiled
    rng, total = np.random.default_rng([seed, len(row.id), *row.id.encode()]), Tally[HintedCase]()
    while total.within < forests and total.smallest is None:
        requests, blocks = int(rng.integers(2, MOST_REQUESTS + 1)), int(rng.integers(1, MOST_BLOCKS + 1))
        total += compiled.tally_random(rng, requests, blocks, min(AT_ONCE, forests))
    return total


def told(row: Claim[Any], found: Tally[HintedCase]) -> str:
    """Return a line on what came of a row."""
    case = found.smallest
    said = "" if case is None else f": {case.as_counterexample(row.values(case) or {})}"
    return f"{row.id}: {found.within:,} forests, {found.refuting} refute{said}\n"


def main(words: list[str]) -> bool:
    """Try every row; return whether none is refuted."""
    parser = argparse.ArgumentParser(prog="python -m proofs_checks.hints.campaign")
    parser.add_argument("--forests", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    asked, sound = parser.parse_args(words), True
    for row in drawn_rows():
        found = tried(row, asked.forests, asked.seed)
        sys.stdout.write(told(row, found))
        sys.stdout.flush()
        sound = sound and not found.refuting
    return sound


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
