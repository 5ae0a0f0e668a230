"""Replicas: the pooled bound, sticky routing and PARTITION, and no router that is best on all traces.

docs/proofs-tiers.md has the proofs, and the cases by hand. A token that is computed takes a second.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement, product
from typing import Any, TypeAlias

from proofs_checks.tiers.chains import Chain, Row, SmallChains
from proofs_checks.tiers.plain_chains import totals
from proofs_checks.tiers.states import least
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import sharpness

row = rows(source="Replicas: docs/tiers-theory.md")
TWO = SmallChains({1: 2, 2: 3, 3: 3}, {1: 3, 2: 4, 3: 4}, ((0,),), 1, "none", responses=False, conversations=2)


def best_of_two(case: Chain) -> int:
    """Return the least TEL of two caches of the capacity, of all routings and all contents; nobody waits."""
    inputs = totals(case)
    return min(
        sum(_of_replica(case, inputs, [k for k, r in enumerate(route) if r == replica]) for replica in (0, 1))
        for route in product((0, 1), repeat=len(case.trace))
    )


def _of_replica(case: Chain, inputs: list[int], mine: list[int]) -> int:
    """Return the least TEL of one replica: it finds a past only if it served turns that made it."""
    best, known = {(0,) * len(case.trace): 0}, dict.fromkeys(range(len(case.trace)), 0)
    for k in mine:
        theta, response = case.trace[k][0], case.trace[k][2]
        known[theta] = inputs[k] + response
        after: dict[Row, int] = {}
        for held, so_far in best.items():
            spent = so_far + max(0, inputs[k] - held[theta] - case.xi)
            whole = (*held[:theta], known[theta], *held[theta + 1 :])
            for kept in product(*(range(x + 1) for x in whole)):
                if sum(kept) <= case.capacities[0]:
                    after[kept] = min(spent, after.get(kept, spent))
        best = after
    return min(best.values())


def pooled_and_two(case: Chain) -> Values:
    """Return the least TEL of one cache of twice the capacity, and of two caches."""
    pooled = replace(case, capacities=(2 * case.capacities[0],))
    return {"pooled": least(pooled), "two replicas": best_of_two(case)}


pooled = row(
    "queue.pooled",
    "The least TEL of one cache of R C without a queue is a lower bound for every router and policy of R replicas "
    "with C each.",
    relation=lambda of: of["pooled"] <= of["two replicas"],
    space=TWO,
)(pooled_and_two)

pooled_reached = row(
    "queue.pooled.reached",
    "Some router and policy reach that bound, if nobody waits.",
    relation=lambda of: of["pooled"] == of["two replicas"],
    space=TWO,
    origin=sharpness("queue.pooled", "one cache"),
)(pooled_and_two)


@dataclass(frozen=True)
class Numbers(ToldCase):
    """Whole numbers that are to be split in two halves of the same sum."""

    numbers: Row

    def measures(self) -> dict[str, int]:
        """Return how many, and their sum."""
        return {"numbers": len(self.numbers), "sum": sum(self.numbers)}

    def split(self) -> bool:
        """Whether there is such a split."""
        sums = (sum(some) for size in range(len(self.numbers)) for some in combinations(self.numbers, size))
        return any(2 * one == sum(self.numbers) for one in sums)

    def chain(self) -> Chain:
        """Return the trace: each number is the prompt of a conversation, and each comes again with nothing."""
        first = tuple((k, number, 0) for k, number in enumerate(self.numbers))
        again = tuple((k, 0, 0) for k in range(len(self.numbers)))
        return Chain((*first, *again), (sum(self.numbers) // 2,), (0,), 1)


def numbers(most: int) -> Iterator[Iterator[Numbers]]:
    """Yield up to so many numbers from 1 to 6 with an even sum."""
    for count in range(2, most + 1):
        some = combinations_with_replacement(range(1, 7), count)
        yield (Numbers(one) for one in some if sum(one) % 2 == 0)


@row(
    "queue.sticky.partition",
    "Sticky conversations on two replicas that find all there is to find are PARTITION: NP-hard. Numbers "
    "can be split "
    "in halves if and only if some sticky router and policy meets the pooled bound of half their sum each.",
    relation=lambda of: of["split"] == of["bound met"],
    space=Listed(numbers, 5, 7, "up to {} numbers from 1 to 6 with an even sum"),
)
def partition(case: Numbers) -> Values:
    """Try every subset, and every sticky routing with LRU, which is best where all fits."""
    chain, bound = case.chain(), sum(case.numbers)
    met = any(
        sum(_sticky(chain, route, replica) for replica in (0, 1)) == bound
        for route in product((0, 1), repeat=len(case.numbers))
    )
    return {"split": case.split(), "bound met": met}


def _sticky(chain: Chain, route: Row, replica: int) -> int:
    mine = replace(chain, trace=tuple(turn for turn in chain.trace if route[turn[0]] == replica))
    held, computed = 0, 0
    for _, prompt, _ in mine.trace:
        held += prompt
        computed += prompt
    return computed + max(0, held - mine.capacities[0])


@dataclass
class Replica:
    """A replica's turns so far, and when it has finished them."""

    turns: list[tuple[int, int]]
    free: int = 0


