"""How many turn rates a trace tells apart: the conversation model fitted with one to four kinds.

    python -m experiments.turn_rates TRACE

Prints a line a fit, as Markdown: parameters, log-likelihood, the mean life, and the mean seconds between the turns
of each kind with its share.
"""

from collections.abc import Iterator
from functools import partial

import teltheory as tt
from teltheory.paper.script import markdown, run

KINDS = (1, 2, 3, 4)


def main(trace_file: str) -> Iterator[str]:
    """Yield the table."""
    trace = tt.read_trace(trace_file)
    columns = "rates | parameters | log-likelihood | mean life, s | mean seconds between turns (share)"
    yield from markdown(columns.split(" | "), map(partial(_cells, trace), KINDS))


def _cells(trace: tt.Trace, kinds: int) -> tuple[object, ...]:
    fit = tt.fit_conversations(trace, kinds, lengths="empirical")
    likelihood, life = f"{fit.log_likelihood:,.1f}", f"{1 / fit.model.death_rate:,.0f}"
    rates = ", ".join(_of_kind(float(kind.turn_rate), kind.share) for kind in fit.model.kinds)  # type: ignore[arg-type]
    return kinds, 1 + 2 * kinds, likelihood, life, rates


def _of_kind(rate: float, share: float) -> str:
    return f"{1 / rate:,.0f} ({share:.2f})" if share < 1 else f"{1 / rate:,.0f}"


if __name__ == "__main__":
    run(main, __doc__)
