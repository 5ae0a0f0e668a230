"""What an application is assumed to announce where a trace records nothing, and how far it is mistaken."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.announced import ORACLE
from teltheory.model.hints import CLOSE, NO_AGENT, RESUME, RETAIN, WHAT, Hints, ends_of
from teltheory.model.numbers import BoolArray, FloatArray, IntArray
from teltheory.model.requests import Requests
from teltheory.model.turns import consecutive_turns
from teltheory.model.units import Seconds, seconds_of

USUAL: Mapping[str, Seconds] = {RETAIN: "300s", RESUME: ORACLE}
"""What is assumed of times to keep and of times of return where nothing is recorded and nothing is asked."""


@dataclass(frozen=True)
class Announcement:
    """What an application announces beside what its trace records; `on` gives requests with these hints.

    Parameters
    ----------
    delay, stop : as in `Hints.announce`
    retain, resume : as in `Hints.announce`, optional
        Left out, they are as recorded; where nothing is, 300 seconds, and "oracle". `retain` may be pairs of a
        stop reason and its seconds.
    idle : Seconds, optional
        In the place of all closes: an agent is closed so long after each response, if it has not asked again.
    horizon : Seconds, optional
        Returns later than so long after the response are not known.
    missing, wrong : float
        Share of closes that never come; of agents that are closed too at a response before their last.
    error : float
        Standard deviation of the logarithm of how long an agent is said to be away: log-normal noise.
    seed : int
        Of what is missing, wrong and noisy. What is wrong at a share is wrong at each greater one.
    """

    delay: Seconds = 0
    stop: str | None = None
    retain: Any = None
    resume: Seconds | None = None
    idle: Seconds | None = None
    horizon: Seconds | None = None
    missing: float = 0
    wrong: float = 0
    error: float = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.retain, Mapping):
            object.__setattr__(self, "retain", tuple(self.retain.items()))
        for name, most in (("missing", 1), ("wrong", 1), ("error", np.inf)):
            if not 0 <= getattr(self, name) <= most:
                raise ArgumentError(name, getattr(self, name), f"0 to {most:g}" if most == 1 else "0 or more")

    def with_(self, **changed: Any) -> Announcement:
        """Return the announcement with other values in some fields."""
        return replace(self, **changed)

    def on(self, requests: Any, kinds: Collection[str] = WHAT) -> Any:
        """Return requests with what is recorded and what is announced, of some kinds of events.

        Raises
        ------
        ArgumentError
            For requests without times, or without stop reasons where they are looked at.
        """
        recorded = {WHAT[one] for one in (() if requests.hints is None else requests.hints.what.tolist())}
        given = {name: self._asked(name, recorded) for name in (RETAIN, RESUME) if name in kinds}
        ends = self.idle is None and CLOSE in kinds
        hints = Hints.announce(requests, self.delay, self.stop, close=ends, **given)
        of_ends, of_returns = (self._idle, self._missing, self._wrong), (self._near, self._noisy)
        for change in (*of_ends * (CLOSE in kinds), *of_returns * (RESUME in kinds)):
            hints = change(requests, hints)
        return requests.with_hints(hints)

    def _asked(self, name: str, recorded: set[str]) -> Any:
        """Return what is announced of times: as asked, or as usual where nothing is recorded."""
        asked = getattr(self, name)
        if asked is None:
            return None if name in recorded else USUAL[name]
        return dict(asked) if isinstance(asked, tuple) else asked

    def _drawn(self, of: str, number: int) -> FloatArray:
        """Return numbers between 0 and 1, apart for each kind of mistake."""
        return np.random.default_rng([self.seed, *of.encode()]).random(number)

    def _idle(self, requests: Requests, hints: Hints) -> Hints:
        if self.idle is None:
            return hints
        after = float(seconds_of("idle", self.idle))
        asking = np.flatnonzero(hints.agent != NO_AGENT)
        kept = only(hints, hints.what != WHAT.index(CLOSE))
        closed = _closed(kept, asking, ends_of(requests, hints)[asking] + after)
        return _said(closed, f"agents are closed {after:g} s after their last response so far")

    def _near(self, requests: Requests, hints: Hints) -> Hints:
        if self.horizon is None:
            return hints
        most, at = float(seconds_of("horizon", self.horizon)), hints.what == WHAT.index(RESUME)
        far = at & (hints.value - ends_of(requests, hints)[hints.request] > most)
        return _said(only(hints, ~far), f"returns are known {most:g} s ahead")

    def _noisy(self, requests: Requests, hints: Hints) -> Hints:
        if not self.error:
            return hints
        at = np.flatnonzero(hints.what == WHAT.index(RESUME))
        rng = np.random.default_rng([self.seed, *b"error"])
        ended, value = ends_of(requests, hints)[hints.request[at]], hints.value.copy()
        value[at] = ended + (value[at] - ended) * np.exp(self.error * rng.standard_normal(len(at)))
        words = f"times of return have log-normal errors of {self.error:g}, seed {self.seed}"
        return _said(replace(hints, value=value), words)

    def _missing(self, _: Requests, hints: Hints) -> Hints:
        if not self.missing:
            return hints
        at = np.flatnonzero(hints.what == WHAT.index(CLOSE))
        lost = np.zeros(len(hints.what), np.bool_)
        lost[at] = self._drawn("missing", len(at)) < self.missing
        return _said(only(hints, ~lost), f"{lost.sum()} of {len(at)} closes do not come, seed {self.seed}")

    def _wrong(self, requests: Requests, hints: Hints) -> Hints:
        if not self.wrong:
            return hints
        earlier, _ = consecutive_turns(hints.own_agent)
        agents, first, turns = np.unique(hints.agent[earlier], return_index=True, return_counts=True)
        places = first + (self._drawn("place", len(agents)) * turns).astype(np.int64)
        about = earlier[places[self._drawn("wrong", len(agents)) < self.wrong]]
        closed = _closed(hints, about, ends_of(requests, hints)[about])
        words = f"{len(about)} of {len(agents)} agents that return are closed before they do, seed {self.seed}"
        return _said(closed, words)


def only(hints: Hints, kept: BoolArray) -> Hints:
    """Return hints with some of their events."""
    columns = {name: getattr(hints, name)[kept] for name in ("time", "request", "what", "value")}
    return replace(hints, **columns)


def _closed(hints: Hints, about: IntArray, time: FloatArray) -> Hints:
    """Return hints with a close about each of some requests."""
    order = np.argsort(time, kind="stable")
    what, value = np.full(len(about), WHAT.index(CLOSE)), np.full(len(about), np.nan)
    return hints.and_events(time[order], about[order], what, value)


def _said(hints: Hints, words: str) -> Hints:
    return replace(hints, said=(*hints.said, f"assumed: {words}"))
