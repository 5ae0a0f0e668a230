"""SGLang's sessions beside `rules="sglang:sessions=yes"`: its Python core, on random forests and agents' sessions.

    python -m experiments.sglang_sessions_judge PYTHON [--forests 10500] [--trace FOLDER] [--vectors FILE]

1. PYTHON is that of an environment with SGLang 0.5.23, as `experiments.check_engines` says. Its cache runs with
   `--enable-session-radix-cache`, through the methods that the scheduler calls; `/close_session` comes between two
   requests.
2. A random forest has up to 4 sessions with branches, closes, also of who asks again, and requests without a
   session; whole prompts and chunks, with outputs. Each of the policies has its share.
3. The folder has recordings of agents, which start at random, one in ten seconds. Each agent is a session, or each
   recording where the reader tells no agents; it is closed after its last request.

Printed is how many requests hit something else than in our replays; with one that does the exit code is 1. With
--vectors a few forests and what SGLang hits are written to a file, which the tests replay.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import teltheory as tt
from experiments.block_hashes import assumed_starts, forest_of
from experiments.check_engines import COLUMNS, POLICIES, Row, answers, compared_or_written
from experiments.engine_cases import Case, hits_of, session_cases
from experiments.sglang_policies import policy_of
from teltheory.paper.script import markdown
from teltheory.replay.radix.sessions import RadixSessions

TRACE = Path(os.environ.get("TELTHEORY_DATA", "../shared/data")) / "claude_code_sessions"
CAPACITIES = (11_719, 15_625)
CHUNK = 128
T_LRU = {"threshold": 435, "next_prompt_estimate": 45}
"""Blocks of 64 tokens."""
VECTORS = 30
"""Forests of each policy that become vectors."""
Asked = tuple[Row, Case, list[int]]
"""A line of the table, a case of it, and what we hit."""


def random_rows(forests: int, seed: int) -> Iterator[Asked]:
    """Yield random forests."""
    share = -(-forests // len(POLICIES))
    for place, policy in enumerate(POLICIES):
        cases = list(session_cases(seed + place, share, policy))
        row = Row(cases[0], f"{share:,} forests", "longest + 0 to 8", "prompts, chunks of 1 to 3")
        yield from ((row, case, hits_of(case)) for case in cases)


def trace_rows(folder: Path) -> Iterator[Asked]:
    """Yield the sessions of a folder, under LRU and T-LRU."""
    if not folder.is_dir():
        return
    forest: Any = forest_of(str(folder), assumed_starts(str(folder)))
    if forest.hints is None:
        forest = forest.with_hints(tt.Hints.of(forest, agent=forest.cluster.tolist()))
    forest = forest.with_hints(tt.Hints.announce(forest))
    session, begin, closed = (column.tolist() for column in RadixSessions.of(forest, known=True))
    after = [max(k - 1, one) for k in range(len(forest)) for one in closed[begin[k] : begin[k + 1]]]
    told: dict[str, Any] = {
        "paths": [forest.path(k)[:ask] for k, ask in enumerate(forest.ask.tolist())],
        "sessions": [None if one < 0 else one for one in session],
        "closes": [[k, session[one]] for k, one in zip(after, closed, strict=True)],
    }
    inputs = tt.Forest.from_paths(told["paths"], arrival=forest.arrival).with_hints(forest.hints)
    for capacity in CAPACITIES:
        for policy, config, chunk in (("lru", None, None), ("tlru", T_LRU, None), ("tlru", T_LRU, CHUNK)):
            told |= {"policy": policy, "config": config, "chunk": chunk}
            case = {"engine": "sglang", "core": "python", **told}
            nodes = tt.RadixNodes(chunk, sessions=True)
            ours = tt.replay(inputs, policy_of(policy, config), capacity, cache=nodes)
            row = Row(case, folder.name, f"{capacity:,}", f"chunks of {chunk}" if chunk else "prompts")
            yield row, {**case, "capacity": capacity}, ours.cached.tolist()


def lines(options: argparse.Namespace) -> Iterator[str]:
    """Yield the table, and the sum of it."""
    asked = [*random_rows(options.forests, options.seed), *trace_rows(options.trace)]
    theirs = answers(options.python, "sglang", [case for _, case, _ in asked])
    version = next(theirs)["version"]
    for hits, (row, _, ours) in zip(theirs, asked, strict=True):
        row.count(hits, ours)
    rows = list({id(row): row for row, _, _ in asked}.values())
    yield from markdown(COLUMNS, [row.cells(version) for row in rows], "l" * 6 + "r" * 3)
    requests, differ = (sum(getattr(row, name) for row in rows) for name in ("requests", "differ"))
    yield f"\n{requests:,} requests, {differ:,} differ"
    if differ:
        sys.exit(1)


def vectors(python: str, seed: int) -> dict[str, Any]:
    """Return what SGLang hits on a few forests."""
    cases = [case for place, one in enumerate(POLICIES) for case in session_cases(seed + place, VECTORS, one)]
    theirs = answers(python, "sglang", cases)
    versions = [told["version"] for told in islice(theirs, 1)]
    kept = [{name: value for name, value in case.items() if value is not None} for case in cases]
    served = [{**case, "hits": hits} for case, hits in zip(kept, theirs, strict=True)]
    return {"seed": seed, "version": versions[0], "cases": served}


def main(words: Sequence[str] | None = None) -> None:
    """Compare, or write vectors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", metavar="PYTHON", help="Python of an environment with SGLang")
    parser.add_argument("--forests", type=int, default=10_500, help="random forests of all policies together")
    parser.add_argument("--seed", type=int, default=47)
    parser.add_argument("--trace", type=Path, default=TRACE, help="a folder of agents' sessions")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="write vectors to a file instead")
    compared_or_written(parser.parse_args(words), lines, vectors)


if __name__ == "__main__":
    main(sys.argv[1:])
