"""A fault planted in the replay or in a policy must turn a row of the ledger.

Where a row has a second encoding, which knows nothing of the fault, the two disagree, and there is no verdict: an
error, or, where only the random cases show the fault, "refuted".
"""

import pytest

from proofs_checks import all_claims
from teltheory.claims.search import decide_safely
from teltheory.optimal import formulation
from teltheory.policies import clairvoyant, online
from teltheory.replay import reference


def trim_at_the_budget(monkeypatch):
    exact = online.TLRU.budget
    monkeypatch.setattr(online.TLRU, "budget", lambda self, c: max(0, exact(self, c) - 1))


def evict_the_most_recent(monkeypatch):
    exact = reference.evict

    def evict(candidates, policy, overflow):
        order = reversed(candidates) if isinstance(policy, online.TLRU) else candidates
        exact(list(order), policy, overflow)

    monkeypatch.setattr(reference, "evict", evict)


def ignore_forced(monkeypatch):
    exact = reference.cut
    monkeypatch.setattr(
        reference, "cut", lambda cache, policy, capacity, exempt: exact(cache, policy, capacity, None)
    )


def cap_below_the_next_total(monkeypatch):
    exact = clairvoyant.TailOptimizedBelady.budget
    monkeypatch.setattr(clairvoyant.TailOptimizedBelady, "budget", lambda self, c: max(0, exact(self, c) - 1))


def evict_the_nearest(monkeypatch):
    exact = clairvoyant.TailOptimizedBelady.eviction_key
    monkeypatch.setattr(clairvoyant.TailOptimizedBelady, "eviction_key", lambda self, c: -exact(self, c))


def cap_by_the_whole_past(monkeypatch):
    monkeypatch.setattr(clairvoyant.TailOptimizedBelady, "budget", lambda self, c: c.past if c.next else 0)


def start_with_anything(monkeypatch):
    monkeypatch.setattr(formulation, "first_step", lambda model, i: model.x[i, 1] <= model.C)


def conjure(monkeypatch):
    monkeypatch.setattr(formulation, "prefix_cannot_grow", lambda model, i, t: formulation.pyo.Constraint.Skip)


def evict_the_most_recent_of_an_odd_overflow(monkeypatch):
    exact = reference.evict

    def evict(candidates, policy, overflow):
        exact(list(reversed(candidates)) if overflow % 2 else candidates, policy, overflow)

    monkeypatch.setattr(reference, "evict", evict)


@pytest.mark.parametrize(
    ("fault", "row"),
    [
        (trim_at_the_budget, "theorem-31"),
        pytest.param(evict_the_most_recent, "theorem-31", marks=pytest.mark.long),
        (ignore_forced, "theorem-b1.forced"),
        pytest.param(cap_below_the_next_total, "theorem-b1", marks=pytest.mark.long),
        pytest.param(evict_the_nearest, "theorem-b1", marks=pytest.mark.long),
        pytest.param(cap_by_the_whole_past, "theorem-b1", marks=pytest.mark.long),
        (start_with_anything, "hindsight.initial-state.given"),
        pytest.param(conjure, "hindsight.initial-state.given", marks=pytest.mark.long),
        (evict_the_most_recent_of_an_odd_overflow, "stack.lru"),
        pytest.param(evict_the_most_recent_of_an_odd_overflow, "stack.tlru", marks=pytest.mark.long),
        pytest.param(evict_the_most_recent_of_an_odd_overflow, "stack.tlru-round-robin", marks=pytest.mark.long),
    ],
)
def test_a_planted_fault_turns_its_row(fault, row, monkeypatch):
    claim = next(claim for claim in all_claims() if claim.id == row)
    fault(monkeypatch)
    turned = {"refuted"} if claim.compiled is None else {"refuted", "error"}
    assert decide_safely(claim).verdict in turned
