"""How far long work is: a callback is told what is done and all there is; ``True`` shows a bar.

What loads for more than a second is told to the logger `LOADING`, once, as it has no steps; the command line shows
it, also without a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import getLogger
from threading import Timer
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Report: TypeAlias = Callable[[int, int | None], object]
"""Called with what is done so far, and with all there is to do; None if nobody knows that before."""
Progress: TypeAlias = Report | bool | None


PATIENCE = 1.0
"""Seconds that may pass in silence."""
LOADING = "teltheory.loading"


@contextmanager
def reporting(progress: Progress, doing: str) -> Iterator[Report]:
    """Return what to tell while the work lasts: the callback, a bar for True, else nothing."""
    if not isinstance(progress, bool) or not progress:
        yield progress or nothing
        return
    with progress_bar() as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Tell the logger what is being loaded if that takes longer than `PATIENCE`."""
    timer = Timer(PATIENCE, getLogger(LOADING).info, (f"loading {what}, which takes more than a second",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def nothing(done: int, total: int | None) -> None:
    """Tell nobody."""


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """Show a bar on standard error while the work lasts, if that is a terminal or a notebook."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    err = Console(stderr=True)
    seen = err.is_terminal or err.is_jupyter
    with Progress(*columns, console=err, transient=True, disable=not seen) as bar:
        yield bar


class Count:
    """Counts steps of work and reports each, with how many there are if somebody knows."""

    def __init__(self, report: Report = nothing, total: int | None = None) -> None:
        self._report, self._total, self.done = report, total, 0

    def left(self, steps: int) -> None:
        """Take back what was said of the number of steps: so many are left."""
        self._total = self.done + steps

    def step(self) -> None:
        """Report that one more is done."""
        self.done += 1
        self._report(self.done, self._total)
