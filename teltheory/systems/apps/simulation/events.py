"""Simultaneous events in the simulation: what is due at one instant happens in this order.

1. Iterations of engines end, calls arrive and requests end, in the order in which they were planned.
2. The scheduler assigns what waits: it sees all that 1 brought.
3. Engines that are free begin an iteration: each sees all that 2 sent it.

What 2 or 3 bring about at the same instant is 1 again, and comes before the next 2 or 3.
"""

from __future__ import annotations

import simpy
from simpy.events import EventPriority

ASSIGN, BEGIN = 2, 3


class Later(simpy.Event):
    """An event at this very instant, after all that has a smaller priority."""

    def __init__(self, env: simpy.Environment, priority: int) -> None:
        self.env, self.callbacks = env, []
        self._ok, self._value = True, None
        env.schedule(self, EventPriority(priority))
