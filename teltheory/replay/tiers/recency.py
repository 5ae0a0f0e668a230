"""The compiled loop for private conversations in two tiers whose orders are by recency: pointers, as in one.

`upper` is what the first tier holds of a slot, `both` what both tiers hold of it. If the second tier's policy
keeps at least what the first's does, each order is a walk over slots, least recent first, that never goes back:

1. The first tier trims up to `trim` and evicts up to `tail`. It evicts if all surplus is gone, so that slots
   before `tail` are not in it.
2. The second tier has surplus only of what the first one trimmed. It trims up to `below`, which waits at `trim`.
3. It evicts first what the first tier evicted, up to `old`, which waits at `tail`; then what that trimmed or did
   not keep, up to `young`, which is beyond `tail` and waits at `trim`.
"""

from __future__ import annotations

from typing import NamedTuple

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import inlined, uncounted
from teltheory.replay.tiers.kernel import SAFE, WHOLE, Budget, Seen, Writes, budget_of, worth


class InBoth(NamedTuple):
    """What slots hold in the first tier and in both; and what `upper` was when it last began to change."""

    upper: IntArray
    both: IntArray
    before: IntArray


class Walks(NamedTuple):
    """How far each walk is; see the top of the file."""

    trim: int
    tail: int
    below: int
    old: int
    young: int


class Changed(NamedTuple):
    """Slots that sank at a turn: those from `trim` to `trimmed`, from `tail` to `evicted`, and the last one."""

    trim: int
    trimmed: int
    tail: int
    evicted: int
    last: int


def walks_forward(layout: Seen) -> bool:
    """Whether the loop does what a layout says; see the top of the file."""
    if len(layout.capacity) != 2 or (layout.order >= 0).any():
        return False
    if layout.least[0] == WHOLE:
        return bool(layout.least[1] == WHOLE) and _grows(layout, layout.full)
    return bool(layout.full[0] == layout.full[1]) and _grows(layout, layout.least)


def _grows(layout: Seen, rows: IntArray) -> bool:
    """Whether the second tier's policy keeps at least what the first's does."""
    first, second = rows.tolist()
    if second == WHOLE or first == second >= 0:
        return True
    if first == second == SAFE:
        scales = layout.up * layout.down[::-1]
        return bool(layout.safe[1] <= layout.safe[0]) and bool(scales[0] <= scales[1])
    return min(first, second) >= 0 and bool((layout.kept[first] <= layout.kept[second]).all())


@inlined
def _sink(
    layout: Seen, held: InBoth, budget: Budget, trims: bool, p: int, last: int, noted: int, overflow: int
) -> tuple[int, int, int]:
    """Walk on in the first tier until it fits; return also the end of what was visited, and what is left.

    What slots hold is written down, unless they are `noted` or later.
    """
    end = p
    while overflow > 0 and p <= last:
        upper = held.upper[p]
        if p < noted:
            held.before[p] = upper
        gone = max(upper - worth(layout, budget, p), 0) if trims else upper
        taken = min(gone, overflow)
        held.upper[p] = upper - taken
        overflow -= taken
        end = p + 1
        p += taken == gone
    return p, end, overflow


@inlined
def _lose(
    layout: Seen, held: InBoth, budget: Budget, trims: bool, p: int, stop: int, changed: Changed, overflow: int
) -> tuple[int, int, int]:
    """Walk on in the second tier, as far as `stop`; return also what is left, and what went that had just sunk."""
    through, end = 0, min(stop, changed.last)
    while overflow > 0 and p <= end:
        upper, both = held.upper[p], held.both[p]
        gone = max(both - (max(worth(layout, budget, p), upper) if trims else upper), 0)
        taken = min(gone, overflow)
        held.both[p] = both - taken
        overflow -= taken
        if p >= changed.tail:
            trimmed = (changed.trim <= p) & (p < changed.trimmed)
            if trimmed | (p < changed.evicted) | (p == changed.last):
                through += max(held.before[p] - both + taken, 0) - max(held.before[p] - both, 0)
        p += taken == gone
    return min(p, stop), overflow, through


