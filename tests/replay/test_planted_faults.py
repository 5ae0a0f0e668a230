"""With a fault planted, the check that should catch it differs; without it, on the same instances, it does not."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from statistics import mean

import numpy as np
import pytest
from replay.block_by_block import block_by_block
from replay.instances import POLICY_NAMES, Case, fewer, policies, seeded

import teltheory as tt
from teltheory.model.numbers import IntArray
from teltheory.optimal.chains import greedy
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem
from teltheory.optimal.solver import solve_intervals, solve_model
from teltheory.policies import Conversation, Turn
from teltheory.replay.chains import reference

pytestmark = pytest.mark.long

CASES = tuple(seeded(250, 2024, turns=(4, 9)))
SMALL_CASES = tuple(seeded(fewer(250, 3), 2025, turns=(4, 8), conversations=3, length=5, room=8))

TLRUS = tuple(name for name in POLICY_NAMES if name.startswith("tlru"))
ROUND_ROBIN = tuple(name for name in POLICY_NAMES if name.endswith("round-robin"))
NOT_LRU = tuple(name for name in POLICY_NAMES if name != "lru")  # LRU is the same under forced caching
CLAIRVOYANT = ("belady", "tail-optimized-belady")

Plant = Callable[[pytest.MonkeyPatch], None]


@cache
def judged(case: Case, name: str) -> list[int]:
    """What the judge says, which knows nothing of the library and so of no fault planted there."""
    return block_by_block(case, policies(case)[name])


def differing_from_judge(names: Iterable[str] = POLICY_NAMES, cases: Iterable[Case] = CASES) -> set[str]:
    """The policies whose replay differs from the judge's on some case."""
    return {
        name
        for case in cases
        for name in names
        if case.replay(policies(case)[name]).cached.tolist() != judged(case, name)
    }


@pytest.fixture(scope="module")
def sound() -> None:
    """Without a fault no policy differs from the judge."""
    assert differing_from_judge() == set()


@cache
def brute_force(case: Case) -> int:
    return smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))


def misses_the_optimum(found: Callable[[Case], int]) -> bool:
    return any(found(case) != brute_force(case) for case in SMALL_CASES)


def by_greedy(case: Case) -> int:
    return tt.tail_excess_latency(greedy.certified_greedy(case.instance, case.xi)[0], case.xi)


def by_intervals(case: Case) -> int:
    problem = interval_problem(case.instance, case.xi)
    return problem.unavoidable - int(solve_intervals(problem)[0].sum())


def no_false_optimum(method: str) -> bool:
    """Whether what leaves the package is an optimum or a refusal, and at least one is refused."""
    refused = 0
    for case in SMALL_CASES:
        try:
            if case.optimum(method).objective != brute_force(case):
                return False
        except tt.SolverError:
            refused += 1
    return refused > 0


def trims_at_the_budget(patch: pytest.MonkeyPatch) -> None:
    """Trims where X >= b, so that b - 1 is left, as Algorithm 1 is printed."""
    right = tt.TLRU.budget
    patch.setattr(tt.TLRU, "budget", lambda self, conversation: max(0, right(self, conversation) - 1))


def evicts_the_most_recent(patch: pytest.MonkeyPatch) -> None:
    right = reference.evict
    patch.setattr(reference, "evict", lambda candidates, *rest: right(candidates[::-1], *rest))


def trims_the_most_recent_first(patch: pytest.MonkeyPatch) -> None:
    right = reference.trim_in_order
    patch.setattr(reference, "trim_in_order", lambda candidates, *rest: right(candidates[::-1], *rest))


def trims_no_rounds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reference, "trim_in_rounds", reference.trim_in_order)


def evicts_without_trimming(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reference, "trim_in_order", lambda candidates, policy, overflow: overflow)


def rounds_go_by_recency(patch: pytest.MonkeyPatch) -> None:
    def by_recency(candidates: list[Conversation], policy: object, overflow: int) -> int:
        firsts = [conversation.first for conversation in candidates]
        for rank, conversation in enumerate(candidates):
            conversation.first = rank
        left = right(candidates, policy, overflow)
        for first, conversation in zip(firsts, candidates, strict=True):
            conversation.first = first
        return left

    right = reference.trim_in_rounds
    patch.setattr(reference, "trim_in_rounds", by_recency)


def eager_waits_for_overflow(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reference, "trim_all", lambda candidates, policy: None)


def ignores_forced(patch: pytest.MonkeyPatch) -> None:
    module = sys.modules["teltheory.replay"]  # as an attribute of the package the name is the function's
    right = reference.replay_reference
    patch.setattr(
        module, "replay_reference", lambda instance, *rest: right(replace(instance, forced=False), *rest)
    )


def keeps_what_has_ended(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tt.EndAwareTLRU, "drops", lambda self, conversation: False)


def threshold_is_strict(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tt.ThresholdLRU, "drops", lambda self, conversation: conversation.past < self.cutoff)


def belady_evicts_the_nearest(patch: pytest.MonkeyPatch) -> None:
    right = tt.TailOptimizedBelady.eviction_key
    patch.setattr(tt.TailOptimizedBelady, "eviction_key", lambda self, conversation: -right(self, conversation))


def cap_ignores_the_next_history(patch: pytest.MonkeyPatch) -> None:
    def budget(self: tt.TailOptimizedBelady, conversation: Conversation) -> int:
        if conversation.next is None:
            return 0
        return max(0, conversation.next.history + conversation.next.prompt - self.xi)

    patch.setattr(tt.TailOptimizedBelady, "budget", budget)


