"""A latency model from measured TTFTs, with what it rests on.

1. The requests of equal tokens become a cell with their median TTFT.
2. Each form (`teltheory.calibration.forms`) is fitted to the medians.
3. Each is judged by cross-validation: the cells are dealt into ten groups, each is predicted from the others, and
   the mean absolute error over all cells counts. The simplest form whose error is at most the least one plus its
   standard error is taken (the one-standard-error rule, Breiman et al. 1984).
4. Confidence intervals, 95 %, come from a bootstrap over cells: percentiles of the refitted parameters, widened
   around the estimate by sqrt(m / (m - p)) t / z for m cells and p parameters (Hesterberg 2015), since percentile
   intervals of few cells are too narrow.
5. What the linear form would cost is counted in tokens. For SLOs within the range of the measured TTFTs the
   threshold xi is the most uncached tokens of a prompt without a cached prefix, and the budget of an input is what
   must stay cached of it, n less the most uncached tokens that keep the SLO; both within the lengths measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from teltheory.calibration.cells import MedianCells, cells_of, signs_of_load
from teltheory.calibration.forms import (
    FORMULAS,
    LINEAR,
    NAMES,
    PARAMETERS,
    TABLE,
    Form,
    as_model,
    fit_formula,
    fit_plain,
    fit_samples,
    fit_table,
    fit_with_floor,
    predicted,
    predictors,
    rounded,
)
from teltheory.calibration.runs import TTFTRuns
from teltheory.cost.latency import Latency, LatencyModel, Provenance
from teltheory.cost.latency_table import TableLatency
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.numbers import FloatArray, IntArray, whole_number

FOLDS, RESAMPLES, AT_ONCE = 10, 1000, 500_000
FEWEST_SPARE = 2
LEVEL = 0.95
SLO_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
MOST_TOTALS = 64
WORTH_A_WARNING = 0.05


@dataclass(frozen=True)
class FittedForm:
    """A form fitted to all cells, and how well it predicts cells that it has not seen.

    `error` is the mean absolute error on cells left out, `worst` the largest residual of a cell; in seconds.
    """

    form: str
    model: LatencyModel | TableLatency
    r_squared: float
    error: float
    standard_error: float
    worst: float


@dataclass(frozen=True)
class TokenError:
    """Largest differences of xi and of the budget between two models, in tokens, and the SLOs (in seconds)."""

    threshold: int
    threshold_slo: float
    budget: int
    budget_slo: float
    budget_total: int
    longest: int

    @property
    def matters(self) -> bool:
        """Whether the larger one is more than a twentieth of the longest prompt."""
        return max(self.threshold, self.budget) > WORTH_A_WARNING * self.longest

    def __str__(self) -> str:
        return (
            f"xi is off by up to {self.threshold:,} tokens (SLO {self.threshold_slo:.4g} s), the budget by up to "
            f"{self.budget:,} tokens (an input of {self.budget_total:,} tokens, SLO {self.budget_slo:.4g} s)"
        )


@in_short
@dataclass(frozen=True)
class FittedLatency:
    """A latency model and what it rests on.

    Attributes
    ----------
    model : LatencyModel or TableLatency
        The model that was chosen.
    form : str
        Its form.
    forms : tuple of FittedForm
        All that were tried, from the simplest.
    intervals : mapping of str to (float, float)
        95 % confidence intervals of the form's parameters; none for a table.
    cells : Cells
        The medians that were fitted.
    linear_error : TokenError
        What taking the linear form instead would cost in tokens.
    load : tuple of str
        Signs that the server was busy.
    warnings : tuple of str
        What a user should know before trusting the model.
    notes : tuple of str
        What the reader of the file left out.
    """

    model: LatencyModel | TableLatency
    form: str
    forms: tuple[FittedForm, ...]
    intervals: Mapping[str, tuple[float, float]]
    cells: MedianCells
    linear_error: TokenError
    load: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def chosen(self) -> FittedForm:
        """The form that was chosen."""
        return next(fitted for fitted in self.forms if fitted.form == self.form)

    @property
    def r_squared(self) -> float:
        """Share of the variance of the cell medians that the model explains."""
        return self.chosen.r_squared

    def ttft(self, uncached: ArrayLike, cached: ArrayLike = 0) -> FloatArray:
        """Return seconds to the first token of the chosen model, elementwise."""
        return self.model.ttft(uncached, cached)

    def residuals(self, form: str | None = None) -> FloatArray:
        """Return median less model for each cell, of the chosen form or of another, in seconds."""
        fitted = self.chosen if form is None else next(f for f in self.forms if f.form == form)
        return residuals(fitted.model, self.cells)


def fit_latency(
    runs: TTFTRuns, form: str = "auto", rng: np.random.Generator | None = None, resamples: int = RESAMPLES
) -> FittedLatency:
    """Fit a latency model to measured TTFTs.

    Parameters
    ----------
    runs : TTFTRuns
        From `read_ttft_runs`.
    form : {"auto", "linear", "linear-floor", "attention", "attention-floor", "table"}
        Which form to take; "auto" chooses by cross-validation. All are fitted and compared in either case.
    rng : Generator or None
        For the folds and the bootstrap; one of seed 0 when left out, so that a fit repeats.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    FittedLatency

    Raises
    ------
    ArgumentError
        An unknown form, or too few cells: each form needs two more than it has parameters, of different lengths.
    """
    if form not in ("auto", *NAMES):
        raise ArgumentError("form", form, ", ".join(map(repr, ("auto", *NAMES))))
    if not isinstance(runs, TTFTRuns):
        raise ArgumentError("runs", type(runs).__name__, "measured runs, such as read_ttft_runs(path) returns")
    rng = np.random.default_rng(0) if rng is None else rng
    cells, cell = cells_of(runs)
    facts = {name: runs.facts.get(name, "") for name in ("hardware", "model", "engine", "version", "date")}
    note = f"fitted to {len(runs)} requests" + (f" of {runs.source}" if runs.source else "")
    about = Provenance(**facts, data_sha256=runs.facts.get("data_sha256", ""), note=note)
    forms = _fitted(cells, rng, about)
    best = min(forms, key=lambda fitted: fitted.error)
    good = (fitted.form for fitted in forms if fitted.error <= best.error + best.standard_error)
    name = next(good) if form == "auto" else form
    chosen = next((fitted for fitted in forms if fitted.form == name), None)
    if chosen is None:
        raise ArgumentError("form", form, "one that so few cells determine: " + ", ".join(f.form for f in forms))
    off = token_error(forms[0].model, chosen.model, cells)
    load = signs_of_load(runs, cells, cell)
    intervals = _intervals(chosen, cells, rng, whole_number("resamples", resamples))
    warnings = _warnings(chosen, off, cells, load)
    return FittedLatency(chosen.model, name, forms, intervals, cells, off, load, warnings, runs.notes)


def residuals(model: LatencyModel | TableLatency, cells: MedianCells) -> FloatArray:
    """Return median less model for each cell, in seconds."""
    return cells.seconds - model.ttft(cells.uncached_tokens, cells.cached_tokens)


def r_squared(model: LatencyModel | TableLatency, cells: MedianCells) -> float:
    """Return 1 - sum of squared residuals / sum of squared differences to the mean, over cell medians."""
    around = float(((cells.seconds - cells.seconds.mean()) ** 2).sum())
    return 1 - float((residuals(model, cells) ** 2).sum()) / around if around else 0.0


def _fitted(cells: MedianCells, rng: np.random.Generator, about: Provenance) -> tuple[FittedForm, ...]:
    if len(np.unique(cells.uncached_tokens)) < 2 or len(cells) < LINEAR.parameters + FEWEST_SPARE:
        found = f"{len(cells)} cells of {len(np.unique(cells.uncached_tokens))} uncached lengths"
        raise ArgumentError("runs", found, "4 cells or more, of different uncached lengths")
    folds = rng.permutation(len(cells)) % min(FOLDS, len(cells))
    return tuple(
        _judged(name, model, cells, folds) for name in NAMES if (model := _model(name, cells, about)) is not None
    )


def _model(name: str, cells: MedianCells, about: Provenance | None = None) -> LatencyModel | TableLatency | None:
    """Return the form fitted to cells, None if they are too few for it."""
    title = f"{name}, fitted"
    if name == TABLE:
        enough = len(cells) >= LINEAR.parameters + FEWEST_SPARE
        return fit_table(cells, title, about) if enough else None
    form = FORMULAS[name]
    spare = min(len(cells), len(np.unique(predictors(form, cells), axis=0))) - form.parameters
    return as_model(fit_formula(form, cells), title, about) if spare >= FEWEST_SPARE else None


def _judged(name: str, model: LatencyModel | TableLatency, cells: MedianCells, folds: IntArray) -> FittedForm:
    off = np.abs(_left_out(name, cells, folds))
    error, standard = float(off.mean()), float(off.std(ddof=1) / np.sqrt(len(off)))
    worst = float(np.abs(residuals(model, cells)).max())
    return FittedForm(name, model, r_squared(model, cells), error, standard, worst)


def _left_out(name: str, cells: MedianCells, folds: IntArray) -> FloatArray:
    """Return median less prediction of each cell, from the cells of the other folds."""
    if name != TABLE:
        others = folds != np.arange(int(folds.max()) + 1)[:, None]
        many = max(1, AT_ONCE // (FOLDS * len(cells)))
        parts = range(0, len(others), many)
        values = np.concatenate([fit_samples(FORMULAS[name], cells, others[at : at + many]) for at in parts])
        return np.asarray(cells.seconds - predicted(values, cells)[folds, np.arange(len(cells))], np.float64)
    off = np.zeros(len(cells))
    for fold in range(int(folds.max()) + 1):
        out, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        model = fit_table(cells.at(others))
        off[out] = residuals(model, cells.at(out)) if model is not None else np.inf
    return off


def _intervals(
    chosen: FittedForm, cells: MedianCells, rng: np.random.Generator, resamples: int
) -> dict[str, tuple[float, float]]:
    from scipy.stats import norm, t

    if not resamples or chosen.form == TABLE or not isinstance(chosen.model, LatencyModel):
        return {}
    form, m = FORMULAS[chosen.form], len(cells)
    values = fit_formula(form, cells)
    resampled = _resampled(form, values, cells, rng, resamples)
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    spare = m - form.parameters
    wider = np.sqrt(m / spare) * float(t.ppf((1 + LEVEL) / 2, spare) / norm.ppf((1 + LEVEL) / 2))
    low, high = values - wider * (values - low), values + wider * (high - values)
    least, had = (0.0, 0.0, -np.inf, 0.0), (True, form.attention, True, form.floor)
    bounds = zip(PARAMETERS, np.maximum(low, least).tolist(), high.tolist(), had, strict=True)
    return {name: (lower, upper) for name, lower, upper, there in bounds if there}


def _resampled(
    form: Form, values: FloatArray, cells: MedianCells, rng: np.random.Generator, resamples: int
) -> FloatArray:
    """Return alpha, gamma, beta and the floor of each resample of the cells, shape (resamples, 4)."""
    x, y = predictors(form, cells), cells.seconds
    below = predicted(values, cells) <= values[3] if form.floor else np.zeros(len(cells), np.bool_)
    found, at_once = [], max(1, AT_ONCE // len(cells))
    for start in range(0, resamples, at_once):
        some = min(at_once, resamples - start)
        drawn = rng.integers(len(cells), size=(some, len(cells)))
        if form.floor:
            found.append(fit_with_floor(form, x[drawn], y[drawn], below[drawn], drawn >= 0, 3, 20)[0])
        else:
            found.append(fit_plain(form, x[drawn], y[drawn], drawn >= 0))
    return np.concatenate(found)


def _warnings(chosen: FittedForm, off: TokenError, cells: MedianCells, load: tuple[str, ...]) -> tuple[str, ...]:
    found = list(load)
    if chosen.form != LINEAR.name and off.matters:
        found.append(f"a linear model is not good enough for budgets: with it {off}")
    if cells.cold and chosen.form != TABLE:
        found.append("no request had cached tokens: what the model says of cached prefixes was not measured")
    if chosen.form == TABLE:
        found.append("no formula fits: between its cells and beyond them the table interpolates")
    return tuple(found)


def token_error(model: Latency, judged_by: Latency, cells: MedianCells) -> TokenError:
    """Return how far a model's thresholds and budgets are from another's, over the range of the data."""
    slos = [rounded(float(value)) for value in np.unique(np.quantile(cells.seconds, SLO_LEVELS))]
    longest = int(cells.prompt_tokens.max())
    different = np.unique(cells.prompt_tokens)
    levels = np.linspace(0, 1, min(MOST_TOTALS, len(different)))
    totals = np.unique(np.quantile(different, levels, method="nearest")).astype(np.int64)
    xi = [abs(_threshold(model, slo, longest) - _threshold(judged_by, slo, longest)) for slo in slos]
    budgets = np.array([np.abs(_safe(model, totals, slo) - _safe(judged_by, totals, slo)) for slo in slos])
    worst = int(np.argmax(xi))
    at, place = np.unravel_index(int(np.argmax(budgets)), budgets.shape)
    return TokenError(
        xi[worst], float(slos[worst]), int(budgets.max()), float(slos[int(at)]), int(totals[place]), longest
    )


def _threshold(model: Latency, slo: Fraction, longest: int) -> int:
    try:
        return min(model.threshold(slo), longest)
    except ArgumentError:
        flat = float(model.ttft(longest)) <= slo
        return longest if flat else 0


def _safe(model: Latency, totals: IntArray, slo: Fraction) -> IntArray:
    return np.maximum(model.safe_uncached(totals, slo), 0)
