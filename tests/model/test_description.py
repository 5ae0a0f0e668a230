"""A description of a trace, against the same counted from the paths of its requests."""

import math
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, given_columns

import teltheory as tt
from teltheory.model.description import NEARLY_ALL, Spread


@st.composite
def traces(draw):
    """Requests that share blocks, some of one conversation; a few tokens in no full block."""
    forest = draw(forests())
    n, size = len(forest), draw(st.sampled_from([1, 3]))
    rest = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    tokens = (forest.total * size + np.array(rest, np.int64)).tolist()
    conversation = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    trace = tt.Trace.from_turns(conversation, tokens, [1] * n, forest.arrival, [0] * n)
    paths = [forest.path(k) for k in range(n)]
    more = {"block_size": size, "tokens": tokens}
    return trace.with_blocks(tt.Forest.from_paths(paths, forest.ask, forest.total, forest.arrival, **more))


def spread(values):
    """Mean, nearest-rank percentiles and greatest, by sorting."""
    if not len(values):
        return None
    ranked = sorted(values)
    points = [ranked[math.ceil(len(ranked) * q / 100) - 1] for q in (50, 90, 95, 99, 100)]
    return (pytest.approx(sum(ranked) / len(ranked)), *points)


def shown(found):
    return None if found is None else tuple(vars(found).values())


@given(traces())
def test_blocks_are_described_as_their_paths_say(trace):
    found, forest = tt.describe(trace), trace.blocks
    inputs = [forest.path(k)[: forest.ask[k]] for k in range(len(forest))]
    size, tokens = forest.block_size, int(forest.inputs.sum())
    reads, gaps, waits, latest, seen, hits = {}, [], [], {}, set(), 0
    for k, path in enumerate(inputs):
        hits += sum(block in seen for block in path)
        for block in path:
            reads.setdefault(block, []).append(k)
            if block in latest:
                gaps.append(k - latest[block])
                waits.append(forest.arrival[k] - forest.arrival[latest[block]])
        latest.update(dict.fromkeys(forest.path(k), k))
        seen.update(forest.path(k))
    assert found.reads == sum(map(len, inputs))
    assert shown(found.gaps) == spread(gaps)
    assert shown(found.waits) == spread(waits)
    assert found.footprint == size * len(seen)
    assert found.ceiling == Fraction(size * hits, max(tokens, 1))
    assert shown(found.inputs) == spread(trace.total.tolist())
    readers = {block: len({trace.conversation[k] for k in ks}) for block, ks in reads.items()}
    for part in found.shared:
        blocks = [b for b, r in readers.items() if part.least <= r and (part.most is None or r <= part.most)]
        assert part.blocks == len(blocks)
        assert part.share == Fraction(size * sum(len(reads[b]) for b in blocks), max(tokens, 1))
    if tokens:
        assert sum(part.share for part in found.shared) + found.rest == 1
    if found.system_prompt is not None:
        assert found.system_prompt.blocks == sum(len(ks) >= NEARLY_ALL * len(trace) for ks in reads.values())


def test_conversations_are_described_without_blocks():
    trace = tt.Trace.from_turns([0, 1, 0, 0], [10, 20, 5, 5], [1, 2, 3, 4], [0.0, 1.0, 4.0, 9.0], [0, 0, 11, 8])
    found = tt.describe(trace)
    assert (found.requests, found.conversations, found.seconds) == (4, 2, 9.0)
    assert (found.block_size, found.reads, found.system_prompt, found.shared) == (None, None, None, ())
    assert shown(found.gaps) == spread([2, 1])
    assert shown(found.waits) == spread([4, 5])
    assert shown(found.turns) == spread([3, 1])
    assert found.footprint == trace.forest.peak == 11 + 22 + 8 + 9
    assert found.ceiling == found.chain_ceiling == Fraction(19, 59)
    assert tt.describe(trace[:0]).inputs is None


@given(given_columns(), st.integers(0, 9), st.sampled_from([1, 3]))
def test_the_footprint_is_the_forest_of_the_conversations(columns, kept, size):
    if columns["history"]:
        columns["history"][0] = kept
    trace = replace(tt.Trace.from_turns(**columns), block_size=size)
    assert tt.describe(trace).footprint == size * trace.forest.peak


def test_a_description_of_conversations_holds_columns_and_no_objects():
    n, most_bytes_a_turn = 20_000, 120
    trace = tt.Trace.from_turns(
        np.arange(n) % (n // 4), np.ones(n, int), np.ones(n, int), np.arange(n, dtype=float)
    )
    tracemalloc.start()
    try:
        tt.describe(trace)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most_bytes_a_turn * n


def test_plain_data_has_no_fractions():
    data = tt.describe(tt.Trace.from_turns([0], [4], [1], [0.0])).as_dict()
    assert data["ceiling"] == 0.0
    assert data["inputs"] == vars(Spread(4.0, 4, 4, 4, 4, 4))


def test_the_mooncake_trace(mooncake_trace):
    found = tt.describe(mooncake_trace)
    assert (found.requests, found.block_size, found.reads) == (12_031, 512, 276_491)
    assert found.footprint == 170_899 * 512
    assert found.system_prompt.blocks == 1
    assert [part.blocks for part in found.shared] == [166_816, 2_898, 1_171, 13, 1]
    assert float(found.ceiling) == pytest.approx(0.37338, abs=5e-6)
    assert float(found.chain_ceiling) == pytest.approx(0.33750, abs=5e-6)
