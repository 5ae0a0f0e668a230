"""Return hazards: how soon conversations return, learnt from the turns so far, and from nothing after them.

After turn k of a trace every turn i <= k either was followed by its conversation's next turn, after a silence of
a known length, or its conversation is silent still. Turns fall into cells, by their number in the conversation
and by the length of their prompt, and silences into bins that grow by the square root of two, from 1/64 s.

1. Each cell and bin has its returns and its exposure: seconds that turns of the cell spent in the bin's silences.
2. g_j, the hazard of bin j over all cells, starts from (returns + 1/2) / (exposure + 1/2 / prior); the prior is
   that quotient of the bin before, less in proportion as the bin is longer, and for the first bin the rate of all
   returns. Of all g that rise up to some bin and fall from there on, the one that makes the returns likeliest is
   taken (isotonic regression for each mode): a long silence never looks better than a shorter one by chance. Then
   all are scaled by (returns + 1/2) / (what they lead to expect + 1/2).
3. A cell's hazard in bin j is r_n r_c g_j, n its turn number. The ratio r of a group is (returns + 1/v) /
   (expected + 1/v), where the step before leads to expect so many returns of the group. v, the variance of the
   true ratios of groups of its kind, is estimated from how far returns and what is expected lie apart beyond
   chance, by moments of a Poisson law: sum((returns - expected)^2 - returns) / sum(expected^2). Where that is 0 or
   less, all r are 1.
4. The return index of a silence s is the most that keeping a token until some later bin's end brings a second of
   room: the largest P(return by then) / E[seconds kept until then or until the return], given the silence. That is
   the index of the stopping problem with a price on room (Gittins 1979). Indices count as equal where their
   logarithms agree to nine places.

Estimates are renewed after turn 0 and then after every 32 turns, or every 32nd part of all turns where that is
more. They do not depend on what is cached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.trace import Trace
from teltheory.model.turns import turn_numbers

SILENCES: FloatArray = np.concatenate(([0.0], 2.0 ** (np.arange(-12, 34) / 2)))
"""Ends of the bins of silence, in seconds; a silence beyond the last end counts as one of the last bin."""
TURN_NUMBERS = (1, 2, 3, 5)
PROMPT_LENGTHS = tuple(4**power for power in range(2, 8))
CELLS = (len(TURN_NUMBERS) + 1) * (len(PROMPT_LENGTHS) + 1)
RENEWED = 32
PRIOR_RETURNS = 0.5
PLACES = 9


@dataclass(frozen=True)
class Counts:
    """Returns and exposure of each cell and bin, shape (CELLS, bins)."""

    returns: FloatArray
    exposure: FloatArray


def cells(number: IntArray, prompt: IntArray) -> IntArray:
    """Return the cell of turns, by their number in the conversation (from 0) and their prompts."""
    by_number = np.searchsorted(TURN_NUMBERS, number, side="right")
    return by_number * (len(PROMPT_LENGTHS) + 1) + np.searchsorted(PROMPT_LENGTHS, prompt, side="right")


def bins(silence: FloatArray) -> IntArray:
    """Return the bin of each silence; the end of a bin belongs to the next."""
    return np.minimum(np.searchsorted(SILENCES, silence, side="right") - 1, len(SILENCES) - 2)


def counts_after(trace: Trace, times: FloatArray, cell: IntArray, turn: int) -> Counts:
    """Count returns and exposure as they are known after a turn; later turns are not looked at."""
    seen = turn + 1
    following = trace.next_turn[:seen]
    returned = following < seen
    silence = times[np.where(returned, following, turn)] - times[:seen]
    shape = (CELLS, len(SILENCES) - 1)
    returns, exposure = np.zeros(shape), np.zeros(shape)
    np.add.at(returns, (cell[:seen][returned], bins(silence[returned])), 1.0)
    for j, (low, high) in enumerate(pairwise(SILENCES)):
        spent = np.clip(silence - low, 0.0, high - low)
        exposure[:, j] = np.bincount(cell[:seen], spent, minlength=CELLS)
    return Counts(returns, exposure)


def hazards(counts: Counts) -> FloatArray:
    """Return the hazard of each cell and bin, a second; steps 2 and 3 of the module's first lines."""
    common = common_hazards(counts.returns.sum(axis=0), counts.exposure.sum(axis=0))
    by_number = (len(TURN_NUMBERS) + 1, len(PROMPT_LENGTHS) + 1)
    returns = counts.returns.sum(axis=1).reshape(by_number)
    expected = (counts.exposure @ common).reshape(by_number)
    of_number = ratios(returns.sum(axis=1), expected.sum(axis=1))[:, None]
    of_cell = of_number * ratios(returns, of_number * expected)
    return np.outer(of_cell.ravel(), common)


