"""LRU on forests with a time to live."""

from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed


@dataclass(frozen=True)
class TTL(LeastRecentlyUsed):
    """LRU that forgets a block once more than `seconds` have passed since the last request through it.

    An expired block is not hit. What a running request holds does not expire.

    Parameters
    ----------
    seconds : float
        Time to live, 0 or more; it may be infinite.
    """

    name = "ttl"
    example = "ttl:seconds=300"
    loop = "expiry"
    seconds: float

    def __post_init__(self) -> None:
        if isinstance(self.seconds, str) or not self.seconds >= 0:
            raise ArgumentError("seconds", self.seconds, "0 or more")

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what forgets."""
        if instance.requests.arrival is None:
            raise ArgumentError("forest", "no arrival times", "arrival times, which the policy looks at")
        return _Silence(self.seconds)


class _Silence(Memory):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def expired(self, node: Node, now: float | None) -> bool:
        return now is not None and now - node.time > self.seconds
