"""One engine without SimPy or jumps: a loop that runs one iteration after the other; nothing is shared."""

from collections import deque
from dataclasses import dataclass

from teltheory.systems.apps.simulation.timing import IterationTiming


@dataclass
class Plain:
    """A request: its arrival, its tokens, and when its first and its last token came."""

    arrival: float
    prompt: int
    answer: int
    given: int = 0
    first: float = 0.0
    end: float = 0.0


def run_plain(requests: list[Plain], timing: IterationTiming, most_filled: int) -> None:
    """Run iterations until all is done: what waits to be filled in first, else a token for everybody."""
    coming, now = deque(sorted(requests, key=lambda one: one.arrival)), 0.0
    waiting, answering = deque[Plain](), list[Plain]()
    while coming or waiting or answering:
        if not waiting and not answering:
            now = max(now, coming[0].arrival)
        while coming and coming[0].arrival <= now:
            waiting.append(coming.popleft())
        if waiting:
            some, tokens = list[Plain](), 0
            while waiting and (not some or tokens + waiting[0].prompt <= most_filled):
                tokens += waiting[0].prompt
                some.append(waiting.popleft())
            now += timing.fill([(one.prompt, 0) for one in some])
            answering += some
        else:
            now += timing.steps(1, len(answering), sum(one.prompt + one.given for one in answering))
            for one in answering:
                one.given += 1
                one.first = one.first or now
                one.end = now
            answering = [one for one in answering if one.given < one.answer]
