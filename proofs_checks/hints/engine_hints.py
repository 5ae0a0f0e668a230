"""The bound of release hints in engines: SGLang's trees of whole nodes and its sessions, and tiers of memory.

docs/hints-theory.md has the counterexamples step by step.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from proofs_checks.hints.release_hints import BOUND
from proofs_checks.hints.runs import called_dead
from proofs_checks.hints.worlds import HintedCase, Messages, SmallHints, next_of, released
from proofs_checks.tiers.plain_trees import Paths, TreeCascade, Unit, heads
from teltheory.claims.claim import Enumerated, Values, rows
from teltheory.claims.forest_case import Row
from teltheory.claims.listed import ToldCase, told
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given
from teltheory.policies import LRU, Hinted
from teltheory.replay import RadixNodes, replay_forest

row = rows(source="Hints of applications")


def in_nodes(case: HintedCase, nodes: RadixNodes, policy: Any) -> list[int]:
    """Return what each request misses in a tree of whole nodes."""
    found = replay_forest(case.instance(case.told.close, case.told.use), policy, nodes, "reference").cached
    return [end - int(hits) for end, hits in zip(case.shape.ends, found, strict=True)]


def is_bounded(values: Values) -> bool:
    """Whether no request misses more than without hints and what they had called dead."""
    columns = zip(*(values[name] for name in ("with hints", "without", "called dead")), strict=True)
    return all(more <= less + dead for more, less, dead in columns)


RENEWED = HintedCase.given(
    [[1, 2], [3], [4], [5], [1, 6], [4]],
    Messages.of((0, 1, 0, 0, 0, 0), ("close",), close=(63, 1, 63, 63, 63, 63)),
    capacity=4,
    forced=True,
)


@row(
    "hints.nodes",
    f"The same bound in SGLang's tree of whole nodes, with LRU: {BOUND}.",
    relation=is_bounded,
    origin=sharpness("hints.release.safe.forced", "a split makes what was not read as recent as the request"),
    space=Given((RENEWED,), "one, which no single step makes smaller"),
)
def nodes(case: HintedCase) -> Values:
    """Replay with a policy that listens, and with LRU."""
    listening, plain = (in_nodes(case, RadixNodes(), one) for one in (Hinted(LRU(), ("close",)), LRU()))
    return {"with hints": listening, "without": plain, "called dead": called_dead(case)}


COUNTED = HintedCase.given(
    [[1], [1], [2], [3], [2]], Messages.of((0, 1, 0, 0, 0), ("close",)), capacity=2, forced=True
)


@row(
    "hints.references",
    f"The same bound with SGLang's sessions, where nodes that fewer sessions use go first, of one block: {BOUND}.",
    relation=is_bounded,
    origin=sharpness("hints.release.safe.forced", "how many sessions use a node counts before how recent it is"),
    space=Given((COUNTED,), "one, in which no session is closed"),
)
def references(case: HintedCase) -> Values:
    """Replay with sessions and without, in nodes of one block."""
    counted, plain = (in_nodes(case, RadixNodes(1, sessions=known), LRU()) for known in (True, False))
    return {"with hints": counted, "without": plain, "called dead": called_dead(case)}


@dataclass(frozen=True)
class HintedPaths(ToldCase):
    """Requests in tiers, and the units that are dead from the cut of each on."""

    paths: Paths
    dead: tuple[frozenset[Unit], ...]
    agent: Row
    close: Row

    def size(self) -> tuple[Any, ...]:
        """Return the size of the requests, then whose they are."""
        return (*self.paths.size(), self.agent, self.close)

    def measures(self) -> dict[str, int]:
        """Return those of the requests."""
        return self.paths.measures()

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values."""
        return {**self.paths.as_counterexample(values), **told({"agent": self.agent, "close": self.close})}


