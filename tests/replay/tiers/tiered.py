"""Forests of documents, tiers and policies for Hypothesis, and steps on a tree."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

import numpy as np
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.nodes import sums_down
from teltheory.policies import FIFO, GDSF, LFU, PGDSF, SLRU, LeastRecentlyUsed, Memory, RetrievalPGDSF
from teltheory.replay.tiers.replicas import Replicas

MODES = "exclusive", "swap-out-once", "inclusive"
LOADS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
TRIMS = st.sampled_from(["least-recent", "eager", None])
MARKS = st.sampled_from(["high-water", "resident", "last"])


class Shallow(LeastRecentlyUsed):
    """A custom policy: what begins deep goes first, and what was asked for once is not kept."""

    def drops(self, node):
        return node.hits % 3 == 2

    def eviction_key(self, node):
        return node.length - node.depth


@dataclass(frozen=True)
class ByLength:
    """A prefill whose tokens look at all before them: beta (2 alpha + beta) seconds."""

    def prefill(self, cached, uncached):
        return uncached * (2 * cached + uncached)


LEARNT = st.builds(
    RetrievalPGDSF,
    st.just(ByLength()),
    st.none() | st.sampled_from([1, 3]),
    st.sampled_from(["seconds", "requests"]),
    new_size=st.sampled_from(["request", "document"]),
    question=st.booleans(),
    remembers=st.booleans(),
    clock=st.sampled_from(["never-falls", "as-printed"]),
    clock_at=st.sampled_from(["retrieval", "end"]),
)


@dataclass(frozen=True)
class Dear(LeastRecentlyUsed):
    """What was dear to compute when it was asked for last goes last; a clock ages it."""

    def memory(self, instance):
        return _Dear()


class _Dear(Memory):
    by_key = True

    def __init__(self):
        self.clock, self.missed, self.values = 0, {}, {}

    def retrieved(self, nodes, cached, fresh, tail):
        for place, node in enumerate(nodes):
            self.values[node.code] = self.clock + fresh + tail - place + self.missed.get(node.code, 0)
        assert sum(node.length for node in nodes) == cached + fresh

    def used(self, node, resident):
        self.missed[node.code] = self.missed.get(node.code, 0) + (not resident)

    def released(self, node):
        self.values[node.code] += self.clock % 2

    def key(self, node):
        return self.values[node.code]

    def victim(self, nodes, held):
        gone = super().victim(nodes, held)
        self.clock = max(self.clock, self.key(gone))
        return gone


@st.composite
def documents(draw, most=3):
    """A forest whose nodes are documents of several tokens, and who asks for which."""
    above = draw(st.lists(st.integers(0, 8), min_size=3, max_size=8))
    parent = np.array([number % (node + 1) - 1 for node, number in enumerate(above)], np.int64)
    leaf = np.array(draw(st.lists(st.integers(-1, len(above) - 1), min_size=4, max_size=14)), np.int64)
    length = draw(st.lists(st.integers(1, most), min_size=len(above), max_size=len(above)))
    forest = replace(tt.Forest.of_nodes(parent, leaf), length=np.array(length, np.int64))
    tails = draw(st.lists(st.integers(0, 2), min_size=len(leaf), max_size=len(leaf)))
    arrival = np.arange(len(leaf)) / 2
    return replace(forest, ask=forest.past, total=forest.past + np.array(tails, np.int64), arrival=arrival)


@st.composite
def policies(draw):
    xi, q_hat, trim, mark = draw(st.integers(0, 6)), draw(st.integers(0, 3)), draw(TRIMS), draw(MARKS)
    marked = tt.TLRU(xi, q_hat, trim, mark), tt.EndAwareTLRU(xi, q_hat, trim, mark)
    clairvoyant = tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi)
    by_residence = (FIFO(), LFU(), SLRU(), GDSF(), PGDSF.by_depth(0.5))
    plain = tt.LRU(), tt.ThresholdLRU(xi), Shallow()
    return draw(st.sampled_from((*plain, *marked, *clairvoyant, *by_residence)))


@st.composite
def memories(draw, first=None, most=12, modes=MODES, tiers=3):
    """Tiers, two or more, in any mode; the size of the first may be given."""
    mode = draw(st.sampled_from(modes))
    number = 2 if mode == "swap-out-once" else draw(st.integers(2, tiers))
    size = draw(st.integers(0, most)) if first is None else first
    sizes = size, *draw(st.lists(st.integers(0, most), min_size=number - 1, max_size=number - 1))
    loads = sorted(draw(st.lists(st.sampled_from(LOADS), min_size=number - 1, max_size=number - 1)))
    return tt.Tiers(tuple(accumulate(sizes)) if mode == "inclusive" else sizes, (0, *loads), mode)


def has_replicas(tiers):
    """Whether nodes may have replicas in these tiers."""
    return len(tiers) < 3 and tiers.mode != "inclusive"


@st.composite
def tiered(draw, forest, replicas=True):
    """Tiers in which every path fits, a policy or two that go together, a block and replicas."""
    block = draw(st.integers(1, 3))
    paths = sums_down(forest.parent, -(-forest.length // block) * block)
    first = int(paths.max()) + draw(st.integers(0, 4))
    several = draw(memories(first))
    tiers = draw(st.sampled_from([tt.Tiers((first,)), several, several, several]))
    policy = draw(policies() | st.just(Dear()) | LEARNT)
    if len(tiers) > 1 and draw(st.booleans()):
        rest = len(tiers) - 1
        policy = draw(
            st.sampled_from([(policy, *[tt.LRU()] * rest), (*[LFU()] * rest, policy), (Dear(), *[policy] * rest)])
        )
    copied = replicas and has_replicas(tiers) and draw(st.booleans())
    kept = Replicas(draw(st.integers(0, 2)), draw(st.integers(0, 3))) if copied else None
    return tiers, policy, block, kept
