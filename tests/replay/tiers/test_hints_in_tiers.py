"""Hints in tiers of memory, against their meaning in words: paths as tuples, all found anew at each step."""

from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests
from tiered import MODES, policies

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies.hinted import CLAIRVOYANT
from teltheory.replay.tiers.reference import PlainTree

LISTENING = policies().filter(lambda policy: not isinstance(policy, CLAIRVOYANT))
TIMES = st.none() | st.integers(0, 3)


@st.composite
def told(draw):
    """A forest of few blocks, with agents, and hints of every kind."""
    forest = draw(forests().filter(len))
    n = len(forest)

    def column(after=0):
        said = zip(draw(st.lists(TIMES, min_size=n, max_size=n)), after + np.zeros(n), strict=True)
        return [None if time is None else time + from_then for time, from_then in said]

    arrival = forest.arrival
    columns = {"closed_at": column(arrival), "demote_at": column(arrival), "retain_until": column()}
    columns |= {"resume_at": column(), "priority": column()}
    agent = draw(st.lists(st.none() | st.integers(0, 1), min_size=n, max_size=n))
    return forest.with_hints(tt.Hints.of(forest, agent=agent, **columns))


class InWords:
    """Exclusive tiers of blocks, least recent first, `safe` blocks at a past's end surplus; optional caching."""

    def __init__(self, forest, sizes, use, safe):
        units = forest.by_units()
        self.paths, self.ask = [units.path(k) for k in range(len(forest))], forest.ask.tolist()
        self.sizes, self.use, self.safe = sizes, use, safe
        self.arrival, self.agent = forest.arrival.tolist(), forest.hints.own_agent.tolist()
        hints = forest.hints
        names = ("close", "retain", "resume", "priority", "demote")
        rows = zip(hints.time.tolist(), hints.request.tolist(), hints.what.tolist(), strict=True)
        self.said = [(time, about, names[what]) for time, about, what in rows]
        self.tier = {}

    def later(self, r, k):
        return [q for q in range(r + 1, k + 1) if self.agent[q] == self.agent[r]]

    def counts(self, time, r, k):
        return r <= k and time <= self.arrival[k]

    def is_open(self, r, k):
        for time, about, what in self.said:
            own = what == "close" and self.agent[about] == self.agent[r] and about >= r
            if own and self.counts(time, about, k):
                after = self.later(about, len(self.paths) - 1)
                if not after or self.arrival[after[0]] >= time:
                    return False
        return True

    def holds(self, r, k):
        closed = "close" in self.use and not self.is_open(r, k)
        return not closed and not ("superseded" in self.use and self.later(r, k))

    def is_dead(self, block, k):
        return not any(block in self.paths[r] and self.holds(r, k) for r in range(k + 1))

    def order(self, block, k):
        through = [r for r in range(k + 1) if block in self.paths[r]]
        place = self.paths[through[0]].index(block)
        spare = place >= max(len(self.paths[r]) for r in through) - self.safe
        return not self.is_dead(block, k), not spare, through[-1], -place

    def down(self, block, k):
        number = self.tier[block]
        below = [one for one in self.tier if any(block in p and one in p[p.index(block) :] for p in self.paths)]
        if self.is_dead(block, k) or number + 1 == len(self.sizes):
            for one in below:
                del self.tier[one]
            return
        self.tier[block] += 1
        self.fit(number + 1, k)

    def fit(self, number, k):
        while sum(tier == number for tier in self.tier.values()) > self.sizes[number]:
            held = [block for block, tier in self.tier.items() if tier == number]
            above = {p[p.index(block) - 1] for p in self.paths for block in held if block in p[1:]}
            self.down(min((one for one in held if one not in above), key=lambda one: self.order(one, k)), k)

    def demote(self, k):
        due = [
            r
            for time, r, what in self.said
            if what == "demote" and self.counts(time, r, k) and not (k and self.counts(time, r, k - 1))
        ]
        for number in reversed(range(len(self.sizes) - 1)):
            for r in due:
                others = [q for q in range(k + 1) if q != r and self.is_open(q, k) and not self.later(q, k)]
                for block in reversed(self.paths[r]):
                    if self.tier.get(block) == number and not any(block in self.paths[q] for q in others):
                        self.lower(block, k)

    def lower(self, block, k):
        number = self.tier[block]
        for child in {p[p.index(block) + 1] for p in self.paths if block in p[:-1]}:
            if self.tier.get(child) == number:
                self.lower(child, k)
        if block in self.tier:
            self.down(block, k)

    def serve(self):
        for k, path in enumerate(self.paths):
            asked = path[: self.ask[k]]
            yield [sum(self.tier.get(block) == number for block in asked) for number in range(len(self.sizes))]
            self.tier.update(dict.fromkeys(path, 0))
            if "demote" in self.use:
                self.demote(k)
            self.fit(0, k)


USES = st.sets(st.sampled_from(["close", "superseded", "demote"]))
SIZES = st.lists(st.integers(1, 3), min_size=2, max_size=3)


@given(told(), SIZES, USES, st.integers(0, 3))
def test_tiers_listen_as_said_in_words(forest, sizes, use, safe):
    policy = tt.Hinted(tt.TLRU(safe, 0, "least-recent", budget="flat"), tuple(sorted(use)))
    found = tt.replay(forest, policy, tt.Tiers(sizes, (0,) * len(sizes))).cached
    assert found.T.tolist() == list(InWords(forest, sizes, use, safe).serve())