@dataclass
class Dropping(TreeCascade):
    """Tiers from which the dead is dropped at once, but for what runs."""

    dead: tuple[frozenset[Unit], ...] = ()

    def _request(self, k: int, path: list[Unit]) -> list[int]:
        self.now = k
        return super()._request(k, path)

    def _prune(self, ended: list[Unit]) -> None:
        super()._prune(ended)
        for unit in self.dead[self.now] - self.exempt:
            self.tier.pop(unit, None)


def costs(case: Paths, found: list[list[int]]) -> list[int]:
    """Return what each request takes, in parts of a unit."""
    saved = (sum((case.parts - load) * x for load, x in zip(case.loads, row, strict=True)) for row in found)
    return [case.parts * len(path) - part for path, part in zip(case.paths, saved, strict=True)]


@dataclass(frozen=True)
class HintedTiers(Enumerated):
    """Worlds of release hints, in two tiers with one load, optional and forced where each path fits."""

    quick: Mapping[int, int]
    full: Mapping[int, int]
    load: int = 1

    def classes(self, effort: str) -> Iterator[Iterator[HintedPaths]]:
        """Yield the cases of each number of requests and blocks."""
        worlds = SmallHints(self.quick, self.full, lambda n: released(n, 2, (("close",),)), "")
        for requests, blocks in worlds.sizes(effort):
            yield (
                one
                for case in worlds._cases(requests, blocks)
                if case.level == 0 == case.capacity
                for one in self._in_tiers(case)
            )

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        return {
            "blocks_by_requests": {str(requests): blocks for requests, blocks in getattr(self, effort).items()},
            "told": f"every end of two agents; load {self.load}/4",
        }

    def _in_tiers(self, case: HintedCase) -> Iterator[HintedPaths]:
        names = {block: path for path in case.shape.paths for block, path in zip(path, heads(path), strict=True)}
        paths, blocks = tuple(names[leaf] for leaf in case.shape.leaf), len(names)
        dead = dead_units(case, names)
        for first, second, forced in product(range(blocks + 1), range(blocks + 1), (False, True)):
            if first + second <= blocks and first >= forced * max(map(len, paths)):
                tiers = Paths(paths, (first, second), (0, self.load), forced=forced)
                yield HintedPaths(tiers, dead, case.told.agent, case.told.close)


def dead_units(case: HintedCase, names: Mapping[int, Unit]) -> tuple[frozenset[Unit], ...]:
    """Return which units closes call dead at each cut: those that no open agent has read since it was opened."""
    agent, n = case.told.agent, len(case.told.agent)
    ends = [end if end <= next_of(agent, k) else n for k, end in enumerate(case.told.close)]
    dead = []
    for cut in range(n):
        seen, held = set[int](), set[int]()
        for k in range(cut + 1):
            seen |= {*case.shape.paths[k]}
            if not any(agent[j] == agent[k] and ends[j] <= cut for j in range(k, cut + 1)):
                held |= {*case.shape.paths[k]}
        dead.append(frozenset(names[block] for block in seen - held))
    return tuple(dead)


@row(
    "hints.tiers",
    "In the LRU cascade of tiers from which the dead is dropped at once, no request takes more than without hints "
    "and the blocks of its path that hints had called dead.",
    relation=is_bounded,
    space=HintedTiers({1: 2, 2: 3, 3: 2}, {1: 3, 2: 3, 3: 3, 4: 3}),
)
def tiers(case: HintedPaths) -> Values:
    """Replay both cascades; all is in parts of a block."""
    dropping, plain = Dropping(case.paths, "LRU", dead=case.dead), TreeCascade(case.paths, "LRU")
    before = (frozenset[Unit](), *case.dead)
    dead = [
        sum(unit in gone for unit in heads(path)) for path, gone in zip(case.paths.paths, before, strict=False)
    ]
    found = {"with hints": costs(case.paths, dropping.found()), "without": costs(case.paths, plain.found())}
    return {**found, "called dead": [case.paths.parts * one for one in dead]}
