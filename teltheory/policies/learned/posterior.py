"""Beliefs: whether a silent conversation is still alive.

A conversation of turn rate lambda and death rate mu has been silent for tau seconds since its last turn.

1. The paper's belief (Zhang et al. 2025, Appendix D): pi = exp(-mu tau), the chance that a conversation which was
   alive at its last turn has not died since. It takes no notice of the silence itself.
2. The posterior given the silence. Alive and silent so far: exp(-(mu + lambda) tau). Dead at s <= tau, silent
   until then: mu exp(-(mu + lambda) s) ds, in all mu / (mu + lambda) (1 - exp(-(mu + lambda) tau)). Therefore

   pi = (mu + lambda) / (lambda + mu exp((mu + lambda) tau)).

3. From a prior pi instead of certainty, with x = exp(-(mu + lambda) tau):

   pi x / (1 - pi + pi (mu + lambda x) / (mu + lambda)).

The exact versions take the decay x as a Fraction, since times and exponentials are not rational together.
`proofs_checks.tail_optimized.posterior` derives all of this.
"""

from fractions import Fraction

import numpy as np

from teltheory.model.numbers import FloatArray, rational


def paper_belief(silence: FloatArray, death_rate: float) -> FloatArray:
    """Return exp(-mu tau) for silences of 0 seconds or more, any shape."""
    return np.asarray(np.exp(-death_rate * silence), np.float64)


def bayes_posterior(silence: FloatArray, death_rate: float, turn_rate: FloatArray) -> FloatArray:
    """Return the probability that a conversation is alive given its silence.

    Parameters
    ----------
    silence : ndarray of float64
        Seconds since the last turn, 0 or more.
    death_rate : float
        mu a second.
    turn_rate : ndarray of float64
        lambda a second of each conversation; broadcast against `silence`.
    """
    decay = np.exp(-(death_rate + turn_rate) * silence)
    return np.asarray((death_rate + turn_rate) * decay / (turn_rate * decay + death_rate), np.float64)


def exact_posterior(decay: Fraction, death_rate: Fraction | int, turn_rate: Fraction | int) -> Fraction:
    """Return the probability that a conversation is alive given its silence, exactly.

    The decay exp(-(mu + lambda) tau) is from 0 (silent for ever) to 1 (a turn just now); mu is above 0, lambda 0
    or more, and only their ratio matters.
    """
    return exact_after_silence(Fraction(1), decay, death_rate, turn_rate)


def exact_decay(alive: Fraction, death_rate: Fraction | int, turn_rate: Fraction | int) -> Fraction:
    """Return the decay exp(-(mu + lambda) tau) of the silence after which a posterior is as given.

    The inverse of `exact_posterior`, with the same rates and errors.
    """
    pi = rational("alive", alive, 0, 1)
    mu, rate = rational("death_rate", death_rate, 0, above=True), rational("turn_rate", turn_rate, 0)
    return mu * pi / (mu + rate - rate * pi)


def exact_after_silence(
    alive: Fraction, decay: Fraction, death_rate: Fraction | int, turn_rate: Fraction | int
) -> Fraction:
    """Return the probability of being alive after a further silence, exactly; see `exact_posterior`."""
    pi, x = rational("alive", alive, 0, 1), rational("decay", decay, 0, 1)
    mu, rate = rational("death_rate", death_rate, 0, above=True), rational("turn_rate", turn_rate, 0)
    return pi * x / (1 - pi + pi * (mu + rate * x) / (mu + rate))
