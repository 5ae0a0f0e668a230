"""Custom policies: the kernel does what the reference does, by the policy's own rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from refusals import refusals, refused
from replay.instances import TRIMS, by_both_engines, cases, examples
from replay.own_policies import DERIVED, LFU, ByRules, HalfKept, LongestFirst, WholeTLRU
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.base.loops import call
from teltheory.model.instance import Instance
from teltheory.policies import AdaptiveTLRU, LeastRecentlyUsed, Node, on_arrays, tel_safe_budget
from teltheory.policies.policy import Trim, prefers_kernel
from teltheory.replay.chains import dispatch
from teltheory.workloads.laws import fixed

SHORT = tt.Trace.from_turns([0, 1, 2, 0], [3, 2, 1, 1], [0, 0, 0, 0], arrival=[0, 1, 2, 2])


def test_lfu_evicts_what_had_the_fewest_turns():
    """A(2) B(2) A(1) C(1) B A, C = 4: B makes room for A and C, then C for B; A, as old as B, gives a token."""
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 0], [2, 2, 1, 1, 0, 0], [0] * 6)
    assert by_both_engines(trace, LFU(), 4).cached.tolist() == [0, 0, 2, 0, 0, 2]


@dataclass(frozen=True, eq=False)
class Noting(LongestFirst):
    """Notes what it is shown, of all conversations at every cut."""

    seen: set[tuple[object, ...]] = field(default_factory=set)

    @on_arrays
    def drops(self, node: Node) -> bool:
        turn = node.coming
        columns = (node.first, node.past, node.depth, node.length, node.code, node.last, node.hits, node.ended)
        shown = [*columns, turn.history, turn.prompt, turn.need(2)]
        self.seen.update(zip(*(np.atleast_1d(column).tolist() for column in shown), strict=True))
        return False


@given(case=cases())
@examples(200)
def test_the_kernel_shows_a_node_as_the_reference_does(case):
    in_kernel, in_reference = Noting(), Noting()
    case.replay(in_kernel, engine="kernel")
    case.replay(in_reference)
    assert in_reference.seen <= in_kernel.seen


@dataclass(frozen=True)
class Oldest(LeastRecentlyUsed):
    """LRU by the clock: the longest silence goes first."""

    @on_arrays
    def eviction_key(self, node: Node) -> float:
        return node.time


def test_a_policy_may_look_at_the_time_of_the_last_turn():
    for engine in ("reference", "kernel"):
        assert tt.replay(SHORT, Oldest(), 4, engine=engine) == tt.replay(SHORT, tt.LRU(), 4)
        with pytest.raises(tt.ArgumentError, match="trace: found 'no arrival times'"):
            tt.replay(tt.Trace.from_turns([0, 1], [3, 2], [0, 0]), Oldest(), 4, engine=engine)


@dataclass(frozen=True)
class OwnTLRU(LeastRecentlyUsed):
    """T-LRU as a stranger writes it."""

    xi: int
    q_hat: int
    trim: Trim = "round-robin"

    @on_arrays
    def budget(self, node: Node) -> int:
        return tel_safe_budget(node.past, self.q_hat, self.xi)


def test_the_same_rules_have_the_same_loop_and_the_same_curve(monkeypatch):
    taken = []

    def noted(name, *arguments):
        if name == "replay_least_recent_trim":
            taken.append(arguments[3])
        return call(name, *arguments)

    monkeypatch.setattr(dispatch, "call", noted)
    for policy in (OwnTLRU(3, 1, "least-recent"), tt.TLRU(3, 1, "least-recent")):
        tt.replay(SHORT, policy, 4, engine="kernel")
        assert tt.capacity_curve(SHORT, policy).one_pass
    assert taken == [None, None]  # no array of budgets: they are all but a constant
    for trim in TRIMS:
        assert by_both_engines(SHORT, OwnTLRU(3, 1, trim), 4) == tt.replay(SHORT, tt.TLRU(3, 1, trim), 4)


@dataclass(frozen=True)
class Unmarked(LeastRecentlyUsed):
    """Its rule may hold for one node only."""

    def eviction_key(self, node: Node) -> int:
        return -node.past


def test_long_traces_take_the_kernel_if_rules_are_on_arrays():
    chosen = [prefers_kernel(policy) for policy in (LFU(), WholeTLRU(1, 1), tt.LRU(), Unmarked())]
    assert chosen == [True, True, True, False]


@dataclass(frozen=True)
class SmallestFirst(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return node.cached


@dataclass(frozen=True)
class ThreeKeys(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return np.arange(3)


@dataclass(frozen=True)
class Negative(LeastRecentlyUsed):
    @on_arrays
    def budget(self, node: Node) -> int:
        return -1 + 0 * node.past


test_what_the_kernel_does_not_run_is_said_in_one_line = refusals(
    tt.ArgumentError,
    ("found 'rules that look at what is cached'", lambda: tt.replay(SHORT, SmallestFirst(), 4, engine="kernel")),
    (
        "engine='reference', or eviction_key marked on_arrays",
        lambda: tt.replay(SHORT, Unmarked(), 4, engine="kernel"),
    ),
    (
        "round-robin trimming with orders of its own",
        lambda: tt.replay(SHORT, ByRules(trim="round-robin"), 4, engine="kernel"),
    ),
    ("eviction_key is one value, or one per node", lambda: tt.replay(SHORT, ThreeKeys(), 4, engine="kernel")),
    ("keeps 0 or more", lambda: tt.replay(SHORT, Negative(), 4, engine="kernel")),
    ("one whose memory returns a Memory, not None", lambda: tt.replay(SHORT.forest, Forgetful(), 4)),
    ("one whose eviction_key returns a number, not None", lambda: tt.replay(SHORT.forest, ReturnsNothing(), 4)),
)


@dataclass(frozen=True)
class Halves(LeastRecentlyUsed):
    @on_arrays
    def budget(self, node: Node) -> int:
        return node.past / 2


@dataclass(frozen=True)
class Branching(LeastRecentlyUsed):
    @on_arrays
    def budget(self, node: Node) -> int:
        return max(0, node.past - 1)


@dataclass(frozen=True)
class ReturnsNothing(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, node: Node) -> int:
        _ = node.past


@dataclass(frozen=True)
class NoBase:
    def eviction_key(self, node: Node) -> int:
        return 0


@dataclass(frozen=True)
class ByClock:
    bound: object

    def bound_to(self, instance: object) -> object:
        return self.bound


@dataclass(frozen=True)
class ByTail:
    seen: object

    def observing(self) -> object:
        return self.seen


def ruled(**rules: object) -> LeastRecentlyUsed:
    return dataclass(frozen=True)(type("Mine", (LeastRecentlyUsed,), rules))()


@dataclass(frozen=True)
class Forgetful(LeastRecentlyUsed):
    def memory(self, instance: object) -> object:
        return None


@pytest.mark.parametrize(
    ("policy", "engine", "message"),
    [
        (Halves(), "kernel", "whole numbers, not float64"),
        (Halves(), "reference", "whole numbers"),
        (Branching(), "kernel", "larger, smaller and choose for max, min and if"),
        (ReturnsNothing(), "kernel", "one whose eviction_key returns a value"),
        (ReturnsNothing(), "auto", "one whose eviction_key returns a number, not None"),
        (ruled(budget=lambda self, node: None), "auto", "one whose budget returns a number, not None"),
        *((ruled(budget=lambda self, node: -1, trim=trim), "auto", "0 or more, not -1") for trim in TRIMS),
        (ByClock(None), "auto", "one whose bound_to returns a function, not None"),
        (ByClock(lambda turn: None), "auto", "one whose bound_to says how to cut after turn 0, not None"),
        (ByTail(None), "auto", "one whose observing returns a function, not None"),
        (ByTail(lambda uncached: "lru"), "auto", "one whose observing says how to cut after turn 0, not 'lru'"),
        (NoBase(), "auto", "derived from LeastRecentlyUsed, for its drops, budget, trim_key, trim"),
        (NoBase, "auto", "a value, NoBase"),
        (ByRules(trim="rounds"), "auto", "trim: found 'rounds', expected one of round-robin"),
    ],
)
def test_what_is_no_policy_yet_is_said_in_one_line(policy, engine, message):
    refused(tt.ArgumentError, message, tt.replay, SHORT, policy, 4, engine=engine)


@pytest.mark.parametrize(
    ("name", "rule"), [("evict_key", "eviction_key"), ("budgets", "budget"), ("drop", "drops")]
)
def test_a_misspelt_rule_is_an_error_and_a_method_of_another_name_is_none(name, rule):
    with pytest.raises(tt.ArgumentError, match=f"Mine: found '{name}', expected the rule {rule}"):
        type("Mine", (LeastRecentlyUsed,), {name: lambda self, node: 0})
    type("Mine", (LeastRecentlyUsed,), {f"_{name}": lambda self, node: 0, "age": lambda self, node: 0, rule: None})


def test_methods_and_no_rule_are_an_error_that_lists_the_rules_when_a_policy_is_made():
    def rule(self: object, node: Node) -> int:
        return 0

    helper = type("Helper", (LeastRecentlyUsed,), {"score": rule})
    refused(tt.ArgumentError, "Helper: found 'score', expected one of the rules drops, budget", helper)
    for more in ({"eviction_key": rule}, {"memory": rule}, {"__annotations__": {"eviction_key": object}}):
        type("Mine", (helper,), more)()
    type("Renamed", (tt.LRU,), {"name": "renamed", "_score": rule})()
    type("Derived", (tt.TLRU,), {"score": rule})(1, 1)


def test_auto_gives_to_the_reference_what_the_kernel_refuses():
    n = 2001
    trace = tt.Trace.from_turns([0, 1, 2] * (n // 3), [1] * n, [0] * n)
    for policy in (SmallestFirst(), Unmarked(), ByRules(trim="round-robin")):
        assert tt.replay(trace, policy, 100) == tt.replay(trace, policy, 100, engine="reference")
    refused(tt.ArgumentError, "budget is 0 or more, not -1", lambda: tt.replay(SHORT, Negative(), 1))


@dataclass(frozen=True)
class LongOnly(tt.LRU):
    """Nothing of what is short."""

    @on_arrays
    def drops(self, node: Node) -> bool:
        return node.past < 4


@pytest.mark.parametrize("policy", [HalfKept("eager"), LongOnly()], ids=repr)
@given(columns=turn_columns(max_turns=8) | given_columns(max_turns=8))
def test_by_recency_and_without_surplus_one_pass_has_every_capacity(policy, columns):
    trace = tt.Trace.from_turns(**columns)
    curve = tt.capacity_curve(trace, policy)
    assert curve.one_pass
    for capacity in range(int(trace.past.sum()) + 2):
        assert curve.cached(capacity).tolist() == tt.replay(trace, policy, capacity).cached.tolist()


def test_other_policies_are_replayed_at_each_capacity():
    for policy in (LongestFirst(), LFU(), HalfKept("least-recent"), HalfKept("round-robin")):
        curve = tt.capacity_curve(SHORT, policy)
        assert not curve.one_pass
        assert curve.cached(4).tolist() == tt.replay(SHORT, policy, 4).cached.tolist()


@pytest.mark.parametrize("policy", DERIVED, ids=repr)
@given(case=cases(forced=False, start=False))
@examples(100)
def test_the_curve_of_what_is_derived_is_of_its_own_rules(policy, case):
    curve = tt.capacity_curve(case.trace, policy)
    assert curve.one_pass or not isinstance(policy, WholeTLRU)
    for capacity in range(0, int(case.trace.past.sum()) + 2, 3):
        replayed = tt.replay(case.trace, policy, capacity)
        assert curve.cached(capacity).tolist() == replayed.cached.tolist()


@dataclass(frozen=True)
class CutsItself(LeastRecentlyUsed):
    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        for conversation in conversations:
            conversation.cached = 0


@dataclass(frozen=True)
class Observes(LeastRecentlyUsed):
    def observing(self) -> Callable[[int], tt.LRU]:
        return lambda uncached: tt.LRU()


class NothingKept(tt.ETLRU):
    """ET-LRU's class, which may do anything."""

    def bound_to(self, instance: Instance) -> Callable[[int], CutsItself]:
        return lambda turn: CutsItself()


class OtherAdaptive(AdaptiveTLRU):
    """The class of T-LRU with an adaptive threshold, which may do anything."""


@pytest.mark.parametrize(
    "policy",
    [
        CutsItself(),
        Observes(),
        NothingKept(3, fixed(1), 0.1, 0.1),
        OtherAdaptive(3, 1),
        tt.ReturnAwareTLRU(3, 1, "round-robin"),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_what_has_more_than_rules_is_for_the_reference(policy):
    refused(tt.ArgumentError, "'reference' for", tt.replay, SHORT, policy, 4, engine="kernel")
    assert not tt.capacity_curve(SHORT, policy).one_pass
    n = 2001
    trace = tt.Trace.from_turns([0, 1, 2] * (n // 3), [1] * n, [0] * n, arrival=range(n))
    if isinstance(policy, NothingKept | CutsItself):
        assert not tt.replay(trace, policy, 100).cached.any()