@dataclass(frozen=True)
class Asked:
    """What a router sees: the time, the turn's number and conversation, and what replicas would compute."""

    now: int
    number: int
    theta: int
    computes: tuple[int, ...]


Router: TypeAlias = Callable[[list[Replica], Asked], int]


def round_robin(replicas: list[Replica], asked: Asked) -> int:
    """Return the replicas in turn."""
    return asked.number % len(replicas)


def least_loaded(replicas: list[Replica], asked: Asked) -> int:
    """Return the one with the fewest unfinished seconds, the first of equal ones."""
    return min(range(len(replicas)), key=lambda r: max(0, replicas[r].free - asked.now))


def affinity(replicas: list[Replica], asked: Asked) -> int:
    """Return where the conversation was; the least loaded one for a new conversation."""
    stays = (r for r, one in enumerate(replicas) if any(theta == asked.theta for theta, _ in one.turns))
    return next(stays, least_loaded(replicas, asked))


def least_wait(replicas: list[Replica], asked: Asked) -> int:
    """Return the one with the least wait and prefill."""
    return min(range(len(replicas)), key=lambda r: max(0, replicas[r].free - asked.now) + asked.computes[r])


ROUTERS: dict[str, Router] = {
    "round-robin": round_robin,
    "least-loaded": least_loaded,
    "affinity": affinity,
    "min-ttft": least_wait,
}


@dataclass(frozen=True)
class Served(ToldCase):
    """A trace for two replicas with LRU, and its arrivals."""

    chain: Chain
    arrivals: Row

    def size(self) -> tuple[Any, ...]:
        """Return the order of the chains, then the arrivals."""
        return (*self.chain.size(), self.arrivals)

    def measures(self) -> dict[str, int]:
        """Return turns, conversations and tokens."""
        return self.chain.measures()

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values, in seconds."""
        chain = self.chain.as_counterexample(values)
        facts = {name: chain[name] for name in ("trace", "xi")}
        return told({**facts, "capacity": self.chain.capacities[0], "arrivals": self.arrivals, "values": values})

    def tail(self, router: Router) -> int:
        """Return what wait and prefill have above xi in all, on two replicas of the capacity."""
        replicas, inputs, tail = [Replica([]), Replica([])], totals(self.chain), 0
        for k, (turn, now) in enumerate(zip(self.chain.trace, self.arrivals, strict=True)):
            computes = tuple(inputs[k] - self._finds(one, k, inputs) for one in replicas)
            chosen = router(replicas, Asked(now, k, turn[0], computes))
            one = replicas[chosen]
            start = max(now, one.free)
            one.free = start + computes[chosen]
            one.turns.append((turn[0], k))
            tail += max(0, one.free - now - self.chain.xi)
        return tail

    def _finds(self, one: Replica, k: int, inputs: list[int]) -> int:
        """Return what a replica finds of a turn's past: LRU over the pasts that it served last."""
        room, seen = self.chain.capacities[0], set[int]()
        for theta, j in reversed(one.turns):
            if theta in seen:
                continue
            seen.add(theta)
            past = inputs[j] + self.chain.trace[j][2]
            if theta == self.chain.trace[k][0]:
                return max(0, min(past, room))
            room -= past
        return 0


def served(space: SmallChains) -> Listed[Served]:
    """Return the cases of a space with arrivals at 0, 1 and 2."""

    def up_to(effort: str) -> Iterator[Iterator[Served]]:
        return (
            (Served(case, at) for case in cases for at in combinations_with_replacement(range(3), len(case.trace)))
            for cases in space.classes(effort)
        )

    return Listed(up_to, "quick", "full", lambda effort: space.bounds(effort) | {"arrivals": "at 0, 1 and 2"})


ROUTED = served(replace(TWO, quick={1: 2, 2: 3, 3: 3, 4: 3}, full={1: 3, 2: 4, 3: 4, 4: 4}, conversations=4))


def never_loses(first: str, second: str) -> Any:
    """Return the row that a router has at most another one's tail."""
    return row(
        f"queue.router.{first}.{second}",
        f"On two replicas with LRU the router {first} has at most the tail of {second}, on every trace.",
        relation=lambda of: of[first] <= of[second],
        space=ROUTED,
        origin=sharpness("queue.pooled", "one cache, where there is nothing to route"),
    )(lambda case: {name: case.tail(ROUTERS[name]) for name in (first, second)})


min_ttft_round_robin = never_loses("min-ttft", "round-robin")
min_ttft_least_loaded = never_loses("min-ttft", "least-loaded")
min_ttft_affinity = never_loses("min-ttft", "affinity")
round_robin_min_ttft = never_loses("round-robin", "min-ttft")
least_loaded_min_ttft = never_loses("least-loaded", "min-ttft")
affinity_min_ttft = never_loses("affinity", "min-ttft")
