"""How often `teltheory.advise` keeps what it promises, on the traces that chose its rule and on others.

    python -m experiments.kept_promises PROMISES.csv TABLE.csv [--chose FILE] [--new FILE ...] [--seeds 20]

1. A setting is chosen, recommended and promised for on the first half of each trace. The head of the trace is all
   that is given to what chooses. All of this is written to PROMISES.csv.
2. PROMISES.csv is read again, and each row is judged on the rest of its trace: TABLE.csv.

The traces that chose the rule: samples like WildChat's, on which T-LRU helps; like ShareGPT's, on which it hardly
helps; WildChat's with each turn a conversation of its own, so that no policy can help; made-up conversations that
drift; and with --chose a file whole, its halves and its thirds. Files given with --new are asked whole.
"""

import argparse
import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import get_type_hints

import numpy as np

import teltheory as tt
from experiments.made_up_chats import KINDS, made_up
from teltheory.advice.choice import choose
from teltheory.advice.goal import CostLimits, Goal
from teltheory.advice.held_out import Judge
from teltheory.advice.search import Candidate
from teltheory.advice.server import Replaying
from teltheory.advice.settings import HALF, Settings, start_of_rest
from teltheory.paper.script import errors_in_one_line, in_order, markdown, say
from teltheory.paper.tidy import write_rows

CHAT_GOALS = ("tel", "slo", "p90", "p95", "p99")
CHAT_SLOS = ("1/5",)
CHAT_CAPACITIES = (1000, 4000, 10_000)
FILE_GOALS = ("tel", "slo", "p95")
FILE_SLOS = ("1", "2", "5")
FILE_CAPACITIES = (300_000, 1_000_000, 3_000_000)
MADE_SLOS = ("1/2", "1", "2", "5")
MADE_CAPACITIES = (100_000, 300_000, 1_000_000)
MADE_SEEDS = 2
SAMPLES = ("wildchat", "sharegpt", "single-turns")
TURNS = 4000
PIECES = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3))
"""Of the file: the first of one, the first of two ..."""
NOTABLE = 0.05
"""Gain on the rest of settings that a promise is wanted for."""
COLUMNS = (
    *("trace", "promised", "low end above 0", "width, points", "kept; below, above"),
    *("recommended, confirmed", "gains of 5 %, promised"),
)


@dataclass(frozen=True)
class Question:
    """An advice that is asked for, on the first half of a trace: a sample, made up, or a piece of a file."""

    group: str
    source: str
    seed: int
    piece: int
    pieces: int
    capacity: int
    slo: str
    goal: str

    @property
    def name(self) -> str:
        """What its row of the table is called."""
        return Path(self.source).stem + (f", {self.piece} of {self.pieces}" if self.pieces > 1 else "")

    @property
    def is_apart(self) -> bool:
        """Whether it is no whole trace of a system, nor like one: a piece, single turns, made-up conversations."""
        return self.pieces > 1 or self.source in (SAMPLES[-1], *KINDS)


@dataclass(frozen=True)
class Promised(Question):
    """What the first part says; shares, not per cent, and no ends if nothing is promised."""

    margin: int
    recommended: int
    first: float
    low: float
    high: float


@dataclass(frozen=True)
class Judged(Promised):
    """What the rest says of it."""

    rest: float
    confirmed: int

    @property
    def promised(self) -> bool:
        """Whether anything was promised."""
        return not math.isnan(self.low)


def questions(seeds: int, chose: str | None, new: Sequence[str]) -> Iterator[Question]:
    """Yield all questions."""
    on_files = tuple(product(FILE_CAPACITIES, FILE_SLOS, FILE_GOALS))
    for (piece, pieces), asked in product(PIECES, on_files) if chose else ():
        yield Question("chose", str(chose), 0, piece, pieces, *asked)
    for sample, seed in product(SAMPLES, range(seeds)):
        for asked in product(CHAT_CAPACITIES, CHAT_SLOS, CHAT_GOALS):
            yield Question("chose", sample, seed, 1, 1, *asked)
    for kind, seed in product(KINDS, range(MADE_SEEDS)):
        for asked in product(MADE_CAPACITIES, MADE_SLOS, FILE_GOALS):
            yield Question("chose", kind, seed, 1, 1, *asked)
    for file, asked in product(new, on_files):
        yield Question("new", file, 0, 1, 1, *asked)


@lru_cache(1)
def trace_of(source: str, seed: int, piece: int, pieces: int) -> tt.Trace:
    """Return the sample, or the piece of the trace in the file."""
    from teltheory.workloads.chat_data import sharegpt_like, wildchat_like

    if source in KINDS:
        return made_up(source, seed)
    if source not in SAMPLES:
        return cut(tt.read_trace(source), piece, pieces)
    law = sharegpt_like() if source == "sharegpt" else wildchat_like()
    sample = law.sample(TURNS, np.random.default_rng(seed))
    if source != "single-turns":
        return sample
    return tt.Trace.from_turns(range(len(sample)), sample.prompt, sample.response)


