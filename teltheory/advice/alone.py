"""What stands beside a setting where nobody can wait: the least TEL, end-awareness, and what LRU needs.

The hindsight optimum of the rest is the least TEL that any plan for the whole trace has there (`opening`): what is
kept between two turns of the first part is worth nothing then, and after a turn its whole past is available, so
that of each conversation only the last turn before the rest matters. On a forest the requests of the first part
ask for nothing (`unasked`), and the optimum is that of a cache whose blocks may outlive their parents: no cache
has less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.advice.held_out import HeldOut, Judge, Row
from teltheory.advice.run import Run, rest_of
from teltheory.advice.server import Replaying
from teltheory.advice.settings import TRIM
from teltheory.cost.bootstrap import Blocks, Estimate, Values
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, exact_sum, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.trace import Trace
from teltheory.model.turns import consecutive_turns
from teltheory.optimal import hindsight_optimum
from teltheory.policies.clairvoyant import EndAwareTLRU
from teltheory.policies.online import LRU
from teltheory.policies.spec import in_blocks
from teltheory.replay import replay
from teltheory.replay.curve import capacity_curve
from teltheory.replay.engine_rules import STRICT

HALF = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True)
class HeldAlone(HeldOut):
    """What was replayed on the whole trace, the rest counted.

    Attributes
    ----------
    aware : Row
        End-Aware T-LRU, with the same setting.
    optimum : int
        The least TEL on the rest of any plan for the whole trace, in the unit of TEL.
    median : Estimate
        By how many seconds P50 is above LRU's.
    end_aware : Estimate
        Share by which End-Aware T-LRU's goal is below that of the setting tried.
    lru_capacity : int
        The tokens with which LRU does as well.
    """

    aware: Row
    optimum: int
    median: Estimate
    end_aware: Estimate
    lru_capacity: int


def hold_alone(server: Replaying, judge: Judge) -> HeldAlone:
    """Judge a setting, and replay what stands beside it."""
    start, goal, tried, requests = server.start, judge.goal, judge.after, server.requests
    held, unit, (xi, q_hat) = judge.held(""), requests.block_size, server.settings.of(judge.tried.margin)
    if not requests.shared:
        held = replace(held, within_budget=above_within_budget(requests, start, tried, xi, q_hat))
    seen, room, *_ = server.rules.on(requests, server.room)
    sizes = server.room, requests.peak + server.rules.tail
    aware = server.under(in_blocks(EndAwareTLRU(xi, q_hat, TRIM), unit))
    return HeldAlone(
        **vars(held),
        aware=judge.row("End-Aware T-LRU", "", aware),
        optimum=least_tel(seen, start, room, goal.xi // unit),
        median=median_of(judge),
        end_aware=judge.gain(aware, tried),
        lru_capacity=unit * capacity_for(lru_of(server), start, sizes, goal, tried),
    )


def median_of(judge: Judge) -> Estimate:
    """Return by how many seconds the setting's P50 is above LRU's."""

    def of(draws: FloatArray) -> FloatArray:
        times = (judge.drawn.sorted(run.ttft) for run in (judge.lru, judge.after))
        first, second = (judge.drawn.blocks.percentiles(one, draws, HALF) for one in times)
        return second - first

    return judge.drawn.interval(float(of(judge.drawn.blocks.all)[0]), of(judge.drawn.draws))


@singledispatch
def least_tel(trace: Trace | Forest, start: int, capacity: int, xi: int) -> int:
    """Return the least TEL from turn `start` on that any plan for the whole trace reaches; optional caching."""
    raise ArgumentError("trace", type(trace).__name__, "a Trace or a Forest")


@least_tel.register(Forest)
def _(trace: Forest, start: int, capacity: int, xi: int) -> int:
    return int(hindsight_optimum(unasked(trace, start), capacity, xi, cache="holes").lower)


@least_tel.register(Trace)
def _(trace: Trace, start: int, capacity: int, xi: int) -> int:
    rest, openings = opening(trace, start)
    unavoidable = exact_sum(np.maximum(rest.total[:openings] - xi, 0))
    return int(hindsight_optimum(rest, capacity, xi).lower) - unavoidable


def unasked(forest: Forest, start: int) -> Forest:
    """Return a forest whose requests before `start` ask for nothing; what they leave is there for the others."""
    asks = np.arange(len(forest)) >= start
    return replace(forest, ask=readonly(forest.ask * asks), total=readonly(forest.total * asks))


def opening(trace: Trace, start: int) -> tuple[Trace, int]:
    """Return the rest of a trace behind one turn for each conversation that comes back, and how many those are.

    Such a turn is the conversation's last one before `start`, with its whole past for a prompt: what it computes
    does not depend on what is kept.
    """
    before = np.flatnonzero(trace.next_turn[:start] >= start)
    before = before[trace.next_turn[before] < len(trace)]
    rest = np.arange(start, len(trace))
    turns = np.concatenate((before, rest))
    prompt, response, history = trace.prompt[turns], trace.response[turns], trace.history[turns]
    opened = slice(0, len(before))
    prompt[opened], response[opened], history[opened] = trace.past[before], 0, 0
    return Trace.from_turns(trace.conversation[turns], prompt, response, history=history), len(before)


def lru_of(server: Replaying) -> Callable[[int], Outcome]:
    """Return what LRU does at a capacity: of blocks in one pass, under rules of an engine by a replay."""
    if server.rules == STRICT:
        return capacity_curve(server.requests, LRU()).outcome
    return lambda capacity: replay(server.requests, LRU(), capacity, rules=server.rules)


def capacity_for(
    lru: Callable[[int], Outcome], start: int, sizes: tuple[int, int], goal: Goal, reached: Run
) -> int:
    """Return the least capacity from the first size to the last at which LRU reaches on the rest what was reached.

    By bisection: LRU is a stack algorithm, so that a larger cache is never worse; of whole nodes it is assumed.
    """

    def worth(losses: Values) -> float:
        blocks = Blocks.of(len(losses), 1)
        return float(goal.worth(losses, blocks, blocks.all)[0])

    (low, high), wanted = (sizes[0], max(sizes)), worth(reached.losses(goal))
    while low < high:
        middle = (low + high) // 2
        enough = worth(goal.losses(rest_of(lru(middle), start))) <= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def above_within_budget(requests: Requests, start: int, tried: Run, xi: int, q_hat: int) -> int:
    """Return how many turns of the rest are above xi although their conversation kept its whole budget."""
    earlier, later = consecutive_turns(requests.session)
    before, turns = earlier[later >= start], later[later >= start]
    budget = np.maximum(requests.past[before] - (xi - q_hat), 0)
    reused = tried.reused[turns - start]
    kept = reused >= np.minimum(budget, requests.known[turns])
    return int(np.count_nonzero(kept & (requests.total[turns] - reused > xi)))
