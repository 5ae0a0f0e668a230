"""How far the values of a truncated model can be from those of the model itself.

Let both have the same turns until the truncation changes a state for the first time, right after the T-th turn
from here; what is kept has no influence on T. Whoever decides in one of them can decide the same in the other
until then, and so has the same costs up to the T-th turn. Afterwards every cost is at least 0, and with Q and A
the longest prompt and response and P = longest_past + Q + A, the longest past there can be at that time, the s-th
turn from there costs at most (P + Q - xi)^+ + (s - 1)(Q + A) in either of them. So for every policy, and the best,

    |difference| <= E[beta^T] U,    U = (P + Q - xi)^+ / (1 - beta) + beta (Q + A) / (1 - beta)^2.

h = E[beta^T] solves h(v) = beta (1 - sum_e intact(e) + sum_e intact(e) h(child of e)) over the edges of v.
"""

from __future__ import annotations

import numpy as np

from teltheory.belief.graph import Graph
from teltheory.belief.model import BeliefMDP
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray


def truncation_error(graph: Graph, discount: float) -> FloatArray:
    """Return a bound on what the truncation changes of any value, of the best decisions or of a policy.

    One number per node, whatever is cached; rounding comes on top. The discount is in [0, 1).
    """
    if graph.truncation is None:
        raise ArgumentError("graph", graph.turns, "the graph of a truncation")
    if not 0 <= discount < 1:
        raise ArgumentError("discount", discount, "a number in [0, 1)")
    return _discounted_time(graph, discount) * _most_to_come(graph.model, graph.truncation.longest_past, discount)


def _discounted_time(graph: Graph, discount: float) -> FloatArray:
    """Return h, from above: it starts as 1 and falls, so that it may stop at any time."""
    moves = graph.intact_moves()
    changed = np.maximum(1 - moves.sum(axis=1), 0)
    h, before = np.ones(len(graph.nodes)), np.full(len(graph.nodes), np.inf)
    while (before - h).max() > 1e-15:
        before, h = h, discount * (changed + moves @ h)
    return np.asarray(h)


def _most_to_come(model: BeliefMDP, longest_past: int, discount: float) -> float:
    prompt = max(law.lengths[-1] for kind in model.kinds for law in kind.prompts)
    step = prompt + max(kind.response.lengths[-1] for kind in model.kinds)
    most = max(longest_past + step + prompt - model.xi, 0)
    return most / (1 - discount) + discount * step / (1 - discount) ** 2
