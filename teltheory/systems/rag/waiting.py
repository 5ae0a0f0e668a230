"""The queue of a RAG server: whose prefill is next, and why nobody starves.

1. A generation joins with a ticket; tickets count up.
2. Next is the generation of the largest OrderPriority = cached length / computation length by the cache at that
   moment (RAGCache, Jin et al. 2024, "cache-aware reordering"); of equal ones, that of the smaller ticket.
3. But the earliest, which has the smallest ticket of all that wait, is next if it was overtaken `window` times or
   has waited for `patience` seconds. A generation is *overtaken* if one with a larger ticket goes before it.

Nobody is overtaken more than `window` times. Let g be overtaken now, and e be the earliest, so that e has waited
since before g joined. Whatever overtook g before has a larger ticket than g, so than e, and went while e waited: e
was overtaken at least as often as g. As e is not next now, that is fewer than `window` times. So this is at most
the `window`-th time for g. With `window` = 0 the queue is first in, first out.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from math import inf

from teltheory.systems.rag.generation import LEFT, RUNNING, WAITING, Generation
from teltheory.systems.rag.reordering import Reordering


class Waiting:
    """Generations that wait for the GPU.

    Parameters
    ----------
    window : int
        How often a generation may be overtaken; 0 is first in, first out.
    patience : float or None
        After so many seconds a generation is overtaken by none; None: no such bound.
    order : Reordering or None
        Who has the largest OrderPriority; None if the window is 0.
    """

    def __init__(self, window: int, patience: float | None, order: Reordering | None) -> None:
        self.window, self.order = window, order
        self.patience = inf if patience is None else patience
        self.line: deque[Generation] = deque()
        self.tickets = count()
        self.waiting = self.served = self.served_before = 0

    def __len__(self) -> int:
        return self.waiting

    def join(self, generation: Generation, now: float) -> None:
        """Put a generation at the end."""
        generation.ticket, generation.joined = next(self.tickets), now
        self.line.append(generation)
        self.waiting += 1
        if self.order is not None:
            self.order.add(generation)

    def next(self, now: float) -> Generation:
        """Return who is next, of one or more; it stays in the queue."""
        earliest = self._earliest()
        if self.order is None or self.overtaken >= self.window or now - earliest.joined >= self.patience:
            return earliest
        return self.order.first() or earliest

    @property
    def overtaken(self) -> int:
        """How often the earliest was overtaken: the generations served so far that have a larger ticket."""
        return self.served - self.served_before

    def serve(self, generation: Generation) -> None:
        """Take a generation out of the queue: its prefill begins."""
        generation.state = RUNNING
        self.waiting -= 1
        self.served += 1

    def leave(self, generation: Generation) -> None:
        """Take a generation out of the queue: nobody wants it any more."""
        generation.state = LEFT
        self.waiting -= 1

    def _earliest(self) -> Generation:
        while self.line[0].state != WAITING:
            self.served_before += self.line.popleft().state != LEFT
        return self.line[0]
