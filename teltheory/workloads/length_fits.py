"""Laws of lengths fitted to the lengths of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.workloads.conversations import turn_numbers
from teltheory.workloads.laws import LARGEST, WIDEST, Empirical, Law, LogNormal
from teltheory.workloads.maximum import maximise, standard_errors

NARROWEST = 1e-7
KINDS_OF_LAWS = ("lognormal", "empirical")


@dataclass(frozen=True)
class FittedLaws:
    """Laws by turn, with the logarithm of the probability of the lengths and standard errors by name."""

    prompts: tuple[Law, ...]
    responses: tuple[Law, ...]
    log_likelihood: float
    errors: Mapping[str, float]


def fit_laws(trace: Trace, lengths: str, by_turn: int) -> FittedLaws:
    """Fit laws of prompts and of responses; the arguments are those of `fit_conversations`."""
    if lengths not in KINDS_OF_LAWS:
        raise ArgumentError("lengths", lengths, " or ".join(map(repr, KINDS_OF_LAWS)))
    number = turn_numbers(trace.code)
    most = int(number.max()) + 1
    if not 1 <= whole_number("by_turn", by_turn) <= most:
        raise ArgumentError("by_turn", by_turn, f"1 to {most}, the turns of the longest conversation")
    laws: dict[str, tuple[Law, ...]] = {}
    errors: dict[str, float] = {}
    total = 0.0
    for name, column in (("prompts", trace.prompt), ("responses", trace.response)):
        groups = [column[np.minimum(number, by_turn - 1) == i] for i in range(by_turn)]
        fits = [_fit(lengths, seen) for seen in groups]
        laws[name] = tuple(law for law, _ in fits)
        total += sum(float(law.log_probability(seen).sum()) for law, seen in zip(laws[name], groups, strict=True))
        errors |= {f"{name}[{i}].{of}": error for i, (_, named) in enumerate(fits) for of, error in named.items()}
    return FittedLaws(laws["prompts"], laws["responses"], total, errors)


def _fit(law: str, seen: IntArray) -> tuple[Law, Mapping[str, float]]:
    if law == "empirical":
        return Empirical.of(seen), {}
    return fit_lognormal(seen)


def fit_lognormal(lengths: IntArray) -> tuple[LogNormal, Mapping[str, float]]:
    """Fit a lognormal law, rounded up, by maximum likelihood; return it with standard errors.

    All lengths the same: the spread is 0 and the errors are NaN.
    """
    known, counts = np.unique(lengths, return_counts=True)
    if known[0] < 1:
        raise ArgumentError("lengths", "a length of 0", "1 token or more for a lognormal law, or 'empirical'")
    if len(known) == 1:
        return LogNormal(float(known[0]), 0.0), {"mean_length": np.nan, "spread": np.nan}

    def value(x: FloatArray) -> float:
        return float(counts @ _lognormal(x).log_probability(known))

    logarithms = np.log(known - 0.5)
    centre = np.average(logarithms, weights=counts)
    spread = np.sqrt(np.average((logarithms - centre) ** 2, weights=counts))
    bounds = [(-1.0, float(np.log(LARGEST))), (float(np.log(NARROWEST)), float(np.log(WIDEST)))]
    x = maximise(value, [np.array([centre + spread**2 / 2, np.log(spread)])], bounds)
    errors = standard_errors(value, x, bounds, np.exp).tolist()
    return _lognormal(x), dict(zip(("mean_length", "spread"), errors, strict=True))


def _lognormal(x: FloatArray) -> LogNormal:
    mean, spread = np.exp(x).tolist()
    return LogNormal(min(mean, LARGEST), min(spread, WIDEST))
