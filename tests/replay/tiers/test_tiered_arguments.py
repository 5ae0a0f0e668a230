"""What a replay in tiers refuses, in one line."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from tiered import ByLength

import teltheory as tt
from teltheory.policies import GDSF, PGDSF, S3FIFO, TTL, LeastRecentlyUsed, Memory, RetrievalPGDSF, TwoQ
from teltheory.replay.tiers.nodes import memory_of

TWO = tt.Tiers((4, 4), (0, 0))
FOREST = tt.Forest.from_paths([[1, 2], [1, 3], [4], [5, 6]], arrival=[0, 1, 2, 3])
TRACE = tt.Trace.from_turns([0, 1, 0], [1, 1, 1], [1, 0, 0])
WHOLE = tt.WholeNodes()
LEARNT = RetrievalPGDSF(ByLength())


@pytest.mark.parametrize(
    ("trace", "policy", "capacity", "options", "said"),
    [
        (FOREST, (tt.LRU(),), TWO, {}, "policy: found (LRU(),), expected one, or one for each of the tiers, 2"),
        (FOREST, (tt.LRU(), TwoQ()), TWO, {}, "expected one that orders nodes by a key of each, as tiers do"),
        (FOREST, S3FIFO(), 4, {"cache": WHOLE}, "expected one that orders nodes by a key of each"),
        (FOREST, TTL(5), TWO, {"cache": WHOLE}, "policy: found TTL(seconds=5), expected one that orders nodes"),
        (FOREST, tt.LRU, TWO, {}, "expected one with rules, as tiers are replayed by those alone"),
        (FOREST, (tt.TLRU(1, 1), tt.TLRU(1, 1, mark="last")), TWO, {}, "expected policies with the same mark"),
        (FOREST, tt.LRU(), TWO, {"cache": "holes"}, "cache: found 'holes', expected 'strict' or WholeN"),
        (FOREST, tt.LRU(), TWO, {"cache": tt.RadixNodes()}, "expected 'strict' or WholeNodes() in tiers"),
        (FOREST, tt.LRU(), TWO, {"running": 2, "forced": True}, "running: found 2, expected 1 in tiers"),
        (TRACE, tt.LRU(), TWO, {"initial": [(0, 1, 1)]}, "initial: found [(0, 1, 1)], expected an empty cache"),
        (TRACE, GDSF(), TWO, {}, "trace: found 'private conversations', expected a Forest in tiers for GDSF()"),
        (TRACE, tt.LRU(), TWO, {"cache": WHOLE}, "cache: found WholeNodes(block=1), expected a Forest with it"),
        (TRACE, tt.LRU(), tt.Tiers((1, 4), (0, 0)), {"forced": True}, "turn 0: forced caching must keep a past"),
        (FOREST, tt.LRU(), 1, {"cache": WHOLE}, "turn 0: forced caching must keep a past of length 2, expected"),
        (FOREST, tt.LRU(), 7, {"cache": tt.WholeNodes(4)}, "turn 0: forced caching must keep a past of length 8"),
        (FOREST, LEARNT, TWO, {}, "expected tt.WholeNodes(), as the policy's costs are those of whole nodes"),
        (FOREST, PGDSF((1, 2)), TWO, {"cache": WHOLE}, "expected a cost of 0 or more for each of 6 nodes"),
    ],
)  # fmt: skip
def test_one_line_says_what_was_wrong(trace, policy, capacity, options, said):
    error = refused(ValueError, "expected", tt.replay, trace, policy, capacity, **options)
    assert said in str(error)


@pytest.mark.parametrize(("block", "said"), [(0, "1 unit"), (-1, "a whole number"), (1.5, "a whole number")])
def test_blocks_are_whole(block, said):
    refused(tt.ArgumentError, f"block: found .*, expected {said}", tt.WholeNodes, block)


class Chooses(Memory):
    def victim(self, nodes, held):
        return max(nodes, key=lambda node: node.code)


class SaysSo(Chooses):
    by_key = True


@pytest.mark.parametrize("kind", [Chooses, SaysSo])
def test_who_chooses_otherwise_has_to_say_that_it_goes_by_keys(kind):
    class Own(LeastRecentlyUsed):
        def memory(self, instance):
            return kind()

    refused(tt.ArgumentError, "orders nodes by a key", lambda: memory_of(Own(), FOREST, 4))


def test_documents_weigh_what_their_units_do_on_average():
    forest = replace(FOREST, length=np.array([3, 2, 1, 1, 1, 1], np.int64))
    by_units, by_nodes = (PGDSF.by_depth(0.5).weights(forest), PGDSF.by_depth(0.5).node_weights(forest))
    assert by_units.tolist() == [1, 1.5, 2, 2.5, 3, 2.5, 1, 1, 1.5]
    assert by_nodes.tolist() == [1.5, 2.75, 2.5, 1, 1, 1.5]
    assert PGDSF((3, 4, 5, 6, 7, 8)).weights(forest).tolist() == [1, 1, 1, 2, 2, 5, 6, 7, 8]
    assert GDSF().node_weights(forest).tolist() == [1] * 6
