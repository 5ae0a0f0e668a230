"""What it costs to lose the first tier, and what replicas are worth then."""

from __future__ import annotations

from typing import Any, NamedTuple

from teltheory.model.forest import Forest
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.replicas import Replicas
from teltheory.replay.tiers.tree import TieredTree

__all__ = ["cost_of_loss"]


class Recovery(NamedTuple):
    """What a loss of the first tier costs, in units of the forest.

    Attributes
    ----------
    lost : int
        What left the cache with the first tier.
    recomputed : int
        What the requests from then on compute more than without the loss.
    reloaded : int
        What they load more from the second tier.
    replicated : int
        What was copied to the second tier for replicas before the loss.
    """

    lost: int
    recomputed: int
    reloaded: int
    replicated: int


def cost_of_loss(
    forest: Forest,
    tiers: Tiers | int,
    policies: Any,
    request: int,
    block: int = 1,
    replicas: Replicas | None = None,
) -> Recovery:
    """Return what it costs to lose the first tier before a request; all requests are served one after the other.

    Parameters
    ----------
    forest, tiers, policies, block, replicas
        As of `TieredTree`.
    request : int
        The first request after the loss, counted from 0.
    """
    kept, hit = (TieredTree(forest, tiers, policies, block, replicas) for _ in range(2))
    before = whole_number("request", request)
    for tree in (kept, hit):
        _serve(tree, forest, 0, before)
    replicated, lost = hit.replicated, hit.lose()
    for tree in (kept, hit):
        _serve(tree, forest, before, len(forest))
    return Recovery(lost, hit.written - kept.written, hit.loaded - kept.loaded, replicated)


def _serve(tree: TieredTree, forest: Forest, begin: int, end: int) -> None:
    """Serve requests, one after the other."""
    tails = (forest.total - forest.ask).tolist()
    for k, leaf in list(enumerate(forest.leaf.tolist()))[begin:end]:
        tree.start(leaf, k, tails[k])
        tree.finish(leaf, k)
