"""What replay accepts and refuses: arguments, policies of one's own, the edges of a trace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from refusals import refused
from replay.instances import POLICY_NAMES, Case, cases, examples, fewer, forced_need, policies, seeded

import teltheory as tt
from teltheory.policies import Conversation, LeastRecentlyUsed, NextTurn, tel_safe_budget
from teltheory.replay import replay

TWO_TURNS = Case((0, 0), (2, 1), (1, 0), None, capacity=5, xi=1, q_hat=1)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("name", POLICY_NAMES)
def test_no_turn_and_one_turn(name, forced):
    nothing = Case((), (), (), None, 3, 1, 1, forced=forced, initial=((1, 2, 2),))
    outcome = nothing.replay(policies(nothing)[name])
    assert len(outcome) == 0
    assert outcome.cached.dtype == outcome.uncached.dtype == np.int64
    one = Case((1,), (9,), (4,), None, 3, 1, 1, forced=forced, initial=((1, 2, 1),))
    outcome = one.replay(policies(one)[name])  # the only turn is the last: forced caching does not constrain it
    assert (outcome.cached.tolist(), outcome.uncached.tolist()) == ([1], [10])


@given(case=cases(forced=True, feasible=False))
@examples(200)
def test_forced_caching_is_refused_exactly_where_a_past_is_too_long(case):
    if forced_need(case) <= case.capacity:
        case.replay(tt.LRU())
        return
    with pytest.raises(tt.ForcedCachingError) as error:
        case.replay(tt.LRU())
    assert error.value.length > error.value.capacity == case.capacity
    shorter = replace(
        case,
        **{
            column: getattr(case, column)[: error.value.turn + 1]
            for column in ("conversation", "prompt", "response", "history")
            if getattr(case, column) is not None
        },
    )
    shorter.replay(tt.LRU())  # up to that turn, then the last, nothing is wrong


@pytest.mark.parametrize("engine", ["quick", "fast", "", None, 1])
def test_engines_that_there_are_not(engine):
    trace = TWO_TURNS.trace
    refused(tt.ArgumentError, "engine: found", lambda: replay(trace, tt.LRU(), 3, engine=engine))
    assert replay(trace, tt.LRU(), 3, engine="reference") == replay(trace, tt.LRU(), 3, engine="auto")


@pytest.mark.parametrize("policy", [None, b"lru", 3, object(), tt.LRU, tt.TLRU])
def test_what_is_no_policy_is_refused(policy):
    refused(tt.ArgumentError, "policy: found", TWO_TURNS.replay, policy)


@pytest.mark.parametrize("value", [-1, 2.0, True, np.True_, "one", 2**63])
@pytest.mark.parametrize(
    ("argument", "make"),
    [
        ("xi", lambda value: tt.TLRU(xi=value, q_hat=1)),
        ("q_hat", lambda value: tt.TLRU(xi=1, q_hat=value)),
        ("xi", lambda value: tt.EndAwareTLRU(xi=value, q_hat=1)),
        ("q_hat", lambda value: tt.EndAwareTLRU(xi=1, q_hat=value)),
        ("xi", lambda value: tt.LengthAwareTLRU(xi=value)),
        ("xi", lambda value: tt.TailOptimizedBelady(xi=value)),
        ("cutoff", lambda value: tt.ThresholdLRU(cutoff=value)),
    ],
)
def test_wrong_policy_parameters(argument, make, value):
    error = refused(ValueError, f"{argument}: found", make, value)
    assert isinstance(error, tt.ArgumentError)


@pytest.mark.parametrize("trim", ["round robin", "", 0])
@pytest.mark.parametrize(
    "make",
    [
        lambda trim: tt.TLRU(1, 1, trim),
        lambda trim: tt.EndAwareTLRU(1, 1, trim),
        lambda trim: tt.LengthAwareTLRU(1, trim),
    ],
)
def test_unknown_trim(make, trim):
    refused(ValueError, "trim: found .* expected one of round-robin, least-recent, eager", make, trim)


@pytest.mark.parametrize(
    ("past", "prompt", "xi", "budget"),
    [(5, 3, 4, 4), (5, 4, 4, 5), (5, 9, 4, 5), (5, 0, 5, 0), (5, 1, 5, 1), (5, 0, 9, 0), (0, 9, 0, 0)],
)
def test_the_budget_is_between_nothing_and_the_past(past, prompt, xi, budget):
    coming = Conversation(0, past, past, NextTurn(3, past, prompt))
    assert tel_safe_budget(past, prompt, xi) == budget
    assert tt.TLRU(xi, q_hat=prompt).budget(coming) == tt.EndAwareTLRU(xi, q_hat=prompt).budget(coming) == budget
    assert tt.LengthAwareTLRU(xi).budget(coming) == tt.TailOptimizedBelady(xi).budget(coming) == budget
    shortened = Conversation(0, past + 7, past + 7, NextTurn(3, past, prompt))
    assert tt.TailOptimizedBelady(xi).budget(shortened) == budget


def test_what_never_returns_has_no_exact_budget():
    ended = Conversation(0, 5, 5, None)
    assert (
        tt.LengthAwareTLRU(0).budget(ended)
        == tt.TailOptimizedBelady(0).budget(ended)
        == tt.Belady().budget(ended)
        == 0
    )
    assert tt.EndAwareTLRU(0, 0).budget(ended) == 5


def test_policies_are_values():
    assert tt.TLRU(3, 2) == tt.TLRU(xi=3, q_hat=2, trim=None)
    assert len({tt.LRU(), tt.LRU(), tt.TLRU(3, 2), tt.TLRU(3, 2, "eager"), tt.EndAwareTLRU(3, 2)}) == 4
    with pytest.raises(AttributeError):
        tt.TLRU(3, 2).xi = 4
    with pytest.raises(TypeError):
        tt.Belady(xi=1)


@dataclass(frozen=True)
class ShortestFirst(LeastRecentlyUsed):
    """Finds half of a past worth keeping, then lets the shortest go first."""

    def budget(self, conversation: Conversation) -> int:
        return conversation.past // 2

    def eviction_key(self, conversation: Conversation) -> int:
        return conversation.past


def test_a_policy_with_two_rules_of_its_own():
    case = Case((0, 1, 2, 1, 0), (8, 2, 4, 0, 0), (0,) * 5, None, capacity=7, xi=0, q_hat=0)
    # turn 0: 8 -> 7 (surplus of 4, 1 needed). Turn 1: 7 + 2, 2 too many -> 5 + 2. Turn 2: 5 + 2 + 4, 4 too many:
    # surpluses 1 + 1 + 2, all of them go -> 4 + 1 + 2. Turn 3: 4 + 2 + 2, 1 too many: surplus of conversation 1.
    assert case.replay(ShortestFirst()).cached.tolist() == [0, 0, 0, 1, 4]
    # turn 0: 5. Turn 1: 5 + 2, 2 too many: a surplus of 1 each -> 4 + 1. Turn 2: 4 + 1 + 4, 4 too many: surplus of
    # 2, then the shortest past of 2 goes whole, then 1 of the past of 4 -> 4 + 0 + 1. Turn 3: 4 + 4 -> 4 + 1.
    tight = replace(case, conversation=(0, 1, 2, 2, 0), capacity=5)
    assert tight.replay(ShortestFirst()).cached.tolist() == [0, 0, 0, 1, 4]


class OwnCut:
    """LRU, written as a cut of its own; it notes what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, list[tuple[int, int, int]]]] = []

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        self.seen.append((overflow, [(c.first, c.past, c.cached) for c in conversations]))
        for conversation in conversations:
            evicted = min(conversation.cached, max(0, overflow))
            conversation.cached -= evicted
            overflow -= evicted


