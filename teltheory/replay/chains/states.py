"""What every conversation holds after every turn of a replay, for tables that one can follow by hand."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from teltheory.model.instance import Instance
from teltheory.policies.node import Node
from teltheory.policies.policy import AnyPolicy
from teltheory.replay.chains.reference import replayed_turns


class Held(NamedTuple):
    """A conversation after a cut: its number as in `Trace.code`, L and X."""

    code: int
    past: int
    cached: int


class ServedTurn(NamedTuple):
    """A turn, counted from 0, and the cache that it leaves behind, least recent first.

    `held` has all conversations that have arrived so far or were there before. Under forced caching the cut after
    the last turn is left out, as everywhere.
    """

    turn: int
    code: int
    history: int
    prompt: int
    reused: int
    held: tuple[Held, ...]

    @property
    def total(self) -> int:
        """Length of the input."""
        return self.history + self.prompt

    @property
    def uncached(self) -> int:
        """What has to be computed."""
        return self.total - self.reused


def served_turns(instance: Instance, policy: AnyPolicy) -> Iterator[ServedTurn]:
    """Yield every turn of a reference replay with the cache after it, one at a time.

    What came before a cut that fails is there.
    """
    codes, prompts = instance.requests.code.tolist(), instance.requests.prompt.tolist()
    for k, (reused, conversations) in enumerate(replayed_turns(instance, policy)):
        yield ServedTurn(k, codes[k], int(instance.history[k]), prompts[k], reused, in_recency(conversations))


def in_recency(conversations: Mapping[int, Node]) -> tuple[Held, ...]:
    """Return what is held, least recent first; what has not arrived yet stands as the initial cache lists it."""
    ordered = sorted(conversations.values(), key=lambda c: (c.last, c.first))
    return tuple(Held(c.code, c.past, c.cached) for c in ordered)
