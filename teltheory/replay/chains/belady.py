"""The compiled loop for Belady and Tail-Optimized Belady: the furthest next turn, found in a bitset.

What a slot holds is stored, as any slot may lose something. A turn that has come stays in the set of those to
come; its conversation's old slot holds nothing any more and is passed over. What never returns is kept only as a
sum: it goes first, and nothing asks which of it went. The caps are trimmed from a pointer on that only moves
forward: slots before it hold at most their cap.

If a log is asked for, it says after which turn (first column) what was kept for which turn (second column) lost
something to an eviction, in the order in which that happened; trimming to caps is not in it.
"""

from teltheory.model.numbers import IntArray
from teltheory.replay.bitset import Bitset, clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.chains.slots import Layout
from teltheory.replay.chains.stored import serve, trim_to
from teltheory.replay.compiled import compiled, inlined


@inlined
def _evict_furthest(
    holds: IntArray, previous: IntArray, waiting: Bitset, overflow: int, k: int, log: IntArray, logged: int
) -> int:
    """Evict until the overflow is gone; return the number of log entries."""
    while overflow > 0:
        turn = largest_bit(waiting)
        slot = previous[turn]
        taken = min(holds[slot], overflow)
        holds[slot] -= taken
        overflow -= taken
        if taken > 0 and len(log):
            log[logged, 0] = k
            log[logged, 1] = turn
            logged += 1
        if holds[slot] == 0:
            clear_bit(waiting, turn)
    return logged


@compiled
def ended_have_no_cap(cap: IntArray, following: IntArray, n: int) -> bool:
    """Whether nothing is worth keeping of what never returns, which the loop relies on."""
    some = False
    for s in range(len(cap)):
        some |= (following[s] == n) & (cap[s] > 0)
    return not some


@compiled
def _await_initial(holds: IntArray, following: IntArray, n: int, waiting: Bitset) -> int:
    """Let the initial cache wait for its next turns; return what has none, which its slots then do not hold."""
    ended = 0
    for s in range(len(holds) - n):
        if following[s] == n:
            ended += holds[s]
            holds[s] = 0
        else:
            set_bit(waiting, following[s])
    return ended


@compiled
def replay_belady(layout: Layout, cap: IntArray, holds: IntArray, forced: bool, log: IntArray) -> int:
    """Replay Belady and Tail-Optimized Belady; return the number of log entries.

    `full` is what slots hold before their first cut, `holds` the initial cache and zeros; the log is of shape (m +
    2 n, 2), or empty.
    """
    previous, following, n = layout.previous, layout.following, len(layout.history)
    m = len(layout.full) - n
    overflow = holds[:m].sum() - layout.capacity
    waiting = new_bitset(n)
    ended = _await_initial(holds, following, n, waiting)
    trim = logged = 0
    for k in range(n):
        overflow += serve(layout, holds, k)
        s = m + k - 1 if forced else m + k
        if forced and k == n - 1:
            break
        if s >= m:
            if following[s] == n:
                ended += holds[s]
                holds[s] = 0
            else:
                set_bit(waiting, following[s])
        if overflow > 0:
            gone = min(ended, overflow)
            ended -= gone
            overflow -= gone
            if overflow > 0:
                trim, overflow = trim_to(cap, holds, trim, s + 1, overflow)
                logged = _evict_furthest(holds, previous, waiting, overflow, k, log, logged)
                overflow = 0
    return logged
