"""PGDSF with learnt costs: an example by hand, the formulas written down again, and GDSF as its special case."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals, refused

import teltheory as tt
from teltheory.policies import GDSF, RetrievalPGDSF
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree
from teltheory.systems.rag.workload import Workload


class Pairs:
    """T(alpha, beta) = (alpha + beta)^2 - alpha^2: attention alone, beta + 2 alpha a token."""

    def prefill(self, cached, uncached):
        return float(uncached * (uncached + 2 * cached))


class Linear:
    def prefill(self, cached, uncached):
        return float(uncached)


A, B, C = range(3)
BY_HAND = [[A, B], [B], [A], [C], [A, B], [B], [B, A], [A, B], [C]]
LENGTH, QUESTION = [2, 1, 2], 1


def workload(lists, length, question=QUESTION, arrival=None):
    most = max(map(len, lists))
    found = np.array([[*found, *[-1] * (most - len(found))] for found in lists])
    times = range(len(lists)) if arrival is None else arrival
    return Workload.of(length, found, np.array([0.0]), [question] * len(lists), list(times))


def served(work, tiers, policies, kind=TieredTree):
    """Yield the tree after each request, and what the request found in each tier."""
    tree = kind(work.forest, tiers, policies)
    for k, leaf in enumerate(work.forest.leaf.tolist()):
        cached, *_ = tree.start(leaf, k, int(work.question[k]))
        tree.finish(leaf, k)
        yield tree, cached


def priorities(tree, work, k):
    """Return the priorities of the path of a request."""
    return [tree.memories[0].key(tree.items[node]) for node in tree.path(int(work.forest.leaf[k]))]


def cached_lists(tree, work):
    return {"".join("ABC"[work.document[above]] for above in tree.path(node)) for node in tree.tier}


def test_the_example_by_hand():
    """The table of docs/rag-readings.md: found tokens, clock, priorities of the path, what is cached."""
    work = workload(BY_HAND, LENGTH)
    told = [
        (0, 0, [4, 4], {"A", "AB"}),
        (0, 0, [2], {"A", "AB", "B"}),
        (2, 0, [8], {"A", "AB", "B"}),
        (0, 2, [3], {"A", "AB", "C"}),
        (3, 2, [14, 10], {"A", "AB", "C"}),
        (0, 3, [6], {"A", "AB", "B"}),
        (1, 10, [9, 8], {"A", "B", "BA"}),
        (2, 10, [26, 25], {"A", "AB", "B"}),
        (0, 10, [16], {"A", "AB", "C"}),
    ]
    for k, (tree, cached) in enumerate(served(work, 5, RetrievalPGDSF(Pairs()), PlainTree)):
        clock = tree.memories[0].clock
        assert (cached[0], clock, priorities(tree, work, k), cached_lists(tree, work)) == told[k]


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ({"clock": "as-printed"}, [26, 25, 14]),
        ({"remembers": False}, [26, 16, 13]),
        ({"question": False}, [19, 19, 11]),
        ({"new_size": "document"}, [68, 78, 45]),
        ({"clock_at": "end"}, [31, 30, 22]),
        ({"window": 3, "window_in": "requests"}, [10, 11, 11]),
        ({"window": 3, "window_in": "seconds"}, [10, 11, 11]),
        ({"frequency": "document"}, [39, 51, 30]),
    ],
)
def test_every_reading_is_another_policy(reading, expected):
    """Priorities of A and AB after request 8, and of C after request 9."""
    work = workload(BY_HAND, LENGTH)
    policy = RetrievalPGDSF(Pairs(), documents=work.document, **reading)
    trees = enumerate(served(work, 5, policy, PlainTree))
    found = [priorities(tree, work, k) for k, (tree, _) in trees if k >= 7]
    assert [*found[0], *found[1]] == expected


class ByTheFormulas:
    """Equations 1 to 3 as they stand, in exclusive tiers, one request at a time.

    A node is the documents down to it. Nothing is kept but where nodes are, a clock and the priorities of each
    tier, and lists of all that happened.
    """

    def __init__(self, length, capacities, policy, arrival):
        self.length, self.capacities, self.policy = length, capacities, policy
        self.since = arrival if policy.window_in == "seconds" else range(len(arrival))
        self.where, self.asked, self.misses = {}, [], []
        self.clock, self.before, self.priority = [0.0, 0.0], [0.0, 0.0], [{}, {}]

    def size(self, nodes):
        return sum(self.length[node[-1]] for node in nodes)

    def inside(self, tier):
        return [node for node in self.where if self.where[node] == tier]

    def frequency(self, node, k):
        of_node = self.policy.frequency == "node"
        forgotten = of_node and not self.policy.remembers
        begun = max((i for i, one, _ in self.misses if one == node), default=0) if forgotten else 0
        asked = [i for i, one in self.asked if (one == node if of_node else one[-1] == node[-1]) and i >= begun]
        window = self.policy.window
        return sum(window is None or self.since[k] - self.since[i] < window for i in asked)

    def cost(self, node):
        rates = [rate for _, one, rate in self.misses if one == node]
        rates = rates if self.policy.remembers else rates[-1:]
        return sum(rates) / len(rates)

    def evict(self, tier, path):
        inside, latest = self.inside(tier), {node: i for i, node in self.asked}
        inner = {node[:-1] for node in inside} | (set(path) if tier == 0 else set())
        priority = self.priority[tier]
        leaves = [node for node in inside if node not in inner]
        gone = min(leaves, key=lambda node: (priority[node], latest[node], -len(node)))
        clock = self.clock if self.policy.clock == "never-falls" else self.before
        self.clock[tier] = self.before[tier] = max(clock[tier], priority[gone])
        return gone

    def miss(self, k, path, alpha, fresh):
        beta = fresh + (QUESTION if self.policy.question else 0)
        for node in path:
            if node not in self.where:
                new = beta if self.policy.new_size == "request" else self.size([node])
                self.misses.append((k, node, self.policy.profile.prefill(alpha, beta) / new))

    def serve(self, k, found):
        path = [tuple(found[: i + 1]) for i in range(len(found))]
        hits = [node for node in path if node in self.where]
        reused = [self.size(node for node in hits if self.where[node] == tier) for tier in range(2)]
        fresh = self.size(path) - sum(reused)
        self.asked += [(k, node) for node in path]
        self.miss(k, path, sum(reused), fresh)
        for tier, node in product(range(2), path):
            self.priority[tier][node] = self.clock[tier] + self.frequency(node, k) * self.cost(node)
        self.before = [0.0, 0.0]
        self.where.update(dict.fromkeys(hits, 0))
        while self.size(self.inside(0)) + fresh > self.capacities[0]:
            self.where[self.evict(0, path)] = 1
            while self.size(self.inside(1)) > sum(self.capacities[1:]):
                del self.where[self.evict(1, path)]
        self.where.update(dict.fromkeys(path, 0))
        return tuple(reused[: len(self.capacities)])


lists = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True), min_size=1, max_size=14)
readings = st.fixed_dictionaries(
    {},
    optional={
        "window": st.integers(1, 6),
        "window_in": st.sampled_from(["seconds", "requests"]),
        "frequency": st.sampled_from(["node", "document"]),
        "new_size": st.sampled_from(["request", "document"]),
        "question": st.booleans(),
        "remembers": st.booleans(),
        "clock": st.sampled_from(["never-falls", "as-printed"]),
    },
)


@given(lists, st.lists(st.integers(1, 3), min_size=4, max_size=4), st.data(), readings)
def test_the_formulas_written_down_again_find_the_same(lists, length, data, reading):
    gaps = data.draw(st.lists(st.integers(0, 3), min_size=len(lists), max_size=len(lists)))
    arrival = np.cumsum(gaps).tolist()
    work = workload(lists, length, arrival=arrival)
    least = max(sum(length[one] for one in found) for found in lists)
    capacities = (data.draw(st.integers(least, least + 4)), data.draw(st.integers(0, 8)))
    capacities = capacities[: data.draw(st.integers(1, 2))]
    policy = RetrievalPGDSF(Pairs(), documents=work.document, **reading)
    loads = (0, 0)[: len(capacities)]
    found = [cached for _, cached in served(work, tt.Tiers(capacities, loads), policy)]
    judge = ByTheFormulas(length, capacities, policy, arrival)
    assert found == [judge.serve(k, asked) for k, asked in enumerate(lists)]


@given(lists, st.lists(st.integers(1, 3), min_size=4, max_size=4), st.integers(0, 4), st.integers(0, 8))
def test_where_every_token_costs_the_same_it_is_gdsf(lists, length, more, host):
    """T linear through 0: equation 3 is a constant, whatever the sizes."""
    work = workload(lists, length)
    tiers = tt.Tiers((max(sum(length[one] for one in found) for found in lists) + more, host), (0, 0))
    policy = RetrievalPGDSF(Linear(), remembers=False, clock_at="end")
    ours, gdsf = (served(work, tiers, one) for one in (policy, GDSF()))
    assert [cached for _, cached in ours] == [cached for _, cached in gdsf]


def test_other_caches_do_not_tell_what_was_retrieved():
    forest = tt.Forest.from_paths([[1], [2], [3]])
    with pytest.raises(tt.ArgumentError, match="WholeNodes"):
        tt.replay(forest, RetrievalPGDSF(Linear()), 1, cache="strict", forced=True)


test_parameters_are_checked = refusals(
    tt.ArgumentError,
    ("window: found 0, expected", lambda: tt.policies.RetrievalPGDSF(Linear(), window=0)),
    ("window_in: found 'tokens'", lambda: tt.policies.RetrievalPGDSF(Linear(), window_in="tokens")),
    ("clock: found 'x'", lambda: tt.policies.RetrievalPGDSF(Linear(), clock="x")),
    ("documents: found None", lambda: tt.policies.RetrievalPGDSF(Linear(), frequency="document")),
)


def test_documents_are_those_of_the_forest():
    work = workload([[0], [1]], [1, 1])
    policy = tt.policies.RetrievalPGDSF(Linear(), documents=[0], frequency="document")
    refused(tt.ArgumentError, "documents: found 1", TieredTree, work.forest, 1, policy)
