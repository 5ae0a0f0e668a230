"""The fast loop of forests: its runs, what it takes for prefixes, and that it agrees with the reference."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import by_both_engines, fewer
from strategies import forests, given_columns, named

import teltheory as tt
from teltheory.model.instance import ForestInstance
from teltheory.policies import Node, on_arrays
from teltheory.policies.policy import LeastRecentlyUsed
from teltheory.replay.trees.orders import replay_by_orders
from teltheory.replay.trees.recency import kept_by_recency, replay_by_recency
from teltheory.replay.trees.reference import replay_reference
from teltheory.replay.trees.runs import Runs, highest


class BudgetsThatFall(LeastRecentlyUsed):
    """What is kept is no prefix: longer marks have smaller budgets."""

    @on_arrays
    def budget(self, node: Node) -> int:
        """Return 5 less the past, 0 or more."""
        return np.maximum(5 - node.past, 0)


class DropsTheLong(LeastRecentlyUsed):
    """What is kept is no prefix: what long paths go through is not."""

    @on_arrays
    def drops(self, node: Node) -> bool:
        """Drop what is longer than 3."""
        return node.past > 3


class ByReads(LeastRecentlyUsed):
    """An order that is not by recency."""

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        """Return how often a block was read."""
        return node.hits


@st.composite
def branches(draw):
    """Forests whose nodes have lengths: conversations that shorten their histories."""
    columns = draw(given_columns(st.integers(0, 2), st.integers(0, 5), 10))
    return tt.Trace.from_turns(**columns).forest


def in_long_units(forest, *numbers):
    """Return how much longer units may be, beside some numbers of them, and the forest in them."""
    sums = (column.sum() for column in (forest.past, forest.total))
    unit = 2**62 // int(max(1, forest.peak, *sums, *numbers))
    return unit, replace(forest, **{name: getattr(forest, name) * unit for name in ("length", "ask", "total")})


@st.composite
def by_recency(draw):
    """Policies of the loop, and whether it replays them in strict caches."""
    xi, q_hat = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    trim = draw(st.sampled_from(("least-recent", "eager")))
    mark = draw(st.sampled_from(("high-water", "last")))
    return draw(st.sampled_from((tt.TLRU(xi, q_hat, trim, mark), tt.LRU(), tt.ThresholdLRU(xi))))


def modes(forest):
    """Return what forced caching says, from no path exempt to the latest three."""
    ends = forest.past.tolist()
    return st.sampled_from([0, 1, 2, 3]).map(
        lambda running: (running, sum(sorted(ends)[-running:] if running else []))
    )


@given(st.data(), forests() | branches(), by_recency(), st.booleans(), st.integers(0, 8))
def test_the_loop_agrees_with_the_reference(data, forest, policy, strict, capacity):
    running, least = data.draw(modes(forest))
    instance = ForestInstance.of(forest, capacity + least, forced=running > 0, running=max(running, 1))
    kept = kept_by_recency(policy, forest, strict)
    assert (kept is None) == (strict and getattr(policy, "mark", "") == "last")
    plain = replay_reference(instance, policy, strict)
    assert replay_by_orders(instance, policy, strict) == plain
    if kept is not None:
        assert replay_by_recency(instance, kept) == plain


def seeded_forests(count, seed):
    """Yield forests that share much, and a generator to draw a case from."""
    draw = random.Random(seed)
    for _ in range(count):
        spelt = []
        for _ in range(draw.randint(1, 12)):
            begins = draw.choice(spelt) if spelt else []
            fresh = [draw.randint(0, 1) for _ in range(draw.randint(0, 3))]
            spelt.append(begins[: draw.randint(0, len(begins))] + fresh)
        ask = [draw.randint(max(len(word) - 1, 0), len(word)) for word in spelt]
        yield tt.Forest.from_paths(named(spelt), ask, [asked + draw.randint(0, 2) for asked in ask]), draw


@pytest.mark.parametrize("mark", ["high-water", "last"])
def test_seeded_forests(mark):
    for forest, draw in seeded_forests(fewer(10_000), 22):
        policy = tt.TLRU(draw.randint(0, 5), 1, draw.choice(("least-recent", "eager")), mark)
        instance = ForestInstance.of(forest, draw.randint(1, 8))
        kept = kept_by_recency(policy, forest, strict=False)
        assert replay_by_recency(instance, kept) == replay_reference(instance, policy, strict=False)


OTHERS = (BudgetsThatFall(), DropsTheLong(), ByReads(), tt.Belady(), tt.EndAwareTLRU(3, 1, "eager"))


@pytest.mark.parametrize("policy", [*OTHERS, tt.TLRU(3, 1, mark="resident"), tt.LengthAwareTLRU(3)])
def test_policies_of_other_loops(policy):
    forest = tt.Forest.from_paths([[1, 2, 3, 4], [1, 2], [5]])
    assert kept_by_recency(policy, forest, strict=False) is None


@given(forests() | branches(), st.integers(0, 12), st.booleans())
def test_what_is_kept_of_no_prefix_takes_another_loop(forest, capacity, strict):
    for policy in OTHERS:
        by_both_engines(forest, policy, capacity, cache="strict" if strict else "holes")


def runs_by_hand(forest):
    """Return, for each request, its last requests before and how far each reaches, unit by unit."""
    last, found = {}, []
    units = forest.by_units()
    for k in range(len(units)):
        path = units.path(k)
        slots = [last.get(unit) for unit in path]
        ends = [i for i, slot in enumerate(slots) if slot is not None and slots[i + 1 : i + 2] != [slot]]
        found.append([(slots[i], i + 1) for i in ends])
        last.update(dict.fromkeys(path, k))
    return found


@given(forests() | branches())
def test_runs_are_what_a_walk_over_units_finds(forest):
    end, start, slot, to = Runs.of(forest)
    pairs = list(zip(slot.tolist(), to.tolist(), strict=True))
    assert [pairs[a:b] for a, b in pairwise(start)] == runs_by_hand(forest)
    assert end.tolist() == forest.past.tolist()


@given(st.data(), forests() | branches())
def test_the_highest_reach_is_that_of_all_requests_through_a_unit(data, forest):
    own = [data.draw(st.integers(0, end)) for end in forest.past.tolist()]
    units = forest.by_units()
    reached, found = {}, []
    for k, reach in enumerate(own):
        path = units.path(k)
        reached |= {unit: max(reached.get(unit, 0), reach) for unit in path}
        found.append(sum(depth < reached[unit] for depth, unit in enumerate(path)))
    assert highest(Runs.of(forest), np.array(own, np.int64)).tolist() == found


def test_runs_are_found_once_per_forest():
    forest = tt.Forest.from_paths([[1, 2], [1, 3], [1, 2]])
    assert Runs.of(forest) is Runs.of(forest)
    assert Runs.of(forest).slot.tolist() == [0, 1, 0]


def test_lengths_beyond_32_bits():
    unit = 2**40
    trace = tt.Trace.from_turns(
        [0, 1, 0, 1, 0], [unit, unit, 1, 2, 3], [0] * 5, history=[0, 0, unit // 2, unit, unit // 2]
    )
    for policy in (tt.LRU(), tt.TLRU(unit // 4, 1, "least-recent")):
        small, large = (
            tt.replay(f, policy, c, engine="kernel") for f, c in ((trace.forest, unit), (trace.forest, 3 * unit))
        )
        assert large.cached.tolist() == [0, 0, unit // 2, unit, unit // 2]
        assert small.cached.tolist() != large.cached.tolist()


@pytest.mark.parametrize("mark", ["high-water", "last"])
def test_both_compiled_loops_agree_on_the_mooncake_trace(mooncake_blocks, mark):
    for capacity in (586, 1953, 5859):
        instance = ForestInstance.of(mooncake_blocks, capacity)
        for trim in ("least-recent", "eager"):
            policy = tt.TLRU(54, 23, trim, mark)
            kept = kept_by_recency(policy, mooncake_blocks, strict=False)
            assert replay_by_recency(instance, kept) == replay_by_orders(instance, policy, strict=False)
