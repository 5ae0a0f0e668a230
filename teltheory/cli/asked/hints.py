"""Hints on the command line: which a policy hears, and what is announced beside what a trace records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.options import bundled
from teltheory.cli.parts import option
from teltheory.errors import ArgumentError
from teltheory.model.announced import BY_STOP, LEARNT, ORACLE
from teltheory.model.announcement import Announcement
from teltheory.model.units import is_time, listed_values, read_time

if TYPE_CHECKING:
    from teltheory.sweep.prices import Pricing


@dataclass(frozen=True)
class Hearing:
    """Hints as they were asked for; none without `--hints`."""

    hints: tuple[str, ...] = ()
    close_delay: str | None = None
    close_if: str | None = None
    retain: tuple[str, ...] = ()
    resume: str | None = None
    resume_error: float | None = None

    def __bool__(self) -> bool:
        return bool(self.hints)

    @property
    def announced(self) -> Announcement:
        """What is announced."""
        delay: Any = self.close_delay or 0
        if delay not in (0, LEARNT):
            delay = float(read_time("--close-delay", delay))
        if self.resume not in (None, ORACLE, BY_STOP, LEARNT):
            read_time("--resume", str(self.resume))
        error = self.resume_error or 0
        return Announcement(delay, self._stop(), self._retain(), self.resume, error=error)

    def specs(self, specs: Sequence[Any], all_of_them: bool) -> Sequence[Any]:
        """Return what is replayed of policies: a policy and set of hints after the other."""
        self._check()
        if not self:
            return specs
        from teltheory.sweep.hinting import heard, read_hints

        return heard(specs, read_hints(self.hints), self.announced, all_of_them)

    def list_of(self, specs: Sequence[Any], files: Mapping[str, Any]) -> Pricing | None:
        """Return what a price list is of, None unless all hints are asked for; it has no files."""
        if not self:
            return None
        from teltheory.sweep.hinting import ALL
        from teltheory.sweep.prices import asked_of

        if not any(ALL in one.split(",") for one in self.hints):
            return None
        for name, file in files.items():
            if file is not None:
                raise ArgumentError(
                    name, file, f"none with --hints {ALL}; --json, --csv and --latex have its rows"
                )
        others = [one for one in specs if one.text != "lru"]
        if len(others) > 1:
            raise ArgumentError("--policy", others[1].text, f"one beside lru, with --hints {ALL}")
        return asked_of(others[0] if others else "tlru", ",".join(self.hints), self.announced)

    def said(self, requests: Any) -> tuple[str, ...]:
        """Return what was recorded, and what is assumed of what policies hear, in words."""
        if not self:
            return ()
        from teltheory.sweep.hinting import kinds_heard

        heard_of = self.announced.on(requests, kinds_heard(self.hints))
        return tuple(f"Hints, {one}." for one in heard_of.hints.said)

    def _check(self) -> None:
        beside = (self.close_delay, self.close_if, self.resume, self.resume_error, self.retain or None)
        names = ("--close-delay", "--close-if", "--resume", "--resume-error", "--retain")
        for name, value in zip(names, beside, strict=True):
            if value is not None and not self:
                raise ArgumentError(name, value, "--hints with it")

    def _stop(self) -> str | None:
        if self.close_if is None:
            return None
        what, _, reason = self.close_if.partition("=")
        if what != "stop" or not reason:
            raise ArgumentError("--close-if", self.close_if, "stop=REASON, such as stop=end_turn")
        return reason

    def _retain(self) -> Any:
        given = listed_values("--retain", self.retain)
        if len(given) == 1 and is_time(given[0]):
            return given[0]
        pairs = tuple((reason, time) for reason, _, time in (one.partition("=") for one in given))
        for one, (reason, time) in zip(given, pairs, strict=True):
            if not reason or not is_time(time):
                raise ArgumentError("--retain", one, "a time such as 300s, or REASON=TIME")
        return pairs or None


hint_options = bundled(
    "hearing",
    Hearing,
    option(
        "--hints",
        multiple=True,
        metavar="HINT,...",
        help=(
            "Hints that policies hear. close,superseded or mine.py:Class is a set, none another: one row a policy "
            "and set; with all, compare prints the price list."
        ),
    ),
    option(
        "--close-delay", metavar="TIME", help="Time after its last response when an agent is closed; or learnt."
    ),
    option("--close-if", metavar="stop=REASON", help="Agents whose end is announced, by why they stopped last."),
    option(
        "--retain",
        multiple=True,
        metavar="TIME|REASON=TIME",
        help="Time for which blocks are kept after responses.",
    ),
    option("--resume", metavar="TIME|oracle|stop|learnt", help="Time after which agents are said to come back."),
    option(
        "--resume-error",
        type=click.FloatRange(0),
        help="Log-normal error of times of return: the standard deviation of their logarithm.",
    ),
)
"""Of a command that replays policies with hints."""
