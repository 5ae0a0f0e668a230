"""How many turn rates a trace tells apart: the conversation model fitted with one to four kinds, and a gamma law.

    python -m experiments.turn_rates TRACE

Prints a line a fit, as Markdown: parameters, log-likelihood, the mean life, the mean seconds between the turns of
each kind with its share (of a gamma law their mean, and the variation), and the largest standard error of a share.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import teltheory as tt
from teltheory.paper.script import end, markdown, say
from teltheory.workloads import FittedConversations, GammaRates

KINDS = (1, 2, 3, 4, "gamma")


def rates(fit: FittedConversations) -> str:
    """Return the mean seconds between turns, with shares or the variation."""
    kinds = fit.model.kinds
    if isinstance(kinds[0].turn_rate, GammaRates):
        error = fit.standard_errors["turn_rate.variation"]
        law = kinds[0].turn_rate
        return f"{1 / law.mean:,.0f}; variation {law.variation:.2f} ± {error:.2f}"
    return ", ".join(_of_kind(float(kind.turn_rate), kind.share) for kind in kinds)  # type: ignore[arg-type]


def _of_kind(rate: float, share: float) -> str:
    return f"{1 / rate:,.0f} ({share:.2f})" if share < 1 else f"{1 / rate:,.0f}"


def share_error(fit: FittedConversations) -> str:
    """Return the largest standard error of a share, blank where there is one kind."""
    errors = [error for name, error in fit.standard_errors.items() if name.startswith("share")]
    return f"{max(errors):.2f}" if errors else ""


def lines(trace: tt.Trace) -> Iterator[str]:
    """Yield the table."""
    columns = "rates | parameters | log-likelihood | mean life, s | mean seconds between turns (share) | share ±"
    yield from markdown(columns.split(" | "), map(partial(_cells, trace), KINDS))


def _cells(trace: tt.Trace, kinds: Any) -> tuple[object, ...]:
    fit = tt.fit_conversations(trace, kinds, lengths="empirical")
    parameters = 4 if kinds == "gamma" else 1 + 2 * int(kinds)
    likelihood, life = f"{fit.log_likelihood:,.1f}", f"{1 / fit.model.death_rate:,.0f}"
    return kinds, parameters, likelihood, life, rates(fit), share_error(fit)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        end("usage: python -m experiments.turn_rates TRACE")
    say(line for name in sys.argv[1:] for line in lines(tt.read_trace(name)))
