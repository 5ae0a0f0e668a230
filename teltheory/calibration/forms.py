"""The forms of a latency model, each fitted to cell medians.

For u uncached and c cached tokens, n = u + c, and alpha, gamma >= 0:

- linear: alpha u + beta, the paper's;
- linear-floor: max(floor, alpha u + beta);
- attention: alpha u + gamma (n^2 - c^2) + beta;
- attention-floor: max(floor, alpha u + gamma (n^2 - c^2) + beta);
- table: a monotone table of totals and cached shares.

The formulas are fitted by Huber's regression. A floor is found by taking turns: the cells where the formula is
below the floor have it for their median, the formula is fitted to the others; from several starts, and the one of
least absolute errors stays.
"""

from dataclasses import dataclass
from fractions import Fraction
from statistics import median

import numpy as np

from teltheory.calibration.cells import MedianCells
from teltheory.calibration.robust import ROUNDS, huber, medians
from teltheory.cost.latency import LatencyModel, Provenance
from teltheory.cost.latency_table import TableLatency
from teltheory.model.numbers import BoolArray, FloatArray, IntArray

STARTS, TURNS, ROUGH = 12, 12, 6
MOST_ROWS, MOST_COLUMNS = 24, 8
DIGITS = 7
PARAMETERS = ("per_token", "per_pair", "constant", "floor")


@dataclass(frozen=True)
class Form:
    """A form of the model, and whether it has gamma and a floor."""

    name: str
    attention: bool = False
    floor: bool = False

    @property
    def parameters(self) -> int:
        """How many numbers are fitted."""
        return 2 + self.attention + self.floor


LINEAR = Form("linear")
TABLE = "table"
_FORMS = (LINEAR, Form("linear-floor", floor=True), Form("attention", True), Form("attention-floor", True, True))
FORMULAS = {form.name: form for form in _FORMS}
NAMES = (*FORMULAS, TABLE)
"""From the simplest to the least simple."""


def predictors(form: Form, cells: MedianCells) -> FloatArray:
    """Return u, n^2 - c^2 if the form has it, and 1, shape (m, p)."""
    u, c = cells.uncached_tokens.astype(float), cells.cached_tokens.astype(float)
    columns = [u, u * (u + 2 * c), np.ones(len(u))] if form.attention else [u, np.ones(len(u))]
    return np.stack(columns, axis=1)


def fit_formula(form: Form, cells: MedianCells) -> FloatArray:
    """Return alpha, gamma, beta and the floor, those that a form lacks as 0."""
    return np.asarray(fit_samples(form, cells, np.ones((1, len(cells)), np.bool_))[0], np.float64)


def fit_samples(form: Form, cells: MedianCells, used: BoolArray) -> FloatArray:
    """Return the values of each sample, shape (b, 4), of the cells that are `used`, shape (b, m)."""
    x, y = (np.broadcast_to(one, (len(used), *one.shape)) for one in (predictors(form, cells), cells.seconds))
    found = fit_plain(form, x, y, used)
    if not form.floor:
        return found
    u = cells.uncached_tokens
    each = [_starts(u[there]) for there in used]
    of = np.repeat(np.arange(len(used)), [len(starts) for starts in each])
    below = (u <= np.concatenate(each)[:, None]) & used[of]
    rough, below = fit_with_floor(form, x[of], y[of], below, used[of], TURNS, ROUGH)
    errors = (np.abs(y[of] - predicted(rough, cells)) * used[of]).sum(axis=1)
    most = (np.abs(y - predicted(found, cells)) * used).sum(axis=1)
    for sample in range(len(used)):
        own = np.flatnonzero(of == sample)
        if len(own) and (errors[own] <= most[sample]).any():
            one, on = slice(sample, sample + 1), below[own[np.argmin(errors[own])]][None]
            found[sample] = _values(form, _slopes(form, x[one], y[one], used[one] & ~on), _medians(y[one], on))[0]
    return found


