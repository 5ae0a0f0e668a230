"""Algorithm 1 of Zhang et al. 2025 to the letter, and the readings of it.

The printed text (the PMLR text; in brackets what version 1 on arXiv has):

    while sum_i X_i > C:                                   (`if` in version 1)
        foreach i in [N]:
            if X_i >= L_i + Q_i - xi:  X_i <- X_i - 1      ("free eviction")
            if sum_i X_i <= C:  return X
    while sum_i X_i > C:
        j = the least recent i with X_i > 1                (X_i >= 1 in version 1)
        X_j <- X_j - 1

`X_i > 1` leaves a last block in every conversation, so that no capacity below the number of conversations can be
met; version 1 corrects it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from proofs_checks.tail_optimized.instances.bounds import judged, of_policies
from proofs_checks.tail_optimized.lemmas import induction_lru
from proofs_checks.tail_optimized.theorem_31 import BASELINE, dominated, is_upper_bound
from teltheory.claims.case import Case, compared
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.origin import PMLR, V1, reading, repairs
from teltheory.claims.worlds import Reach, SmallWorlds
from teltheory.policies import LRU, Conversation
from teltheory.replay.chains.reference import replay_reference

SPACE = judged(
    SmallWorlds(
        {},
        {},
        estimates=lambda world, xi: range(max(world.continuing_prompts, default=0), world.tokens + 2),
        reach=Reach(turns=100, tokens=1000),
    )
)


class EndlessLoopError(Exception):
    """A loop of Algorithm 1 goes round without changing anything."""


@dataclass(frozen=True)
class Reading:
    """Algorithm 1 as it can be read; a policy that `teltheory.replay` runs.

    `strictly` trims at X > L + Q - xi only, not at the printed >=; `nonnegative` keeps every X >= 0; `trim_loop`
    is the outer loop: as printed, left also after a round that trims nothing, or passed once; `last_block` lets
    LRU evict at X >= 1, which the printed X > 1 does not. `lowest` is filled with the lowest X after each cut.
    """

    xi: int
    q_hat: int
    strictly: bool = False
    nonnegative: bool = False
    trim_loop: Literal["while", "until nothing is trimmed", "if"] = "while"
    last_block: bool = False
    lowest: list[int] = field(default_factory=list, compare=False, repr=False)

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        """Run the algorithm on all conversations, least recent first; EndlessLoopError if a loop never ends."""
        try:
            self._evict(conversations, self._trim(conversations, overflow))
        finally:
            self.lowest.append(min(c.cached for c in conversations))

    def _trim(self, conversations: Sequence[Conversation], overflow: int) -> int:
        while overflow > 0:
            before = overflow
            for conversation in sorted(conversations, key=lambda c: c.first):
                if self._is_trimmed(conversation):
                    conversation.cached -= 1
                    overflow -= 1
                if overflow <= 0:
                    return overflow
            if self.trim_loop == "if" or (overflow == before and self.trim_loop != "while"):
                return overflow
            if overflow == before:
                raise EndlessLoopError("trim loop")
        return overflow

    def _is_trimmed(self, conversation: Conversation) -> bool:
        if self.nonnegative and conversation.cached == 0:
            return False
        surplus = conversation.cached - (conversation.past + self.q_hat - self.xi)
        return surplus > 0 if self.strictly else surplus >= 0

    def _evict(self, conversations: Sequence[Conversation], overflow: int) -> None:
        least = 1 if self.last_block else 2
        while overflow > 0:
            evictable = [c for c in conversations if c.cached >= least]
            if not evictable:
                raise EndlessLoopError("LRU loop")
            evictable[0].cached -= 1
            overflow -= 1


def reading_of(**options: Any) -> Callable[[Case], Reading]:
    """Return what makes a reading for a case."""
    return lambda case: Reading(case.xi, case.q_hat, **options)


UNTIL: dict[str, Any] = {"trim_loop": "until nothing is trimmed"}
to_the_letter = reading_of()
with_printed_test = reading_of(nonnegative=True, last_block=True, **UNTIL)
with_printed_trim_loop = reading_of(last_block=True)
with_printed_lru_loop = reading_of(**UNTIL)
repaired_text = reading_of(strictly=True, nonnegative=True, last_block=True, **UNTIL)
one_pass = reading_of(strictly=True, nonnegative=True, trim_loop="if", last_block=True)
of_version_1 = reading_of(trim_loop="if", last_block=True)
of_version_1_from_0 = reading_of(nonnegative=True, trim_loop="if", last_block=True)


def endless_loops(case: Case, reading: Reading) -> dict[str, int]:
    """Return 1 for the loop that never ends on the case, 0 for one that does."""
    try:
        replay_reference(case.instance, reading)
    except EndlessLoopError as loop:
        return {name: int(name == str(loop)) for name in ("trim loop", "LRU loop")}
    return {"trim loop": 0, "LRU loop": 0}


def never_ends(**loops: Callable[[Case], Reading]) -> Callable[[Case], Values]:
    """Return the check of printed loops, each in a reading in which the other one ends."""
    named = {name.replace("_", " "): reading for name, reading in loops.items()}
    return lambda case: {
        f"{name} never ends": endless_loops(case, reading(case))[name] for name, reading in named.items()
    }


def compiled(check: str) -> CompiledWorlds:
    """Return a compiled check on the larger worlds."""
    return CompiledWorlds(check, of_policies(SPACE), estimates="from longest")


def beside_lru(name: str, reading: Callable[[Case], Reading]) -> Callable[[Case], Values | None]:
    """Return the check that compares a reading's TEL with LRU's, if the estimate is an upper bound."""
    return compared(Case.tel, {name: reading, **BASELINE}, is_upper_bound)


def lowest(reading: Callable[[Case], Reading]) -> Callable[[Case], Values]:
    """Return the check that looks at the lowest X after each cut, up to a loop that never ends."""

    def values(case: Case) -> Values:
        made = reading(case)
        endless_loops(case, made)
        return {"lowest X after each cut": made.lowest}

    return values


def never_negative(values: Values) -> bool:
    """Whether the lowest X is 0 or more."""
    return min(values["lowest X after each cut"], default=0) >= 0


row = rows(source="Algorithm 1", relation=dominated, space=SPACE, origin=PMLR)

as_printed = row(
    "algorithm-1.as-printed",
    "With the printed test X >= L + Q - xi (every X kept >= 0, the trim loop left when a round trims nothing, LRU "
    "down to the last block) and an upper bound Q, TEL <= LRU's.",
    compiled=compiled("Algorithm 1 with >="),
)(beside_lru("Algorithm 1 with >=", with_printed_test))

nonnegative = row(
    "algorithm-1.nonnegative",
    "Algorithm 1 as printed keeps every X >= 0.",
    relation=never_negative,
    compiled=compiled("Algorithm 1, lowest X"),
)(lowest(to_the_letter))

as_printed_in_version_1 = row(
    "algorithm-1.as-printed.v1",
    "With the `if` form and its test X >= L + Q - xi (every X kept >= 0) and an upper bound Q, TEL <= LRU's.",
    source='Algorithm 1 and Section 3, "no-worse-than-LRU guarantee"',
    origin=V1,
)(beside_lru("Algorithm 1, `if` with >=", of_version_1_from_0))

nonnegative_in_version_1 = row(
    "algorithm-1.nonnegative.v1",
    "Algorithm 1 in its `if` form keeps every X >= 0.",
    relation=never_negative,
    origin=V1,
)(lowest(of_version_1))

terminates = row(
    "algorithm-1.terminates",
    "Algorithm 1 as printed (`while` form) always ends: the trim loop, and the LRU loop with its printed X > 1.",
    relation=lambda values: not any(values.values()),
    kind="misprint",
    compiled=compiled("Algorithm 1, both loops"),
)(never_ends(trim_loop=with_printed_trim_loop, LRU_loop=with_printed_lru_loop))

trim_loop_ends = row(
    "algorithm-1.terminates.trim-loop",
    "The printed trim loop (`while` form) always ends.",
    relation=lambda values: values["trim loop never ends"] == 0,
    kind="misprint",
    compiled=compiled("Algorithm 1, trim loop"),
)(never_ends(trim_loop=with_printed_trim_loop))

lru_loop_ends = row(
    "algorithm-1.terminates.lru-loop",
    "The LRU loop with its printed X > 1 always ends, where the trim loop is left when a round trims nothing.",
    relation=lambda values: values["LRU loop never ends"] == 0,
    kind="misprint",
    compiled=compiled("Algorithm 1, LRU loop"),
)(never_ends(LRU_loop=with_printed_lru_loop))


@row(
    "algorithm-1.repaired",
    "Trimming strictly above the budget and at X >= 1 only, leaving the trim loop when a round trims nothing, "
    "and evicting down to the last block, Algorithm 1 ends, keeps every X >= 0, and for an upper bound Q has "
    "TEL <= LRU's.",
    source="Algorithm 1, repaired",
    relation=lambda values: (
        not values["never ends"] and never_negative(values) and values["Algorithm 1"] <= values["LRU"]
    ),
    origin=repairs("algorithm-1.as-printed"),
    proof=induction_lru.repaired_algorithm_1,
    compiled=compiled("Algorithm 1, repaired"),
)
def repaired(case: Case) -> Values | None:
    """Run the repaired text."""
    if not is_upper_bound(case):
        return None
    reading = repaired_text(case)
    endless = max(endless_loops(case, reading).values())
    return {
        "never ends": endless,
        "lowest X after each cut": list(reading.lowest),
        "Algorithm 1": -1 if endless else case.tel(reading),
        "LRU": case.tel(LRU()),
    }


single_pass = row(
    "algorithm-1.single-pass",
    "With one pass over the conversations that trims at most one block of each, strictly above the budget, and "
    "then LRU, TEL <= LRU's for an upper bound Q.",
    source="Algorithm 1 of version 1",
    origin=reading("the `if` form of v1, trimming strictly above the budget, with the guarantee of Theorem 3.1"),
    proof=induction_lru.optional,
    compiled=compiled("Algorithm 1, single pass"),
)(beside_lru("single pass", one_pass))
