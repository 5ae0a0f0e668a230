"""Algorithm 1 of RAGCache by hand: the table of docs/algorithm-1-by-hand.md, on the tree and on its reference."""

from dataclasses import replace

import numpy as np
import pytest
from tiered import ByLength

import teltheory as tt
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree

NAMES = "SABCDE"
S, A, B, C, D, E = range(6)
REQUESTS = [C, B, D, C, B, E, D]
UNITS = tt.Forest.of_nodes(np.array([-1, S, S, A, S, S]), np.array(REQUESTS))
SIZED = replace(UNITS, length=np.array([2, 2, 2, 2, 2, 1]))
FOREST = replace(SIZED, ask=SIZED.past, total=SIZED.past)
LEARNT = tt.policies.RetrievalPGDSF(ByLength(), question=False)

# After each request: the first tier, the second, both clocks, the tokens computed, copied and dropped so far.
EXCLUSIVE = [
    ("SAC", "", 0, 0, 6, 0, 0),
    ("SAB", "C", 6, 0, 8, 2, 0),
    ("SBD", "AC", 6, 0, 10, 4, 0),
    ("SAC", "BD", 12, 0, 10, 8, 0),
    ("SAB", "CD", 18, 0, 10, 10, 0),
    ("SBE", "AC", 18, 6, 11, 12, 2),
    ("SBD", "AC", 23, 6, 13, 12, 3),
]
ONCE = [
    ("SAC", "", 0, 0, 6, 0, 0),
    ("SAB", "C", 6, 0, 8, 2, 0),
    ("SBD", "AC", 6, 0, 10, 4, 0),
    ("SAC", "", 12, 6, 10, 4, 4),
    ("SAB", "C", 18, 6, 12, 4, 4),
    ("SBE", "AC", 18, 6, 13, 4, 4),
    ("SBD", "AC", 23, 11, 15, 4, 5),
]


def where(tree):
    """Return where each node is, of either tree."""
    return tree.tier if isinstance(tree, PlainTree) else {node.code: node.tier for node in tree.documents}


@pytest.mark.parametrize("kind", [TieredTree, PlainTree])
@pytest.mark.parametrize(("mode", "table"), [("exclusive", EXCLUSIVE), ("swap-out-once", ONCE)])
def test_the_table_by_hand(kind, mode, table):
    tree = kind(FOREST, tt.Tiers((6, 4), (0, 0), mode), LEARNT)
    for k, (leaf, row) in enumerate(zip(REQUESTS, table, strict=True)):
        tree.start(leaf, k)
        tree.finish(leaf, k)
        held = ["".join(NAMES[node] for node, tier in sorted(where(tree).items()) if tier == i) for i in (0, 1)]
        assert (*held, *(memory.clock for memory in tree.memories), tree.written, tree.copied, tree.dropped) == row


def test_priorities_by_hand():
    tree = TieredTree(FOREST, tt.Tiers((6, 4), (0, 0)), LEARNT)
    for k, leaf in enumerate(REQUESTS):
        tree.start(leaf, k)
        tree.finish(leaf, k)
    gpu, host = ({NAMES[node]: value for node, value in memory.values.items()} for memory in tree.memories)
    assert gpu == {"S": 18 + 7 * 6, "A": 6 + 2 * 6, "B": 12 + 2 * 6, "C": 6 + 2 * 6, "D": 18 + 2 * 6, "E": 18 + 5}
    assert host == {"S": 6 + 7 * 6, "A": 2 * 6, "B": 2 * 6, "C": 2 * 6, "D": 6 + 2 * 6, "E": 5}


def test_copying_once_costs_room_and_saves_copies():
    exclusive, once = (
        tt.replay(FOREST, LEARNT, tt.Tiers((6, 4), (0, 0), mode), cache=tt.WholeNodes())
        for mode in ("exclusive", "swap-out-once")
    )
    assert exclusive.cached.tolist() == [[0, 2, 2, 2, 2, 2, 2], [0, 0, 0, 4, 2, 0, 0]]
    assert once.cached.tolist() == [[0, 2, 2, 2, 2, 2, 2], [0, 0, 0, 4, 0, 0, 0]]
    assert exclusive.copied.tolist() == [[0, 2, 2, 4, 2, 2, 0]]
    assert once.copied.tolist() == [[0, 2, 2, 0, 0, 0, 0]]
