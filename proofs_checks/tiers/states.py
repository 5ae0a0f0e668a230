"""What the best plan in small tiers costs: every content of the tiers is tried, and plans are fractions in an LP.

A content says of each conversation what tiers 0 to i hold of it together, for each i. After a turn it may sink or
go, and never rises; if migration is free it may rise too. What a conversation forgets before a turn is in no tier
then.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement, pairwise
from typing import TypeAlias

import numpy as np
from scipy.optimize import linprog

from proofs_checks.tiers.chains import Chain, Row
from proofs_checks.tiers.plain_chains import Cascade, Conversation, Kind, totals

Content: TypeAlias = tuple[Row, ...]


def pools(case: Chain) -> Row:
    """Return what tiers 0 to i hold together, for each i."""
    return case.capacities if case.inclusive else tuple(accumulate(case.capacities))


def cost(case: Chain, total: int, held: Row) -> int:
    """Return what a turn has above xi if tiers 0 to i hold so much of its past, in parts of a token."""
    loaded = [*held[:1], *(more - less for less, more in pairwise(held))]
    worth = sum((case.parts - load) * x for load, x in zip(case.loads, loaded, strict=True))
    return max(0, total * case.parts - worth - case.xi * case.parts)


def least(case: Chain, free: bool = False) -> int:
    """Return the least sum of what turns have above xi, by trying every content."""
    none: Content = ((0,) * len(case.loads),) * (1 + max(turn[0] for turn in case.trace))
    best, past = {none: 0}, dict.fromkeys(range(len(none)), 0)
    for (theta, prompt, response, *_), total in zip(case.trace, totals(case), strict=True):
        past[theta] = total + response
        after: dict[Content, int] = {}
        for content, so_far in best.items():
            spent = so_far + cost(case, total, tuple(min(x, total - prompt) for x in content[theta]))
            whole = (*content[:theta], (past[theta],) * len(case.loads), *content[theta + 1 :])
            for kept in contents(whole, pools(case), free):
                after[kept] = min(spent, after.get(kept, spent))
        best = after
    return min(best.values())


@lru_cache(maxsize=1 << 14)
def contents(whole: Content, rooms: Row, free: bool) -> list[Content]:
    """Return what can be left of some contents in so much room; asked again for other loads and thresholds."""
    if not whole:
        return [()]
    found: list[Content] = []
    most = (whole[0][-1],) * len(rooms) if free else whole[0]
    for held in combinations_with_replacement(range(whole[0][-1] + 1), len(rooms)):
        left = tuple(room - x for room, x in zip(rooms, held, strict=True))
        if min(left) >= 0 and all(x <= limit for x, limit in zip(held, most, strict=True)):
            found += [(held, *others) for others in contents(whole[1:], left, free)]
    return found


def in_one_pool(case: Chain) -> int:
    """Return the least sum in one cache of all tiers' room, what a turn finds being in the fastest of it."""
    held_in_all = pools(case)[-1]
    best, past = {(0,) * len(case.trace): 0}, [0] * len(case.trace)
    for (theta, prompt, response, *_), total in zip(case.trace, totals(case), strict=True):
        past[theta] = total + response
        after: dict[Row, int] = {}
        for held, so_far in best.items():
            found = min(held[theta], total - prompt)
            spent = so_far + cost(case, total, tuple(min(room, found) for room in pools(case)))
            whole = (*held[:theta], past[theta], *held[theta + 1 :])
            for kept in contents(tuple((x,) for x in whole), (held_in_all,), False):
                row = tuple(x for (x,) in kept)
                after[row] = min(spent, after.get(row, spent))
        best = after
    return min(best.values())


def most_hits(case: Chain, room: int) -> int:
    """Return the most that turns find in one cache, by trying every content."""
    one = Chain(case.trace, (room,), (0,), 1)
    return sum(totals(one)) - least(one)


