"""How much a loop in C is given to do at once: no interrupt is seen before it is through."""

from collections.abc import Callable
from time import thread_time


class Pace:
    """How much of a class takes a fraction of a second; it is found by trying, and changes no result."""

    SOON, LONG = 0.02, 0.1

    def __init__(self) -> None:
        self._much = 64

    def until_done(self, step: Callable[[int], object]) -> None:
        """Call a loop, which takes how much to do and says whether there is more, until there is no more."""
        more: object = True
        while more:
            begin = thread_time()
            more = step(self._much)
            seconds = thread_time() - begin
            if seconds > self.LONG:
                self._much = max(1, self._much // 4)
            elif more and seconds < self.SOON:
                self._much *= 4
