"""Who sends the next turn: one of the conversations that may be alive, or a new one.

Conversation i is alive now with probability pi_i, independently of the others. While alive it sends turns at rate
lambda_i and dies at rate mu; conversations are born at rate lambda_conv, and a birth is a turn. Conversation i
stays silent for t seconds with probability

    s_i(t) = 1 - pi_i + pi_i (mu + lambda_i e^{-(lambda_i + mu) t}) / (lambda_i + mu),

so the next turn is i's with probability

    p_i = int_0^inf pi_i lambda_i e^{-(lambda_i + mu) t} e^{-lambda_conv t} prod_{j != i} s_j(t) dt,

and a new conversation's with probability int_0^inf lambda_conv e^{-lambda_conv t} prod_j s_j(t) dt.

The quadrature is the trapezoidal rule in u = log t with step h = 1/4. Its relative error is bounded whatever the
rates are and however many conversations there are: each integrand f is a sum of terms c e^{-a t} with a, c >= 0,
so |f(t)| <= f(Re t), and on the ray arg t = v the integral of |f| is at most p / cos v; hence the sum is off by at
most 2 p / (cos v (e^{2 pi v / h} - 1)) for every v < pi / 2 (Trefethen and Weideman 2014, theorem 5.1), which is
below 1e-15 p at v = 1.53. Beyond T at most e^{-lambda_conv T} p is left, as every a >= lambda_conv. Such an f is
also log-convex, f(t) >= f(0) e^{-R t} with R = -f'(0) / f(0), so p >= f(0) / R; before the first node, at 1e-8 / R
or less, f counts as constant, which is off by less than 2e-16 p. What is left is rounding.
"""

import math

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, real_number

STEP = 0.25
FIRST = 1e-8
LAST = 37.0
MAX = 1e300


def next_event(
    alive: FloatArray, turn_rates: FloatArray, death_rate: float, birth_rate: float
) -> tuple[FloatArray, float]:
    """Return the probability that each conversation sends the next turn, and that a new one does.

    Parameters
    ----------
    alive : ndarray of float64, shape (n,)
        Probabilities pi that the conversations are alive now.
    turn_rates : ndarray of float64, shape (n,)
        lambda a second, 0 or more.
    death_rate, birth_rate : float
        mu and lambda_conv a second, above 0.

    Returns
    -------
    conversations : ndarray of float64, shape (n,)
        Probabilities, each to a relative 1e-12 for up to 10,000 conversations.
    new : float
        Probability of a birth; all sum to 1.

    Raises
    ------
    ArgumentError
        For probabilities outside [0, 1], negative or infinite rates, or columns of different lengths.
    """
    pi, rates = _columns(alive, turn_rates)
    mu, births = real_number("death_rate", death_rate, 0, MAX), real_number("birth_rate", birth_rate, 0, MAX)
    leaving = rates + mu
    times, weights = _nodes(births + float(leaving.max(initial=0.0)) + float(pi @ rates), births)
    silent = np.exp(-np.outer(leaving, times))
    staying = (1 - pi)[:, None] + (pi / leaving)[:, None] * (mu + rates[:, None] * silent)
    joint = weights * np.exp(np.log(staying).sum(axis=0) - births * times)
    return pi * rates * ((silent / staying) @ joint), births * float(joint.sum())


def _nodes(steepest: float, births: float) -> tuple[FloatArray, FloatArray]:
    """Return times and weights; the first weight is that of all earlier nodes too, a geometric series."""
    first = FIRST / steepest
    last = LAST / births
    times = first * np.exp(STEP * np.arange(math.ceil(math.log(last / first) / STEP) + 1))
    weights = STEP * times
    weights[0] /= -math.expm1(-STEP)
    return times, weights


def _columns(alive: FloatArray, turn_rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    pi, rates = np.asarray(alive, np.float64), np.asarray(turn_rates, np.float64)
    if pi.ndim != 1 or rates.shape != pi.shape:
        raise ArgumentError("turn_rates", rates.shape, f"one rate a conversation, shape {pi.shape[:1]}")
    if not ((pi >= 0) & (pi <= 1)).all():
        raise ArgumentError("alive", alive, "probabilities from 0 to 1")
    if not ((rates >= 0) & (rates < np.inf)).all():
        raise ArgumentError("turn_rates", turn_rates, "finite numbers, 0 or more")
    return pi, rates
