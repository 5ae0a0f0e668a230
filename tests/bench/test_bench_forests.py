import numpy as np

import teltheory as tt
from teltheory.bench import forests, peers


def test_a_sample_shares_prefixes_and_is_the_same_each_time():
    forest = forests.sampled(300)
    assert forest == forests.sampled(300)
    assert len(forest) == 300
    children = np.bincount(forest.parent[forest.parent >= 0])
    assert children.max() > 2
    assert (forest.parent < 0).sum() <= forests.SYSTEMS
    assert 0 < forest.known.sum() < forest.past.sum()


def test_copies_have_blocks_of_their_own():
    forest = tt.Forest.from_paths([[1, 2], [], [1, 3]], ask=[1, 0, 2], total=[3, 0, 2], block_size=16)
    twice = forests.repeated(forest, 5)
    copies = tt.Forest.from_paths(
        [[1, 2], [], [1, 3], [4, 5], [], [4, 6]], ask=[1, 0, 2] * 2, total=[3, 0, 2] * 2, block_size=16
    )
    assert twice == copies
    assert forests.repeated(forest, 1) == forest


def test_reads_are_the_blocks_of_each_path_root_first():
    forest = tt.Forest.from_paths([[7, 8], [], [7, 8, 9], [7]])
    assert peers.forest_requests(forest).block.tolist() == [0, 1, 0, 1, 2, 0]
    halves = tt.Forest.from_paths([[7, 8]], block_size=64).to_blocks(32)
    assert peers.forest_requests(halves).block.tolist() == [0, 1, 2, 3]


def test_without_data_both_forests_are_samples(monkeypatch, tmp_path):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    monkeypatch.setattr(forests, "REQUESTS", 50)
    shared, source = forests.shared(quick=False)
    assert (len(shared), source) == (50, "a sample")
    long, source = forests.long(10_000, quick=False)
    assert long.past.sum() >= 10_000
    assert source == "a sample, repeated"
