"""Policies on documents, one request at a time: rows by hand, and the sides that no policy passes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems.rag.small_workloads import workload_of

import teltheory as tt
from teltheory.policies import LFU
from teltheory.systems.rag.policies import (
    RememberingLFU,
    clairvoyant_policies,
    online_policies,
    policy_rows,
    policy_sides,
    question_estimate,
)

LATENCY = tt.LatencyModel(Fraction(1), Fraction(1, 8), Fraction(1), Fraction(3))
A, B, C = range(3)


def requests(lists, length, question=1, system=0):
    return workload_of([[one] for one in lists], length, [0.0], np.arange(float(len(lists))), question, system)


def row(work, tiers, policy, xi=0):
    (found,) = policy_rows(work, tiers, xi, LATENCY, {"one": policy})
    return found


def test_a_row_by_hand():
    """A and B of 2 tokens, C of 3 on a GPU of 5 and a host of 3; requests AB, C, AB, A.

    C lets AB sink to the host. The third request finds A in the GPU, loads AB and lets C sink; the fourth finds A.
    """
    work = requests([[A, B], [C], [A, B], [A]], [2, 2, 3])
    found = row(work, tt.Tiers((5, 3), (0, Fraction(1, 2))), tt.LRU(), xi=2)
    assert (found.documents, found.tokens) == (Fraction(3, 6), Fraction(2 + 2 + 2, 5 + 4 + 5 + 3))
    computed = [(5, 0), (4, 0), (1, 4), (1, 2)]
    assert found.seconds == sum(max(3, u + u * (u + 2 * c) / 8 + 1) for u, c in computed)
    assert found.tel == (5 - 2) + (4 - 2) + 0 + 0
    assert (found.loaded, found.copied) == (2, 2 + 3)


def test_the_system_prompt_is_no_document():
    work = requests([[A], [A]], [4], system=3)
    found = row(work, tt.Tiers((7,)), tt.LRU())
    assert (found.documents, found.tokens) == (Fraction(1, 2), Fraction(7, 16))


lists = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=2, unique=True), min_size=1, max_size=10)
sizes = st.lists(st.integers(1, 3), min_size=4, max_size=4)


@settings(max_examples=30)
@given(lists, sizes, st.integers(0, 3), st.integers(0, 6), st.integers(0, 5), st.booleans())
def test_no_policy_passes_the_sides(lists, length, more, host, xi, exclusive):
    work = requests(lists, length)
    least = max(sum(length[one] for one in found) for found in lists)
    mode = "exclusive" if exclusive else "swap-out-once"
    tiers = tt.Tiers((least + more, host), (0, Fraction(1, 4)), mode)
    policies = {"lru": tt.LRU(), "t-lru": tt.TLRU(xi, 1, "least-recent"), **clairvoyant_policies(xi)}
    rows = policy_rows(work, tiers, xi, LATENCY, policies)
    sides = policy_sides(work, tiers, xi, rows)
    assert all(sides.tel[0] <= sides.tel[1] <= one.tel for one in rows)
    assert all(one.tokens <= sides.tokens[0] <= sides.tokens[1] for one in rows)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 3), st.integers(1, 4))
def test_belady_reaches_both_sides_where_documents_are_of_one_size_and_alone(asked, size, documents):
    work = requests([[one] for one in asked], [size] * 5)
    tiers = tt.Tiers((size * documents,))
    rows = policy_rows(work, tiers, 0, LATENCY, clairvoyant_policies(0))
    sides = policy_sides(work, tiers, 0, rows)
    assert sides.tel[0] == sides.tel[1]
    assert sides.tokens[0] == sides.tokens[1]


def test_what_lfu_forgets():
    """A is read thrice, evicted for B and C, and comes back: as new, it goes before B, which was read twice."""
    asked = [A, A, A, B, C, B, C, B, C, A, B, A]
    work = requests([[one] for one in asked], [1, 1, 1], question=0)
    tiers = tt.Tiers((1, 1), (0, 0))
    forgets, remembers = (row(work, tiers, policy).tokens for policy in (LFU(), RememberingLFU()))
    assert forgets != remembers


def test_estimates_and_names():
    work = requests([[A, B], [A, C], [A, B]], [2, 2, 3], question=2)
    assert question_estimate(work) == 2
    profile = tt.PrefillProfile.of_latency(LATENCY, 20, 20)
    policies = online_policies(work, 3, profile)
    assert (policies["t-lru"].q_hat, policies["t-lru, new tokens"].q_hat) == (2, 4)
    assert list(policies)[:5] == ["lru", "lfu", "lfu, remembers", "gdsf", "gdsf, remembers"]


def test_a_request_that_does_not_fit_is_named():
    work = requests([[A], [A, B]], [2, 2])
    with pytest.raises(tt.ForcedCachingError):
        policy_rows(work, tt.Tiers((3,)), 0, LATENCY)
