"""How far could knowing who comes back go? T-LRU with an order of eviction that knows more and more in hindsight.

    python -m experiments.return_ceilings TRACE TABLE.csv

All evict by score as `tt.ReturnAwareTLRU` does once its order is followed, with the next prompt's law of the whole
trace; only the return index differs:

- "cells": the policy's own estimates, from the whole trace, what is still to come included;
- "regression": who returns, by a logistic regression on all lengths, the turn number, the last two gaps and the
  policy's cells, for each tenth of the conversations fitted on the other nine; when, by the law of all silences;
- "AUC a": an oracle that knows who returns through noise, so that a turn that is followed by another scores higher
  than one that is not with probability a; when, by the same law;
- "end": who returns is known; when, by the same law. "time": when they return is known, to its bin.

Printed is the share of T-LRU's distance to the optimal TEL that is closed, in per cent, and the regression's AUC,
for turns with at least 15 minutes of trace after them and a past above each threshold.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
from scipy.stats import norm, rankdata

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.trace import turn_numbers
from teltheory.paper.script import end, errors_in_one_line, markdown
from teltheory.paper.tidy import write_rows
from teltheory.policies.learned import hazards
from teltheory.policies.learned.etlru import seconds
from teltheory.policies.learned.return_aware import LearntOrder
from teltheory.policies.spec import default_estimate

LATENCY = tt.A100_LLAMA2_7B
CAPACITIES, SLOS = (300_000, 1_000_000, 3_000_000), tuple(map(Fraction, (1, 2, 3)))
LEVELS = (0.7, 0.8, 0.9, 0.95)
SEEN_AFTER, FOLDS, RIDGE, NEVER, SEED = 900.0, 10, 10.0, -1e6, 1
MIDDLES: FloatArray = (hazards.SILENCES[:-1] + hazards.SILENCES[1:]) / 2


@dataclass(frozen=True)
class Row:
    """What an order closes, a share; None where T-LRU is optimal."""

    capacity: int
    slo: float
    knows: str
    tel: int
    optimum: int
    closed: float | None


@dataclass(frozen=True)
class Hindsight:
    """A trace with what is known of it afterwards."""

    trace: tt.Trace

    @property
    def times(self) -> FloatArray:
        """Seconds since the first turn."""
        return seconds(Instance.of(self.trace, 0))

    @property
    def returns(self) -> FloatArray:
        """1 where the conversation goes on, else 0."""
        return np.asarray(self.trace.next_turn < len(self.trace), np.float64)

    @property
    def silence(self) -> FloatArray:
        """Seconds until the next turn of the conversation, or until the end of the trace."""
        return self.times[np.minimum(self.trace.next_turn, len(self.trace) - 1)] - self.times


def log_index(hazard: FloatArray) -> FloatArray:
    """Return the logarithm of the return index of each turn and bin."""
    return np.asarray(np.round(np.log(hazards.return_indices(hazard)), hazards.PLACES), np.float64)


def from_cells(known: Hindsight) -> FloatArray:
    """Return the index of each turn from the policy's cells, learnt from the whole trace."""
    trace = known.trace
    cell = hazards.cells(turn_numbers(trace.code), trace.prompt)
    counts = hazards.counts_after(trace, known.times, cell, len(trace) - 1)
    return log_index(hazards.hazards(counts))[cell]


def from_chances(known: Hindsight, chance: FloatArray) -> FloatArray:
    """Return the index of each turn that returns with a chance, after a silence as all of them have."""
    bins = hazards.bins(known.silence[known.returns > 0])
    law = np.bincount(bins, minlength=len(MIDDLES)) + 1e-6
    law = law / law.sum()
    later = np.cumsum(law[::-1])[::-1]
    odds = chance[:, None] * law / (chance[:, None] * later + 1 - chance[:, None])
    return log_index(-np.log1p(-np.minimum(odds, 1 - 1e-9)) / np.diff(hazards.SILENCES))


def through_noise(known: Hindsight, level: float) -> FloatArray:
    """Return the chance of return that an oracle with the AUC `level` gives each turn."""
    apart = float(norm.ppf(level)) * 2**0.5
    score = np.random.default_rng(SEED).normal(size=len(known.trace)) + apart * known.returns
    share = float(known.returns.mean())
    return _logistic(np.log(share / (1 - share)) + apart * score - apart**2 / 2)


def features(known: Hindsight) -> FloatArray:
    """Return what an engine sees of each turn, a row each."""
    trace, number = known.trace, turn_numbers(known.trace.code)
    gap = _gaps(known)
    before = np.where(gap[:, 1] >= 0, gap[:, 0], -1.0)
    lengths = np.column_stack([trace.prompt, trace.response, trace.history, trace.past, number])
    gaps = np.column_stack([before, gap[:, 1]])
    signs = np.column_stack([gaps >= 0, trace.prompt[:, None] == 0])
    cell = hazards.cells(number, trace.prompt)[:, None] == np.arange(hazards.CELLS)
    columns = np.hstack([np.log1p(lengths), np.log1p(np.maximum(gaps, 0)), signs, cell])
    return np.asarray((columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-9), np.float64)


