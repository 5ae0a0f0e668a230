"""Small worlds for the engines as judges: random forests by seed, cases by name, and what our replay says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import teltheory as tt
from experiments.sglang_policies import policy_of

Case = Mapping[str, Any]
"""What an engine is given: see `experiments/engines`; ``engine`` says to which."""

ROOM = 8
"""Random capacities are those that the longest path needs, and up to so many units more."""
SESSION_REQUESTS = 30
"""The most requests of a random forest with sessions."""
FILLERS = 1000
"""Ids from which on nothing is shared."""


def paths_of(rng: np.random.Generator, most: int = 14) -> list[list[int]]:
    """Return the paths of a random forest: at most so many requests, most of which begin like another."""
    words = [rng.integers(0, 3, rng.integers(1, 8)).tolist() for _ in range(rng.integers(1, most + 1))]
    for k in range(1, len(words)):
        if rng.random() < 0.6:
            other = words[rng.integers(k)]
            words[k] = other[: rng.integers(1, len(other) + 1)] + words[k][:4]
    ids: dict[tuple[int, ...], int] = {}
    return [[ids.setdefault(tuple(word[: i + 1]), len(ids) + 1) for i in range(len(word))] for word in words]


def pool_cases(seed: int, forests: int) -> Iterator[Case]:
    """Yield random forests for vLLM's pool, some with requests that run at the same time."""
    rng = np.random.default_rng(seed)
    for _ in range(forests):
        paths, running = paths_of(rng), int(rng.choice([1, 1, 2, 3]))
        longest = sum(sorted(map(len, paths))[-running:])
        capacity = longest + running + int(rng.integers(ROOM + 1))
        yield {"engine": "vllm", "paths": paths, "capacity": capacity, "running": running, "policy": "lru"}


def tree_cases(seed: int, forests: int, policy: str, core: str, most: int = 14) -> Iterator[Case]:
    """Yield random forests for SGLang's tree, with whole prompts and chunks, some with outputs."""
    rng = np.random.default_rng(seed)
    for _ in range(forests):
        paths, chunk = paths_of(rng, most), (None, None, 1, 2, 3)[rng.integers(5)]
        outputs = bool(rng.random() < 0.4)
        yield {
            "engine": "sglang",
            "core": core,
            "policy": policy,
            "config": _config(rng, policy),
            "paths": paths,
            "ask": [int(rng.integers(1, len(path) + 1)) if outputs else len(path) for path in paths],
            "capacity": max(map(len, paths)) + int(rng.integers(ROOM + 1)),
            "chunk": chunk,
        }


def session_cases(seed: int, forests: int, policy: str) -> Iterator[Case]:
    """Yield random forests for SGLang's tree with sessions: some requests have none, and some are closed."""
    rng = np.random.default_rng((seed, 1))
    for case in tree_cases(seed, forests, policy, "python", SESSION_REQUESTS):
        n, most = len(case["paths"]), int(rng.integers(1, 5))
        sessions = [None if rng.random() < 0.2 else int(rng.integers(most)) for _ in range(n)]
        closes = [[k, int(rng.integers(most))] for k in range(n) if rng.random() < 0.3]
        yield {**case, "sessions": sessions, "closes": closes}


def _config(rng: np.random.Generator, policy: str) -> dict[str, int] | None:
    names = ("threshold", "next_prompt_estimate") if policy == "tlru" else ()
    return {name: int(rng.integers(most)) for name, most in zip(names, (7, 4), strict=False)} or None


def hits_of(case: Case, engine: str = "reference") -> list[int]:
    """Return the units that each request hits in our replay of a case."""
    paths = case["paths"]
    if case["engine"] == "sglang":
        forest = _with_sessions(tt.Forest.from_paths(paths, case.get("ask"), arrival=range(len(paths))), case)
        policy = policy_of(case["policy"], case.get("config"))
        nodes = tt.RadixNodes(case.get("chunk"), renew=case.get("renew", True), sessions="sessions" in case)
        return _replayed(forest, policy, case["capacity"], cache=nodes, engine=engine)
    running, tail = case.get("running", 1), case.get("tail", 1)
    forest = tt.Forest.from_paths(paths, [len(path) - (tail == 0) for path in paths])
    options = {"cache": "holes", "forced": True, "running": running, "engine": engine}
    return _replayed(forest, tt.LRU(), case["capacity"] - running * (tail > 0), **options)


