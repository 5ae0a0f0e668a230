"""Which threshold fits a printed column best, and how sure that is.

A column, or several columns with one heading, is a row of cells. For each threshold of a grid the distance is the
root of the mean squared difference between the cells' means over samples and the printed cells. Two intervals go
with the best threshold:

1. of the *mean*: 95 % of what resampling the samples gives. It covers what the number of our samples leaves open.
2. of the *sample*: all thresholds that are not much worse than the best one, had the printed column been one of
   our samples: for each threshold, each sample made at it is fitted by the mean of the others; by how much the
   squared distance at its own threshold exceeds the least one says how far a true threshold can be from the best
   one. A threshold stays in where the printed column's excess is within 95 % of those. It covers that the paper
   has one sample too, and may have several parts.

Neither covers the assumptions behind the samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
RESAMPLES = 1000
QUANTILES, LEVEL = (0.025, 0.975), 0.95


@dataclass(frozen=True)
class Fit:
    """The best threshold of printed cells, as places on the grid.

    Attributes
    ----------
    best : int
        Where the distance is least.
    distances : ndarray of float64, shape (thresholds,)
        At each threshold, in points.
    mean : tuple of int
        Ends of the interval of the mean.
    sample : tuple of int
        Thresholds of the interval of the sample, which may have several parts; `best` is one of them.
    as_far : float
        Share of the samples made at the best threshold whose own least distance is as large or larger.
    """

    best: int
    distances: Floats
    mean: tuple[int, int]
    sample: tuple[int, ...]
    as_far: float


def distances(cells: Floats, printed: Floats) -> Floats:
    """Return the root of the mean squared difference over the last axis, in points."""
    return np.asarray(np.sqrt(((cells - printed) ** 2).mean(axis=-1)))


def fit(samples: Floats, printed: Floats, rng: np.random.Generator) -> Fit:
    """Fit printed cells.

    Parameters
    ----------
    samples : ndarray of float64, shape (samples, thresholds, cells)
        Improvements in per cent.
    printed : ndarray of float64, shape (cells,)
        As printed.
    rng : numpy.random.Generator
        For resampling.
    """
    of = distances(samples.mean(axis=0), printed)
    best = int(of.argmin())
    resampled = distances(resampled_means(samples, rng), printed).argmin(axis=-1)
    low, high = (int(q) for q in np.quantile(resampled, QUANTILES, method="nearest"))
    excess, least = own_fits(samples)
    as_far = float((least[:, best] >= of[best]).mean())
    no_surprise = of**2 - of[best] ** 2 <= np.quantile(excess, LEVEL, axis=0, method="inverted_cdf")
    return Fit(best, of, (low, high), tuple(np.flatnonzero(no_surprise).tolist()), as_far)


def resampled_means(samples: Floats, rng: np.random.Generator) -> Floats:
    """Return means over samples drawn with replacement, shape (`RESAMPLES`, thresholds, cells)."""
    n = len(samples)
    weights = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES) / n
    return np.tensordot(weights, samples, axes=1)


def own_fits(samples: Floats) -> tuple[Places, Floats]:
    """Fit each sample, at each threshold, by the mean of the others.

    Returns
    -------
    ndarray of float64, shape (samples, thresholds)
        By how much the squared distance at the threshold of which a sample is exceeds the least one.
    ndarray of float64, shape (samples, thresholds)
        The least distance.
    """
    others = (samples.sum(axis=0) - samples) / (len(samples) - 1)
    each = [distances(mean[None, :, :], own[:, None, :]) for mean, own in zip(others, samples, strict=True)]
    least = np.array([of_own.min(axis=1) for of_own in each])
    return np.array([of_own.diagonal() for of_own in each]) ** 2 - least**2, least


@dataclass(frozen=True)
class Labelling:
    """Increasing thresholds for the headings of a table.

    Attributes
    ----------
    places : tuple of int
        One a heading, on the grid.
    rmse : float
        Over all cells of the table, in points.
    resamples : float
        Share of resamples of our samples in which it fits best.
    samples : float
        Share of our samples, each made at the printed headings and fitted by the mean of the others, for which it
        fits best; that of the printed labelling should be near 1.
    """

    places: tuple[int, ...]
    rmse: float
    resamples: float
    samples: float


def labellings(
    samples: Floats, heading_of: Places, printed: Floats, as_printed: Places, rng: np.random.Generator
) -> list[Labelling]:
    """Fit every increasing choice of thresholds for a table's headings, best first, among equals the printed one.

    Parameters
    ----------
    samples : ndarray of float64, shape (samples, thresholds, capacities, columns)
        Improvements in per cent.
    heading_of : ndarray of int, shape (columns,)
        Number of each column's heading, from 0.
    printed : ndarray of float64, shape (capacities, columns)
        As printed.
    as_printed : ndarray of int, shape (headings,)
        Place of each printed heading on the grid.
    rng : numpy.random.Generator
        For resampling.
    """
    headings = int(heading_of.max()) + 1
    chosen = list(combinations(range(samples.shape[1]), headings))
    chosen.sort(key=lambda choice: choice != tuple(as_printed.tolist()))
    places = np.array(chosen)[:, heading_of]
    columns = np.arange(len(heading_of))
    squares = squares_of_columns(samples.mean(axis=0), printed)
    rmse = np.sqrt(squares[places, columns].mean(axis=1))
    n, thresholds = samples.shape[:2]
    drawn = resampled_means(samples.reshape(n, thresholds, -1), rng).reshape(-1, thresholds, *printed.shape)
    in_resamples = _best_of(squares_of_columns(drawn, printed), places)
    own = samples[:, as_printed[heading_of], :, columns].transpose(1, 2, 0)
    others = (samples.sum(axis=0) - samples) / (n - 1)
    in_samples = _best_of(squares_of_columns(others, own[:, None]), places)
    found = [
        Labelling(choice, float(rmse[i]), float((in_resamples == i).mean()), float((in_samples == i).mean()))
        for i, choice in enumerate(chosen)
    ]
    return sorted(found, key=lambda labelling: labelling.rmse)


def squares_of_columns(cells: Floats, printed: Floats) -> Floats:
    """Return mean squared differences over capacities, shape (..., thresholds, columns)."""
    return np.asarray(((cells - printed) ** 2).mean(axis=-2))


def _best_of(squares: Floats, places: Places) -> Places:
    """Return for each resample or sample the number of the labelling that fits best."""
    return np.asarray(squares[:, places, np.arange(places.shape[1])].mean(axis=-1).argmin(axis=1))
