"""Compiled loops for LRU and the T-LRU variants: slots in order of recency, and pointers that only move forward.

Every slot before the *tail* was evicted and every slot after it lost nothing, so what a slot holds need not be
stored: it follows from where the slot stands. A slot whose conversation came back holds nothing; `following` says
so.

1. LRU, Threshold-LRU and eager T-LRU: slots after the tail hold `full`; `rest` is the sum of that, and what the
   tail's own slot holds is what the capacity left it when `rest` was largest.
2. Trimming by recency has a pointer of its own: slots before it hold `least`, slots after it `full`. Nothing is
   evicted before the pointer has passed every slot under the cut. `left` is what the tail's own slot holds, `over`
   the surplus that the trim pointer's own slot holds, `rest` everything else.
3. Round-robin trimming keeps the surpluses in a segment tree (`teltheory.replay.chains.rounds`): O(log
   conversations) a turn, amortised.

1 and 2 take amortised O(1) a turn and write nothing but the outcome. What decides their speed is how often the
processor guesses a branch wrong, so they choose between values where they can instead of between ways. Under
forced caching a slot is exempt until the cut after the next turn; `exempt` has what it holds until then, and is
None under optional caching, for which the loops are compiled without all that.
"""

from typing import NamedTuple

from teltheory.model.numbers import IntArray
from teltheory.replay.chains.rounds import exchange, new_tree, trim_rounds
from teltheory.replay.compiled import compiled, inlined


class Layout(NamedTuple):
    """What the loops read (see `Slots` and `SlotRules`), and `cached` and `uncached`, which they write."""

    history: IntArray
    prompt: IntArray
    full: IntArray
    previous: IntArray
    following: IntArray
    capacity: int
    cached: IntArray
    uncached: IntArray


@compiled
def _held_at_start(layout: Layout) -> int:
    """Return what the initial cache holds once it came under a cut."""
    return int(layout.full[: len(layout.full) - len(layout.history)].sum())


@compiled
def _under_exemption(exempt: IntArray, full: IntArray, s: int, k: int) -> int:
    """Return what is held more when slot s is exempt and the slot before it no longer."""
    change = int(exempt[s])
    if k > 0:
        change += full[s - 1] - exempt[s - 1]
    return change


@compiled
def replay_lru(layout: Layout, exempt: IntArray | None) -> None:
    """Replay LRU, Threshold-LRU and eager trimming: a slot is cut to `full` at once, then LRU."""
    history, prompt, full, previous, following, capacity, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    rest = most = _held_at_start(layout)  # what the slots after the tail hold; its maximum since the tail moved
    tail = -1  # the least recent slot that may hold anything; it holds what `most` left it
    for k in range(n):
        before = previous[k]
        whole = full[max(before, 0)]
        removed = whole if before > tail else 0  # before the tail all is gone; the tail's slot is not in `rest`
        held = min(whole, capacity - most) if before == tail else removed
        reused = min(held, history[k])
        cached[k] = reused
        uncached[k] = history[k] + prompt[k] - reused
        rest -= removed
        if exempt is None:
            rest += full[m + k]
        else:
            rest += _under_exemption(exempt, full, m + k, k)
            if k == n - 1:
                break  # no cut after the last turn
        if rest > capacity:
            while rest > capacity:  # the new tail's slot is the first without which the others fit
                tail += 1
                rest -= full[tail] if following[tail] > k else 0
            most = rest
        # What the tail's slot lost does not come back when others leave.
        most = max(most, rest)


@compiled
def _budget(full: IntArray, least: IntArray | None, safe: int, s: int) -> int:
    return int(max(full[s] - safe, 0) if least is None else least[s])


