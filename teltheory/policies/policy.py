"""What a policy is: a small frozen value that says what is worth keeping and what goes first.

At every cut (after each turn) a replay asks the policy, in this order:

1. `drops`: what is not kept at all, overflow or not;
2. `trim`: how surplus goes, which is what a conversation holds above its `budget`: with ``"eager"`` after
   every turn, otherwise only on overflow and only until the cache fits, either whole surpluses in the order
   of `trim_key` (``"least-recent"``) or one unit of each conversation a round (``"round-robin"``);
3. `eviction_key`: on the overflow that is left, what goes first.

Conversations with the smallest key go first; among equals the least recent does. A policy that works otherwise
has one method, `cut`, instead, which lowers `Conversation.cached` itself. Where that takes more than the
conversations (times, or what was seen so far), it has `bound_to` instead of `cut`: see `TimedPolicy`. A policy
whose rules change with what turns have computed so far has `observing`: see `ObservingPolicy`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeGuard, get_args

from teltheory.errors import ArgumentError
from teltheory.instance import Instance

Trim: TypeAlias = Literal["round-robin", "least-recent", "eager"]
TRIMS: tuple[Trim, ...] = get_args(Trim)


class Turn(NamedTuple):
    """A turn that is still to come; only clairvoyant policies look at it."""

    turn: int
    history: int
    prompt: int


@dataclass(slots=True)
class Conversation:
    """What a policy sees of a conversation at a cut.

    Attributes
    ----------
    first : int
        Rank by first arrival; conversations of the initial cache come before all others, as they are listed.
    past : int
        Length L of its past.
    cached : int
        Length X of its cached prefix.
    next : Turn or None
        Its next turn, None where it never returns.
    code : int
        Its number, as in `Trace.code`.
    last : int
        Its last turn; -1 for a conversation of the initial cache that has not arrived yet.
    """

    first: int
    past: int
    cached: int
    next: Turn | None
    code: int = -1
    last: int = -1


class Policy(Protocol):
    """A caching policy, as the module's first lines describe it."""

    @property
    def trim(self) -> Trim:
        """How surplus goes."""
        ...

    def drops(self, conversation: Conversation) -> bool:
        """Whether the conversation is not kept at all."""
        ...

    def budget(self, conversation: Conversation) -> int:
        """Return how much is worth keeping, at most the past."""
        ...

    def trim_key(self, conversation: Conversation) -> int:
        """Return the order of trimming: the smallest goes first."""
        ...

    def eviction_key(self, conversation: Conversation) -> int:
        """Return the order of eviction: the smallest goes first."""
        ...


class CuttingPolicy(Protocol):
    """A policy that does the whole cut itself; with an attribute `forgets` that is true, see `cut`."""

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        """Lower what is cached by at least `overflow` in all.

        Parameters
        ----------
        conversations : sequence of Conversation
            All that have arrived so far, least recent first; under forced caching without the arriving one. Where
            the policy `forgets`, without those that a cut left nothing of and that have not arrived since.
        overflow : int
            What is cached above the capacity; 0 or less where the cache fits.
        """
        ...


class TimedPolicy(Protocol):
    """A policy whose cuts depend on arrival times, on who a conversation is, or on what was seen so far."""

    @property
    def has_kernel(self) -> bool:
        """Whether `teltheory.replay.kernel` runs it; False for a policy of one's own."""
        ...

    def bound_to(self, instance: Instance) -> Callable[[int], Policy | CuttingPolicy]:
        """Return what says for each turn of the instance, counted from 0, how to cut after it."""
        ...


class ObservingPolicy(Protocol):
    """A policy whose rules change with what turns have computed so far, and with nothing else."""

    def observing(self) -> Callable[[int], Policy | CuttingPolicy]:
        """Return what takes the uncached length of each turn, in order, and says how to cut after it."""
        ...


AnyPolicy: TypeAlias = Policy | CuttingPolicy | TimedPolicy | ObservingPolicy


def has_rules(policy: AnyPolicy) -> TypeGuard[Policy]:
    """Whether a policy works by rules, and does not cut itself, look at times or observe what turns computed."""
    return not any(hasattr(policy, method) for method in ("cut", "bound_to", "observing"))


class LeastRecentlyUsed:
    """The rules of LRU, on which the other policies build."""

    trim: Trim = "least-recent"

    def drops(self, conversation: Conversation) -> bool:
        """Keep every conversation."""
        return False

    def budget(self, conversation: Conversation) -> int:
        """Find the whole past worth keeping."""
        return conversation.past

    def trim_key(self, conversation: Conversation) -> int:
        """Let the least recent go first."""
        return 0

    def eviction_key(self, conversation: Conversation) -> int:
        """Let the least recent go first."""
        return 0


def tel_safe_budget(past: int, prompt: int, xi: int) -> int:
    """Return b = max(0, L + Q - xi), never more than L (Zhang et al. 2025, Section 1 and Figure 1)."""
    return min(past, max(0, past + prompt - xi))


def trim_order(value: object) -> Trim:
    """Return `value` where it names a way of trimming.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    for trim in TRIMS:
        if value == trim:
            return trim
    raise ArgumentError("trim", value, "one of " + ", ".join(TRIMS))
