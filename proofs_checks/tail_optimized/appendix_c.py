"""The steps of the printed proof of Theorem 3.1 (Appendix C of Zhang et al. 2025), one row each.

1. The proof assumes xi > Q, Q the upper bound, and compares LRU, Threshold-LRU with the cutoff xi - Q, and T-LRU.
2. A conversation with L <= xi - Q costs nothing, and T-LRU caches nothing of it.
3. Where LRU caches at least b = L + Q - xi: X of Threshold-LRU >= X of LRU >= b = X of T-LRU.
4. Where T-LRU caches less than b: X of T-LRU >= X of Threshold-LRU >= X of LRU.

Each step is decided on traces, at every turn that continues a conversation, with what the caches then hold.
`appendix-c.cut` is the argument that the page carries out, for one cut from one state; `cut_analysis` proves it
for all numbers. `appendix-c.step` asks whether the proof's inequality carries itself from one turn to the next,
on pairs of cache states: the arriving conversation, and two others, most recent first, of which LRU and T-LRU
cache different amounts. Both policies then keep the arriving one and cut to C in room form: y = min(d, room),
room' = room - y, where d is x under LRU, and under T-LRU min(x, b) if its cache overflows: all surplus goes. b =
(L - s)+ and s = xi - Q.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import ge
from typing import Any

from proofs_checks.tail_optimized.lemmas.cut_analysis import cut_proof, short_proof
from proofs_checks.tail_optimized.theorem_31 import (
    BASELINE,
    T_LRU,
    THRESHOLD_LRU,
    is_upper_bound,
    t_lru,
    threshold_lru,
)
from teltheory.claims.case import Case, Policies, compared
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase, plain
from teltheory.claims.origin import OURS, PMLR, reading, repairs
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import LRU, TLRU
from teltheory.policies.policy import AnyPolicy

SOURCE = "Appendix C, proof of Theorem 3.1"
FULL = {1: 6, 2: 6, 3: 6, 4: 4}

TRACES = SmallWorlds(
    {2: 5, 3: 4, 4: 2},
    FULL,
    estimates=lambda world, xi: range(max(world.continuing_prompts, default=0), xi),
    samples=500,
)
ONE_CUT = replace(TRACES, quick={2: 4}, full={2: 7}, starts=2, start_tokens={"quick": 3, "full": 7}, samples=0)
LRU_X, THRESHOLD_X, T_LRU_X, BUDGET = "X of LRU", "X of Threshold-LRU", "X of T-LRU", "L + Q - xi"


def continuing(case: Case, long: bool) -> list[int]:
    """Return the turns that continue a conversation whose past is above xi - Q, or those of the others."""
    seen = {conversation for conversation, _, _ in case.world.initial}
    found = []
    for k, (conversation, prompt, _) in enumerate(case.world.turns):
        past = int(case.instance.total[k]) - prompt
        if conversation in seen and (past > case.xi - case.q_hat) == long:
            found.append(k)
        seen.add(conversation)
    return found


def applies(case: Case) -> bool:
    """Whether Q is an upper bound and xi is above it."""
    return is_upper_bound(case) and case.xi > case.q_hat


def eager(case: Case) -> TLRU:
    """Return T-LRU that trims all surplus after every turn."""
    return TLRU(case.xi, case.q_hat, "eager")


def at_short_turns(
    measure: Callable[[Case, AnyPolicy], list[int]], policies: Policies, begin: int = 0
) -> Callable[[Case], Values | None]:
    """Return the check of the turns, from one on, that continue a conversation of a past up to xi - Q."""

    def values(case: Case) -> Values | None:
        turns = [k for k in continuing(case, long=False) if k >= begin] if applies(case) else []
        found = {name: [measure(case, make(case))[k] for k in turns] for name, make in policies.items()}
        return found if turns else None

    return values


def caches(case: Case) -> Values | None:
    """Return what the three caches hold of each longer conversation that continues, and its budget."""
    turns = continuing(case, long=True) if applies(case) else []
    if not turns:
        return None
    budgets = [int(case.instance.total[k]) - case.world.turns[k][1] + case.q_hat - case.xi for k in turns]
    held = {LRU_X: LRU(), THRESHOLD_X: threshold_lru(case), T_LRU_X: t_lru(case)}
    found = {name: [case.reuses(each)[k] for k in turns] for name, each in held.items()}
    return {**found, BUDGET: budgets}


def turn_by_turn(values: Values) -> list[tuple[int, int, int, int]]:
    """Return X of LRU, Threshold-LRU and T-LRU, and the budget, of each turn."""
    columns: list[Sequence[int]] = [values[name] for name in (LRU_X, THRESHOLD_X, T_LRU_X, BUDGET)]
    return list(zip(*columns, strict=True))


row = rows(source=SOURCE, relation=lambda values: not any(map(any, values.values())), space=TRACES, origin=PMLR)

short = row(
    "appendix-c.short",
    "Where xi > Q and L <= xi - Q the next turn's excess is 0 under LRU, Threshold-LRU and T-LRU.",
    proof=short_proof,
)(at_short_turns(Case.excesses, {**BASELINE, **THRESHOLD_LRU, **T_LRU}))

short_uncached = row("appendix-c.short.uncached", 'There "the costs (i.e., number of uncached tokens)" are 0.')(
    at_short_turns(Case.uncached, T_LRU)
)

short_trimmed = row("appendix-c.short.trimmed", "T-LRU caches nothing of a conversation with L <= xi - Q.")(
    at_short_turns(Case.reuses, {T_LRU_X: t_lru})
)

short_trimmed_eagerly = row(
    "appendix-c.short.trimmed.eager",
    "T-LRU that trims after every turn, overflow or not, caches nothing of a conversation with L <= xi - Q once a "
    "turn has come.",
    origin=repairs("appendix-c.short.trimmed"),
)(at_short_turns(Case.reuses, {T_LRU_X: eager}, begin=1))

first = row(
    "appendix-c.first-case",
    "Where X of LRU >= b = L + Q - xi > 0: X of Threshold-LRU >= X of LRU >= b = X of T-LRU.",
    relation=lambda values: all(h >= x and t == b for x, h, t, b in turn_by_turn(values) if x >= b),
)(caches)

first_at_least = row(
    "appendix-c.first-case.at-least",
    "Where X of LRU >= b = L + Q - xi > 0: X of Threshold-LRU >= X of LRU >= b and X of T-LRU >= b.",
    relation=lambda values: all(h >= x and t >= b for x, h, t, b in turn_by_turn(values) if x >= b),
    origin=repairs("appendix-c.first-case"),
)(caches)

second = row(
    "appendix-c.second-case",
    "Where X of T-LRU < b = L + Q - xi: X of T-LRU >= X of Threshold-LRU >= X of LRU.",
    relation=lambda values: all(t >= h >= x for x, h, t, b in turn_by_turn(values) if t < b),
)(caches)

cases = row(
    "appendix-c.cases",
    "One of the two cases applies: X of LRU >= b, or X of T-LRU < b.",
    relation=lambda values: all(x >= b or t < b for x, _, t, b in turn_by_turn(values)),
)(caches)

third = row(
    "appendix-c.third-case",
    "In the case left out, X of LRU < b <= X of T-LRU: X of Threshold-LRU >= X of LRU, and T-LRU's excess is 0.",
    relation=lambda values: all(h >= x for x, h, t, b in turn_by_turn(values) if x < b <= t),
    origin=repairs("appendix-c.cases"),
)(caches)

cut = row(
    "appendix-c.cut",
    "From one cache state, after one cut, the next turn's excess is smallest under T-LRU and largest under LRU.",
    relation=lambda values: values["T-LRU"] <= values["Threshold-LRU"] <= values["LRU"],
    space=ONE_CUT,
    origin=OURS,
    proof=cut_proof,
)(
    compared(
        lambda case, policy: case.excesses(policy)[1],
        {**T_LRU, **THRESHOLD_LRU, **BASELINE},
        lambda case: applies(case) and len(case.world.turns) > 1,
    )
)

Conversation = tuple[int, int, int]
LEAST = "min(X of LRU, b)"


@dataclass(frozen=True)
class Pair(ToldCase):
    """Two states of the same conversations; `safe` is s = xi - Q.

    `arriving` is the past of the arriving conversation after its turn; `others` are (L, X of LRU, X of T-LRU),
    most recent first.
    """

    arriving: int
    others: tuple[Conversation, ...]
    capacity: int
    safe: int

    def budget(self, past: int) -> int:
        """Return b."""
        return max(past - self.safe, 0)

    @property
    def dominated(self) -> bool:
        """Whether X of T-LRU >= min(X of LRU, b) for each, and both fit."""
        enough = all(t >= min(r, self.budget(past)) for past, r, t in self.others)
        return enough and all(sum(held) <= self.capacity for held in list(zip(*self.others, strict=True))[1:])

    @property
    def in_recency_order(self) -> bool:
        """Whether LRU caches nothing less recent than a conversation that it does not cache fully."""
        (past, more_recent, _), (_, less_recent, _) = self.others
        return more_recent == past or less_recent == 0

    def after(self) -> Values:
        """Return what T-LRU keeps of each conversation, and min(X of LRU, b)."""
        pasts = [self.arriving, *(past for past, _, _ in self.others)]
        lru = in_room_form([self.arriving, *(r for _, r, _ in self.others)], self.capacity)
        held = [self.arriving, *(t for _, _, t in self.others)]
        trimmed = [min(x, self.budget(past)) for x, past in zip(held, pasts, strict=True)]
        t_lru = in_room_form(trimmed if sum(held) > self.capacity else held, self.capacity)
        return {T_LRU_X: t_lru, LEAST: [min(r, self.budget(past)) for r, past in zip(lru, pasts, strict=True)]}

    def size(self) -> tuple[Any, ...]:
        tokens = self.arriving + sum(past for past, _, _ in self.others)
        return (tokens, self.capacity, self.safe, self.arriving, self.others)

    def measures(self) -> dict[str, int]:
        return {"tokens": self.size()[0]}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        others = {"arriving": self.arriving, "others (L, X of LRU, X of T-LRU)": plain(self.others)}
        return {**others, "capacity": self.capacity, "xi - Q": self.safe, "values": plain(values)}


def in_room_form(left: Sequence[int], capacity: int) -> list[int]:
    """Return what is kept, most recent first, of what is left."""
    kept, room = [], capacity
    for x in left:
        kept.append(min(x, room))
        room -= kept[-1]
    return kept


def pairs(most: int) -> Iterator[Iterator[Pair]]:
    """Yield the pairs of states of pasts up to a length in which the inequality holds, by longest past."""
    for longest in range(1, most + 1):
        yield (pair for pair in _pairs(longest) if pair.dominated)


def _pairs(longest: int) -> Iterator[Pair]:
    sizes = range(longest + 1)
    kinds = [(past, r, t) for past in sizes for r in range(past + 1) for t in range(past + 1)]
    for arriving, first, second in product(sizes, kinds, kinds):
        if max(arriving, first[0], second[0]) == longest:
            tokens = arriving + first[0] + second[0]
            for capacity, safe in product(range(tokens + 1), sizes):
                yield Pair(arriving, (first, second), capacity, safe)


PAIRS = Listed(pairs, 2, 4, "every pair of states of two conversations, pasts up to {}, and a third")

of_pairs = rows(
    source='Appendix C, "such an inequality holds until the next time conversation i arrives again"',
    relation=lambda values: all(map(ge, values[T_LRU_X], values[LEAST])),
    space=PAIRS,
)


@of_pairs(
    "appendix-c.step",
    "Where X of T-LRU >= min(X of LRU, b) for every conversation before a turn, so it is after it.",
    origin=reading("the inequality goes on holding from any two cache states, not only from equal ones"),
)
def step(case: Pair) -> Values:
    """Cut both caches."""
    return case.after()


@of_pairs(
    "appendix-c.step.recency",
    "So it is if, moreover, LRU caches nothing less recent than a conversation that it does not cache fully.",
    origin=repairs("appendix-c.step"),
)
def step_in_recency_order(case: Pair) -> Values | None:
    """Cut both caches."""
    return case.after() if case.in_recency_order else None
