"""The loops in C that fill plans and weigh cuts do what plain Python does, of lengths up to 2**62 too."""

from itertools import chain, combinations

import numpy as np
import pytest
from replay.instances import fewer

from teltheory.base.loops import call

UNITS = (1, 2**55)


def filled(order, start, begin, end, most, free, plan, in_part):
    """Fill interval by interval; the rows of an interval's treads are different ones."""
    free, plan = list(free), list(plan)
    for k in order:
        treads = range(start[k], start[k + 1])
        held = {row: i for i in treads for row in range(begin[i], end[i])}
        short = [free[row] for row, i in held.items() if free[row] < most[i] - plan[i]]
        top = treads[-1]
        more = min([most[top] - plan[top], *(short if in_part else [0] * len(short))])
        given = {i: min(more, most[i] - plan[i]) for i in treads}
        for row, i in held.items():
            free[row] -= given[i]
        for i in treads:
            plan[i] += given[i]
    return free, plan


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("in_part", [False, True])
def test_intervals_are_filled_in_order(unit, in_part):
    rng, rows = np.random.default_rng(5), 12
    for _ in range(fewer(300)):
        ends = [np.sort(rng.integers(0, rows + 1, 2 if in_part else rng.integers(2, 5))) for _ in range(7)]
        start = np.cumsum([0, *(len(one) - 1 for one in ends)])
        begin, end = (np.concatenate([one[some] for one in ends]) for some in (slice(-1), slice(1, None)))
        most = unit * np.concatenate([np.cumsum(rng.integers(1, 9, len(one) - 1)) for one in ends])
        free, plan, order = unit * rng.integers(0, 30, rows), np.zeros_like(most), rng.permutation(7)
        expected = filled(order, start, begin, end, most.tolist(), free.tolist(), plan.tolist(), in_part)
        call("fill_in_order", 7, len(most), rows, order, start, begin, end, most, free, plan, in_part)
        assert (free.tolist(), plan.tolist()) == expected


def kept_whole(order, turn, first, last, size, lacking, free):
    """Keep items that fit; those without steps always do."""
    lacking, free, kept = list(lacking), list(free), [0] * len(order)
    for j in order:
        steps = range(first[j], last[j] + 1)
        if (lacking[turn[j]] > 0 or not steps) and all(free[step] >= size[j] for step in steps):
            kept[j] = size[j]
            lacking[turn[j]] -= size[j]
            for step in steps:
                free[step] -= size[j]
    return lacking, free, kept


@pytest.mark.parametrize("unit", UNITS)
def test_whole_items_are_kept_in_order(unit):
    rng, items, steps = np.random.default_rng(6), 9, 8
    for _ in range(fewer(300)):
        first, size = rng.integers(0, steps, items), unit * rng.integers(1, 9, items)
        last = np.minimum(first + rng.integers(-1, 4, items), steps - 1)
        free, lacking = unit * rng.integers(0, 20, steps), unit * rng.integers(0, 12, 4)
        turn, order, kept = rng.integers(0, 4, items), rng.permutation(items), np.zeros(items, np.int64)
        lists = (one.tolist() for one in (order, turn, first, last, size, lacking, free))
        expected = kept_whole(*lists)
        call("keep_whole_items", items, 4, steps, order, turn, first, last, size, lacking, free, kept)
        assert (lacking.tolist(), free.tolist(), kept.tolist()) == expected


def lifted_cover(order, lifted, share, need, room):
    """Weigh a cover with 1, and lift the others one by one by trying all choices; None if all fit together."""
    if sum(need) <= room:
        return None
    cover = []
    for k in order:
        if sum(need[j] for j in cover) <= room:
            cover.append(k)
    for k in cover[::-1]:
        if share[k] < 1 and sum(need[j] for j in cover) - need[k] > room:
            cover.remove(k)
    weight, most = dict.fromkeys(cover, 1), len(cover) - 1
    for k in (k for k in lifted if k not in cover):
        choices = chain.from_iterable(combinations(weight, size) for size in range(len(weight) + 1))
        fit = [some for some in choices if sum(need[j] for j in some) <= room - need[k]]
        weight[k] = max(most - max(sum(weight[j] for j in some) for some in fit), 0)
    return [weight[k] for k in range(len(need))], most


@pytest.mark.parametrize("unit", UNITS)
def test_cuts_are_weighed_as_is_said_of_them(unit):
    rng, n, covers = np.random.default_rng(7), 8, 0
    for _ in range(fewer(300)):
        need, share = rng.choice([2, 3, 4, 11, 14], n), rng.choice([0.2, 0.5, 0.9, 1.0], n)
        need, room = unit * need, unit * int(rng.integers(need.max(), need.sum() + 2))
        orders, lifted = np.array([rng.permutation(n) for _ in range(3)]), rng.permutation(n)
        weights, most, excess = np.zeros((4, n), np.int64), np.empty(4, np.int64), np.empty(4)
        least = np.empty(513, np.int64)
        call("weigh_cuts", n, share, need, room, orders, lifted, 1.0, 512, least, weights, most, excess)
        rounded = need // need[:, None]
        violated = (rounded @ share - room // need) / np.linalg.norm(rounded, axis=1)
        assert excess[0] == pytest.approx(violated.max())
        assert (weights[0] @ share - most[0]) / np.linalg.norm(weights[0]) == pytest.approx(violated.max())
        for c, order in enumerate(orders.tolist(), 1):
            expected = lifted_cover(order, lifted.tolist(), share, need.tolist(), room)
            if expected is None:
                assert (most[c], excess[c]) == (-1, 0)
                continue
            assert (weights[c].tolist(), most[c]) == expected
            assert excess[c] == pytest.approx((weights[c] @ share - most[c]) / np.linalg.norm(weights[c]))
            covers += 1
    assert covers > 20