def test_a_policy_with_a_cut_of_its_own():
    for case in seeded(fewer(300), 11):
        assert case.replay(OwnCut()) == case.replay(tt.LRU())


def test_a_cut_of_its_own_sees_the_least_recent_first_and_not_who_is_exempt():
    optional, forced = OwnCut(), OwnCut()
    case = Case((0, 1, 0), (2, 3, 1), (0, 0, 0), None, capacity=4, xi=0, q_hat=0, initial=((5, 2, 1),))
    case.replay(optional)
    assert optional.seen[:2] == [(-1, [(0, 2, 1), (1, 2, 2)]), (2, [(0, 2, 1), (1, 2, 2), (2, 3, 3)])]
    replace(case, forced=True).replay(forced)
    assert forced.seen[:2] == [(-1, [(0, 2, 1)]), (2, [(0, 2, 1), (1, 2, 2)])]


def test_progress_is_told_how_many_turns_are_done():
    told: list[tuple[int, int | None]] = []
    trace = tt.Trace.from_turns([0] * 600, [1] * 600, [0] * 600)
    quiet = replay(trace, tt.LRU(), 9)
    assert replay(trace, tt.LRU(), 9, progress=lambda *place: told.append(place)) == quiet
    assert told
    assert told == sorted(set(told))
    assert all(0 < done <= total == 600 for done, total in told)


PRIVATE = tt.Trace.from_turns([0, 1, 0, 1, 1], [3, 1, 2, 4, 1], [1, 0, 2, 1, 0])
SETS = tt.ModuleTrace.from_requests([[0, 1], [2], [0, 2], [1]], sizes=[4, 3, 2])
IN_TIERS = tt.Tiers((4, 6), (0, Fraction(1, 2)))


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_progress_ends_with_all_of_any_requests(engine):
    for trace in (PRIVATE, PRIVATE[:0], PRIVATE.forest, SETS):
        for capacity in (5, IN_TIERS):
            compiled = capacity == 5 or isinstance(trace, tt.Trace)
            told: list[tuple[int, int | None]] = []
            how = engine if compiled else "auto"
            replay(trace, tt.LRU(), capacity, engine=how, progress=lambda *place, told=told: told.append(place))
            assert told[-1] == (len(trace), len(trace))


@dataclass(frozen=True)
class KeepsEverything:
    """Cuts nothing."""

    def cut(self, conversations, overflow):
        pass


@dataclass(frozen=True)
class OwesBlocks(LeastRecentlyUsed):
    """Has a budget below 0."""

    def budget(self, conversation):
        return -2


@pytest.mark.parametrize(
    ("policy", "expected"), [(KeepsEverything(), "no more than the capacity"), (OwesBlocks(), "0 or more")]
)
def test_policies_that_break_the_cache_are_found_out(policy, expected):
    trace = tt.Trace.from_turns([0, 1, 0], [2, 2, 2], [0, 0, 0])
    refused(tt.ArgumentError, expected, replay, trace, policy, 1)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"trace": [0, 1]}, "trace"),
        ({"forced": "no"}, "forced"),
        ({"initial": 5}, "initial"),
        ({"initial": None}, "initial"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(arguments, name):
    trace = tt.Trace.from_turns([0], [1], [0])
    with pytest.raises(tt.ArgumentError, match=rf"^{name}: found"):
        replay(**{"trace": trace, "policy": tt.LRU(), "capacity": 1, **arguments})
