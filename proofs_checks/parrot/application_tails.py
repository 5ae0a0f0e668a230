"""One threshold for all turns of an application: T-LRU with a shared budget against LRU.

docs/proofs-parrot.md has the proofs and the counterexamples by hand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import le

from proofs_checks.parrot.plain_applications import TRIMS, Split, computed, equal, request_level, reserve
from proofs_checks.parrot.small_applications import Applications, SmallApplications
from proofs_checks.parrot.tail_lemmas import reserve_proved
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import sharpness

row = rows(source="Tails of applications: docs/parrot.md")
ON_OVERFLOW = TRIMS[:2]
RESERVE = "threshold - computed so far - what the other turns to come compute at most"
EACH = "T-LRU has at most LRU's excess in every application, whichever way it trims"
IN_ALL = "T-LRU has at most LRU's excess in all applications together, whichever way it trims on overflow"
SUM = SmallApplications({2: 3, 3: 3, 4: 1}, {2: 4, 3: 4, 4: 3}, over=(0, 1))
PATH = SmallApplications({2: 3, 3: 2, 4: 1}, {2: 4, 3: 3, 4: 2}, "path", edges=True, over=(0, 1))
BY_PATH = "by the heaviest path"


def against_lru(split: Split, trims: Sequence[str] = TRIMS) -> Callable[[Applications], Values]:
    """Return the check of the excess of each application, for each way of trimming."""
    return lambda case: {
        "T-LRU": {trim: excesses(case, computed(case, split, trim)) for trim in trims},  # type: ignore[arg-type]
        "LRU": excesses(case, computed(case)),
    }


def excesses(case: Applications, uncached: Sequence[int]) -> list[int]:
    """Return the excess of each application, in order of number."""
    return [excess for _, excess in sorted(case.excesses(uncached).items())]


def each(of: Values) -> bool:
    """Whether T-LRU's excess is at most LRU's in every application."""
    return all(all(map(le, found, of["LRU"])) for found in of["T-LRU"].values())


def in_all(of: Values) -> bool:
    """Whether T-LRU's excess is at most LRU's in all."""
    return all(sum(found) <= sum(of["LRU"]) for found in of["T-LRU"].values())


reserve_sum = row(
    "parrot.tail.reserve",
    f"A turn's threshold is {RESERVE}, by estimates that no input exceeds: {EACH}.",
    relation=each,
    space=SUM,
    proof=reserve_proved,
)(against_lru(reserve))

reserve_path = row(
    "parrot.tail.reserve.path",
    f"The same {BY_PATH}, where a turn reserves for the heaviest path through it.",
    relation=each,
    space=PATH,
    proof=reserve_proved,
)(against_lru(reserve))

FOUND_BY = {2: 3, 3: 4}
SHORT = "estimates that no input exceeds"
reserve_short = row(
    "parrot.tail.reserve.too-small",
    f"The same with estimates that are one token too small: {IN_ALL}.",
    relation=in_all,
    space=SmallApplications(FOUND_BY, FOUND_BY, over=(-1,)),
    origin=sharpness("parrot.tail.reserve", SHORT),
)(against_lru(reserve, ON_OVERFLOW))

OTHERS = "a turn leaves to the others what they may compute"
request_sum = row(
    "parrot.tail.request",
    f"The whole threshold for each turn, as a request-level T-LRU has it: {IN_ALL}.",
    relation=in_all,
    space=SmallApplications(FOUND_BY, FOUND_BY),
    origin=sharpness("parrot.tail.reserve", OTHERS),
)(against_lru(request_level, ON_OVERFLOW))

request_path = row(
    "parrot.tail.request.path",
    f"The same {BY_PATH}.",
    relation=in_all,
    space=SmallApplications(FOUND_BY, FOUND_BY, "path"),
    origin=sharpness("parrot.tail.reserve.path", OTHERS),
)(against_lru(request_level, ON_OVERFLOW))

equal_sum = row(
    "parrot.tail.equal",
    "What is left of the threshold over the turns left on the longest path, rounded down: T-LRU has at most LRU's "
    "excess in all applications together, whichever way it trims.",
    relation=in_all,
    space=SmallApplications(FOUND_BY, FOUND_BY, edges=True),
    origin=sharpness("parrot.tail.reserve", OTHERS),
)(against_lru(equal))

equal_path = row(
    "parrot.tail.equal.path",
    f"The same {BY_PATH}.",
    relation=in_all,
    space=SmallApplications(FOUND_BY, FOUND_BY, "path", edges=True),
    origin=sharpness("parrot.tail.reserve.path", OTHERS),
)(against_lru(equal))


def one_chain(_: int) -> Iterator[Iterator[Applications]]:
    """Yield four turns that follow each other; the last one is alone in its conversation."""
    turns = ((0, 0, 2, 0), (0, 1, 2, 0), (0, 1, 0, 0), (0, 2, 2, 0))
    yield iter([Applications(turns, ((), (0,), (1,), (2,)), 2, 6)])


@row(
    "parrot.tail.equal.on-overflow",
    f"The same by the sum and {BY_PATH}: {IN_ALL}.",
    relation=in_all,
    space=Listed(one_chain, 1, 1, "{} trace of four turns"),
    origin=sharpness("parrot.tail.reserve", OTHERS),
)
def equal_on_overflow(case: Applications) -> Values:
    """Compare by both measures, and each way of trimming on overflow."""
    check = against_lru(equal, ON_OVERFLOW)
    found = {measure: check(replace(case, measure=measure)) for measure in ("sum", "path")}
    ours = {f"{trim}, {name}": of for name, row in found.items() for trim, of in row["T-LRU"].items()}
    return {"T-LRU": ours, "LRU": found["sum"]["LRU"]}


def within(of: Values) -> bool:
    """Whether T-LRU's excess is at most what is allowed, in every application."""
    return all(
        ours <= most for found in of["T-LRU"].values() for ours, most in zip(found, of["most"], strict=True)
    )


