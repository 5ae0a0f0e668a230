"""Return hazards: how soon what was used comes back, learnt from the requests so far, and from nothing after them.

Requests visit items: a turn its conversation, a request of a forest the pieces of its path. After request k
every visit up to k either was followed by the next visit to its item, after a silence of a known length, or the
item is silent still. Visits of one request in one cell with one request after them, or none, count once, since
only later requests tell which pieces a path has. Visits fall into cells, by the tag of the request, by their
number (of earlier visits to the item; the requests that the request continues, where that is more), and by the
length of its prompt; silences into bins that grow by the square root of two, from 1/64 s.

1. Each cell and bin has its returns and its exposure: seconds that visits of the cell spent in the bin's silences.
2. g_j, the hazard of bin j over all cells, starts from (returns + 1/2) / (exposure + 1/2 / prior); the prior is
   that quotient of the bin before, less in proportion as the bin is longer, and for the first bin the rate of all
   returns. Of all g that rise up to some bin and fall from there on, the one that makes the returns likeliest is
   taken (isotonic regression for each mode): a long silence never looks better than a shorter one by chance. Then
   all are scaled by (returns + 1/2) / (what they lead to expect + 1/2).
3. A cell's hazard in bin j is r_t r_n r_c g_j, t its tag (if there are several), n its number. The ratio r of a
   group is (returns + 1/v) / (expected + 1/v), where the step before leads to expect so many returns of the group.
   v, the variance of the true ratios of groups of its kind, is estimated from how far returns and what is expected
   lie apart beyond chance, by moments of a Poisson law: sum((returns - expected)^2 - returns) / sum(expected^2).
   Where that is 0 or less, all r are 1.
4. The return index of a silence s is the most that keeping a token until some later bin's end brings a second of
   room: the largest P(return by then) / E[seconds kept until then or until the return], given the silence. That is
   the index of the stopping problem with a price on room (Gittins 1979). Indices count as equal where their
   logarithms agree to nine places.

Estimates are renewed after request 0 and then after every 32 requests, or every 32nd part of all where that is
more. They do not depend on what is cached. ``hazards.c`` does all of this; what is here judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call, has_machine_code
from teltheory.model.hints import Hints
from teltheory.model.numbers import FloatArray, IntArray

SILENCES: FloatArray = np.concatenate(([0.0], 2.0 ** (np.arange(-12, 34) / 2)))
"""Ends of the bins of silence, in seconds; a silence beyond the last end counts as one of the last bin."""
TURN_NUMBERS = (1, 2, 3, 5)
PROMPT_LENGTHS = tuple(4**power for power in range(2, 8))
SHAPE = (len(TURN_NUMBERS) + 1, len(PROMPT_LENGTHS) + 1)
CELLS = SHAPE[0] * SHAPE[1]
"""Cells of one tag."""
MOST_TAGS = 16
RENEWED = 32
PRIOR_RETURNS = 0.5
PLACES = 9
STEPS: IntArray = np.array(sorted({0, *(int(2.0 ** (k / 4)) for k in range(4 * 62))}), np.int64)
"""The law of prompts Q is known at these lengths: P(Q >= d) counts as P(Q > s), s the last of them below d."""


class WatchedVisits(NamedTuple):
    """What estimates look at. Visits of request k are `start[k]` to `start[k + 1]`.

    `previous` is the visit to the same item before each, -1 if there is none; `cell` is that of each visit, `time`
    the arrival of each request in seconds; `tags` how many tags cells tell apart.
    """

    start: IntArray
    previous: IntArray
    cell: IntArray
    time: FloatArray
    tags: int

    @property
    def shape(self) -> tuple[int, int]:
        """How many cells and bins there are."""
        return self.tags * CELLS, len(SILENCES) - 1


@dataclass(frozen=True)
class Counts:
    """Returns and exposure of each cell and bin, shape (cells, bins)."""

    returns: FloatArray
    exposure: FloatArray


def cells(number: IntArray, prompt: IntArray, tag: IntArray | int = 0) -> IntArray:
    """Return the cell of visits, by their number (from 0), their requests' prompts, and the tags' numbers."""
    by_number = np.searchsorted(TURN_NUMBERS, number, side="right")
    of_tag = by_number * SHAPE[1] + np.searchsorted(PROMPT_LENGTHS, prompt, side="right")
    return np.asarray(of_tag + CELLS * np.minimum(tag, MOST_TAGS - 1), np.int64)


def tag_numbers(hints: Hints | None, n: int) -> IntArray:
    """Return the tag of n requests, their kind and why they stopped, by first arrival; 0 where none has one."""
    seen, unsaid = dict[tuple[str, str], int](), ("",) * n
    kind, stop = (unsaid, unsaid) if hints is None else (hints.kind or unsaid, hints.stop or unsaid)
    return np.array([seen.setdefault(tag, len(seen)) for tag in zip(kind, stop, strict=True)], np.int64)


def tags_of(tag: IntArray) -> int:
    """Return how many tags cells tell apart."""
    return min(int(tag.max(initial=0)) + 1, MOST_TAGS)


def bins(silence: FloatArray) -> IntArray:
    """Return the bin of each silence; the end of a bin belongs to the next."""
    return np.minimum(np.searchsorted(SILENCES, silence, side="right") - 1, len(SILENCES) - 2)


def counts_after(watched: WatchedVisits, turn: int) -> Counts:
    """Count returns and exposure as they are known after a request; later ones are not looked at."""
    seen = int(watched.start[turn + 1])
    request = np.repeat(np.arange(turn + 1), np.diff(watched.start[: turn + 2]))
    previous, following = watched.previous[:seen], np.full(seen, turn + 1)
    (later,) = np.nonzero(previous >= 0)
    following[previous[later]] = request[later]
    request, cell, following = np.unique(np.stack((request, watched.cell[:seen], following)), axis=1)
    returned = following <= turn
    silence = watched.time[np.minimum(following, turn)] - watched.time[request]
    returns, exposure = np.zeros(watched.shape), np.zeros(watched.shape)
    np.add.at(returns, (cell[returned], bins(silence[returned])), 1.0)
    for j, (low, high) in enumerate(pairwise(SILENCES)):
        spent = np.clip(silence - low, 0.0, high - low)
        exposure[:, j] = np.bincount(cell, spent, minlength=len(exposure))
    return Counts(returns, exposure)


def hazards(counts: Counts) -> FloatArray:
    """Return the hazard of each cell and bin, a second; steps 2 and 3 of the module's first lines."""
    common = common_hazards(counts.returns.sum(axis=0), counts.exposure.sum(axis=0))
    returns = counts.returns.sum(axis=1).reshape(-1, *SHAPE)
    expected = (counts.exposure @ common).reshape(-1, *SHAPE)
    found = np.ones_like(expected)
    for axes in ((1, 2), (2,), ()):
        if len(axes) < 2 or len(expected) > 1:
            led = (found * expected).sum(axis=axes, keepdims=True)
            found = found * ratios(returns.sum(axis=axes, keepdims=True), led)
    return np.outer(found.ravel(), common)


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
class Estimates:
    """The return indices and the laws of prompts as they are known after each request.

    `after` are the requests after which they were renewed, `table` says which estimate holds after each request.
    `worth`, of shape (estimates, cells, bins), has the logarithms of indices, to `PLACES` places. `law`, of shape
    (estimates, steps), has those of P(Q >= d) from each of the lengths d of `first` on.
    """

    after: tuple[int, ...]
    table: IntArray
    worth: FloatArray
    law: FloatArray

    @classmethod
    def of(cls, watched: WatchedVisits, prompt: IntArray) -> Estimates:
        """Learn from requests, each estimate from those before it; a prompt that continues nothing is -1."""
        n = len(watched.time)
        after = tuple(renewals(n))
        indices = indices_by_loop if has_machine_code() else indices_after
        table = np.searchsorted(after, np.arange(n), side="right") - 1
        return cls(after, table, indices(watched, after), laws_after(prompt, after))

    @cached_property
    def first(self) -> IntArray:
        """The least length of each step of the laws."""
        return np.append(-(2**62), STEPS + 1)

    def at(self, turn: int, cell: IntArray, silence: FloatArray) -> FloatArray:
        """Return the logarithm of the index of what is silent, as it is known after a request."""
        return np.asarray(self.worth[self.table[turn], cell, bins(silence)], np.float64)


