"""Keep hints, times to live, and bounds: what has no bound though it is true, and what no hint is needed for.

docs/hints-theory.md has the proofs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any

from proofs_checks.forest.strict import PLAIN
from proofs_checks.hints.drawn import Columns, RandomHints, Rng
from proofs_checks.hints.release_hints import FIVE, compared
from proofs_checks.hints.runs import HintedPair
from proofs_checks.hints.worlds import NEVER, HintedCase, Messages, Use
from teltheory.claims.claim import Values, rows
from teltheory.claims.forests import ForestCase
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness
from teltheory.model.instance import ForestInstance
from teltheory.optimal.trees.judge import least_tel
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed

row = rows(source="Hints of applications")


def waited_for(use: str, reads: int) -> HintedCase:
    """Return A's block, told until or when A is back, another's block so many times, and A again."""
    n = reads + 2
    agent, at = (0, *[1] * reads, 0), (0, *[NEVER] * (n - 1))
    told = Messages.of(agent, (use,), at=at, value=(n - 1, *[0] * (n - 1)))
    return HintedCase.given([[1], *[[2]] * reads, [1]], told, 1)


def grows(values: Values) -> bool:
    """Whether LRU misses three times, and with the hint all requests but the last miss."""
    return sum(values["LRU"]) == 3 and values["with the hint"] == [1] * (len(values["LRU"]) - 1) + [0]


as_told = HintedPair("each", "with the hint", "LRU")
MOST_READS = 40

retain_unbounded = row(
    "hints.keep.unbounded",
    "Retentions have no bound, even if they are true: with C = 1 a block that is kept until its agent is back "
    "costs n - 2 misses more if another is read n times meanwhile.",
    relation=grows,
    space=Listed(lambda most: ([waited_for("retain", n)] for n in range(2, most)), 20, MOST_READS, "n below {}"),
)(as_told.values)

resume_unbounded = row(
    "hints.resume.unbounded",
    "Resume times have no bound, even if they are true: the same if the agent says when it will be back.",
    relation=grows,
    space=Listed(lambda most: ([waited_for("resume", n)] for n in range(2, most)), 20, MOST_READS, "n below {}"),
)(as_told.values)


def living(requests: int, use: Use, of: str) -> Iterator[Messages]:
    """Yield times with gaps of up to two seconds and all blocks' time to live, for the first run or the other."""
    for gaps, life in product(product(range(3), repeat=requests - 1), range(4)):
        time = tuple(sum(gaps[:k]) for k in range(requests))
        soft = use == ("retain",)
        value = tuple(now + life + (not soft) for now in time)
        at = time if soft else (NEVER,) * requests
        uses: dict[str, Any] = {of: use}
        yield Messages.of((0,) * requests, time=time, at=at, value=value, **uses)


def drawn_lives(rng: Rng, columns: Columns) -> None:
    """Draw one time to live for all blocks of a world."""
    columns["at"][:] = columns["time"]
    columns["value"][:] = columns["time"] + rng.integers(1, 8, (len(columns["time"]), 1))


def times_to_live(pair: HintedPair, use: Use, of: str, **others: Any) -> dict[str, Any]:
    """Return what a row has beside its statement, without T-LRU."""
    told = partial(living, use=use, of=of)
    drawn = RandomHints(((use, ()) if of == "use" else ((), use),), drawn_lives)
    return compared(pair, told, "gaps and times to live up to 3 s", levels=False, drawn=drawn, **others)


soft, hard = HintedPair("same", "soft", "LRU"), HintedPair("each", "LRU", "hard")
RENEWED = "one time to live for all blocks that each use renews"

soft_lives = row(
    "hints.ttl.soft",
    f"LRU that keeps blocks, if it can, for {RENEWED} is LRU.",
    **times_to_live(soft, ("retain",), "use"),
)(soft.values)

hard_lives = row(
    "hints.ttl.hard",
    f"LRU that drops blocks after {RENEWED} hits no more than LRU at any request.",
    **times_to_live(hard, ("hard",), "other_use"),
)(hard.values)

unrenewed_lives = row(
    "hints.ttl.hard.unrenewed",
    "The same if a block's time to live runs from when it was computed.",
    origin=sharpness("hints.ttl.hard", "what is dropped need not be the least recent"),
    **times_to_live(hard, ("hard", "unrenewed"), "other_use", large=FIVE),
)(hard.values)


@dataclass(frozen=True)
class Guess(LeastRecentlyUsed):
    """A policy that was told nothing: it counts requests, and has a list of what to hold after each."""

    plan: tuple[frozenset[int], ...] = ()

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what guesses."""
        return _Guesser(self.plan)


class _Guesser(Memory):
    def __init__(self, plan: tuple[frozenset[int], ...]) -> None:
        self.plan, self.at = plan, -1

    def used(self, node: Node, resident: bool) -> None:
        self.at = max(self.at, node.last)

    def victim(self, nodes: Any, cached: Any) -> Any:
        return next((node for node in nodes if node.code not in self.plan[self.at]), nodes[0])


def best_plan(case: ForestCase) -> tuple[int, tuple[frozenset[int], ...]]:
    """Return the least TEL of a strict cache and what it holds after each request, by trying every content."""
    best: dict[frozenset[int], tuple[int, tuple[frozenset[int], ...]]] = {frozenset(): (0, ())}
    for path, total in zip(case.shape.paths, case.total, strict=True):
        after: dict[frozenset[int], tuple[int, tuple[frozenset[int], ...]]] = {}
        for content, (spent, plan) in best.items():
            cost = spent + max(0, total - sum(block in content for block in path) - case.xi)
            for kept in _contents(case, content | set(path)):
                if kept not in after or cost < after[kept][0]:
                    after[kept] = cost, (*plan, kept)
        best = after
    return min(best.values(), key=lambda one: one[0])


def _contents(case: ForestCase, at_hand: frozenset[int]) -> Iterator[frozenset[int]]:
    """Yield what of these blocks fits and is closed towards the root."""
    for number in range(min(case.capacity, len(at_hand)) + 1):
        for some in map(frozenset, combinations(sorted(at_hand), number)):
            if all(case.shape.parent[block] in some or case.shape.parent[block] < 0 for block in some):
                yield some


@row(
    "hints.no-lower-bound",
    "On every trace some policy that listens to no hint has the optimum's TEL, so that no larger lower bound "
    "holds for all of them on one trace.",
    relation=lambda values: values["guessed"] == values["plan"] == values["optimum"],
    space=replace(PLAIN, quick={1: 3, 2: 3, 3: 2}, samples=100),
)
def no_lower_bound(case: ForestCase) -> Values:
    """Follow a best plan by a policy that counts requests."""
    least, plan = best_plan(case)
    guessed = case.tel(Guess(plan=plan))
    return {"guessed": guessed, "plan": least, "optimum": least_tel(case.instance, case.xi, strict=True)}
