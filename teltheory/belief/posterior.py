"""Beliefs: whether a silent conversation is still alive, and who arrives next.

A conversation of turn rate lambda and death rate mu has been silent for tau seconds since its last turn.

1. The paper's belief (Zhang et al. 2025, Appendix D): pi = exp(-mu tau), the chance that a conversation which was
   alive at its last turn has not died since. It takes no notice of the silence itself.
2. The posterior given the silence. Alive and silent so far: exp(-(mu + lambda) tau). Dead at s <= tau, silent
   until then: mu exp(-(mu + lambda) s) ds, in all mu / (mu + lambda) (1 - exp(-(mu + lambda) tau)). Therefore

   pi = (mu + lambda) / (lambda + mu exp((mu + lambda) tau)).
"""

from __future__ import annotations

import numpy as np

from teltheory.numbers import FloatArray


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