def indices_after(watched: WatchedVisits, after: Sequence[int]) -> FloatArray:
    """Return the logarithms of the return indices, shape (estimates, cells, bins)."""
    found = [hazards(counts_after(watched, turn)) for turn in after]
    shape = (len(after), *watched.shape)
    index = return_indices(np.array(found).reshape(len(after) * shape[1], shape[2]))
    return np.asarray(np.round(np.log(index), PLACES), np.float64).reshape(shape)


def indices_by_loop(watched: WatchedVisits, after: Sequence[int]) -> FloatArray:
    """Return what `indices_after` does, by the loop in C."""
    n, visits, (cells, bins) = len(watched.time), len(watched.cell), watched.shape
    worth, room = np.empty((len(after), cells, bins)), np.empty(8 * cells * bins)
    open_visits = np.empty(visits, np.int64), np.empty(visits, np.int64), np.empty(visits, np.bool_)
    asked = watched.start, watched.previous, watched.time, watched.cell, watched.tags, *SHAPE, bins, SILENCES
    renewed = len(after), np.array(after, np.int64)
    call("learn_returns", n, visits, asked, PRIOR_RETURNS, renewed, open_visits, room, worth)
    return worth


def laws_after(prompt: IntArray, after: Sequence[int]) -> FloatArray:
    """Return the logarithms of P(Q >= d) at each step, of the prompts so far; before the first Q counts as 0."""
    (known,) = np.nonzero(prompt[: after[-1] + 1 if after else 0] >= 0)
    counts = np.zeros((len(after), len(STEPS) + 1))
    np.add.at(counts, (np.searchsorted(after, known), np.searchsorted(STEPS, prompt[known])), 1.0)
    so_far = np.cumsum(counts, axis=0)
    none = so_far.sum(axis=1) == 0
    so_far[none, 0] = 1.0
    at_least = np.cumsum(so_far[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(at_least / at_least[:, :1]))
