"""Speculative prefills by hand: an early hit, a cancellation, a regeneration, and who is admitted.

A prefill takes an eighth of a second per token and a quarter for each; a document has 4 or 20 tokens, a question
1. So a prefill takes 0.875 or 2.875 s. Stages end 1, 2 and 3 s after the arrival.
"""

import pytest
from hypothesis import given, settings
from systems.rag.small_workloads import LATENCY, workload_of, workloads

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.systems.rag.server import Server, serve

SHORT, LONG = [4, 4, 4], [20, 20, 20]


def served(lists, length, arrival=0.0, **options):
    times = [arrival] * len(lists) if isinstance(arrival, float) else arrival
    workload = workload_of(lists, length, [1.0, 1.0, 1.0], times)
    return serve(workload, Server(Tiers((60,)), tt.LRU(), **options), LATENCY)


def spent(result):
    totals = result.totals
    return totals.speculated, totals.cancelled, totals.used, totals.wasted_seconds, totals.wasted_tokens


def test_documents_that_stay_are_answered_as_soon_as_they_are_known():
    early = served([[[0], [0], [0]]], SHORT, speculation="always")
    assert (early.ttft[0], early.start[0]) == (3.0, 1.0)
    assert spent(early) == (1, 0, 1, 0.0, 0)
    assert served([[[0], [0], [0]]], SHORT).ttft.tolist() == [3.875]


def test_a_prefill_that_still_runs_goes_on():
    assert served([[[1], [0], [0]]], SHORT, speculation="always").ttft.tolist() == [3.0]
    assert served([[[0], [0], [0]]], LONG, speculation="always").ttft.tolist() == [3.875]
    assert served([[[0], [0], [0]]], LONG).ttft.tolist() == [5.875]


def test_other_documents_cancel_a_prefill_at_once():
    result = served([[[0], [1], [1]]], LONG, speculation="always")
    assert result.ttft.tolist() == [4.875]
    assert spent(result) == (2, 1, 1, 1.0, 21)
    assert result.totals.busy == 1.0 + 2.875
    assert result.written.tolist() == [20]


def test_other_documents_wait_for_the_iteration_if_it_is_not_interrupted():
    result = served([[[0], [1], [1]]], LONG, speculation="always", interruption="after the iteration")
    assert result.ttft.tolist() == [6.75]
    assert spent(result) == (2, 1, 1, 2.875, 21)
    assert result.written.tolist() == [40]


def test_another_answer_is_generated_anew_and_what_was_computed_is_cached():
    result = served([[[0], [0], [1]], [[0], [0], [0]]], SHORT, [0.0, 10.0], speculation="always")
    assert result.ttft.tolist() == [3.875, 3.0]
    assert result.cached.tolist() == [[0, 4]]
    assert spent(result) == (2, 0, 1, 0.875, 5)


def test_a_prefill_in_the_queue_is_cancelled_without_a_second_of_the_gpu():
    """The second request's first documents wait until they are replaced."""
    result = served([[[0], [0], [0]], [[1], [2], [2]]], LONG, speculation="always")
    assert result.ttft.tolist() == [3.875, 6.75]
    assert spent(result) == (3, 1, 2, 0.0, 0)


@pytest.mark.parametrize(("rule", "speculated"), [("always", 3), ("queue:1", 2), ("queue:2", 3), ("idle", 1)])
def test_a_prefill_is_admitted_by_how_many_wait_or_run(rule, speculated):
    result = served([[[k], [k], [k]] for k in range(3)], LONG, speculation=rule)
    assert result.totals.speculated == speculated


@pytest.mark.parametrize(
    ("rule", "first_tokens", "wasted"), [("spare", [8.875, 5.875], 1.0), ("idle", [10.625, 7.75], 2.875)]
)
def test_a_spare_prefill_gives_the_gpu_to_documents_that_are_known(rule, first_tokens, wasted):
    """The first request speculates at 2 s and is wrong; the second's documents are known at 3 s."""
    workload = workload_of(
        [[[0], [0], [1]], [[2], [2], [2]]], LONG, [[2.0, 2.0, 2.0], [3.0, 0.0, 0.0]], [0.0, 0.0]
    )
    result = serve(workload, Server(Tiers((60,)), tt.LRU(), speculation=rule), LATENCY)
    assert result.first_token.tolist() == first_tokens
    assert result.totals.wasted_seconds == wasted


@settings(max_examples=40)
@given(workloads(most=12))
def test_without_a_cache_spare_prefills_delay_nobody(workload):
    options = {"tiers": Tiers((12,)), "policy": tt.LRU(), "reuse": False}
    none, spare = (serve(workload, Server(**options, speculation=rule), LATENCY) for rule in (None, "spare"))
    assert (spare.first_token <= none.first_token).all()
