"""One iteration of the GPU: prefills one after the other, whose first tokens all come at the end of the last."""

from __future__ import annotations

from teltheory.systems.rag.generation import RUNNING, Generation


class Iteration:
    """The generations of an iteration, in their order, and when it ends.

    Parameters
    ----------
    now : float
        When it begins, in seconds.
    """

    def __init__(self, now: float) -> None:
        self.began = self.ends = now
        self.members: list[Generation] = []

    def add(self, generation: Generation, seconds: float) -> None:
        """Add a prefill of so many seconds."""
        generation.state, generation.iteration = RUNNING, self.began
        generation.begins, generation.seconds = self.ends, seconds
        self.ends += seconds
        self.members.append(generation)

    def drop(self, generation: Generation, now: float) -> float:
        """Take a generation out and move those after it forward; return the seconds that it computed."""
        spent = computed(generation, now)
        at = self.members.index(generation)
        del self.members[at]
        for later in self.members[at:]:
            later.begins -= generation.seconds - spent
        self.ends -= generation.seconds - spent
        return spent


def computed(generation: Generation, now: float) -> float:
    """Return the seconds of its prefill that a generation of a running iteration has behind it."""
    return min(max(now - generation.begins, 0.0), generation.seconds)