def cut(trace: tt.Trace, which: int, pieces: int) -> tt.Trace:
    """Return the `which`-th of so many pieces as a trace of its own: earlier turns were never seen.

    What a turn's input begins with from before the piece is prompt.
    """
    if pieces == 1:
        return trace
    start, end = (len(trace) * k // pieces for k in (which - 1, which))
    turns = slice(start, end)
    unseen = trace.previous_turn[turns] < start
    prompt = np.where(unseen, trace.total[turns], trace.prompt[turns])
    history = np.where(unseen, 0, trace.history[turns])
    return tt.Trace.from_turns(trace.conversation[turns], prompt, trace.response[turns], history=history)


CLUSTER = "conversation"
"""What is drawn: all of these traces are conversations."""


def on_a_server(asked: Question) -> tuple[Replaying, Goal]:
    """Return the idle server that a question is about, and the goal."""
    trace = trace_of(asked.source, asked.seed, asked.piece, asked.pieces)
    goal = Goal.of(asked.goal, Fraction(asked.slo))
    start, settings = start_of_rest(trace, HALF), Settings(goal.xi)
    return Replaying(trace, start, asked.capacity, goal.latency, settings), goal


def promised(question: Question) -> Promised:
    """Return what the first half of the trace promises; nothing else of it is looked at."""
    server, goal = on_a_server(question)
    choice = choose(server, goal, CostLimits(), CLUSTER, np.random.default_rng(0))
    low, high = (choice.promise.low, choice.promise.high) if choice.promise else (math.nan, math.nan)
    return Promised(
        **vars(question),
        margin=choice.margin,
        recommended=int(choice.helps),
        first=choice.here.value,
        low=low,
        high=high,
    )


def read_promises(path: Path) -> list[Promised]:
    """Return the rows that were written before any rest was looked at."""
    types = get_type_hints(Promised)
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Promised(**{name: types[name](text) for name, text in row.items()}) for row in csv.DictReader(file)
        ]


def judged(said: Promised) -> Judged:
    """Return what a setting did on the rest."""
    server, goal = on_a_server(said)
    tried = Candidate((True,), False, said.margin)
    judge = Judge.of(server, goal, CostLimits(), tried, CLUSTER, np.random.default_rng(0))
    gain = judge.gain(judge.after)
    confirmed = said.recommended and gain.above_zero and not judge.side(judge.after).broken
    return Judged(**vars(said), rest=gain.value, confirmed=int(confirmed))


def summaries(found: Iterable[Judged]) -> Iterator[tuple[object, ...]]:
    """Yield a row for each trace, and for all that chose the rule and all others, as in `COLUMNS`.

    Whole traces come last before the sums.
    """
    rows: dict[str, list[Judged]] = {}
    totals: dict[str, list[Judged]] = {}
    for one in found:
        rows.setdefault(one.name, []).append(one)
        totals.setdefault({"chose": "all that chose the rule", "new": "all others"}[one.group], []).append(one)
    for name, group in (*sorted(rows.items(), key=lambda row: not row[1][0].is_apart), *totals.items()):
        yield name, *summary(group)


def summary(group: Sequence[Judged]) -> tuple[object, ...]:
    """Return a row's numbers."""
    made = [one for one in group if one.promised]
    below, above = sum(one.rest < one.low for one in made), sum(one.rest > one.high for one in made)
    notable = [one for one in group if one.rest >= NOTABLE]
    widths = [one.high - one.low for one in made]
    kept, wanted = len(made) - below - above, sum(one.promised for one in notable)
    return (
        f"{len(made)} of {len(group)}",
        sum(one.low > 0 for one in made),
        f"{100 * float(np.mean(widths)):.1f}" if made else "-",
        f"{kept}{_share(kept, len(made))}; {below}, {above}",
        f"{sum(one.recommended for one in group)}, {sum(one.confirmed for one in group)}",
        f"{len(notable)}, {wanted}{_share(wanted, len(notable))}",
    )


def _share(part: int, whole: int) -> str:
    return f" ({100 * part / whole:.0f} %)" if whole else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all promises, judge them, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("promises", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--chose", help="a file that chose the rule")
    parser.add_argument("--new", action="append", default=[], help="a file that had no part in it")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", type=int, help="processes; one per core if left out")
    given = parser.parse_args(arguments)
    asked = list(questions(given.seeds, given.chose, given.new))
    with errors_in_one_line():
        write_rows(in_order(promised, asked, given.workers), given.promises, Promised)
        found = list(in_order(judged, read_promises(given.promises), given.workers))
        write_rows(found, given.table, Judged)
    say(markdown(COLUMNS, summaries(found)))


if __name__ == "__main__":
    main()
