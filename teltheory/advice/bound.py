"""What no router, no policy and no queue gets below on the rest of a trace, in seconds above the SLO.

The caches of all replicas together hold at most R C, so one cache of R C that holds what any of them does reuses
at least as much at every turn; loading and waiting only add. Its optimum in hindsight on the rest is that of
`held_out.least_tel`, in units u above a whole threshold. With TTFT >= alpha u + beta a turn has at least
alpha max(0, u - x) seconds above the SLO, x = (slo - beta) / alpha. With n <= x <= n + 1 and whole u

    max(0, u - x) = (n + 1 - x) max(0, u - n) + (x - n) max(0, u - n - 1),

so the optima at n and n + 1, weighted so, are a lower bound together.
"""

from fractions import Fraction
from math import floor

from teltheory.advice.goal import Goal
from teltheory.advice.held_out import least_tel
from teltheory.cost.latency import LatencyModel
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.model.trace import Trace


def least_seconds(
    requests: Trace | Forest, start: int, memory: int | Tiers, replicas: int, goal: Goal
) -> float | None:
    """Return the bound from turn `start` on; None unless TTFT is linear in the uncached tokens alone.

    `memory` is that of a replica, in the unit of the requests.
    """
    latency = goal.latency
    if not (isinstance(latency, LatencyModel) and latency.cached_is_free and latency.per_token > 0):
        return None
    room, unit = tiers_of(memory).pooled[-1] * replicas, latency.per_token * requests.block_size
    threshold = max((goal.slo - latency.constant) / unit, Fraction(0))
    below = floor(threshold)
    part = threshold - below
    least = [least_tel(requests, start, room, xi) for xi in (below, below + 1)]
    return float(unit * ((1 - part) * least[0] + part * least[1]))