def fit_with_floor(
    form: Form, x: FloatArray, y: FloatArray, below: BoolArray, used: BoolArray, turns: int, rounds: int
) -> tuple[FloatArray, BoolArray]:
    """Return the values of each sample, shape (b, 4), and the cells that lie on the floor, shape (b, m).

    Floor and formula take `turns` turns at most, from the cells `below`; x is (b, m, p), y is (b, m) in seconds.
    Only cells that are `used` count.
    """
    values = np.zeros((len(y), len(PARAMETERS)))
    for _ in range(turns):
        on = below & ((used & ~below).sum(axis=1) > x.shape[2])[:, None]
        floor, theta = _medians(y, on), _slopes(form, x, y, used & ~on, rounds)
        values = _values(form, theta, floor)
        below = used & (np.matmul(x, theta[:, :, None])[:, :, 0] < floor[:, None])
        if (below == on).all():
            break
    return values, on


def fit_plain(form: Form, x: FloatArray, y: FloatArray, used: BoolArray) -> FloatArray:
    """Return the values of each sample, shape (b, 4), if no cell lies on a floor."""
    return _values(form, _slopes(form, x, y, used), np.zeros(len(y)))


def _starts(uncached: IntArray) -> FloatArray:
    different = np.unique(uncached).astype(float)
    if len(different) < 2:
        return different[:0]
    return np.unique(np.quantile(different[:-1], np.linspace(0, 1, STARTS), method="lower"))


def _medians(y: FloatArray, below: BoolArray) -> FloatArray:
    return np.where(below.any(axis=1), medians(y, below), 0.0)


def _slopes(form: Form, x: FloatArray, y: FloatArray, used: BoolArray, rounds: int = ROUNDS) -> FloatArray:
    return huber(x, y, used, (0, 1) if form.attention else (0,), rounds)


def _values(form: Form, theta: FloatArray, floor: FloatArray) -> FloatArray:
    gamma = theta[:, 1] if form.attention else np.zeros(len(theta))
    return np.stack([theta[:, 0], gamma, theta[:, -1], floor], axis=1)


def predicted(values: FloatArray, cells: MedianCells) -> FloatArray:
    """Return the TTFT of each cell from alpha, gamma, beta and the floor, of one sample or of several."""
    u, c = cells.uncached_tokens.astype(float), cells.cached_tokens.astype(float)
    alpha, gamma, beta, floor = values.T[..., None]
    found: FloatArray = np.maximum(alpha * u + gamma * u * (u + 2 * c) + beta, floor)
    return found


def as_model(values: FloatArray, name: str = "", provenance: Provenance | None = None) -> LatencyModel:
    """Return the model of fitted values, rounded to seven digits."""
    alpha, gamma, beta, floor = (rounded(value) for value in values)
    return LatencyModel(alpha, gamma, beta, floor, name, provenance)


def rounded(value: float) -> Fraction:
    """Return a number as a fraction of seven digits."""
    return Fraction(f"{value:.{DIGITS}g}")


def fit_table(cells: MedianCells, name: str = "", provenance: Provenance | None = None) -> TableLatency | None:
    """Return a monotone table of the medians; None if they are in fewer than two rows.

    Neighbouring totals share a row if there are many; columns are at most eight cached shares. Between the cells
    of a row the table interpolates.
    """
    rows = _rows(cells)
    if len(rows) < 2:
        return None
    shares = cells.cached_tokens / np.maximum(cells.prompt_tokens, 1)
    columns = _columns(shares)
    table = [[rounded(value) for value in _row(shares[row], cells.seconds[row], columns)] for row in rows]
    totals = [int(np.median(cells.prompt_tokens[row])) for row in rows]
    return TableLatency.monotone(totals, columns, table, name, provenance)


def _rows(cells: MedianCells) -> list[BoolArray]:
    different = np.unique(cells.prompt_tokens)
    groups = np.array_split(different, min(MOST_ROWS, len(different)))
    return [np.isin(cells.prompt_tokens, group) for group in groups]


def _columns(shares: FloatArray) -> list[Fraction]:
    """Return 0 and some of the cached shares, as fractions of 64."""
    whole = np.unique(np.minimum(np.round(shares * 64), 63).astype(int))
    picked = np.unique(np.quantile(whole, np.linspace(0, 1, MOST_COLUMNS), method="nearest"))
    return [Fraction(int(share), 64) for share in sorted({0, *picked.tolist()})]


def _row(shares: FloatArray, seconds: FloatArray, columns: list[Fraction]) -> list[float]:
    different = np.unique(shares)
    middle = [median(seconds[shares == share].tolist()) for share in different]
    return [float(value) for value in np.interp([float(share) for share in columns], different, middle)]