@row(
    "parrot.tail.request.loss",
    "Request-level T-LRU has at most LRU's excess and (k - 1) xi more in an application of k turns, by estimates "
    "that no input exceeds.",
    relation=within,
    space=SUM,
)
def request_loss(case: Applications) -> Values:
    """Compare with LRU's excess and what turns but the first may lose."""
    turns = [sum(turn[0] == a for turn in case.turns) for a in sorted({turn[0] for turn in case.turns})]
    lru = excesses(case, computed(case))
    found = {trim: excesses(case, computed(case, request_level, trim)) for trim in TRIMS}
    return {"T-LRU": found, "most": [one + (k - 1) * case.xi for one, k in zip(lru, turns, strict=True)]}


@dataclass(frozen=True)
class Losing(ToldCase):
    """An application of so many turns, its threshold, and another one that waits."""

    turns: int
    xi: int

    def applications(self) -> Applications:
        """Return the other one's first turn, the turns of ours, all after a first prompt of 2 xi, and its last."""
        other = (1, 1, self.xi, 0)
        ours = [(0, 0, 2 * self.xi, 0), *[(0, 0, 0, 0)] * (self.turns - 1)]
        rows = (other, *ours, (1, 1, self.xi, 0))
        return Applications(rows, ((),) * len(rows), 2 * self.xi, self.xi)


def losing(most: int) -> Iterator[Iterator[Losing]]:
    """Yield all k and xi up to a limit."""
    return (iter([Losing(k, xi)]) for k, xi in product(range(1, most + 1), repeat=2))


@row(
    "parrot.tail.request.loss.tight",
    "For every k and xi a request-level T-LRU loses (k - 1) xi against LRU in some application of k turns.",
    relation=lambda of: set(of["lost"].values()) == {of["most"]},
    space=Listed(losing, 5, 9, "k and xi up to {}"),
)
def request_loss_tight(case: Losing) -> Values:
    """Count what the application loses, by each way of trimming."""
    world = case.applications()
    lru = world.excesses(computed(world))[0]
    lost = {trim: world.excesses(computed(world, request_level, trim))[0] - lru for trim in TRIMS}
    return {"lost": lost, "most": (case.turns - 1) * case.xi}