def _gaps(known: Hindsight) -> FloatArray:
    """Return the gap before the one that led to each turn and that gap; -1 where there is none."""
    gap = np.full((len(known.trace), 2), -1.0)
    for k in np.flatnonzero(known.returns).tolist():
        gap[known.trace.next_turn[k]] = gap[k, 1], known.silence[k]
    return gap


def regression(known: Hindsight) -> FloatArray:
    """Return the chance of return of each turn, from a fit on the conversations of the other folds."""
    rows = np.column_stack([np.ones(len(known.trace)), features(known)])
    fold = np.random.default_rng(SEED).integers(0, FOLDS, known.trace.conversations)[known.trace.code]
    chance = np.empty(len(rows))
    for held_out in range(FOLDS):
        fitted = (fold != held_out) & observed(known)
        chance[fold == held_out] = _logistic(rows[fold == held_out] @ _fit(rows[fitted], known.returns[fitted]))
    return chance


def observed(known: Hindsight) -> IntArray:
    """Whether at least 15 minutes of trace follow each turn."""
    return np.asarray(known.times < known.times[-1] - SEEN_AFTER)


def _fit(rows: FloatArray, returns: FloatArray) -> FloatArray:
    weights = np.zeros(rows.shape[1])
    for _ in range(12):
        chance = _logistic(rows @ weights)
        slope = rows.T @ (returns - chance) - RIDGE * weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def _logistic(score: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-score)), np.float64)


def auc(score: FloatArray, returns: FloatArray) -> float:
    """Return the probability that a turn that is followed scores higher than one that is not; a tie is half."""
    ranks, followed = rankdata(score), returns > 0
    n = int(followed.sum())
    return float((ranks[followed].sum() - n * (n + 1) / 2) / (n * (len(returns) - n)))


def orders(known: Hindsight, chance: FloatArray) -> dict[str, FloatArray]:
    """Return the index of each turn and bin, by what it knows; `chance` is the regression's."""
    returns, when = known.returns[:, None] > 0, from_chances(known, np.ones(len(known.trace)))
    remaining = np.maximum(known.silence[:, None] - MIDDLES, 1.0)
    noisy = {f"AUC {level:g}": from_chances(known, through_noise(known, level)) for level in LEVELS}
    return {
        "cells": from_cells(known),
        "regression": from_chances(known, chance),
        **noisy,
        "end": np.where(returns, when, NEVER),
        "time": np.where(returns, -np.log(remaining), NEVER),
    }


def evicting_by(index: FloatArray, trace: tt.Trace, capacity: int, xi: int) -> LearntOrder:
    """Return the order with an index of each turn's own, and the prompt law of the whole trace."""
    learnt = LearntOrder.of(xi, Instance.of(trace, capacity))
    turns = np.arange(len(trace))
    own = hazards.ReturnIndices(turns, (len(trace) - 1,), np.zeros_like(turns), index[None])
    return replace(learnt, indices=own, laws=learnt.laws[-1:])


def rows(trace: tt.Trace, capacity: int, slo: Fraction, indices: dict[str, FloatArray]) -> Iterator[Row]:
    """Replay every order at a capacity and a threshold."""
    xi = LATENCY.threshold(slo)
    optimum = tt.hindsight_optimum(trace, capacity, xi).objective
    base = tt.tail_excess_latency(tt.replay(trace, tt.TLRU(xi, default_estimate(trace)), capacity), xi)
    for knows, index in indices.items():
        tel = tt.tail_excess_latency(tt.replay(trace, evicting_by(index, trace, capacity, xi), capacity), xi)
        share = tt.share_closed(base, tel, optimum)
        yield Row(capacity, float(slo), knows, tel, optimum, None if share is None else float(share))


def lines(table: list[Row]) -> Iterator[str]:
    """Yield the shares as a Markdown table, a line an order."""
    settings = list(dict.fromkeys((row.capacity, row.slo) for row in table))
    columns = ("knows", *(f"{capacity / 1e6:g} M, {slo:g} s" for capacity, slo in settings))
    shares: dict[str, list[str]] = {row.knows: [] for row in table}
    for row in table:
        shares[row.knows].append("" if row.closed is None else f"{100 * row.closed:.1f}")
    yield from markdown(columns, [(knows, *of) for knows, of in shares.items()], "l" + "r" * len(settings))


def auc_lines(known: Hindsight, chance: FloatArray) -> Iterator[str]:
    """Yield the AUC of the chances of return, a line a threshold."""
    for xi in (0, *(LATENCY.threshold(slo) for slo in SLOS)):
        long = observed(known) & (known.trace.past > xi)
        yield f"past above {xi:,}: {long.sum():,} turns, AUC {auc(chance[long], known.returns[long]):.3f}"


def main(trace_file: str, target: str) -> None:
    """Replay all orders, write the table and print the shares."""
    known = Hindsight(tt.read_trace(trace_file))
    chance = regression(known)
    click.echo("\n".join(auc_lines(known, chance)))
    indices = orders(known, chance)
    table = [row for capacity in CAPACITIES for slo in SLOS for row in rows(known.trace, capacity, slo, indices)]
    write_rows(table, Path(target), Row)
    click.echo("\n".join(lines(table)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        end("usage: python -m experiments.return_ceilings TRACE TABLE.csv")
    with errors_in_one_line():
        main(*sys.argv[1:])
