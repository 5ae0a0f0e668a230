"""SGLang's router by hand; `test_against_events.py` compares it with a set of all prefixes."""

import pytest

import teltheory as tt
from teltheory.serving.cache_aware import CacheAware

FOREST = tt.Forest.from_paths([[1, 2], [3], [1, 2, 4], [3, 5, 6, 7]], arrival=[0, 0, 5, 200])


def replicas(router, forest=FOREST):
    return tt.serve(forest, tt.LRU(), 9, replicas=2, router=router).replica.tolist()


def test_the_longest_prefix_decides_above_the_threshold():
    assert replicas(CacheAware()) == [0, 1, 0, 1]
    assert replicas(CacheAware(cache_threshold=0.7)) == [0, 1, 1, 0]
    assert replicas("cache-aware") == replicas(CacheAware())


def test_a_tree_that_is_too_large_forgets_what_was_used_last():
    assert replicas(CacheAware(0, max_tree_size=0)) == [0, 1, 0, 0]
    assert replicas(CacheAware(0, max_tree_size=0, eviction_interval=0)) == [0, 1, 0, 1]
    assert replicas(CacheAware(0, max_tree_size=1)) == [0, 1, 0, 1]


def test_an_imbalance_sends_to_the_shortest_queue():
    same = tt.Forest.from_paths([[1, 2]] * 5, arrival=[0] * 5)
    assert replicas(CacheAware(), same) == [0] * 5
    assert replicas(CacheAware(balance_abs_threshold=1), same) == [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"cache_threshold": 1.5},
        {"balance_abs_threshold": -1},
        {"balance_rel_threshold": 0.5},
        {"eviction_interval": -1},
        {"max_tree_size": 0.5},
    ],
)
def test_wrong_options(wrong):
    with pytest.raises(tt.ArgumentError, match=next(iter(wrong))):
        CacheAware(**wrong)