def ratios(returns: FloatArray, expected: FloatArray) -> FloatArray:
    """Return the ratio r of each group: step 3 of the module's first lines."""
    apart = float(((returns - expected) ** 2 - returns).sum())
    if apart <= 0:
        return np.ones_like(expected)
    prior = float((expected**2).sum()) / apart
    shrunk: FloatArray = (returns + prior) / (expected + prior)
    return shrunk


def common_hazards(returns: FloatArray, exposure: FloatArray) -> FloatArray:
    """Return the hazard of each bin over all cells: step 2 of the module's first lines."""
    width = np.diff(SILENCES)
    seen, seconds = returns + PRIOR_RETURNS, np.empty(len(width))
    prior = (returns.sum() + 1.0) / (exposure.sum() + 1.0)
    for j in range(len(width)):
        seconds[j] = exposure[j] + PRIOR_RETURNS / prior
        if j + 1 < len(width):
            prior = seen[j] / seconds[j] * min(1.0, width[j] / width[j + 1])
    found = single_peaked(seen, seconds)
    scaled: FloatArray = found * (returns.sum() + PRIOR_RETURNS) / (exposure @ found + PRIOR_RETURNS)
    return scaled


def single_peaked(returns: FloatArray, exposure: FloatArray) -> FloatArray:
    """Return the likeliest hazards that rise up to some bin and fall from there on; all arguments above 0."""
    raw: FloatArray = returns / exposure
    found = []
    for peak in range(len(raw)):
        rise, fall = slice(peak), slice(peak, None)
        parts = _monotone(raw[rise], exposure[rise], True), _monotone(raw[fall], exposure[fall], False)
        found.append(np.concatenate(parts))
    candidates = np.array(found)
    likelihood = (returns * np.log(candidates) - exposure * candidates).sum(axis=1)
    best: FloatArray = candidates[int(np.argmax(likelihood))]
    return best


def _monotone(raw: FloatArray, weights: FloatArray, increasing: bool) -> FloatArray:
    if not len(raw):
        return raw
    from scipy.optimize import isotonic_regression

    fitted: FloatArray = isotonic_regression(raw, weights=weights, increasing=increasing).x
    return fitted


def return_indices(hazard: FloatArray) -> FloatArray:
    """Return the index of each cell in the middle of each bin: step 4 of the module's first lines."""
    width = np.diff(SILENCES)
    index = np.zeros_like(hazard)
    for j in range(hazard.shape[1]):
        silent, kept = np.ones(len(hazard)), np.zeros(len(hazard))
        for end in range(j, hazard.shape[1]):
            here = np.exp(-hazard[:, end] * (width[end] / 2 if end == j else width[end]))
            kept += silent * (1.0 - here) / hazard[:, end]
            silent *= here
            np.maximum(index[:, j], (1.0 - silent) / kept, out=index[:, j])
    return index


def renewals(turns: int) -> Iterator[int]:
    """Yield the turns after which estimates are renewed."""
    turn = 0
    while turn < turns:
        yield turn
        turn += max(RENEWED, turn // RENEWED)


@dataclass(frozen=True)
class ReturnIndices:
    """The return indices as they are known after each turn.

    `after` are the turns after which estimates were renewed, `table` says which estimate holds after each turn,
    and `log`, of shape (estimates, CELLS, bins), has the logarithms, to `PLACES` places.
    """

    cell: IntArray
    after: tuple[int, ...]
    table: IntArray
    log: FloatArray

    @classmethod
    def of(cls, trace: Trace, times: FloatArray) -> ReturnIndices:
        """Learn from a trace, each estimate from the turns before it."""
        cell = cells(turn_numbers(trace.code), trace.prompt)
        after = tuple(renewals(len(trace)))
        found = [hazards(counts_after(trace, times, cell, turn)) for turn in after]
        shape = (len(after), CELLS, len(SILENCES) - 1)
        index = return_indices(np.array(found).reshape(len(after) * CELLS, shape[2]))
        log = np.asarray(np.round(np.log(index), PLACES), np.float64).reshape(shape)
        return cls(cell, after, np.searchsorted(after, np.arange(len(trace)), side="right") - 1, log)

    def at(self, turn: int, cell: IntArray, silence: FloatArray) -> FloatArray:
        """Return the logarithm of the index of silent conversations, as it is known after a turn."""
        return np.asarray(self.log[self.table[turn], cell, bins(silence)], np.float64)
