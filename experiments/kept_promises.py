"""How often `teltheory.advise` keeps what it promises.

    python -m experiments.kept_promises TABLE.csv [--seeds 20] [--turns 4000] [--trace FILE] [--workers 2]

Each sample gives one advice a capacity and a goal (TEL above the SLO, the turns above it, or a percentile of
TTFT): chosen and promised on its first half, judged on its second. The workloads: like WildChat's, on which T-LRU
helps; like ShareGPT's, on which it hardly helps; and the former with each turn a conversation of its own, so that
nothing ever returns and no policy can help. With --trace also the trace whole, its halves and its thirds, each a
trace of its own whose first turns have no past, at three capacities and three SLOs. Where nothing is promised,
because LRU stays, nothing is kept: those answers are counted apart.
"""

import argparse
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np

import teltheory as tt
from teltheory.paper.script import errors_in_one_line, in_order, markdown, say
from teltheory.paper.tidy import write_rows

CHAT_GOALS = ("tel", "slo", "p90", "p95", "p99")
CHAT_SLO = Fraction(1, 5)
CHAT_CAPACITIES = (1000, 4000, 10_000)
TRACE_GOALS = ("tel", "slo", "p95")
TRACE_SLOS = (Fraction(1), Fraction(2), Fraction(5))
TRACE_CAPACITIES = (300_000, 1_000_000, 3_000_000)
WORKLOADS = ("wildchat", "sharegpt", "single-turns")
COLUMNS = (
    *("workload", "goal", "asked", "kept", "below", "above", "recommended", "limits broken"),
    *("gain first, %", "gain rest, %", "width, points"),
)
ALL = ("all", "all")
PIECES = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3))
"""Of the trace: the first of one, the first of two ..."""


@dataclass(frozen=True)
class Question:
    """An advice that is asked for: on a sample of `WORKLOADS`, or on a piece, of so many, of a trace's file."""

    workload: str
    seed: int
    turns: int
    capacity: int
    slo: Fraction
    goal: str
    piece: tuple[int, int] = (1, 1)

    @property
    def name(self) -> str:
        """The workload or the file, and which piece of it."""
        which, pieces = self.piece
        return Path(self.workload).stem + (f", {which} of {pieces}" if pieces > 1 else "")


@dataclass(frozen=True)
class Answer:
    """What an advice said; shares, not per cent."""

    workload: str
    goal: str
    capacity: int
    seed: int
    first: float
    low: float
    high: float
    rest: float
    promised: int
    kept: int
    recommended: int
    broken: int


def questions(seeds: int, turns: int, trace: str | None) -> Iterator[Question]:
    """Yield all questions."""
    for piece, slo, goal, capacity in product(PIECES, TRACE_SLOS, TRACE_GOALS, TRACE_CAPACITIES) if trace else ():
        yield Question(str(trace), 0, 0, capacity, slo, goal, piece)
    for workload, seed, goal, capacity in product(WORKLOADS, range(seeds), CHAT_GOALS, CHAT_CAPACITIES):
        yield Question(workload, seed, turns, capacity, CHAT_SLO, goal)


@lru_cache(1)
def trace_of(workload: str, seed: int, turns: int, piece: tuple[int, int] = (1, 1)) -> tt.Trace:
    """Return the sample, or the piece of the trace in the file."""
    from teltheory.workloads.chat_data import sharegpt_like, wildchat_like

    if workload not in WORKLOADS:
        return cut(tt.read_trace(workload), *piece)
    law = sharegpt_like() if workload == "sharegpt" else wildchat_like()
    sample = law.sample(turns, np.random.default_rng(seed))
    if workload != "single-turns":
        return sample
    return tt.Trace.from_turns(range(len(sample)), sample.prompt, sample.response)


def cut(trace: tt.Trace, which: int, pieces: int) -> tt.Trace:
    """Return the `which`-th of so many pieces as a trace of its own: earlier turns were never seen.

    What a turn's input begins with from before the piece is prompt.
    """
    start, end = (len(trace) * k // pieces for k in (which - 1, which))
    turns = slice(start, end)
    unseen = trace.previous_turn[turns] < start
    prompt = np.where(unseen, trace.total[turns], trace.prompt[turns])
    history = np.where(unseen, 0, trace.history[turns])
    return tt.Trace.from_turns(trace.conversation[turns], prompt, trace.response[turns], history=history)


def answer(question: Question) -> Answer:
    """Ask for one advice."""
    trace = trace_of(question.workload, question.seed, question.turns, question.piece)
    advice = tt.advise(trace, question.capacity, question.slo, goal=question.goal, seed=question.seed)
    choice, promise = advice.choice, advice.choice.promise
    return Answer(
        workload=question.name,
        goal=question.goal,
        capacity=question.capacity,
        seed=question.seed,
        first=choice.here.value,
        low=promise.low if promise else math.nan,
        high=promise.high if promise else math.nan,
        rest=advice.held_out.gain.value,
        promised=int(choice.helps),
        kept=int(advice.kept_promise or False),
        recommended=int(advice.recommended),
        broken=len(advice.held_out.broken) if choice.helps else 0,
    )


def summaries(answers: Iterable[Answer]) -> Iterator[tuple[object, ...]]:
    """Yield a line per workload and goal, in the order of the first ones, then of all, as in `COLUMNS`."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for found in answers:
        groups.setdefault((found.workload, found.goal), []).append(found)
        groups.setdefault(ALL, []).append(found)
    groups[ALL] = groups.pop(ALL, [])
    for place, group in groups.items():
        yield *place, len(group), *summary([answer for answer in group if answer.promised])


def summary(promised: list[Answer]) -> tuple[object, ...]:
    """Return how many promises are kept, how often the gain is below or above, and means in per cent."""
    return (
        f"{sum(a.kept for a in promised)} of {len(promised)}",
        sum(a.rest < a.low for a in promised),
        sum(a.rest > a.high for a in promised),
        sum(a.recommended for a in promised),
        sum(a.broken > 0 for a in promised),
        *(_mean(shares) for shares in zip(*((a.first, a.rest, a.high - a.low) for a in promised), strict=True)),
        *(() if promised else "---"),
    )


def _mean(shares: Iterable[float]) -> str:
    return f"{100 * float(np.mean(list(shares))):.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask for all advices, write them, and print their summaries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=4000)
    parser.add_argument("--trace")
    parser.add_argument("--workers", type=int, help="processes; one per core if left out")
    given = parser.parse_args(arguments)
    asked = list(questions(given.seeds, given.turns, given.trace))
    with errors_in_one_line():
        answers = in_order(answer, asked, given.workers)
        write_rows(answers, given.table, Answer)
    say(markdown(COLUMNS, summaries(answers)))


if __name__ == "__main__":
    main()
