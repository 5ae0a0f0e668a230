"""Weakened hypotheses: where the inductions fail, and traces from the empty cache on which the statements do.

Each is Theorem 3.1, or a relative, with one hypothesis less; the induction of three conversations then has a state
from which one turn breaks the invariant. That is only a lead. The turns written out from the empty cache
(`teltheory.claims.bounded`) give a trace, which is replayed like any other counterexample.

- *Printed test*: Algorithm 1 trims at X >= L + Q - xi, one block below the budget.
- *An estimate below a prompt*: Theorem 3.1 without its upper bound; the experiments' mean of all prompts.
- *Any order*: inclusion where surplus goes in another order at the larger capacity.
- *Any amount*: T-LRU <= Threshold-LRU where LRU evicts although surplus is left (the `if` form of Algorithm 1).
"""

from __future__ import annotations

from functools import partial

from proofs_checks.induction_rounds import Rounds, just_enough
from proofs_checks.positions import Column, any_amount, in_room, minus, surpluses
from teltheory.claims.bounded import CAPACITY, Q_HAT, XI, Line, Run, find_trace
from teltheory.claims.case import Case
from teltheory.claims.terms import (
    Bool,
    Int,
    choose,
    equal,
    every,
    integer,
    number,
    positive,
    some,
    total,
)

TURNS, CONVERSATIONS, TOKENS = 4, 3, 6


def t_lru(cached: Column, line: Line, k: int, least_kept: int = 0) -> tuple[Column, tuple[Bool, ...]]:
    """Cut as Algorithm 1: rounds of trimming in order of first arrival, then LRU.

    Parameters
    ----------
    cached : tuple of Int
        What is at hand.
    line : Line
        Who they are, and their pasts.
    k : int
        The turn, for the names of its rounds.
    least_kept : int
        0 for trimming strictly above the budget, 1 for the printed test, which goes one block below.
    """
    raw = tuple(past + Q_HAT - XI - least_kept for past in line.L)
    surplus = surpluses(cached, tuple(map(positive, raw)))
    rounds = Rounds(integer(f"rounds{k}"), integer(f"point{k}"))
    trimmed = tuple(map(rounds.amount, surplus, map(number, line.who)))
    return in_room(minus(cached, trimmed), CAPACITY), (
        (rounds.whole >= 0) & (rounds.whole <= TOKENS),
        (rounds.point >= 0) & (rounds.point <= CONVERSATIONS),
        just_enough(trimmed, surplus, cached, CAPACITY),
    )


def t_lru_and_lru(line: Line, k: int, least_kept: int = 0) -> tuple[Line, tuple[Bool, ...]]:
    """Cut X as T-LRU and Y as LRU."""
    kept, assumed = t_lru(line.X, line, k, least_kept)
    return Line(line.who, line.L, kept, in_room(line.Y, CAPACITY)), assumed


def single_pass_and_threshold(line: Line, k: int) -> tuple[Line, tuple[Bool, ...]]:
    """Cut X with one pass of trimming and then LRU, Y as Threshold-LRU with the cutoff xi - Q_hat."""
    surplus = surpluses(line.X, tuple(positive(past + Q_HAT - XI) for past in line.L))
    overflow = total(line.X) - CAPACITY
    ranked = sorted(range(len(line.who)), key=lambda i: line.who[i])
    trimmed = [number(0)] * len(line.who)
    for i in ranked:
        trimmed[i] = choose((overflow > 0) & (surplus[i] >= 1), 1, 0)
        overflow = overflow - trimmed[i]
    longer = tuple(choose(past + Q_HAT <= XI, 0, y) for past, y in zip(line.L, line.Y, strict=True))
    kept = in_room(minus(line.X, tuple(trimmed)), CAPACITY)
    return Line(line.who, line.L, kept, in_room(longer, CAPACITY)), ()


def any_order_at_two_capacities(line: Line, k: int) -> tuple[Line, tuple[Bool, ...]]:
    """Cut X at C and Y at C + 1, each trimming just enough in an order of its own."""
    kept, assumed = [], []
    for name, cached, capacity in (("s", line.X, CAPACITY), ("t", line.Y, CAPACITY + 1)):
        surplus = surpluses(cached, tuple(positive(past + Q_HAT - XI) for past in line.L))
        trimmed = tuple(integer(f"{name}{k}_{who}") for who in line.who)
        assumed += [any_amount(trimmed, surplus), just_enough(trimmed, surplus, cached, capacity)]
        kept.append(in_room(minus(cached, trimmed), capacity))
    return Line(line.who, line.L, *kept), tuple(assumed)


def excesses(run: Run, reused: list[Int]) -> list[Int]:
    """Return what each turn has above the threshold."""
    turns = zip(run.pasts, run.prompts, reused, strict=True)
    return [positive(past + prompt - x - XI) for past, prompt, x in turns]


def larger_tel(run: Run) -> Bool:
    """Whether the first cache has the larger TEL."""
    return total(excesses(run, run.first)) > total(excesses(run, run.second))


def upper_bound(run: Run) -> Bool:
    """Whether no prompt that continues a conversation is above the estimate."""
    return every(prompt <= Q_HAT for k, prompt in enumerate(run.prompts) if run.is_continuing(k))


def mean_prompt(run: Run) -> Bool:
    """Whether the estimate is the mean of all prompts."""
    return equal(total(run.prompts), total([Q_HAT] * len(run.prompts)))


def printed_test_fails(run: Run) -> Bool:
    """With an upper bound, T-LRU has the larger TEL."""
    return upper_bound(run) & larger_tel(run)


def mean_estimate_fails(run: Run) -> Bool:
    """With the mean of all prompts for an estimate, T-LRU has the larger TEL."""
    return mean_prompt(run) & larger_tel(run)


def single_pass_fails(run: Run) -> Bool:
    """With an upper bound of at most xi, one pass of trimming has a larger TEL than Threshold-LRU."""
    return upper_bound(run) & (Q_HAT <= XI) & larger_tel(run)


def inclusion_fails(run: Run) -> Bool:
    """Whether the larger cache reuses less at some turn."""
    return some(x > y for x, y in zip(run.first, run.second, strict=True))


def printed_test() -> Case | None:
    """Return a trace on which the printed test of Algorithm 1 costs the guarantee."""
    return find_trace(partial(t_lru_and_lru, least_kept=1), printed_test_fails, TURNS, CONVERSATIONS, TOKENS)


def repaired_test() -> Case | None:
    """Return None: trimming strictly above the budget has the guarantee (the control)."""
    return find_trace(t_lru_and_lru, printed_test_fails, TURNS, CONVERSATIONS, TOKENS)


def mean_estimate() -> Case | None:
    """Return a trace on which the mean prompt for an estimate costs the guarantee."""
    return find_trace(t_lru_and_lru, mean_estimate_fails, TURNS, CONVERSATIONS, TOKENS)


def single_pass() -> Case | None:
    """Return a trace on which one pass of trimming is worse than Threshold-LRU."""
    return find_trace(single_pass_and_threshold, single_pass_fails, TURNS, CONVERSATIONS, TOKENS)


def any_order() -> Case | None:
    """Return a trace on which a larger cache that trims in another order reuses less."""
    return find_trace(any_order_at_two_capacities, inclusion_fails, TURNS, CONVERSATIONS, TOKENS)
