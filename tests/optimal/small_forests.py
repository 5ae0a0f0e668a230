"""Small forests with a seed, for judges that try every content of a cache."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import teltheory as tt
from teltheory.model.instance import ForestInstance


class ForestCase(NamedTuple):
    """A forest with the arguments of an optimum."""

    forest: tt.Forest
    capacity: int
    xi: int
    forced: bool
    running: int
    initial: tuple[tuple[int, int, int], ...] = ()

    @property
    def mode(self) -> dict[str, Any]:
        return {"forced": self.forced, "running": self.running, "initial": self.initial}

    @property
    def instance(self) -> ForestInstance:
        return ForestInstance.of(self.forest, self.capacity, **self.mode)

    def optimum(self, method: str = "greedy", cache: str = "holes") -> tt.Optimum:
        asked = (self.forest, self.capacity, self.xi)
        return tt.hindsight_optimum(*asked, method=method, cache=cache, **self.mode)

    def check(self, certificate: tt.Certificate, weights: object = None) -> None:
        tt.check_certificate(self.forest, self.capacity, self.xi, certificate, weights=weights, **self.mode)


def small_forest(rng: np.random.Generator, xi: int, requests: int = 8, blocks: int = 5) -> tt.Forest:
    """Return a forest of a few blocks whose requests come back to parts of it and need more or less of them."""
    paths: list[list[int]] = []
    number = 0
    for _ in range(int(rng.integers(1, requests + 1))):
        path = paths[rng.integers(len(paths))] if paths else []
        path = path[: rng.integers(len(path) + 1)] if rng.random() < 0.5 else path
        fresh = min(int(rng.integers(0 if path else 1, 3)), blocks - number) if rng.random() < 0.5 else 0
        paths.append([*path, *range(number, number + fresh)])
        number += fresh
    ask = [len(path) - int(rng.random() < 0.1 and len(path) > 0) for path in paths]
    total = [max(asked, xi + int(rng.integers(0, asked + 2))) for asked in ask]
    return tt.Forest.from_paths(paths, ask, total)


def small_start(rng: np.random.Generator, case: ForestCase) -> ForestCase:
    """Return the case with paths that are cached in part, as far as there is room, and others that are not."""
    initial: tuple[tuple[int, int, int], ...] = ()
    for code in range(int(rng.integers(1, 4))):
        leaf = int(rng.integers(case.forest.nodes))
        for cached in range(int(rng.integers(case.forest.depth[leaf] + 1)), -1, -1):
            started = case._replace(initial=(*initial, (code, leaf, cached)))
            with suppress(tt.ArgumentError):
                _ = started.instance
                initial = started.initial
                break
    return case._replace(initial=initial)


def small_cases(cases: int, seed: int, **size: int) -> Iterator[ForestCase]:
    """Yield cases in every mode, those that forced caching allows; half of them with an initial cache."""
    rng, starts = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    while cases:
        xi, forced = int(rng.integers(0, 6)), bool(rng.random() < 0.4)
        running = int(rng.integers(1, 3)) if forced else 1
        case = ForestCase(small_forest(rng, xi, **size), int(rng.integers(1, 5)), xi, forced, running)
        try:
            _ = case.instance
        except tt.ForcedCachingError:
            continue
        cases -= 1
        yield small_start(starts, case) if cases % 2 and case.forest.nodes else case
