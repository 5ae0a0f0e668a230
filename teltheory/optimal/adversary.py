"""TEL is not competitive: traces on which an online policy pays and the optimum pays nothing (docs/limits.md).

A phase, for a budget n, K conversations that are new, and a threshold xi of 1 or more:

1. Each of the K has its first turn, with a prompt of 1 and a response of n - 1. It costs nothing: 1 <= xi.
2. Under forced caching one more conversation has such a turn. It never returns; its past of n is room that nobody
   else has then.
3. One of the K returns with a prompt of xi. Its total is n + xi, so its excess is n less what is cached of it.

In hindsight a cache of n (2n under forced caching) holds the one that returns and pays nothing. A policy with h
times as much for the K conversations holds h n of the K n tokens when it can't know yet who returns. So there is
one of whom it holds at most h n / K: the adversary lets that one return, phase after phase. For a policy with dice
it takes the one of whom least is held on average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from teltheory.cost.metrics import tail_excess_latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.trace import Trace
from teltheory.optimal import hindsight_optimum
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import replay

Turns: TypeAlias = tuple[tuple[int, int, int], ...]
"""Conversation, prompt and response of each turn."""
PolicyOfSeed: TypeAlias = Callable[[int], AnyPolicy]
"""Makes a policy of the seed of its dice."""


@dataclass(frozen=True)
class Game:
    """What the adversary and the policy agree on: n, K, h, xi and the caching mode, see `adversary`."""

    budget: int = 100
    conversations: int = 2
    augmentation: int = 1
    xi: int = 1
    forced: bool = False

    def __post_init__(self) -> None:
        for name, least in (("budget", 1), ("conversations", 2), ("augmentation", 1), ("xi", 1)):
            if whole_number(name, getattr(self, name)) < least:
                raise ArgumentError(name, getattr(self, name), f"{least} or more")

    @property
    def capacity(self) -> int:
        """The policy's capacity."""
        return (self.augmentation + self.forced) * self.budget

    @property
    def optimum_capacity(self) -> int:
        """The optimum's capacity."""
        return (1 + self.forced) * self.budget

    @property
    def bound(self) -> Fraction:
        """What every online policy pays at least in a phase, on average over who returns: n - h n / K."""
        return max(Fraction(0), self.budget * (1 - Fraction(self.augmentation, self.conversations)))

    def opened(self, first: int) -> Turns:
        """Return the first turns of a phase, whose conversations are numbered from `first`."""
        new = range(first, first + self.conversations + self.forced)
        return tuple((conversation, 1, self.budget - 1) for conversation in new)

    def returned(self, conversation: int) -> Turns:
        """Return the turn with which a conversation comes back."""
        return ((conversation, self.xi, 1),)


@dataclass(frozen=True)
class Attack:
    """A trace that the adversary chose for a policy.

    Attributes
    ----------
    game : Game
        Lengths, capacities and threshold.
    trace : Trace
        The turns.
    expected : Fraction
        TEL of the policy on the trace, the mean over its seeds where it has dice.
    bound : Fraction
        What every online policy pays at least, given such a trace. A policy that pays less looked ahead.
    optimum : int
        The least TEL that is possible in hindsight, with the optimum's capacity; it has a certificate.
    """

    game: Game
    trace: Trace
    expected: Fraction
    bound: Fraction
    optimum: int

    @property
    def looks_ahead(self) -> bool:
        """Whether the policy paid less than any online policy can, so that it knew the future."""
        return self.expected < self.bound


def adversary(
    policy: AnyPolicy | PolicyOfSeed,
    budget: int = 100,
    conversations: int = 2,
    augmentation: int = 1,
    xi: int = 1,
    forced: bool = False,
    phases: int = 1,
    seeds: Iterable[int] = range(20),
) -> Attack:
    """Find a trace on which an online policy pays at least `phases` n (1 - h / K) while the optimum pays nothing.

    Parameters
    ----------
    policy : policy or callable
        The policy; or, if it has dice, what makes it of their seed. Then the trace is the worst on average.
    budget, conversations, augmentation : int
        Past n of each conversation, 1 or more (2 for responses that are not empty); new conversations K of a
        phase, 2 or more; how many times the optimum's room for them the policy has, h, 1 or more; below K for a
        bound above 0.
    xi, forced : as in `Problem`, xi 1 or more
    phases : int
        How often the game is played, with new conversations each time, 1 or more. Under forced caching with more
        than one phase a budget of xi + 1 or more.
    seeds : iterable of int
        Seeds to average over, where `policy` makes policies.

    Returns
    -------
    Attack
        The trace, what the policy pays on it, and what the optimum does.

    Raises
    ------
    ArgumentError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    """
    game = Game(budget, conversations, augmentation, xi, forced)
    if whole_number("phases", phases) < 1:
        raise ArgumentError("phases", phases, "1 or more")
    policies = [policy(seed) for seed in seeds] if callable(policy) else [policy]
    if not policies:
        raise ArgumentError("seeds", (), "at least one seed")
    turns: Turns = ()
    for phase in range(phases):
        turns = _played(game, policies, turns, phase * (conversations + forced))
    trace = _trace(turns)
    optimum = hindsight_optimum(trace, game.optimum_capacity, xi, forced=forced)
    return Attack(game, trace, expected(game, policies, turns), phases * game.bound, optimum.objective)


def _played(game: Game, policies: list[AnyPolicy], turns: Turns, first: int) -> Turns:
    """Return the turns with one more phase, whose return costs the policies most on average."""
    opened = turns + game.opened(first)
    returning = range(first, first + game.conversations)
    return max(
        (opened + game.returned(conversation) for conversation in returning),
        key=lambda played: expected(game, policies, played),
    )


def expected(game: Game, policies: list[AnyPolicy], turns: Turns) -> Fraction:
    """Return the mean TEL of policies with the game's capacity on some turns."""
    trace = _trace(turns)
    outcomes = (replay(trace, policy, game.capacity, forced=game.forced) for policy in policies)
    return Fraction(sum(tail_excess_latency(outcome, game.xi) for outcome in outcomes), len(policies))


def _trace(turns: Turns) -> Trace:
    """Return the turns as a trace, a second apart for policies that look at times."""
    conversation, prompt, response = zip(*turns, strict=True)
    return Trace.from_turns(conversation, prompt, response, arrival=range(len(turns)))
