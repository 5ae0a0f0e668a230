"""How often `teltheory.advise` keeps what it promises.

    python -m experiments.kept_promises TABLE.csv [--seeds 40] [--turns 4000] [--trace FILE] [--workers 2]

Each sample gives one advice a capacity and a goal (TEL above the SLO, or a percentile of TTFT): chosen and
promised on its first half, judged on its second. The workloads: like WildChat's, on which T-LRU helps; like
ShareGPT's, on which it hardly helps; and the former with each turn a conversation of its own, so that nothing ever
returns and no policy can help. With --trace five capacities of the trace too, for TEL above three SLOs and for
percentiles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import teltheory as tt
from experiments.tidy import write_rows
from teltheory.processes import cores, on_processes

P90, P95, P99 = (Fraction(level, 100) for level in (90, 95, 99))
CHAT_GOALS = tuple((Fraction(1, 5), level) for level in (None, P90, P95, P99))
TRACE_GOALS = (*((Fraction(slo), None) for slo in (1, 2, 3)), *((Fraction(2), level) for level in (P90, P95, P99)))
CHAT_CAPACITIES = (1000, 4000, 10_000)
TRACE_CAPACITIES = (300_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
WORKLOADS = ("wildchat", "sharegpt", "single-turns")


@dataclass(frozen=True)
class Question:
    """An advice that is asked for.

    Attributes
    ----------
    workload : str
        Of `WORKLOADS`, or the file of a trace.
    seed, turns : int
        Of the sample.
    capacity : int
        In tokens.
    slo : Fraction
        Seconds.
    level : Fraction or None
        Of the percentile; None for TEL.
    """

    workload: str
    seed: int
    turns: int
    capacity: int
    slo: Fraction
    level: Fraction | None


@dataclass(frozen=True)
class Answer:
    """What an advice said; shares, not per cent.

    Attributes
    ----------
    workload, goal : str
        As asked.
    capacity, seed, xi : int
        As asked; the threshold tried on the rest.
    first, low, high : float
        Gain on the first half, and the interval promised.
    rest, rest_low, rest_high : float
        Gain on the second half with its interval.
    kept, helps, recommended : int
        1 where the rest's gain is inside the promise, where the first half shows a gain, where both halves do.
    """

    workload: str
    goal: str
    capacity: int
    seed: int
    xi: int
    first: float
    low: float
    high: float
    rest: float
    rest_low: float
    rest_high: float
    kept: int
    helps: int
    recommended: int


@dataclass(frozen=True)
class Summary:
    """Answers of one workload and goal, at all capacities; shares in per cent.

    Attributes
    ----------
    workload, goal : str
        As asked.
    answers : int
        How many.
    kept, below, above : int
        Answers whose gain was inside the promise, below it and above it.
    helps, recommended : int
        Answers with a gain on the first half, and on both.
    first, rest, width : float
        Mean gain on the first and on the second half, mean width of the promise.
    """

    workload: str
    goal: str
    answers: int
    kept: int
    below: int
    above: int
    helps: int
    recommended: int
    first: float
    rest: float
    width: float


def questions(seeds: int, turns: int, trace: str | None) -> Iterator[Question]:
    """Yield all questions."""
    for workload in WORKLOADS:
        for capacity in CHAT_CAPACITIES:
            for slo, level in CHAT_GOALS:
                for seed in range(seeds):
                    yield Question(workload, seed, turns, capacity, slo, level)
    for capacity in TRACE_CAPACITIES if trace else ():
        for slo, level in TRACE_GOALS:
            yield Question(str(trace), 0, 0, capacity, slo, level)


def trace_of(question: Question) -> tt.Trace:
    """Return the sample, or the trace in the file."""
    from teltheory.workloads.chat_data import sharegpt_like, wildchat_like

    if question.workload not in WORKLOADS:
        return tt.read_trace(question.workload)
    law = sharegpt_like() if question.workload == "sharegpt" else wildchat_like()
    sample = law.sample(question.turns, np.random.default_rng(question.seed))
    if question.workload != "single-turns":
        return sample
    return tt.Trace.from_turns(range(len(sample)), sample.prompt, sample.response)


def answer(question: Question) -> Answer:
    """Ask for one advice."""
    advice = tt.advise(trace_of(question), question.capacity, question.slo, question.level, seed=question.seed)
    choice, gain = advice.choice, advice.held_out.gain
    return Answer(
        workload=Path(question.workload).stem,
        goal=advice.goal.name,
        capacity=question.capacity,
        seed=question.seed,
        xi=advice.xi,
        first=choice.here.value,
        low=choice.promise.low,
        high=choice.promise.high,
        rest=gain.value,
        rest_low=gain.low,
        rest_high=gain.high,
        kept=int(advice.kept_promise),
        helps=int(choice.helps),
        recommended=int(advice.recommended),
    )


def summaries(answers: Iterable[Answer]) -> Iterator[Summary]:
    """Yield the answers of each workload and goal together, in the order of the first ones."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for found in answers:
        groups.setdefault((found.workload, found.goal), []).append(found)
    for (workload, goal), group in groups.items():
        yield Summary(
            workload=workload,
            goal=goal,
            answers=len(group),
            kept=sum(a.kept for a in group),
            below=sum(a.rest < a.low for a in group),
            above=sum(a.rest > a.high for a in group),
            helps=sum(a.helps for a in group),
            recommended=sum(a.recommended for a in group),
            first=_mean(a.first for a in group),
            rest=_mean(a.rest for a in group),
            width=_mean(a.high - a.low for a in group),
        )


def _mean(shares: Iterable[float]) -> float:
    return 100 * float(np.mean(list(shares)))


def line(summary: Summary) -> str:
    """Return a row of the table in the documents."""
    found = (
        f"{summary.workload} | {summary.goal} | {summary.kept} of {summary.answers} | "
        f"{summary.below} | {summary.above} | {summary.recommended} | {summary.first:.1f} | {summary.rest:.1f} | "
        f"{summary.width:.1f}"
    )
    return f"| {found} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask for all advices, write them, and print their summaries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--turns", type=int, default=4000)
    parser.add_argument("--trace")
    parser.add_argument("--workers", type=int, default=cores())
    given = parser.parse_args(arguments)
    asked = list(questions(given.seeds, given.turns, given.trace))
    found = dict(on_processes(answer, asked, given.workers, str))
    answers = [found[i] for i in range(len(asked))]
    write_rows(answers, given.table)
    for summary in summaries(answers):
        sys.stdout.write(line(summary) + "\n")


if __name__ == "__main__":
    main()
