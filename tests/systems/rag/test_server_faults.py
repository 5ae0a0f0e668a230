"""Lost GPUs and failed generations by hand, and what recovery costs with copies of the upper nodes.

A prefill takes an eighth of a second per token and a quarter for each; the document has 4 tokens, a question 1.
"""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from systems.rag.small_workloads import LATENCY, LOAD, TIERS, faults, workload_of, workloads

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.replicas import Replicas
from teltheory.systems.rag.faults import GPULoss, RequestFault
from teltheory.systems.rag.server import Server, serve


def served(arrival, faults=(), tiers=None, load=0.0, system=0, **options):
    lists = [[[0]]] * len(arrival)
    workload = workload_of(lists, [4], [0.0], arrival, system=system)
    return serve(workload, Server(tiers or Tiers((9,)), tt.LRU(), **options), LATENCY, load, faults)


def test_a_prefill_that_the_gpu_loses_is_tried_again_after_the_time_out():
    result = served([0.0], [GPULoss(0.5)], timeout=1.0)
    assert result.first_token.tolist() == [2.375]
    assert result.failures.tolist() == [1]
    assert (result.totals.busy, result.totals.lost_seconds) == (1.375, 0.5)


def test_what_was_cached_is_lost_with_the_gpu():
    result = served([0.0, 5.0, 10.0], [GPULoss(7.0)])
    assert result.cached.tolist() == [[0, 4, 0]]
    assert result.totals.lost_tokens == 4


def test_no_prefill_begins_while_the_gpu_is_down():
    assert served([0.0, 2.0], [GPULoss(1.0, down=4.0)]).start.tolist() == [0.0, 5.0]


def test_a_loss_at_the_end_of_an_iteration_is_after_it():
    result = served([0.0, 2.0], [GPULoss(0.875)])
    assert result.first_token.tolist() == [0.875, 2.875]
    assert result.failures.tolist() == [0, 0]


def test_a_failure_before_the_first_token_computes_all_of_it_again():
    result = served([0.0], [RequestFault(0)], timeout=1.0)
    assert result.first_token.tolist() == [2.75]
    assert result.cached.tolist() == [[0]]
    assert (result.totals.busy, result.totals.lost_seconds) == (1.75, 0.875)


def test_a_failure_after_the_first_token_reuses_what_is_cached():
    result = served([0.0], [RequestFault(0, after_first_token=True)], timeout=1.0)
    assert result.first_token.tolist() == [0.875]
    assert (result.totals.resumed_seconds, result.totals.lost_seconds) == (0.375, 0.0)
    assert result.failures.tolist() == [1]


def test_each_attempt_may_fail_until_there_are_no_more_retries():
    twice = [RequestFault(0, 1), RequestFault(0, 2)]
    assert served([0.0], twice, timeout=1.0, retries=2).first_token.tolist() == [4.625]
    given_up = served([0.0], twice, timeout=1.0, retries=1)
    assert given_up.first_token.tolist() == [math.inf]
    assert (given_up.failures[0], given_up.totals.given_up) == (2, 1)


@pytest.mark.parametrize(("levels", "more"), [(0, 1.0), (1, 0.625), (2, 0.25)])
def test_recovery_costs_what_has_no_copy(levels, more):
    """The system prompt of 4 tokens and the document of 4: eighths of a second to compute, sixteenths to load."""
    tiers, replicas = Tiers((20, 20), (0, 0)), Replicas(levels)
    options = {"tiers": tiers, "load": 1 / 32, "system": 4, "replicas": replicas}
    usual = served([0.0, 5.0], **options)
    faulty = served([0.0, 5.0], [GPULoss(3.0)], **options)
    assert faulty.totals.busy - usual.totals.busy == more
    assert faulty.cached[:, 1].sum() == 4 * levels


@settings(max_examples=60, deadline=None)
@given(workloads(), faults, st.sampled_from([None, "always", "spare"]), st.integers(0, 2), st.integers(1, 2))
def test_seconds_of_the_gpu_are_used_wasted_or_lost(workload, faults, rule, retries, batch):
    options = {"window": 2, "speculation": rule, "retries": retries, "batch": batch, "timeout": 0.5}
    served = serve(workload, Server(TIERS, tt.LRU(), **options), LATENCY, LOAD, faults)
    totals = served.totals
    others = totals.wasted_seconds + totals.lost_seconds + totals.resumed_seconds
    assert totals.busy == served.prefill.sum() + others
    unanswered = ~(served.first_token < math.inf)
    assert totals.given_up == unanswered.sum()
    assert (served.failures[unanswered] > retries).all()


def test_faults_of_nobody_and_of_no_time_are_errors():
    refused(tt.ArgumentError, "faults: found 3", lambda: served([0.0], [RequestFault(3)]))
    refused(tt.ArgumentError, "attempt: found 0", RequestFault, 0, 0)
    refused(tt.ArgumentError, "at: found -1", GPULoss, -1.0)