@inlined
def _arrive(layout: Seen, held: InBoth, moved: Writes, k: int, s: int) -> tuple[int, int]:
    """Serve turn k, whose conversation has slot s, and fill its new one; return by how much the tiers grow."""
    history, past, slot = layout.history[k], layout.past[k], max(s, 0)
    upper, both = held.upper[slot], held.both[slot]
    held.upper[slot], held.both[slot] = (0, 0) if s >= 0 else (upper, both)
    upper, both = (upper, both) if s >= 0 else (0, 0)
    reused = min(both, history)
    moved.cached[0, k] = min(upper, history)
    moved.cached[1, k] = reused - min(upper, history)
    moved.written[k] = past - reused
    held.upper[k] = held.both[k] = past
    return past - upper, past - both


@inlined
def _enter(layout: Seen, held: InBoth, first: Budget, second: Budget, s: int) -> tuple[int, int]:
    """Bring a slot under its first cut; return what goes from the first tier and from both."""
    upper, both = held.upper[s], held.both[s]
    if first.row == second.row == WHOLE:
        held.before[s] = both
        return 0, 0
    held.upper[s] = min(upper, worth(layout, first, s))
    held.both[s] = min(both, max(worth(layout, second, s), held.upper[s]))
    held.before[s] = held.both[s]
    return upper - held.upper[s], both - held.both[s]


@inlined
def _cut_first(
    layout: Seen, held: InBoth, least: Budget, walks: Walks, last: int, overflow: int
) -> tuple[Walks, Changed]:
    """Cut the first tier, which overflows."""
    trim, trimmed, noted = walks.trim, walks.trim, last
    if least.row != WHOLE:
        trim, trimmed, overflow = _sink(layout, held, least, True, trim, last, last, overflow)
        noted = min(walks.trim, last)
    tail, evicted, overflow = _sink(layout, held, least, False, walks.tail, last, noted, overflow)
    changed = Changed(walks.trim, trimmed, walks.tail, evicted, last)
    return Walks(trim, tail, walks.below, walks.old, walks.young), changed


@inlined
def _cut_second(
    layout: Seen, held: InBoth, least: Budget, walks: Walks, stop: int, changed: Changed, overflow: int
) -> tuple[Walks, int]:
    """Cut the second tier, which overflows; return also what goes that had just sunk."""
    below, old, young, gone = walks.below, walks.old, walks.young, 0
    if least.row != WHOLE:
        below, overflow, gone = _lose(layout, held, least, True, below, stop, changed, overflow)
    old, overflow, through = _lose(layout, held, least, False, old, walks.tail, changed, overflow)
    gone += through
    young = max(young, walks.tail + 1)
    young, overflow, through = _lose(layout, held, least, False, young, stop, changed, overflow)
    gone += through
    return Walks(walks.trim, walks.tail, below, old, young), gone


@uncounted
def replay_two(layout: Seen, held: InBoth, moved: Writes, previous: IntArray, forced: bool) -> None:
    """Replay turn by turn, given the slot that each turn's conversation had before, -1 for none."""
    first, second = budget_of(layout, layout.full[0], 0), budget_of(layout, layout.full[1], 1)
    least, lower = budget_of(layout, layout.least[0], 0), budget_of(layout, layout.least[1], 1)
    fast, slow, inclusive = layout.capacity[0], layout.capacity[1], layout.inclusive
    used = total = 0
    walks = Walks(0, 0, 0, 0, 0)
    for k in range(len(previous)):
        last = k - 1 if forced else k
        grown, gone, through = _arrive(layout, held, moved, k, previous[k]), (0, 0), 0
        if forced and layout.past[k] > fast:  # the last turn
            moved.copied[0, k] = 0
            break
        if last >= 0:
            gone = _enter(layout, held, first, second, last)
        used, total = used + grown[0] - gone[0], total + grown[1] - gone[1]
        sunk = gone[0] - gone[1] + max(used - fast, 0)
        changed = Changed(walks.trim, walks.trim, walks.tail, walks.tail, last)
        if used > fast:
            walks, changed = _cut_first(layout, held, least, walks, last, used - fast)
            used = fast
        overflow = total - slow - (0 if inclusive else used)
        if overflow > 0:
            stop = walks.trim if least.row != WHOLE else last
            walks, through = _cut_second(layout, held, lower, walks, stop, changed, overflow)
            total -= overflow
        moved.copied[0, k] = sunk - through
        if inclusive:
            moved.copied[0, k] = max(held.both[k] - moved.cached[0, k] - moved.cached[1, k], 0)
