"""Small instances for the tests: from Hypothesis, which shrinks them, or from a seed, which repeats them."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.model.plan import check_plan

LABELS = (30, 10, 50, 20, 40)  # the order of first arrival is not the order of the numbers
TRIMS = ("round-robin", "least-recent", "eager")

Integer = Callable[[int, int], int]


@dataclass(frozen=True)
class Case:
    conversation: tuple[int, ...]
    prompt: tuple[int, ...]
    response: tuple[int, ...]
    history: tuple[int, ...] | None
    capacity: int
    xi: int
    q_hat: int
    forced: bool = False
    initial: tuple[tuple[int, int, int], ...] = ()

    @property
    def trace(self) -> tt.Trace:
        return tt.Trace.from_turns(self.conversation, self.prompt, self.response, history=self.history)

    @property
    def instance(self) -> Instance:
        return Instance.of(self.trace, self.capacity, forced=self.forced, initial=self.initial)

    def replay(self, policy: object, engine: str = "reference") -> tt.Outcome:
        return tt.replay(self.trace, policy, self.capacity, self.forced, self.initial, engine=engine)

    def optimum(self, method: str) -> tt.Optimum:
        return tt.hindsight_optimum(self.trace, self.capacity, self.xi, self.forced, self.initial, method)

    def fits(self, kept: Sequence[int]) -> bool:
        """Whether some policy reuses as much at each turn."""
        try:
            check_plan(self.trace, self.capacity, np.array(kept, np.int64), self.forced, self.initial)
        except tt.CertificateError:
            return False
        return True

    def check(self, certificate: tt.Certificate, weights: object = None) -> None:
        arguments = (self.trace, self.capacity, self.xi, certificate, self.forced, self.initial, weights)
        tt.check_certificate(*arguments)


def by_both_engines(requests: Any, policy: object, capacity: Any, *mode: Any, **named: Any) -> tt.Outcome:
    """Replay by the kernel and by the reference, which agree."""
    fast = tt.replay(requests, policy, capacity, *mode, engine="kernel", **named)
    assert fast == tt.replay(requests, policy, capacity, *mode, engine="reference", **named), (policy, capacity)
    return fast


def same(case: Case, policy: object) -> None:
    by_both_engines(case.trace, policy, case.capacity, case.forced, case.initial)


def lengths(case: Case) -> list[tuple[int, int, int]]:
    """History, total and past after it of each turn, counted without the library."""
    past = {conversation: length for conversation, length, _ in case.initial}
    rows = []
    for k, (c, q, a) in enumerate(zip(case.conversation, case.prompt, case.response, strict=True)):
        h = past.get(c, 0) if case.history is None else case.history[k]
        past[c] = h + q + a
        rows.append((h, h + q, past[c]))
    return rows


def forced_need(case: Case) -> int:
    """The smallest capacity at which forced caching is feasible."""
    return max([past for _, _, past in lengths(case)][:-1], default=0)


def assume_feasible(case: Case) -> None:
    assume(not case.forced or forced_need(case) <= case.capacity)


def policies(case: Case) -> dict[str, object]:
    """Every policy of the contract, with the parameters of the case."""
    named: dict[str, object] = {
        "lru": tt.LRU(),
        "threshold-lru": tt.ThresholdLRU(case.q_hat),
        "belady": tt.Belady(),
        "tail-optimized-belady": tt.TailOptimizedBelady(case.xi),
    }
    for trim in TRIMS:
        named[f"tlru {trim}"] = tt.TLRU(case.xi, case.q_hat, trim)
        named[f"end-aware {trim}"] = tt.EndAwareTLRU(case.xi, case.q_hat, trim)
        named[f"length-aware {trim}"] = tt.LengthAwareTLRU(case.xi, trim)
    return named


POLICY_NAMES = tuple(policies(Case((), (), (), None, 0, 0, 0)))


def build(
    integer: Integer,
    *,
    turns: tuple[int, int] = (1, 9),
    conversations: int = 4,
    length: int = 5,
    room: int | None = None,
    forced: bool | None = None,
    given: bool | None = None,
    start: bool | None = None,
    feasible: bool = True,
) -> Case:
    """Make a case from a source of whole numbers between two bounds.

    `given`: histories given, not cumulative; `start`: with an initial cache; `room`: the largest capacity, which
    forced caching exceeds where it must. None: either.
    """

    def either(fixed: bool | None) -> bool:
        return bool(integer(0, 1)) if fixed is None else fixed

    given, forced = either(given), either(forced)
    labels = LABELS[: integer(1, conversations)]
    pasts = _initial_pasts(integer, labels, length) if either(start) else {}
    columns: list[tuple[int, int, int, int]] = []
    now = dict(pasts)
    need = 0
    for k in range(integer(*turns)):
        need = max([need, *(h + q + a for _, q, a, h in columns[k - 1 : k])])
        c, q, a = labels[integer(0, len(labels) - 1)], integer(0, length), integer(0, length)
        h = integer(0, now.get(c, 0)) if given and integer(0, 2) else now.get(c, 0)
        columns.append((c, q, a, h))
        now[c] = h + q + a
    most = sum(now.values()) + 1 if room is None else room
    least = need if forced and feasible else 0
    capacity = integer(least, integer(least, max(least, most)))  # twice, as tight is what is interesting
    largest = max([h + q for _, q, _, h in columns], default=0)
    conversation, prompt, response, history = zip(*columns, strict=True) if columns else ((), (), (), ())
    return Case(
        conversation,
        prompt,
        response,
        history if given else None,
        capacity,
        xi=integer(0, integer(0, largest + 1)),
        q_hat=integer(0, 2 * length + 1),
        forced=forced,
        initial=_initial_cache(integer, pasts, capacity),
    )


def _initial_pasts(integer: Integer, labels: tuple[int, ...], length: int) -> dict[int, int]:
    """Pasts of some conversations, among them perhaps one that never arrives, in any rotation."""
    pool = (*labels, 99)
    shift = integer(0, len(labels))
    return {label: integer(0, 2 * length) for label in pool[shift:] + pool[:shift] if integer(0, 1)}


def _initial_cache(integer: Integer, pasts: dict[int, int], capacity: int) -> tuple[tuple[int, int, int], ...]:
    entries, left = [], capacity
    for label, past in pasts.items():
        cached = integer(0, min(past, left))
        left -= cached
        entries.append((label, past, cached))
    return tuple(entries)


@st.composite
def cases(draw: st.DrawFn, **limits: object) -> Case:
    return build(lambda low, high: draw(st.integers(low, high)), **limits)  # type: ignore[arg-type]


def seeded(count: int, seed: int, **limits: object) -> Iterator[Case]:
    rng = random.Random(seed)
    for _ in range(count):
        yield build(rng.randint, **limits)  # type: ignore[arg-type]


def fewer(count: int, part: int | None = None) -> int:
    """All of `count` with TELTHEORY_TESTS=long, a part with mutants (a fifth), else half (a thirtieth)."""
    effort = os.environ.get("TELTHEORY_TESTS")
    if effort == "long":
        return count
    return -(-count // ((part or 5) if effort == "mutants" else 2 * (part or 15)))


def examples(count: int) -> settings:
    """Hypothesis settings: the number of examples (`fewer`) bounds the effort, time does not."""
    return settings(max_examples=fewer(count), deadline=None, suppress_health_check=[HealthCheck.too_slow])
