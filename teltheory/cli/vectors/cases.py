"""The cases of the vectors: instances of textbooks and of the documents, and some that a seed draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from teltheory.cli.vectors.suite import (
    Vector,
    VectorOptimum,
    VectorRequest,
    VectorRun,
    VectorStart,
    VectorTurn,
    answered,
)

SEED, DRAWN = 46, 8
TRIMS = ("round-robin", "least-recent", "eager")
MARKS = ("high-water", "resident", "last")
REMEMBER = ("fifo", "lfu", "slru", "gdsf", "2q:recent=1/4,ghosts=1/2", "s3-fifo:small=1/10,ghosts=9/10")
"""Policies that remember what the cache did, and so begin with an empty one."""
SILBERSCHATZ = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1]
ANOMALY = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]


def cases() -> list[Vector]:
    """Return all cases with their answers, those with the fewest rows first."""
    found = [*_textbook(), *_drawn(np.random.default_rng(SEED))]
    return [answered(case) for case in sorted(found, key=lambda case: len(case.turns) + len(case.requests))]


def _textbook() -> Iterator[Vector]:
    about = "Zhang et al. 2025: T-LRU computes at most 160 tokens a turn, LRU once 200."
    yield _chats("Figure 2", about, "ABA", [100] * 3, (100,), 160, q_hat=100)
    about = "At capacity 3 LRU has 3 tokens above 2, Belady 2, the optimum 1."
    yield _chats("furthest is dear", about, "ABAB", [1, 3, 1, 2], (3, 5), 2)
    yield _chats(
        "same second, rows out of order",
        "Rows by arrival; equal ones as they stand.",
        "BABACA",
        [2, 2, 2, 1, 3, 2],
        (4, 7),
        2,
        arrival=[5.0, 0.0, 0.0, 5.0, 0.0, 9.0],
        history=[2, 0, 0, 2, 0, 3],
    )
    yield _chats(
        "histories that shorten",
        "A's third turn begins with 3 of its 8 tokens, its fourth with 2 of 5.",
        "AABAABA",
        [4, 4, 5, 2, 3, 1, 2],
        (8, 10),
        3,
        history=[0, 4, 0, 3, 2, 5, 5],
    )
    warm = [VectorStart(2, "B", 4), VectorStart(3, "A", 5), VectorStart(1, "Z", 1)]
    yield _chats("a warm cache", "A's and B's pasts are there before.", "ABA", [1, 2, 1], (6, 9), 3, initial=warm)
    yield _blocks(
        "strict is not holes",
        "One slow request or two.",
        [[1, 2], [3], [3], [1], [1, 2]],
        (2,),
        1,
        [0, 0, 1, 0, 1],
    )
    branches = [[1, 2, 3], [1, 2, 4], [1, 5], [1, 2, 3, 6], [1, 5, 7], [1, 2, 4]]
    yield _blocks(
        "branches", "Requests share a first block.", branches, (4, 5), 2, arrival=[0.0, 1.0, 1.0, 4.0, 4.0, 6.0]
    )
    longer = {"modes": (False,)}  # forced caching has no room for it
    yield _blocks("longer than the cache", "One path, twice.", [[1, 2, 3]] * 2, (2,), 0, **longer)
    begun = [VectorStart(1, path=[1, 2]), VectorStart(1, path=[3])]
    yield _blocks(
        "a warm tree", "Two paths are there before.", [[1, 2], [3], [1, 4], [1, 2]], (2, 3), 0, initial=begun
    )
    yield _blocks(
        "one page after another", "Silberschatz: pages and frames.", [[page] for page in SILBERSCHATZ], (3,), 0
    )
    yield _blocks("FIFO's anomaly", "Belady, Nelson, Shedler 1969.", [[page] for page in ANOMALY], (3, 4), 0)


def _drawn(rng: np.random.Generator) -> Iterator[Vector]:
    for at in range(DRAWN):
        past: dict[str, int] = {}
        turns = [_turn(rng, past) for _ in range(int(rng.integers(6, 13)))]
        longest = max(turn.history + turn.prompt + turn.response for turn in turns)
        yield Vector(
            f"drawn chats {at}", "Drawn.", _runs(["conversations"], (longest, longest + 3), 2), turns=turns
        )
    for at in range(DRAWN):
        requests = [*_requests(rng, int(rng.integers(6, 13)))]
        longest = max(len(row.path) for row in requests)
        yield Vector(
            f"drawn tree {at}", "Drawn.", _runs(["strict", "holes"], (longest, longest + 2), 1), requests=requests
        )


def _turn(rng: np.random.Generator, past: dict[str, int]) -> VectorTurn:
    """Draw a turn; one of three begins with less than the past."""
    who, (prompt, response) = "ABC"[rng.integers(3)], rng.integers(0, 4, 2).tolist()
    known = past.get(who, 0)
    history = int(rng.integers(0, known + 1)) if rng.integers(3) == 0 else known
    past[who] = history + prompt + response
    return VectorTurn(who, history, prompt, response)


def _requests(rng: np.random.Generator, rows: int) -> Iterator[VectorRequest]:
    """Draw requests that begin as one before and go on with new or known blocks, some with output and a tail."""
    ids: dict[tuple[int, ...], int] = {}
    spelt: list[tuple[int, ...]] = [()]
    for _ in range(rows):
        before = spelt[rng.integers(len(spelt))]
        word = (*before[: rng.integers(len(before) + 1)], *rng.integers(0, 2, rng.integers(1, 3)).tolist())[:5]
        spelt.append(word)
        path = [ids.setdefault(word[: end + 1], len(ids)) for end in range(len(word))]
        ask = len(path) - int(rng.integers(2))
        yield VectorRequest(path, ask, ask + int(rng.integers(2)))


def _chats(
    name: str, about: str, who: str, prompts: Sequence[int], sizes: Sequence[int], xi: int, **more: Any
) -> Vector:
    so_far = dict.fromkeys(who, 0) | {held.conversation: held.past for held in more.get("initial", ())}
    histories, arrivals = more.get("history"), more.get("arrival", [None] * len(who))
    turns = []
    for at, (one, prompt) in enumerate(zip(who, prompts, strict=True)):
        history = so_far[one] if histories is None else histories[at]
        turns.append(VectorTurn(one, history, prompt, 0, arrivals[at]))
        so_far[one] = history + prompt
    return Vector(name, about, _runs(["conversations"], sizes, xi, **more), turns=turns)


def _blocks(
    name: str,
    about: str,
    paths: Sequence[list[int]],
    sizes: Sequence[int],
    xi: int,
    tails: Any = None,
    **more: Any,
) -> Vector:
    rows, tails = len(paths), tails or [0] * len(paths)
    arrivals = more.get("arrival", [None] * rows)
    requests = [
        VectorRequest(path, len(path), len(path) + tail, at)
        for path, tail, at in zip(paths, tails, arrivals, strict=True)
    ]
    return Vector(name, about, _runs(["strict", "holes"], sizes, xi, **more), requests=requests)


def _runs(caches: Sequence[Any], sizes: Sequence[int], xi: int, **more: Any) -> list[VectorRun]:
    """Return runs without answers, under optional and forced caching, or some `modes`."""
    optima, begun = [VectorOptimum(at, 0, 0, [], []) for at in sorted({0, xi})], more.get("initial", [])
    return [
        VectorRun(cache, size, forced, {text: [] for text in _policies(cache, xi, **more)}, optima, begun)
        for cache in caches
        for size in sizes
        for forced in more.get("modes", (False, True))
    ]


def _policies(cache: str, xi: int, q_hat: int = 1, **more: Any) -> Iterator[str]:
    """Yield the short forms of all policies that need no file and no fit, with every parameter spelt out."""
    yield from ("lru", "belady", *(REMEMBER if "initial" not in more else ()))
    yield from ("ttl:seconds=2",) if "arrival" in more and cache != "conversations" else ()
    yield from (f"threshold-lru:cutoff={cutoff}" for cutoff in sorted({1, xi}))
    for trim in TRIMS if cache == "conversations" else TRIMS[1:]:
        marks = [""] if cache == "conversations" else [f",mark={mark}" for mark in MARKS]
        yield from (f"tlru:xi={xi},q_hat={q_hat},trim={trim}{mark}" for mark in marks)
        yield f"end-aware:xi={xi},q_hat={q_hat},trim={trim}"
        yield f"length-aware:xi={xi},trim={trim}"
    yield from (f"work-aware:xi={xi},q_hat={q_hat},work=1/4",) if cache == "conversations" else ()
    yield f"tail-optimized-belady:xi={xi}"