def belady_lets_the_least_recent_go_first(patch: pytest.MonkeyPatch) -> None:
    """The trim key that lets what never returns go first is left out."""
    patch.setattr(tt.TailOptimizedBelady, "trim_key", lambda self, conversation: 0)


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize(
    ("plant", "names"),
    [
        (trims_at_the_budget, TLRUS),
        (evicts_the_most_recent, [name for name in POLICY_NAMES if name not in CLAIRVOYANT]),
        (
            trims_the_most_recent_first,
            ["tlru least-recent", "end-aware least-recent", "length-aware least-recent"],
        ),
        (trims_no_rounds, ROUND_ROBIN),
        (rounds_go_by_recency, ROUND_ROBIN),
        (evicts_without_trimming, ["tlru least-recent", "tail-optimized-belady"]),
        (eager_waits_for_overflow, [name for name in POLICY_NAMES if name.endswith("eager")]),
        (ignores_forced, NOT_LRU),
        (keeps_what_has_ended, [name for name in POLICY_NAMES if name.startswith("end-aware")]),
        (threshold_is_strict, ["threshold-lru"]),
        (belady_evicts_the_nearest, CLAIRVOYANT),
        (cap_ignores_the_next_history, CLAIRVOYANT),
        (belady_lets_the_least_recent_go_first, ["tail-optimized-belady"]),
    ],
)
def test_the_judge_catches(monkeypatch, plant, names):
    plant(monkeypatch)
    assert differing_from_judge(names) == set(names)


def test_the_judge_catches_ignored_forced_caching_only_where_it_is_forced(monkeypatch):
    ignores_forced(monkeypatch)
    assert differing_from_judge(cases=[case for case in CASES if not case.forced]) == set()
    assert differing_from_judge(cases=[case for case in CASES if case.forced]) == set(NOT_LRU)


def caps_by_the_mean_prompt(patch: pytest.MonkeyPatch) -> None:
    def by_the_mean(turn: Turn, xi: int) -> IntArray:
        prompt = turn.prompt * 0 + round(mean(turn.prompt.tolist() or [0]))
        return np.minimum(turn.history, np.maximum(turn.history + prompt - xi, 0))

    patch.setattr(Turn, "need", by_the_mean)


def caps_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Turn, "need", lambda turn, xi: turn.history)


def optimum_ignores_forced(patch: pytest.MonkeyPatch) -> None:
    right = greedy.replay_with_log
    patch.setattr(greedy, "replay_with_log", lambda instance, xi: right(replace(instance, forced=False), xi))


@pytest.mark.parametrize("plant", [caps_by_the_mean_prompt, caps_nothing, optimum_ignores_forced])
def test_brute_force_catches_in_greedy(monkeypatch, plant):
    assert not misses_the_optimum(by_greedy)
    plant(monkeypatch)
    assert misses_the_optimum(by_greedy)
    assert no_false_optimum("greedy")


def intervals_without_forced_room(patch: pytest.MonkeyPatch) -> None:
    right = IntervalProblem.matrix
    patch.setattr(IntervalProblem, "matrix", lambda self: (right(self)[0], right(self)[1] * 0 + self.room.max()))
    patch.setattr(IntervalProblem, "feasible", lambda self, kept: True)


def intervals_without_the_last_row(patch: pytest.MonkeyPatch) -> None:
    right = IntervalProblem.matrix
    patch.setattr(IntervalProblem, "matrix", lambda self: (right(self)[0][:-1], right(self)[1][:-1]))
    patch.setattr(IntervalProblem, "feasible", lambda self, kept: True)


def test_without_a_fault_the_interval_form_is_right():
    assert not misses_the_optimum(by_intervals)


@pytest.mark.parametrize("plant", [intervals_without_forced_room, intervals_without_the_last_row])
def test_brute_force_catches_in_the_interval_form(monkeypatch, plant):
    plant(monkeypatch)
    assert misses_the_optimum(by_intervals)
    assert no_false_optimum("milp")


@pytest.mark.parametrize("method", ["lp", "milp"])
def test_the_exact_check_catches_a_left_out_row(monkeypatch, method):
    right = IntervalProblem.needed_steps
    monkeypatch.setattr(IntervalProblem, "needed_steps", lambda self: right(self)[:-1])
    assert no_false_optimum(method)


def formulation_misses(**options: bool) -> int:
    values = [solve_model(hindsight_model(case.instance, case.xi, **options))[0] for case in SMALL_CASES[:50]]
    return sum(round(value) != brute_force(case) for value, case in zip(values, SMALL_CASES, strict=False))


def test_brute_force_catches_the_printed_formulation():
    assert formulation_misses() == 0
    assert formulation_misses(initial_state=False) > 0


def worse_than_lru(below: int) -> int:
    """On how many traces T-LRU has a larger TEL than LRU, its estimate being the largest prompt less `below`."""
    worse = 0
    for case in seeded(fewer(700, 3), 2026, turns=(5, 12), length=6, given=False):
        continuing = [q for q, again in zip(case.prompt, case.trace.continuing, strict=True) if again]
        arriving = {c for c, _, _ in case.initial}
        first = {c: q for c, q in zip(case.conversation[::-1], case.prompt[::-1], strict=True) if c in arriving}
        bound = max([*continuing, *first.values()], default=0)
        lru = tt.tail_excess_latency(case.replay(tt.LRU()), case.xi)
        for trim in ("round-robin", "least-recent", "eager"):
            policy = tt.TLRU(case.xi, max(0, bound - below), trim)
            worse += tt.tail_excess_latency(case.replay(policy), case.xi) > lru
    return worse


def test_an_estimate_below_a_prompt_breaks_the_dominance_over_lru():
    assert worse_than_lru(below=0) == 0
    assert worse_than_lru(below=2) > 0
