"""Which values a check on forests puts, whether they are as its claim says, and all cases of a shape."""

from typing import NamedTuple

import numpy as np

from teltheory.claims.compiled.layout import OUTSIDE, REFUTED, TRUE, codes
from teltheory.claims.compiled.trees import BlockTree, furthest_goes, least, losses, staying
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

GREEDY, STRICT, LEAF_FIRST, CLOSED_NEEDS = codes(range(4))
CHECKS = {
    "greedy and optimum": GREEDY,
    "strict and holes": STRICT,
    "leaf first and strict": LEAF_FIRST,
    "closed needs": CLOSED_NEEDS,
}
NEEDS, EXCESSES = codes(range(2))
DEMANDS = {"any need": NEEDS, "no tail": EXCESSES}
"""Every vector of needs up to what is known, at a threshold of the depth; or each excess is without a tail, at
thresholds from the least one to the depth."""
WITHIN, REFUTING, SUM = range(3)
MOST_VALUES = 3
CAPACITY, XI, TOTALS = range(3)


class ShapePlan(NamedTuple):
    """What is tried of a shape: a check, demands, how many requests run if caching is forced, least numbers."""

    check: int
    demands: int
    running: int
    least_capacity: int
    least_xi: int
    most_xi: int


@compiled
def judge(check: int, tree: BlockTree, need: IntArray, capacity: int, running: int, out: IntArray) -> int:
    """Put a check's values into `out`, the first entry their number; return OUTSIDE, TRUE or REFUTED."""
    loss = losses(tree, need)
    if check == CLOSED_NEEDS and not needs_are_closed(tree, need):
        return OUTSIDE
    out[0] = 2
    if check == GREEDY:
        out[1] = furthest_goes(tree, need, capacity, running, False)
        out[2] = least(tree, loss, capacity, running, False, 0)
    elif check == STRICT:
        out[1] = least(tree, loss, capacity, running, True, 0)
        out[2] = least(tree, loss, capacity, running, False, 0)
    else:
        out[1] = furthest_goes(tree, need, capacity, running, True)
        out[2] = least(tree, loss, capacity, running, True, 0)
    if check == CLOSED_NEEDS:
        out[0], out[3] = 3, least(tree, loss, capacity, running, False, 0)
        return TRUE if out[1] == out[2] == out[3] else REFUTED
    return TRUE if out[1] == out[2] else REFUTED


@compiled
def needs_are_closed(tree: BlockTree, need: IntArray) -> bool:
    """Whether between a read of a block and the next, if that needs it, requests need what they share with it."""
    for e in range(len(need)):
        for place in range(min(need[e], tree.end[e])):
            block = tree.path[e, place]
            for k in range(e - 1, -1, -1):
                if (tree.mask[k] >> block) & 1:
                    if not _needed_between(tree, need, k, e):
                        return False
                    break
    return True


@compiled
def _needed_between(tree: BlockTree, need: IntArray, s: int, e: int) -> bool:
    for k in range(s + 1, e):
        shared = 0
        while shared < min(tree.end[k], tree.end[e]) and tree.path[k, shared] == tree.path[e, shared]:
            shared += 1
        if shared > need[k]:
            return False
    return True


@compiled
def tally(plan: ShapePlan, tree: BlockTree, known: IntArray) -> tuple[IntArray, IntArray]:
    """Check every case of a shape; return its totals, and the smallest case that refutes as C, xi and totals.

    The totals are the cases within the hypotheses, those that refute, and a sum of their values with weights.
    """
    n, out = len(known), np.zeros(1 + MOST_VALUES, np.int64)
    totals, smallest = np.zeros(3, np.int64), np.zeros(TOTALS + n, np.int64)
    case = np.zeros(TOTALS + n, np.int64)
    for xi in range(plan.least_xi, plan.most_xi + 1):
        need = np.zeros(n, np.int64) if plan.demands == NEEDS else np.maximum(tree.end - xi, 0)
        more = True
        while more:
            for capacity in range(least_capacity(plan, tree), len(tree.parent) + 1):
                case[CAPACITY], case[XI] = capacity, xi
                case[TOTALS:] = xi + need if plan.demands == NEEDS else tree.end
                answer = judge(plan.check, tree, need, capacity, plan.running, out)
                _count(answer, out, case, totals, smallest)
            more = plan.demands == NEEDS and _next(need, known)
    return totals, smallest


@compiled
def least_capacity(plan: ShapePlan, tree: BlockTree) -> int:
    """Return the least capacity, which holds every path that no cut touches."""
    most = plan.least_capacity
    for k in range(len(tree.end) - 1):
        most = max(most, tree.number[staying(tree, k, plan.running)])
    return most


@compiled
def _next(need: IntArray, known: IntArray) -> bool:
    """Go to the next vector of needs; return whether there was one."""
    for k in range(len(need)):
        if need[k] < known[k]:
            need[k] += 1
            return True
        need[k] = 0
    return False


@compiled
def _count(answer: int, out: IntArray, case: IntArray, totals: IntArray, smallest: IntArray) -> None:
    if answer == OUTSIDE:
        return
    totals[WITHIN] += 1
    totals[SUM] += weighed(case, out[1 : 1 + out[0]])
    if answer == REFUTED:
        totals[REFUTING] += 1
        if totals[REFUTING] == 1 or _is_smaller(case, smallest):
            smallest[:] = case


@compiled
def weighed(case: IntArray, values: IntArray) -> int:
    """Return what the values of a case add to the sum of a tally."""
    weight = 1 + case[CAPACITY] + 31 * case[XI]
    for k in range(TOTALS, len(case)):
        weight += k * case[k]
    summed = 0
    for place in range(len(values)):
        summed += (place + 1) * values[place]
    return int(weight * summed)


@compiled
def _is_smaller(case: IntArray, other: IntArray) -> bool:
    """Whether a case is smaller: all totals, then C, xi and the totals one by one."""
    difference = case[TOTALS:].sum() - other[TOTALS:].sum()
    for place in range(len(case)):
        if difference != 0:
            break
        difference = case[place] - other[place]
    return bool(difference < 0)
