"""What T-LRU does in a queue, for several margins xi - q_hat, next to LRU on the same arrivals.

    python -m experiments.queue_margins TABLE.csv --trace FILE [--slo 2] [--router min-ttft] [--workers 2]

The margins are shares of the SLO's threshold. Eight replicas of 1 M tokens, where memory is ample, and four of
0.3 M, at three loads: arrivals are stretched once for each, such that LRU in one cache of this capacity has that
load. A change is that of the seconds above the SLO; more is a loss.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

import teltheory as tt
from experiments.block_hashes import forest_of
from teltheory.paper.script import errors_in_one_line, in_order, markdown, say
from teltheory.paper.tidy import write_rows
from teltheory.policies.spec import in_blocks

SIZES = ((8, 1_000_000), (4, 300_000))
LOADS = (Fraction(1, 2), Fraction(7, 10), Fraction(9, 10))
SHARES = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1))
"""Of the SLO's threshold; 0 is LRU."""
COLUMNS = (
    *("replicas", "tokens", "load", "ξ - Q̂", "utilisation", "prefill", "TEL s", "wait", "compute", "change, %"),
)


@dataclass(frozen=True)
class Question:
    """A policy on replicas at a load."""

    trace: str
    slo: Fraction
    router: str
    replicas: int
    capacity: int
    load: Fraction
    share: Fraction


@dataclass(frozen=True)
class Answer:
    """What was served; seconds, tokens."""

    replicas: int
    capacity: int
    load: float
    margin: int
    utilisation: float
    prefilled: int
    tel: float
    wait: float
    compute: float


def questions(trace: str, slo: Fraction, router: str) -> Iterator[Question]:
    """Yield all questions, LRU first of each size and load."""
    for (replicas, capacity), load, share in product(SIZES, LOADS, SHARES):
        yield Question(trace, slo, router, replicas, capacity, load, share)


@lru_cache(1)
def _forest(trace: str) -> tt.Forest:
    return forest_of(trace)


def answer(question: Question) -> Answer:
    """Serve the trace."""
    forest, latency = _forest(question.trace), tt.A100_LLAMA2_7B
    room = question.capacity // forest.block_size
    stretch = tt.stretch_for(forest, room, latency, question.replicas, question.load)
    margin = int(question.share * latency.threshold(question.slo))
    policy = in_blocks(tt.TLRU(margin, 0, "least-recent"), forest.block_size) if margin else tt.LRU()
    serving = tt.Serving(question.replicas, question.router, stretch)
    served = tt.serve(forest, policy, room, latency=latency, **vars(serving))
    tail, prefilled = served.tail(question.slo), served.outcome.in_tokens().prefilled
    parts = (served.utilisation, prefilled, tail.seconds, tail.wait, tail.compute)
    return Answer(question.replicas, question.capacity, float(question.load), margin, *parts)


def lines(answers: Sequence[Answer]) -> Iterator[tuple[object, ...]]:
    """Yield a line per answer, as in `COLUMNS`; prefill and change are next to LRU's at the same size and load."""
    lru = {(one.replicas, one.capacity, one.load): one for one in answers if not one.margin}
    for one in answers:
        before = lru[one.replicas, one.capacity, one.load]
        change = f"{100 * (one.tel / before.tel - 1) + 0.0:+.1f}" if one.margin else ""
        times = f"{one.prefilled / before.prefilled:.3f}"
        seconds = (f"{part:,.0f}" for part in (one.tel, one.wait, one.compute))
        size = (one.replicas, f"{one.capacity:,}", f"{one.load:g}", f"{one.margin:,}" if one.margin else "LRU")
        yield *size, f"{one.utilisation:.3f}", times, *seconds, change


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve everything, write it, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--trace", required=True)
    parser.add_argument("--slo", type=Fraction, default=Fraction(2))
    parser.add_argument("--router", default="min-ttft")
    parser.add_argument("--workers", type=int, help="processes; one per core if left out")
    given = parser.parse_args(arguments)
    with errors_in_one_line():
        answers = list(in_order(answer, list(questions(given.trace, given.slo, given.router)), given.workers))
        write_rows(answers, given.table, Answer)
    say(markdown(COLUMNS, lines(answers)))


if __name__ == "__main__":
    main()
