"""Workloads like WildChat's and ShareGPT's, for those who do not have the data.

What is fitted, and to what:

- WildChat's turns per conversation: the published shares of 529,428 conversations (mean 2.35, median 1, P90 5,
  P95 7, P99 13). Starts: the published mean of 35.3 s, exponential (its median is 24.5 s, published are 22 s).
- WildChat's prompts and responses: quantiles of 5,737 turns of 1,221 of its conversations in per-turn benchmark
  logs (SemiAnalysisAI/InferenceX, Apache-2.0). Prompts are WildChat's own, responses those of a Llama-3.3-70B.
  `python -m teltheory.paper.fit_chat_lengths` prints them again.

What is assumed stands in the arguments of `wildchat_like` and `sharegpt_like`; docs/workloads.md says how the
defaults were chosen, what they leave open and what another choice changes.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray
from teltheory.workloads.chats import Chats, of_weights, turn_law
from teltheory.workloads.laws import Finite, LogNormal, Quantiles
from teltheory.workloads.times import ExponentialGaps, Gaps

WILDCHAT_AT_LEAST: Mapping[int, float] = {1: 1.0, 2: 0.421, 3: 0.262, 5: 0.124, 10: 0.027, 14: 0.01}
"""Shares of WildChat's conversations with at least so many turns; the last from P99 = 13."""

WILDCHAT_SECONDS_BETWEEN_STARTS = 35.3
WILDCHAT_LONGEST_KNOWN = 60

LEVELS = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1)
"""Levels at which the quantiles of lengths are stated."""

FIRST_PROMPTS = (0, 3, 10, 31, 85, 153, 247, 368, 552, 773, 1093, 1422, 1637, 1754, 1854, 1922, 1923)
LATER_PROMPTS = (0, 5, 8, 12, 17, 28, 51, 102, 177, 273, 504, 733, 1007, 1252, 1426, 1687, 1930)
FIRST_RESPONSES = (2, 11, 24, 95, 209, 333, 441, 540, 648, 791, 1018, 1224, 1634, 1833, 1965, 2333, 2519)
LATER_RESPONSES = (2, 49, 84, 178, 280, 407, 523, 634, 756, 926, 1211, 1543, 1894, 2162, 2456, 4823, 11209)
RESPONSE_CORRELATION = 0.56


def wildchat_like(
    gaps: Gaps = ExponentialGaps(400.0),  # noqa: B008
    longest: int = 10,
    mean_prompt: float | None = 200.0,
    response_correlation: float = RESPONSE_CORRELATION,
) -> Chats:
    """Return conversations like WildChat's.

    Parameters
    ----------
    gaps : Gaps
        Seconds between the turns of a conversation. WildChat keeps one time stamp a conversation, so this is an
        assumption, and the one that matters most.
    longest : int
        Turns of the longest conversation; longer ones are no part of the workload.
    mean_prompt : float or None
        Mean prompt in tokens, to which all prompts are scaled; None leaves them as they are (about 280). The paper
        says 200.
    response_correlation : float
        Correlation of the normal scores of two responses of one conversation; 0.56 as fitted.
    """
    turns = turn_law(WILDCHAT_AT_LEAST, WILDCHAT_LONGEST_KNOWN)
    chats = Chats(
        "WildChat-like",
        WILDCHAT_SECONDS_BETWEEN_STARTS,
        of_weights(np.array([float(p) for k, p in turns.outcomes if k <= longest])),
        gaps,
        (Quantiles(LEVELS, FIRST_PROMPTS), Quantiles(LEVELS, LATER_PROMPTS)),
        (Quantiles(LEVELS, FIRST_RESPONSES), Quantiles(LEVELS, LATER_RESPONSES)),
        response_correlation,
    )
    return chats if mean_prompt is None else chats.with_mean_prompt(mean_prompt)


def sharegpt_like(
    giants: float = 0.05,
    mean_giant: float = 60.0,
    longest: int = 160,
    mean_turns: float = 3.5,
    mean_prompt: float = 100.0,
    mean_response: float = 200.0,
    spread: float = 1.0,
    response_correlation: float = 0.5,
) -> Chats:
    """Return conversations like ShareGPT's, with the paper's times (lambda_conv = 1, lambda_turn = 3).

    The paper states 3.5 turns per conversation, prompts of 100 tokens and percentiles of TTFT that need a few
    giant conversations; the rest is declared here. The turn law mixes two geometric ones on 1 to `longest`.

    Parameters
    ----------
    giants, mean_giant : float
        Share of the giants among conversations, and the mean turns of one before the cut.
    longest : int
        Turns of the longest conversation.
    mean_turns : float
        Mean turns of a conversation; the short ones get the mean that is left for them.
    mean_prompt, mean_response, spread : float
        Lognormal lengths: means in tokens, standard deviation of the logarithm.
    response_correlation : float
        Correlation of the normal scores of two responses of one conversation.
    """
    return Chats(
        "ShareGPT-like",
        1.0,
        giant_turns(giants, mean_giant, longest, mean_turns),
        ExponentialGaps(1 / 3),
        (LogNormal(mean_prompt, spread),),
        (LogNormal(mean_response, spread),),
        response_correlation,
    )


@cache
def giant_turns(giants: float, mean_giant: float, longest: int, mean_turns: float) -> Finite:
    """Return the mixture of two geometric laws on 1 ... `longest` with this mean."""
    from scipy.optimize import brentq

    counts = np.arange(1, longest + 1)
    giant = _geometric(mean_giant, counts)
    left = (mean_turns - giants * float(counts @ giant)) / (1 - giants)
    if not 1 < left < (longest + 1) / 2:
        raise ArgumentError(
            "mean_turns", mean_turns, f"a mean that leaves short conversations 1 turn or more, not {left:.3g}"
        )
    base = brentq(lambda mean: float(counts @ _geometric(mean, counts)) - left, 1 + 1e-9, 1e6)
    return of_weights((1 - giants) * _geometric(base, counts) + giants * giant)


def _geometric(mean: float, counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> FloatArray:
    """Return the geometric law of this mean, cut off beyond `counts` and scaled to 1."""
    weights = (1 - 1 / mean) ** (counts - 1.0)
    return np.asarray(weights / weights.sum())