def _with_sessions(forest: tt.Forest, case: Case) -> tt.Forest:
    """Return a forest with the sessions of a case; a session that has not asked yet has nothing to close."""
    if case.get("sessions") is None:
        return forest
    hints, said = tt.Hints.of(forest, agent=case["sessions"]), list[tuple[float, int, str, None]]()
    for after, session in case["closes"]:
        if session in case["sessions"][: after + 1]:
            said.append((after + 0.5, session, "close", None))
    return forest.with_hints(hints.with_events(forest, said))


def _replayed(forest: tt.Forest, policy: Any, capacity: int, **options: Any) -> list[int]:
    hits: list[int] = tt.replay(forest, policy, capacity, **options).cached.tolist()
    return hits


def named_cases() -> dict[str, Case]:
    """Return the cases that have a name: findings, and what the tests of SGLang's T-LRU are about."""
    cases: dict[str, Case] = {
        "a split makes the unread suffix recent": _tree([[1, 2], [3], [1], [4], [3]], 3),
        "chunks that end where requests part split nothing": _tree([[1, 2], [3], [1], [4], [3]], 3, chunk=1),
        "a tail takes a block": _pool([[1], [2], [1]], 2),
        "the last block of a prompt of full blocks is computed anew": _pool([[1, 2], [1, 2]], 4, tail=0),
        "T-LRU evicts a whole prompt": _tree([[1, 2, 3], [4, 5], [1, 2, 3]], 4, "tlru", (1, 0)),
        "T-LRU evicts the end of a prompt that came in chunks": _tree(
            [[1, 2, 3], [4, 5], [1, 2, 3]], 4, "tlru", (1, 0), chunk=2
        ),
    }
    old, filler = _run(100, 8), [[FILLERS + i] for i in range(4)]
    for told in ((0, 0), (4, 0), (4, 2), (4, 4), (4, 6)):
        paths = [old, [1, 2], filler[0], [1, 2], old]
        cases[f"PR 34012: safe tails, then recency, at threshold {told[0]} and estimate {told[1]}"] = _tree(
            paths, 10, "tlru", told
        )
    turns = [_run(1, length) for length in (2, 4, 6, 8)]
    cases["PR 34012: repeated evictions of a tail keep the history"] = _tree(
        [old, *turns, _run(FILLERS, 2), _run(FILLERS + 10, 2), _run(FILLERS + 20, 2), turns[-1], old],
        16,
        "tlru",
        (6, 2),
    )
    cases["PR 34012: a split and a compacted branch keep the history"] = _tree(
        [old, turns[-1], turns[1], [1, 2, 90, 91], _run(FILLERS, 3), _run(FILLERS + 10, 2), turns[-1], old],
        18,
        "tlru",
        (6, 2),
    )
    return cases


def _run(first: int, length: int) -> list[int]:
    return [*range(first, first + length)]


def _pool(paths: Sequence[Sequence[int]], capacity: int, tail: int = 1) -> Case:
    return {"engine": "vllm", "paths": paths, "capacity": capacity, "tail": tail, "policy": "lru"}


def _tree(
    paths: Sequence[Sequence[int]],
    capacity: int,
    policy: str = "lru",
    told: tuple[int, int] | None = None,
    chunk: int | None = None,
) -> Case:
    config = {"threshold": told[0], "next_prompt_estimate": told[1]} if told else None
    sizes = {"capacity": capacity, "chunk": chunk}
    return {"engine": "sglang", "policy": policy, "config": config, "paths": paths, **sizes}