ALL = ("close", "superseded", "retain", "resume", "priority")


@given(told(), LISTENING, st.integers(0, 8), st.booleans(), st.sets(st.sampled_from(ALL)), st.booleans())
def test_one_tier_is_one_cache(forest, policy, capacity, forced, use, after):
    capacity += int(forest.past.max()) if forced else 0
    hinted = tt.Hinted(policy, tuple(sorted(use)), "after" if after else "first")
    one, tier = (tt.replay(forest, hinted, memory, forced) for memory in (capacity, tt.Tiers((capacity,), (0,))))
    assert tier.cached[0].tolist() == one.cached.tolist()


def memory_of(forest, sizes, mode, forced):
    """Tiers that hold what running requests need."""
    room = int(forest.past.max()) if forced else 0
    sizes = [sizes[0] + room, *sizes[1:2]] if mode == "swap-out-once" else [sizes[0] + room, *sizes[1:]]
    return tt.Tiers(tuple(accumulate(sizes)) if mode == "inclusive" else sizes, (0,) * len(sizes), mode)


@given(told(), LISTENING, SIZES, st.sampled_from(MODES), st.booleans())
def test_a_policy_that_listens_to_nothing_is_itself_in_tiers(forest, policy, sizes, mode, forced):
    tiers = memory_of(forest, sizes, mode, forced)
    assert tt.replay(forest, tt.Hinted(policy, ()), tiers, forced) == tt.replay(forest, policy, tiers, forced)


@given(told(), SIZES, st.sampled_from(MODES), st.booleans(), USES)
def test_nothing_is_cached_below_what_is_not(forest, sizes, mode, forced, use):
    tiers = memory_of(forest, sizes, mode, forced)
    tree = PlainTree(forest, tiers, tt.Hinted(tt.LRU(), tuple(sorted(use))), whole=False)
    for k, leaf in enumerate(tree.forest.leaf.tolist()):
        if forced:
            tree.start(leaf, k)
            tree.finish(leaf, k)
        else:
            tree.optional(leaf, k)
        assert all(tree.parent[n] < 0 or tree.tier[tree.parent[n]] <= t for n, t in tree.tier.items())
        assert len(tree.tier) == tree.written - tree.dropped
        assert tree.copies <= tree.tier.keys()


def test_demotion_moves_a_tier_down_once_and_only_in_tiers():
    forest = replace(tt.Forest.from_paths([[1, 2], [3], [4], [1, 2]]), arrival=np.arange(4.0))
    forest = forest.with_hints(tt.Hints.of(forest, agent=["a", "b", "c", "a"], demote_at=[1, None, None, None]))
    tiers = tt.Tiers((9, 9, 9), (0, 0, 0))
    assert tt.replay(forest, tt.Hinted(tt.LRU(), "demote"), tiers).copied.tolist() == [[0, 2, 0, 0], [0] * 4]
    assert not tt.replay(forest, tt.Hinted(tt.LRU()), tiers).copied.any()
    with pytest.raises(ArgumentError, match="use: found 'demote', expected tiers of memory"):
        tt.replay(forest, tt.Hinted(tt.LRU(), "demote"), 9)
    with pytest.raises(ArgumentError, match="engine='reference' under hints in tiers"):
        tt.replay(forest, tt.Hinted(tt.LRU()), tiers, engine="kernel")
    with pytest.raises(ArgumentError, match="'strict' under hints"):
        tt.replay(forest, tt.Hinted(tt.LRU()), tiers, cache=tt.WholeNodes())


def test_what_is_dead_leaves_every_tier_and_goes_first_in_each():
    """A's blocks 1 and 2 are split between tiers when it ends; D's 5 waits below, later than E's 6 but dead."""
    spelt = [[1, 2], [3], [1, 2], [6], [5], [4], [7], [6]]
    forest = replace(tt.Forest.from_paths(spelt), arrival=np.arange(8.0))
    closed = [1, None, None, None, 6, None, None, None]
    forest = forest.with_hints(tt.Hints.of(forest, agent=list("abfedghe"), closed_at=closed))
    outcome = tt.replay(forest, tt.Hinted(tt.LRU(), "close"), tt.Tiers((1, 2), (0, 0)))
    assert outcome.by_tier.T.tolist() == [[0, 0]] * 7 + [[0, 1]]
    assert tt.replay(forest, tt.LRU(), tt.Tiers((1, 2), (0, 0))).by_tier.T.tolist()[2] == [0, 2]


@given(told(), LISTENING, st.integers(0, 8), st.sampled_from(["strict", "holes"]))
def test_a_demotion_changes_nothing_in_one_cache(forest, policy, capacity, cache):
    hints = forest.hints
    kept = hints.what != 4
    columns = {name: getattr(hints, name)[kept] for name in ("time", "request", "what", "value")}
    found = [
        tt.replay(told, tt.Hinted(policy), capacity, cache=cache, engine=engine)
        for told in (forest, forest.with_hints(replace(hints, **columns)))
        for engine in ("auto", "reference")
    ]
    assert all(one == found[0] for one in found)
