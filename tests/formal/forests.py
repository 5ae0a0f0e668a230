"""Shared prefixes for `make formal-bridge`: random forests, for the extracted program and for the toolkit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import teltheory as tt

WAYS = [(engine, cache) for cache in ("holes", "strict") for engine in ("reference", "kernel")]


@dataclass(frozen=True)
class ForestCase:
    """Paths of blocks, what they ask for and need in all, and how they are replayed: `running` 0 is optional."""

    paths: list[list[int]]
    ask: list[int]
    total: list[int]
    capacity: int
    xi: int
    q_hat: int
    running: int
    start: list[tuple[int, int]]

    def lines(self) -> Iterator[tuple[str, dict[str, list[int]]]]:
        """Yield questions for the program, and what the toolkit answers each by loop and cache.

        Under high-water marks a strict cache holds what one with holes does. Tail-Optimized Belady begins with
        leading blocks of a request's path too, which the loops in C do not.
        """
        tlru, tob = tt.TLRU(self.xi, self.q_hat, trim="least-recent"), tt.TailOptimizedBelady(self.xi)
        for policy, word, n in ((tt.LRU(), "lru", 4), (tlru, "tlru", 4), (tob, "tob", 2), (tob, "tob", 1)):
            start = self.start if n == 1 else []
            found = {", ".join(way): self._excesses(policy, *way, start) for way in WAYS[:n]}
            yield self._line(word, start), found

    def _line(self, word: str, start: list[tuple[int, int]]) -> str:
        blocks = 1 + max((block for path in self.paths for block in path), default=-1)
        held = [block for request, cached in start for block in self.paths[request][:cached]]
        of_policy = [self.running, len(held), *held] if word == "tob" else [self.q_hat, self.running]
        numbers = [blocks, self.capacity, self.xi, *of_policy, len(self.paths)]
        for path, asked, total in zip(self.paths, self.ask, self.total, strict=True):
            numbers += [asked, total, len(path), *path]
        return " ".join(map(str, [f"forest-{word}", *numbers]))

    def _excesses(self, policy: object, engine: str, cache: str, start: list[tuple[int, int]]) -> list[int]:
        forest, forced = tt.Forest.from_paths(self.paths, self.ask, self.total), self.running > 0
        initial = [(request, int(forest.leaf[request]), cached) for request, cached in start]
        mode = {"engine": engine, "cache": cache, "running": max(1, self.running), "initial": initial}
        outcome = tt.replay(forest, policy, self.capacity, forced, **mode)
        return np.maximum(outcome.uncached - self.xi, 0).tolist()


def random_forest(rng: np.random.Generator) -> ForestCase:
    """Return a small case: requests that begin as earlier ones do, and go on otherwise."""
    words, ids = list[tuple[int, ...]](), dict[tuple[int, ...], int]()
    for _ in range(rng.integers(0, 11)):
        begins = words[rng.integers(0, len(words))] if words else ()
        fresh = tuple(rng.integers(0, 2, rng.integers(0, 4)).tolist())
        words.append(begins[: rng.integers(0, len(begins) + 1)] + fresh)
    paths = [[ids.setdefault(word[: at + 1], len(ids)) for at in range(len(word))] for word in words]
    ask = [int(rng.integers(max(len(path) - 1, 0), len(path) + 1)) for path in paths]
    total = [asked + int(rng.integers(0, 3)) for asked in ask]
    capacity, xi, q_hat = (int(rng.integers(0, most)) for most in (9, 7, 4))
    start = [(k, int(rng.integers(0, min(len(path), capacity) + 1))) for k, path in enumerate(paths)][-1:]
    return ForestCase(paths, ask, total, capacity, xi, q_hat, int(rng.integers(0, 3)), start)


def forest_cases(count: int, seed: int) -> Iterator[list[tuple[str, dict[str, list[int]]]]]:
    """Yield the questions of random cases in which what runs has room."""
    rng = np.random.default_rng(seed)
    while count:
        try:
            asked = list(random_forest(rng).lines())
        except tt.ForcedCachingError:
            continue
        count -= 1
        yield asked
