"""Is a policy never worse than another: policies of the paper, of one's own, and what is found against them."""

from dataclasses import dataclass

import pytest
from refusals import refused
from replay.own_policies import HalfKept, LongestFirst

import teltheory as tt
from teltheory.claims.case import Case
from teltheory.claims.dominance import never_worse
from teltheory.policies import LeastRecentlyUsed

SMALL = {"turns": 3, "tokens": 3, "samples": 50}
FEW = {"turns": 2, "tokens": 3, "samples": 20}


def test_every_instance_that_was_tried_is_told():
    told = []
    verdict = never_worse(tt.TLRU, turns=2, tokens=3, samples=0, progress=lambda done, total: told.append(done))
    assert len(told) == verdict.scope.instances > 900


def test_theorem_31_holds_within_the_bounds():
    assert never_worse(tt.TLRU, **SMALL).verdict == "holds"
    assert never_worse(tt.LRU(), tt.TLRU, **SMALL).verdict == "refuted"


@pytest.mark.parametrize("policy", [LongestFirst(), HalfKept()])
def test_the_smallest_trace_is_found_and_can_be_replayed(policy):
    verdict = never_worse(policy)
    assert verdict.verdict == "refuted"
    case = Case.of(verdict.counterexample)
    ours, lru = (
        tt.tail_excess_latency(tt.replay(case.world.trace, p, case.capacity), case.xi) for p in (policy, tt.LRU())
    )
    assert verdict.counterexample["values"] == {"policy": ours, "other": lru}
    assert ours > lru
    assert repr(verdict).startswith("Verdict(refuted, ")
    assert len(repr(verdict)) < 300
    assert never_worse(policy, turns=len(case.world.turns) - 1, tokens=6, samples=0).verdict == "holds"


def test_under_forced_caching_too():
    assert never_worse(tt.TLRU, forced=True, **SMALL).verdict == "holds"
    found = never_worse(tt.ThresholdLRU(1), forced=True).counterexample
    assert found["turns"] == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert (found["forced"], found["capacity"], found["values"]) == (True, 1, {"policy": 1, "other": 0})


@pytest.mark.parametrize("bound", ["turns", "tokens", "conversations"])
def test_bounds_are_1_or_more(bound):
    refused(tt.ArgumentError, f"{bound}: found 0, expected 1 or more", lambda: never_worse(tt.LRU(), **{bound: 0}))
    refused(tt.ArgumentError, "samples: found -1", lambda: never_worse(tt.LRU(), samples=-1))


def test_a_policy_of_a_threshold_alone_is_tried_with_no_estimate():
    given = never_worse(tt.LRU(), **FEW).scope.instances
    for family in (tt.TailOptimizedBelady, tt.LengthAwareTLRU):
        verdict = never_worse(family, **FEW)
        assert (verdict.verdict, verdict.scope.instances) == ("holds", given)
    assert never_worse(lambda xi, q_hat=0: tt.TLRU(xi, q_hat), **FEW).scope.instances > given
    assert never_worse(tt.TailOptimizedBelady, tt.TLRU, **FEW).scope.instances > given
    assert never_worse(lambda xi: tt.TLRU(xi, 0), turns=3, tokens=3).counterexample["q_hat"] == 0


@dataclass(frozen=True)
class LessThanNothing:
    def cut(self, conversations, overflow):
        for conversation in conversations:
            conversation.cached = -1


@dataclass
class NotFrozen(LeastRecentlyUsed):
    xi: int = 0


@pytest.mark.parametrize("than", [False, True])
@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (3, "a policy such as LRU"),
        (lambda xi, q_hat: None, "a policy such as LRU"),
        (tt.LRU, "one that takes xi, or xi and q_hat"),
        (int, "one that takes xi, or xi and q_hat"),
        (LessThanNothing(), "one that keeps 0 or more"),
        (NotFrozen(), "one with a hash"),
        (lambda xi: NotFrozen(), "hash"),
    ],
)
def test_what_is_no_policy_or_cannot_be_replayed_is_an_error_on_either_side(policy, words, than):
    with pytest.raises(tt.ArgumentError, match=words):
        never_worse(tt.LRU(), policy, **SMALL) if than else never_worse(policy, **SMALL)


def test_what_only_a_random_trace_shows_is_shrunk():
    verdict = never_worse(tt.LengthAwareTLRU, tt.TailOptimizedBelady, turns=2, tokens=2)
    assert (verdict.verdict, verdict.scope.kind) == ("refuted", "sampled")
    case = Case.of(verdict.counterexample)
    worse, best = tt.LengthAwareTLRU(case.xi), tt.TailOptimizedBelady(case.xi)
    assert case.tel(worse) > case.tel(best)
    assert all(smaller.tel(worse) <= smaller.tel(best) for smaller in case.smaller() if smaller.xi == case.xi)