@compiled
def replay_least_recent_trim(layout: Layout, least: IntArray | None, safe: int, exempt: IntArray | None) -> None:
    """Replay the T-LRU variants with least-recent trim; without `least` a slot's surplus is `safe` at most."""
    history, prompt, full, previous, following, capacity, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    rest = _held_at_start(layout)  # budgets after the tail and surpluses after the trim pointer
    # The last slots that may have lost budget (tail) and surplus (trim), and what they still have of it.
    tail, trim, left, over = -1, -1, 0, 0
    for k in range(n):
        before = previous[k]
        slot = max(before, 0)
        budget = _budget(full, least, safe, slot)
        within = budget if before > tail else 0  # at a pointer's own slot `left` or `over` counts instead
        surplus = full[slot] - budget if before > trim else 0
        rest -= within + surplus
        held = (left if before == tail else within) + (over if before == trim else surplus)
        left, over = 0 if before == tail else left, 0 if before == trim else over
        reused = min(held, history[k])
        cached[k] = reused
        uncached[k] = history[k] + prompt[k] - reused
        last = m + k if exempt is None else m + k - 1  # the last slot under this cut
        if exempt is None:
            rest += full[m + k]
        else:
            rest += _under_exemption(exempt, full, m + k, k)
            if k == n - 1:
                break
        while rest + left > capacity and trim < last:  # as if `over` went whole; below what fits stays
            trim += 1
            surplus = full[trim] - _budget(full, least, safe, trim)
            over = surplus if following[trim] > k else 0
            rest -= over
        over = min(over, max(capacity - rest - left, 0))
        while rest > capacity:  # all surplus is gone, and budgets alone do not fit
            tail += 1
            budget = _budget(full, least, safe, tail)
            left = budget if following[tail] > k else 0
            rest -= left
        left = min(left, capacity - rest)


@inlined
def _evict(
    full: IntArray,
    least: IntArray | None,
    safe: int,
    following: IntArray,
    k: int,
    tail: int,
    gone: int,
    overflow: int,
) -> tuple[int, int]:
    """Evict from the tail on until the overflow is gone; return the tail and what its slot lost."""
    while overflow:
        left = _budget(full, least, safe, tail) - gone if following[tail] > k else 0
        taken = min(left, overflow)
        overflow -= taken
        tail, gone = (tail, gone + taken) if taken < left else (tail + 1, 0)
    return tail, gone


@compiled
def replay_round_robin_trim(
    layout: Layout, least: IntArray | None, safe: int, rank: IntArray, exempt: IntArray | None
) -> None:
    """Replay the T-LRU variants with round-robin trim; `rank` numbers each slot's conversation by first arrival.

    A slot holds its budget, and its surplus while that is in the tree.
    """
    history, prompt, full, previous, following, capacity, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    room = capacity - _held_at_start(layout)  # below 0 between a turn and its cut only
    tree = new_tree(rank.max() + 1 if len(rank) else 1)
    for s in range(m):
        exchange(tree, rank[s], full[s] - _budget(full, least, safe, s))
    tail = gone = 0  # the first slot that still has budget, and what it lost of that
    for k in range(n):
        before = previous[k]
        content = 0  # what the old slot holds: budget from the tail on, and surplus that is in the tree
        if before >= tail:
            content = _budget(full, least, safe, before)
            if before == tail:
                content -= gone
        surplus = full[m + k] - _budget(full, least, safe, m + k) if exempt is None else 0
        content += exchange(tree, rank[m + k], surplus)
        reused = min(content, history[k])
        cached[k] = reused
        uncached[k] = history[k] + prompt[k] - reused
        room += content
        if exempt is None:
            room -= full[m + k]
        else:
            room -= _under_exemption(exempt, full, m + k, k)
            if k == n - 1:
                break
            if k > 0:  # the slot before is exempt no longer: its surplus may go (one never cut has none)
                surplus = full[m + k - 1] - _budget(full, least, safe, m + k - 1)
                exchange(tree, rank[m + k - 1], surplus)
        if room < 0:
            overflow = trim_rounds(tree, -room)
            tail, gone = _evict(full, least, safe, following, k, tail, gone, overflow)
            room = 0
