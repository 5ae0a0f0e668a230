"""Workloads: their shapes, their lengths beside what was released, and that seeds decide."""

import numpy as np
import pytest

from teltheory.errors import ArgumentError
from teltheory.systems.apps.workloads import (
    background,
    bing_like,
    chain_summary,
    chat,
    gpts_like,
    map_reduce,
    multi_agent,
)
from teltheory.systems.apps.workloads.application import text


def test_a_text_has_its_length_and_its_name():
    assert text("doc 1", 12) == "[doc 1]....."
    assert text("doc 1", 3) == "[do"
    assert text("x", 0) == ""
    with pytest.raises(ArgumentError, match="tokens"):
        text("x", -1)


def test_a_chain_and_a_tree():
    chain, tree = chain_summary("d", 4), map_reduce("d", 4)
    assert chain.graph.order == (0, 1, 2, 3)
    assert [chain.graph.before[k] for k in range(4)] == [(), (0,), (1,), (2,)]
    assert chain.gets == {"s3": "latency"}
    assert tree.graph.before[4] == (0, 1, 2, 3)
    assert tree.graph.stages() == {0: 1, 1: 1, 2: 1, 3: 1, 4: 0}
    assert chain.at(3.0).arrival == 3.0


def test_agents_read_all_code_and_their_comment():
    work = multi_agent(3, np.random.default_rng(0), cycles=2)
    graph = work.graph
    assert len(work.requests) == 1 + 3 + 2 * 6
    assert graph.before[4] == (1, 2, 3)
    assert graph.before[8] == (1, 2, 3, 5)
    assert graph.before[10] == (7, 8, 9)
    assert list(work.gets) == ["code 1 0", "code 1 1", "code 1 2"]


def test_agents_are_as_long_as_what_was_released():
    """Mean tokens of prompt and output a call: 1,114, 4,207, 5,280 and 5,992 in the authors' result files."""
    work = multi_agent(16, np.random.default_rng(3))
    means = [np.mean([sum(work.sizes[k]) for k in range(a, b)]) for a, b in ((0, 1), (1, 17), (17, 33), (33, 49))]
    assert means == pytest.approx([1114, 4207, 5280, 5992], rel=0.1)


def test_seeds_decide():
    def seeds(make):
        def sizes(seed):
            return [(a.arrival, a.values, a.requests) for a in make(np.random.default_rng(seed))]

        return sizes(1) == sizes(1) != sizes(2)

    assert seeds(lambda rng: bing_like(4, rng))
    assert seeds(lambda rng: gpts_like(1.0, 4, rng))
    assert seeds(lambda rng: background(1.0, 9.0, rng))
    assert seeds(lambda rng: chat(4, 1.0, rng))
    assert seeds(lambda rng: [multi_agent(2, rng)])


def test_rates_and_shares_of_what_is_drawn():
    rng = np.random.default_rng(8)
    calls = gpts_like(4.0, 2000, rng)
    assert calls[-1].arrival == pytest.approx(500, rel=0.1)
    assert {kind: sum(a.kind == kind for a in calls) for kind in {a.kind for a in calls}} == pytest.approx(
        {"productivity": 500, "image": 500, "programming": 500, "data": 500}, rel=0.15
    )
    assert len(background(3.0, 1000.0, rng)) == pytest.approx(3000, rel=0.1)
    assert background(0, 10.0, rng) == []
    outputs = [a.requests[0].sampling.max_tokens for a in bing_like(2000, rng)]
    assert (min(outputs), max(outputs)) == pytest.approx((183, 800), abs=3)
    assert np.median(outputs) == pytest.approx(253, rel=0.05)