def relaxed(case: Chain) -> Fraction:
    """Return the optimum of the linear program with nested rows, in parts of a token.

    A stay is from a turn to the next of its conversation. Of stay k tiers 0 to i hold Y[k, i] all the time, and
    at each step all stays together hold at most what tiers 0 to i have room for.
    """
    stays, inputs, tiers = _stays(case), totals(case), len(case.loads)
    alone = sum(max(0, inputs[k] - case.xi) * case.parts for k in _first_turns(case))
    if not stays:
        return Fraction(alone)
    width = len(stays) * (tiers + 1)
    rows, bounds = [], []
    for step in range(len(case.trace)):
        for i, room in enumerate(pools(case)):
            rows.append([float(s <= step < e and c == i) for s, e, _ in stays for c in range(tiers + 1)])
            bounds.append(room)
    for k, (_, end, history) in enumerate(stays):
        for i in range(tiers):
            at, row = k * (tiers + 1) + i, np.zeros(width)
            row[at] = 1
            if i + 1 < tiers:
                row[at + 1] = -1
            rows.append(list(row))
            bounds.append(0 if i + 1 < tiers else history)
        row = np.zeros(width)
        gains = zip(case.loads, (*case.loads[1:], case.parts), strict=True)
        row[k * (tiers + 1) : (k + 1) * (tiers + 1)] = [*(less - more for less, more in gains), -1]
        rows.append(list(row))
        bounds.append((case.xi - inputs[end]) * case.parts)
    prices = [float(c == tiers) for _ in stays for c in range(tiers + 1)]
    found = linprog(prices, A_ub=np.array(rows), b_ub=bounds, method="highs")
    return alone + Fraction(float(found.fun or 0)).limit_denominator(1000)


def _stays(case: Chain) -> list[tuple[int, int, int]]:
    """Return the turns from and to which a conversation waits, and its history then."""
    last: dict[int, int] = {}
    stays = []
    for k, (turn, total) in enumerate(zip(case.trace, totals(case), strict=True)):
        if turn[0] in last:
            stays.append((last[turn[0]], k, total - turn[1]))
        last[turn[0]] = k
    return stays


def _first_turns(case: Chain) -> list[int]:
    names = [turn[0] for turn in case.trace]
    return [k for k, name in enumerate(names) if name not in names[:k]]


class Clairvoyant(Cascade):
    """Belady's cascade, "LRU" for all that the next turn knows; with budgets it is Tail-Optimized Belady's.

    What returns last goes first, and of what never returns nothing is worth anything.
    """

    def _estimate(self, k: int, theta: int) -> int:
        turns = self.case.trace
        self.known[theta].last = -next((j for j in range(k + 1, len(turns)) if turns[j][0] == theta), len(turns))
        return super()._estimate(k, theta)

    def _worth(self, tier: int, one: Conversation) -> int:
        turns = self.case.trace
        if -one.last == len(turns):
            return 0
        history = totals(self.case)[-one.last] - turns[-one.last][1]
        return super()._worth(tier, replace(one, past=history))


class TailOptimized(Clairvoyant):
    """Tail-Optimized Belady as the package has it: it trims what never returns, then the least recent."""

    def _turn(self, k: int) -> list[int]:
        self.turn = k
        return super()._turn(k)

    def _trimmed(self, tier: int) -> bool:
        names, may = [turn[0] for turn in self.case.trace], self._may_lose(tier)
        come, coming = names[: self.turn + 1], names[self.turn + 1 :]
        some = [theta for theta, one in self.known.items() if one in may and self._surplus(tier, one)]
        order = sorted(some, key=lambda theta: (theta in coming, -come[::-1].index(theta)))
        for theta in order[:1]:
            self._sink(tier, self.known[theta], 1)
        return bool(order)


def foreseen(case: Chain, kinds: tuple[Kind, ...]) -> list[list[int]]:
    """Return what each turn finds of each tier in Belady's cascade."""
    return Clairvoyant(case, kinds, "least-recent").found()


def held_together(found_by_turn: list[list[int]]) -> list[list[int]]:
    """Return what each turn finds of tiers 0 to i, for each i."""
    return [list(accumulate(row)) for row in found_by_turn]
