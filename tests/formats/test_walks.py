"""A trace with block hashes comes back from a file; what no forest has is an error at its row."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.files import wrong_files
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests

import teltheory as tt
from teltheory.formats.walks import from_walks, in_order_of_use, walks

SUFFIXES = (".csv", ".jsonl", ".parquet")


@st.composite
def traces(draw):
    """Requests that share blocks: each a conversation of its own."""
    forest = draw(forests())
    n, size = len(forest), draw(st.sampled_from([1, 16]))
    rest = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    tokens = forest.total * size + np.array(rest, np.int64)
    inputs = tokens if draw(st.booleans()) else tokens + 1
    trace = tt.Trace.from_turns(np.arange(n), inputs, np.zeros(n, np.int64), forest.arrival)
    return trace.with_blocks(replace(forest, block_size=size, tokens=tokens) if n else None)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(traces())
def test_blocks_come_back_from_a_file(suffix, tmp_path_factory, trace):
    path = tmp_path_factory.getbasetemp() / f"walks{suffix}"
    if suffix == ".jsonl" and not len(trace):
        trace = tt.Trace.from_turns([], [], [])
    tt.write_trace(trace, path)
    again = tt.read_trace(path)
    assert again == trace


@given(forests(), st.randoms())
def test_walks_keep_paths_and_number_blocks_as_they_occur(forest, random):
    order = list(range(len(forest)))
    random.shuffle(order)
    shuffled = replace(forest, **{name: getattr(forest, name)[order] for name in ("leaf", "ask", "total")})
    renumbered = in_order_of_use(shuffled)
    assert renumbered.known.tolist() == shuffled.known.tolist()
    assert renumbered.past.tolist() == shuffled.past.tolist()
    used = [node for k in range(len(forest)) for node in renumbered.path(k)]
    assert list(dict.fromkeys(used)) == list(range(renumbered.nodes))
    parent, leaf = from_walks(*walks(renumbered))
    assert (parent.tolist(), leaf.tolist()) == (renumbered.parent.tolist(), renumbered.leaf.tolist())


ROW = {"conversation": 0, "prompt": 9, "response": 0, "block_size": 4, "below": 0, "added": 2, "asked": 2}


def as_parquet(path, rows):
    pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in rows[0]}), path)
    return path


test_what_no_forest_has_is_an_error_at_its_row = wrong_files(
    "own.parquet",
    ([ROW, ROW | {"below": 3, "added": 0}], "row 2, below: found 3, expected at most 2, the blocks of the rows"),
    ([ROW, ROW | {"below": -1}], "row 2, below: found -1, expected 0 tokens or more"),
    ([ROW, ROW | {"asked": 3}], "row 2, asked: found 3, expected at most 2, the length of its path"),
    ([ROW | {"computed": 1}], "row 1, computed: found 1, expected at least 2, what it asks for"),
    ([ROW | {"tokens": 7}], "row 1, tokens: found 7, expected at least 8, those of its blocks"),
    ([ROW, ROW | {"block_size": 8}], "row 2, block_size: found 8, expected 4, as in the first row"),
    ([ROW | {"block_size": 0}], "row 1, block_size: found 0, expected at least 1 token a block"),
    ([ROW | {"added": 2**60}], "row 1, added: found 1152921504606846976, expected at most 100,000,000 blocks in"),
    ([ROW | {"stop": 5}], "row 1, stop: found 5, expected text or None"),
    ([ROW, {k: v for k, v in ROW.items() if k != "asked"}], "row 2, asked: found nothing"),
    ([{k: v for k, v in ROW.items() if k != "below"}], "row 1, below: found nothing"),
    write=as_parquet,
)
