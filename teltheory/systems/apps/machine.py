"""One engine as the executor knows it: the contexts it keeps, what chats left there, and whether it rests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.placing import EngineView, tokens_of
from teltheory.systems.apps.waiting import Job

REMEMBERED = 20_000
"""Prefixes of chats that an engine is said to have: the latest."""


@dataclass(eq=False)
class Machine:
    """An engine beside what was done there.

    Attributes
    ----------
    kept : Kept
        The engine, with the contexts that requests of sessions share.
    given : int
        How many requests it was given so far.
    resting : float
        Until when, by `clock`, it is given nothing while another one of its model does not rest.
    clock : function
        Seconds.
    """

    kept: Kept
    clock: Callable[[], float]
    given: int = 0
    resting: float = 0.0
    _left: dict[int, None] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.kept.engine

    @property
    def rests(self) -> bool:
        """Whether it rests now."""
        return self.resting > self.clock()

    def leave(self, hashes: Iterable[int]) -> None:
        """Write down prefixes that it has computed and that no context of ours holds, the latest last."""
        for hash in hashes:
            self._left.pop(hash, None)
            self._left[hash] = None
        for hash in list(islice(self._left, max(0, len(self._left) - REMEMBERED))):
            del self._left[hash]

    def view(self, active: Sequence[Job], sharing: bool, passed: bool) -> EngineView:
        """Return it as Algorithm 1 sees it, with what runs there; one that is passed over has no room."""
        engine, used = self.engine, tokens_of(active, sharing, lambda job: 0)
        return EngineView(
            name=engine.name,
            capacity=engine.capacity,
            latency_capacity=min(engine.latency_capacity, engine.capacity),
            used=engine.capacity if passed else used,
            label=max((job.limit for job in active), key=LABELS.index, default=None),
            jobs=len(active),
            model=engine.model,
            prefixes=self.kept.hashes | self._left.keys(),
            counted={hash for job in active for hash, _ in job.prefixes},
            given=self.given,
        )
