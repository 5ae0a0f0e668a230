"""Chunked prefill and decoding by hand."""

from fractions import Fraction

import numpy as np
import pytest
from refusals import refused
from serving.worlds import LATENCIES, ROUTERS, a_capacity, a_forest, a_trace

import teltheory as tt
from teltheory.cost.decoding import A100_DECODE, Decode
from teltheory.serving.batching import Chunked

SECOND = tt.LatencyModel(Fraction(1))


def served(turns, arrivals, **options):
    prompts, responses = zip(*turns, strict=True)
    trace = tt.Trace.from_turns(range(len(turns)), prompts, responses, arrivals)
    return tt.serve(trace, tt.LRU(), 0, latency=SECOND, batching=Chunked(**options))


def test_prompts_share_an_iteration():
    out = served([(3, 0), (4, 0)], [0, 0], chunk=5)
    assert (out.arrival + out.ttft).tolist() == [5, 7]
    assert out.start.tolist() == [0, 0]
    assert out.busy.tolist() == [7]


def test_who_comes_at_the_end_of_an_iteration_is_in_the_next():
    out = served([(6, 0), (2, 0)], [0, 4], chunk=4)
    assert (out.arrival + out.ttft).tolist() == [8, 8]
    assert out.start.tolist() == [0, 4]
    late = served([(6, 0), (2, 0)], [0, 4.5], chunk=4)
    assert late.start.tolist() == [0, 6]


def test_decoding_makes_prompts_wait():
    """The first request makes tokens at 2 + 3 = 5 and, beside the second's prompt, at 5 + 4 + 1/2."""
    decode = Decode(3, 0.5)
    out = served([(2, 3), (4, 0)], [0, 3], chunk=None, decode=decode)
    first = 2 + 3 + 0.5
    assert (out.arrival + out.ttft).tolist() == [2, first + 4 + 0.5]
    assert out.start.tolist() == [0, first]
    assert out.busy.tolist() == [first + 4.5]


def test_contexts_are_read():
    out = served([(2, 4), (1, 0)], [0, 2.25], chunk=None, decode=Decode(0, 0, 1))
    assert out.start.tolist() == [0, 2 + 3]
    assert out.ttft.tolist() == [2, 2.75 + 1 + 4]
    assert out.busy.tolist() == [2 + 3 + (1 + 4) + 5]


@pytest.mark.parametrize("seed", range(12))
def test_without_chunks_and_decoding_it_is_the_plain_engine(seed):
    rng = np.random.default_rng(seed)
    trace = a_forest(rng) if seed % 3 == 2 else a_trace(rng)
    capacity = a_capacity(rng, 2, ("exclusive",))
    for router in ROUTERS:
        options = {"replicas": 3, "router": router, "latency": LATENCIES[1]}
        plain = tt.serve(trace, tt.LRU(), capacity, **options)
        whole = tt.serve(trace, tt.LRU(), capacity, batching=Chunked(None), **options)
        for name in ("replica", "start", "load", "compute", "service", "busy"):
            assert getattr(plain, name).tolist() == getattr(whole, name).tolist()
        assert plain.outcome == whole.outcome


def test_answers_are_those_of_the_trace_or_of_paths_or_as_long_as_is_said():
    trace = tt.Trace.from_turns([0, 1], [4, 4], [1, 2], [0, 0])
    forest = tt.Forest.from_paths([[1, 2, 3], [1]], ask=[1, 1], block_size=16)
    assert Chunked(decode=A100_DECODE).answers(trace).tolist() == [1, 2]
    assert Chunked(decode=A100_DECODE).answers(forest).tolist() == [32, 0]
    assert Chunked(decode=A100_DECODE, response=7).answers(forest).tolist() == [7, 7]
    assert Chunked().answers(trace).tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [{"chunk": 0}, {"chunk": 1.5}, {"decode": 3}, {"response": -1}])
def test_wrong_options(wrong):
    refused(tt.ArgumentError, next(iter(wrong)), Chunked, **wrong)


@pytest.mark.parametrize("name", ["step", "per_request", "per_token"])
def test_decoding_takes_seconds(name):
    refused(tt.ArgumentError, name, Decode, **{"step": 1, name: -1})
