"""T-LRU of module sets with one budget for all items that a request used together."""

from dataclasses import dataclass

from teltheory.policies.node import Node, larger, on_arrays, smaller
from teltheory.policies.policy import LeastRecentlyUsed, Length, Trim, check_parameters


@dataclass(frozen=True)
class SharedTLRU(LeastRecentlyUsed):
    """T-LRU that expects a request to come back with all its items, which share max(0, sizes + q_hat - xi).

    The budget is promised to the items of the last request, the most recent first, to each at most its size. An
    item that comes alone, such as a private conversation, has the budget that `TLRU` gives it. `TLRU` itself
    counts the other items of a request among what `q_hat` stands for, which keeps more of each.

    Parameters
    ----------
    xi : int or str
        Threshold, in tokens.
    q_hat : int or str, optional
        Estimate of what the next request computes beside these items, in tokens; as for `TLRU`.
    trim : {"round-robin", "least-recent", "eager"} or None
        As for `TLRU`.
    """

    name = "shared-tlru"
    xi: Length
    q_hat: Length = None
    trim: Trim | None = None

    def __post_init__(self) -> None:
        check_parameters(self)

    @on_arrays
    def budget(self, node: Node) -> int:
        """Return what is left of the shared budget for this item, at most its size."""
        return smaller(node.past, larger(node.asked + self.q_hat - self.xi - node.ahead, 0))
