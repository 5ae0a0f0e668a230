"""Regret on shared prefixes: no policy, in whatever cache, has less TEL than the optimum of its mode."""

from fractions import Fraction

from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import forests

import teltheory as tt
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.model.instance import ForestInstance
from teltheory.policies.spec import parse_policy
from teltheory.sweep import Grid, sweep

NAMES = ("lru", "tlru", "tlru:mark=last", "threshold-lru", "end-aware", "belady", "tail-optimized-belady")
RULES = ("strict", "holes", "sglang:mark=none", "sglang:chunk=2:mark=none", "sglang:split=yes:mark=none", "trtllm")
XIS = (0, 1, 3)


def cells_of(forest, policies, capacity, **mode):
    specs = [parse_policy(text) for text in policies]
    return sweep(forest, Grid(specs, (capacity,), XIS, q_hat=1, cutoff=2, **mode), A100_LLAMA2_7B)


@settings(max_examples=20)
@given(forests(), st.data())
def test_no_cell_is_below_the_optimum(forest, data):
    rules = data.draw(st.lists(st.sampled_from(RULES), min_size=1, max_size=2))
    forced = data.draw(st.booleans())
    pinned = forced or all(tt.Rules.of(one).references for one in rules)
    running = data.draw(st.integers(1, 3)) if pinned else 1
    room = int(ForestInstance.of(forest, 2**40, forced=True, running=running).pinned.max(initial=0))
    capacity = data.draw(st.integers(0, 4)) + room
    texts = [f"{name}{',' if ':' in name else ':'}rules={one}" for name in NAMES for one in rules]
    mode = {"forced": forced, "running": running, "rules": rules[0]}
    asked = {"method": "lp", "cache": "holes", "running": running}
    best = {xi: tt.hindsight_optimum(forest, capacity, xi, pinned, **asked).objective for xi in XIS}
    try:
        cells = cells_of(forest, texts, capacity, **mode)
    except tt.ForcedCachingError:  # a tree may need room for an output that it has
        reject()
    for cell in cells:
        assert cell.optimum == best[cell.xi]
        assert cell.regret == cell.tel - cell.optimum >= 0
        distance = cell.lru - cell.optimum
        assert cell.closed == (Fraction(cell.lru - cell.tel, distance) if distance else None)


def test_a_strict_cache_may_be_above_the_optimum_and_none_is_below():
    """Block 1 waits for the last request while 2 is kept; a strict cache has no room for 0, which is above 1."""
    forest = tt.Forest.from_paths([[0, 1], [2], [2, 3], [0], [0, 1, 4]])
    texts = ("tail-optimized-belady", "tail-optimized-belady:rules=holes")
    grid = Grid([parse_policy(text) for text in texts], (2,), (1,), q_hat=0)
    strict, holes = sweep(forest, grid, A100_LLAMA2_7B)
    assert strict.optimum == holes.optimum == 1
    assert (strict.regret, holes.regret) == (1, 0)


GOLDEN = {586: 36_692, 1_953: 30_610, 5_859: 30_568}


def test_the_mooncake_trace_has_its_known_optima(mooncake_trace):
    forest = mooncake_trace.forest
    grid = Grid([parse_policy("lru")], list(GOLDEN), (54,), q_hat="7542")
    found = {cell.capacity // 512: cell.optimum for cell in sweep(forest, grid, A100_LLAMA2_7B)}
    assert found == GOLDEN
    for blocks, tel in GOLDEN.items():
        both = tt.hindsight_optimum(forest, blocks, 54)
        assert both.lower == tel <= both.upper <= 1.005 * tel
