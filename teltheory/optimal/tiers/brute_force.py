"""The optimum in tiers of tiny instances by trying every content of the tiers after every turn.

This is the judge of the linear program, of the integer program, of plans and of certificates, so it shares nothing
with them but the instance, and it is written from the problem's description. A content says of each conversation
how many units of its past each tier holds, the first ones in the first tier, the next in the second, and so on.

1. A turn reuses what the tiers hold of its history, and pays the excess of what that leaves.
2. Then all of its past is in the first tier.
3. Then any unit may go to a slower tier or be lost, if of its conversation's units those behind it do so as well.
   Every tier holds no more than its capacity; if tiers are inclusive, with copies of what the tiers before hold.
   Under forced caching the past of the conversation that arrived stays in the first tier.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from itertools import accumulate

from teltheory.model.instance import Instance
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace

__all__ = ["least_tel"]

Held = tuple[int, ...]
"""What each tier holds of a conversation."""
Content = tuple[Held, ...]
"""Of each conversation."""
Cost = Callable[[int, Held], Fraction]
"""Of a turn, by its number and what it reuses of each tier."""


def least_tel(trace: Trace, tiers: Tiers, xi: int, forced: bool = False) -> Fraction:
    """Return the least TEL of any policy; for some six turns of a few units.

    Parameters
    ----------
    trace : Trace
        Private conversations; the tiers are empty at first.
    tiers : Tiers
        Exclusive or inclusive, and loading of either kind.
    xi : int
        The threshold.
    forced : bool
        Forced caching.
    """
    instance = Instance.of(trace, tiers.capacities[0], forced=forced)
    return least_cost(instance, tiers, lambda k, reused: excess(int(instance.total[k]), reused, tiers, xi))


def excess(total: int, reused: Held, tiers: Tiers, xi: int) -> Fraction:
    """Return max(0, u - xi) of a turn that reuses ``reused[i]`` of tier i."""
    computed = Fraction(total - sum(reused))
    loading = sum((Fraction(load) * units for load, units in zip(tiers.loads, reused, strict=True)), Fraction(0))
    taken = max(computed, loading) if tiers.loading == "overlapped" else computed + loading
    return max(Fraction(0), taken - xi)


def least_cost(instance: Instance, tiers: Tiers, cost: Cost) -> Fraction:
    """Return the smallest sum over turns of ``cost(turn, reused)`` that any policy reaches."""
    values: dict[Content, Fraction] = {_nothing(instance, tiers): Fraction(0)}
    for k in range(len(instance)):
        after: dict[Content, Fraction] = {}
        arrived: dict[Content, Fraction] = {}
        for content, value in values.items():
            reused, at_hand = _arrive(content, instance, k)
            paid = value + cost(k, reused)
            arrived[at_hand] = min(paid, arrived.get(at_hand, paid))
        for at_hand, paid in arrived.items():
            for content in _after(at_hand, instance, tiers, k):
                after[content] = min(paid, after.get(content, paid))
        values = after
    return min(values.values())


def _nothing(instance: Instance, tiers: Tiers) -> Content:
    return ((0,) * len(tiers),) * instance.requests.conversations


def _arrive(content: Content, instance: Instance, k: int) -> tuple[Held, Content]:
    """Return what turn k reuses of each tier, and what there is with its past in the first tier."""
    theta, left = int(instance.requests.code[k]), int(instance.history[k])
    reused = []
    for units in content[theta]:
        reused.append(min(units, left))
        left -= reused[-1]
    past = (int(instance.past[k]), *(0 for _ in content[theta][1:]))
    return tuple(reused), (*content[:theta], past, *content[theta + 1 :])


def _after(at_hand: Content, instance: Instance, tiers: Tiers, k: int) -> Iterator[Content]:
    """Yield every content of the tiers that may follow turn k."""
    if k == len(instance) - 1:
        yield ()
        return
    stay = {int(instance.requests.code[k])} if instance.forced else set[int]()
    yield from sunk(at_hand, tiers, stay)


def sunk(at_hand: Content, tiers: Tiers, stay: Collection[int], whole: bool = False) -> Iterator[Content]:
    """Yield every content that fits and may be left of one; `stay` does not move, `whole` is all or nothing."""
    return _sunk(at_hand, 0, tuple(tiers.capacities), stay, (tiers.mode == "inclusive", whole))


def _sunk(
    at_hand: Content, number: int, room: Held, stay: Collection[int], kind: tuple[bool, bool]
) -> Iterator[Content]:
    """Yield what may be left of the conversations from `number` on in tiers with so much room."""
    if number == len(at_hand):
        yield ()
        return
    inclusive, whole = kind
    for held in [at_hand[number]] if number in stay else _sinking(at_hand[number], whole):
        taken = tuple(accumulate(held)) if inclusive else held
        left = tuple(free - units for free, units in zip(room, taken, strict=True))
        if min(left) >= 0:
            for others in _sunk(at_hand, number + 1, left, stay, kind):
                yield (held, *others)


def _sinking(held: Held, whole: bool) -> Iterator[Held]:
    """Yield what may be left of a conversation: tiers 0 to i together hold no more than they did."""
    together = tuple(accumulate(held))
    for after in _rising(together, 0):
        if not whole or set(after) <= {0, together[-1]}:
            yield tuple(now - before for now, before in zip(after, (0, *after[:-1]), strict=True))


def _rising(most: Held, least: int) -> Iterator[Held]:
    """Yield whole numbers that never fall, from `least` on, each at most the one in `most`."""
    if not most:
        yield ()
        return
    for first in range(least, most[0] + 1):
        for others in _rising(most[1:], first):
            yield (first, *others)
