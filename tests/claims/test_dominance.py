"""Is a policy never worse than another: policies of the paper, of one's own, and what is found against them."""

from __future__ import annotations

import pytest
from replay.own_policies import HalfKept, LongestFirst

import teltheory as tt
from teltheory.claims.case import Case
from teltheory.claims.dominance import never_worse

SMALL = {"turns": 3, "tokens": 4, "samples": 100}


def test_lru_is_never_worse_than_itself():
    verdict = never_worse(tt.LRU(), **SMALL)
    assert (verdict.verdict, verdict.counterexample) == ("holds", None)
    assert verdict.scope.bounds["tokens_by_turns"] == {"1": 4, "2": 4, "3": 4}


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
    below = {"turns": len(case.world.turns) - 1, "tokens": 6, "samples": 0}
    assert never_worse(policy, **below).verdict == "holds"


def test_under_forced_caching_too():
    assert never_worse(tt.TLRU, forced=True, **SMALL).verdict == "holds"


@pytest.mark.parametrize("bound", ["turns", "tokens", "conversations"])
def test_bounds_are_1_or_more(bound):
    with pytest.raises(tt.ArgumentError, match=f"{bound}: found 0, expected 1 or more"):
        never_worse(tt.LRU(), **{bound: 0})


def test_what_is_no_policy_is_an_error():
    with pytest.raises(tt.ArgumentError, match="a policy such as LRU"):
        never_worse(3)
    with pytest.raises(tt.ArgumentError, match="a policy such as LRU"):
        never_worse(lambda xi, q_hat: None)
    with pytest.raises(tt.ArgumentError, match="one that takes xi and q_hat"):
        never_worse(tt.LRU)
