"""Which values a check puts, and whether they are as its claim says.

Most checks compare what some policies do in a case (`COMPARISONS`); the others are written out, by the sections
of `proofs_checks/tail_optimized`: Algorithm 1, orders of trimming, inclusion, Theorem B.1 and Figure 1.
"""

import numpy as np

from teltheory.claims.compiled import optimum, readings, simulator
from teltheory.claims.compiled.layout import (
    CUTS,
    LEVELS,
    LOOPED,
    LOWEST,
    OUTSIDE,
    REFUTED,
    STAMPED,
    TRUE,
    Tiny,
    codes,
    put,
)
from teltheory.claims.compiled.orders import put_fewest_and_most
from teltheory.claims.compiled.simulator import LRU, ROUND_ROBIN, THRESHOLD
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

AT_CAPACITY, ONE_MORE = codes(range(2))
ANY, UPPER_BOUND, BELOW, CUTOFF, LARGE = range(5)
"""Estimates that are given: all; those that no continuing prompt exceeds, others; bounds up to xi; from xi on."""
TEL, EXCESSES, UNCACHED, REUSES = codes(range(4))
NO_MORE, SAME = range(2)

NAMED = tuple(
    policy + trim for trim in range(3) for policy in (ROUND_ROBIN, simulator.END_AWARE, simulator.LENGTH_AWARE)
)
COMPARISONS = {
    "TEL of T-LRU and LRU": (UPPER_BOUND, TEL, NO_MORE, (ROUND_ROBIN, LRU)),
    "excesses of T-LRU and LRU": (UPPER_BOUND, EXCESSES, NO_MORE, (ROUND_ROBIN, LRU)),
    "TEL with any estimate": (ANY, TEL, NO_MORE, (ROUND_ROBIN, LRU)),
    "T-LRU is LRU": (LARGE, UNCACHED, SAME, (ROUND_ROBIN, LRU)),
    "TEL of T-LRU, Threshold-LRU and LRU": (CUTOFF, TEL, NO_MORE, (ROUND_ROBIN, THRESHOLD, LRU)),
    "TEL of T-LRU and Threshold-LRU": (CUTOFF, TEL, NO_MORE, (ROUND_ROBIN, THRESHOLD)),
    "TEL of Threshold-LRU and LRU": (CUTOFF, TEL, NO_MORE, (THRESHOLD, LRU)),
    "Algorithm 1 with >=": (UPPER_BOUND, TEL, NO_MORE, (readings.AT_THE_BUDGET, LRU)),
    "Algorithm 1, single pass": (UPPER_BOUND, TEL, NO_MORE, (readings.SINGLE_PASS, LRU)),
    "two orders below a prompt": (BELOW, EXCESSES, SAME, (ROUND_ROBIN, simulator.LEAST_RECENT)),
    "always or on overflow": (UPPER_BOUND, EXCESSES, SAME, (ROUND_ROBIN, simulator.EAGER)),
    "named orders": (UPPER_BOUND, EXCESSES, SAME, NAMED),
}
"""Estimates, what is put of each policy, how the lists compare, and the policies. Of the named orders each list
compares with the third one after it, of the others with the next one."""
TABLE = np.array([(*row, len(names), *names, *[0] * (9 - len(names))) for *row, names in COMPARISONS.values()])
GIVEN, MEASURE, RELATION, NUMBER, FIRST = range(5)

WRITTEN_OUT = (
    *("Algorithm 1, lowest X", "Algorithm 1, both loops", "Algorithm 1, trim loop", "Algorithm 1, LRU loop"),
    *("Algorithm 1, repaired", "all orders", "all orders below a prompt"),
    *("inclusion of LRU", "inclusion of T-LRU", "inclusion, round-robin"),
    *("Tail-Optimized Belady is optimal", "least bound"),
    *("caps in every optimum", "caps in some optimum", "most hits"),
    *("excess by blocks kept", "budget exists", "budget exists, xi >= Q"),
)
CHECKS = {name: code for code, name in enumerate((*COMPARISONS, *WRITTEN_OUT))}
LOWEST_X, BOTH_LOOPS, TRIM_LOOP, LRU_LOOP, REPAIRED = range(len(COMPARISONS), len(COMPARISONS) + 5)
ALL_ORDERS, ALL_BELOW, STACK_LRU, STACK_TLRU, STACK_ROUND_ROBIN = range(REPAIRED + 1, REPAIRED + 6)
OPTIMAL, CERTIFIED, CAP_IS_NECESSARY, CAP_IS_ENOUGH, HITS = range(STACK_ROUND_ROBIN + 1, STACK_ROUND_ROBIN + 6)
BUDGET, BUDGET_EXISTS, BUDGET_EXISTS_REPAIRED = range(HITS + 1, HITS + 4)


@compiled
def judge(check: int, tiny: Tiny) -> int:
    """Check a case: write its values to `out`, and return OUTSIDE, TRUE or REFUTED."""
    tiny.out[0] = 0
    if check < LOWEST_X:
        return _compared(TABLE[check], tiny)
    if check <= REPAIRED:
        return _algorithm_1(check, tiny)
    if check <= ALL_BELOW:
        return _orders(check, tiny)
    if check <= STACK_ROUND_ROBIN:
        return _inclusion(check, tiny)
    return _hindsight(check, tiny) if check <= HITS else _figure_1(check, tiny)


@compiled
def outcome(tiny: Tiny, policy: int, more: int) -> IntArray:
    """Return what each turn reuses at `more` than the case's capacity, worked out once per capacity and level."""
    level = simulator.level_of(tiny, policy) if policy < readings.FIRST_READING else tiny.xi - tiny.estimate
    result: IntArray = tiny.results[more, policy, level + LEVELS]
    if result[STAMPED] != tiny.stamp:
        result[STAMPED] = tiny.stamp
        if policy < readings.FIRST_READING:
            simulator.simulate(tiny, policy, level, tiny.capacity + more, result)
        else:
            readings.read(tiny, policy, level, tiny.capacity + more, result)
    return result


@compiled
def tel(tiny: Tiny, reused: IntArray) -> int:
    """Return the sum of max(uncached - xi, 0)."""
    total = 0
    for turn in range(tiny.turns):
        total += max(tiny.total[turn] - reused[turn] - tiny.xi, 0)
    return total


@compiled
def put_measure(tiny: Tiny, measure: int, reused: IntArray) -> None:
    """Append the TEL, or what each turn exceeds xi by, computes or reuses."""
    if measure == TEL:
        put(tiny, tel(tiny, reused))
        return
    for turn in range(tiny.turns):
        uncached = tiny.total[turn] - reused[turn]
        if measure == REUSES:
            put(tiny, reused[turn])
        else:
            put(tiny, uncached if measure == UNCACHED else max(uncached - tiny.xi, 0))


@compiled
def agree(tiny: Tiny, first: int, second: int, length: int, relation: int) -> bool:
    """Whether the values of number `first` on are those of number `second` on, or no more."""
    for i in range(1, length + 1):
        more = tiny.out[first + i] - tiny.out[second + i]
        if more > 0 or (more and relation == SAME):
            return False
    return True


@compiled
def within(tiny: Tiny, given: int) -> bool:
    """Whether the case's estimate is one of those that are given."""
    bound = tiny.estimate >= tiny.longest
    if given == BELOW:
        return bool(not bound)
    if given == LARGE:
        return bool(tiny.estimate >= tiny.xi)
    return bool(given == ANY or (bound and (given == UPPER_BOUND or tiny.xi >= tiny.estimate)))


@compiled
def _compared(row: IntArray, tiny: Tiny) -> int:
    if not within(tiny, row[GIVEN]):
        return OUTSIDE
    for policy in row[FIRST : FIRST + row[NUMBER]]:
        put_measure(tiny, row[MEASURE], outcome(tiny, policy, AT_CAPACITY))
    length = tiny.out[0] // row[NUMBER] * (3 if row[NUMBER] > 3 else 1)
    return int(agree(tiny, 0, length, tiny.out[0] - length, row[RELATION]))


@compiled
def _algorithm_1(check: int, tiny: Tiny) -> int:
    if check == LOWEST_X:
        return int(_put_lowest(tiny, outcome(tiny, readings.PRINTED, AT_CAPACITY)) >= 0)
    if check == REPAIRED:
        return _repaired(tiny) if within(tiny, UPPER_BOUND) else OUTSIDE
    if check != LRU_LOOP:
        looped = outcome(tiny, readings.PRINTED_TRIM, AT_CAPACITY)[LOOPED]
        put(tiny, int(looped == readings.ENDLESS_TRIM))
    if check != TRIM_LOOP:
        looped = outcome(tiny, readings.PRINTED_LRU, AT_CAPACITY)[LOOPED]
        put(tiny, int(looped == readings.ENDLESS_LRU))
    return REFUTED if tiny.out[1 : 1 + tiny.out[0]].any() else TRUE


@compiled
def _put_lowest(tiny: Tiny, result: IntArray) -> int:
    """Append the lowest X after each cut; return the lowest of them, 0 at most."""
    for cut in range(result[CUTS]):
        put(tiny, result[LOWEST + cut])
    return min(0, int(result[LOWEST : LOWEST + result[CUTS]].min()))


@compiled
def _repaired(tiny: Tiny) -> int:
    result = outcome(tiny, readings.REPAIRED, AT_CAPACITY)
    endless = result[LOOPED] != readings.ENDS
    put(tiny, int(endless))
    lowest = _put_lowest(tiny, result)
    ours, lru = -1 if endless else tel(tiny, result), tel(tiny, outcome(tiny, LRU, AT_CAPACITY))
    put(tiny, ours)
    put(tiny, lru)
    return REFUTED if endless or lowest < 0 or ours > lru else TRUE


@compiled
def _orders(check: int, tiny: Tiny) -> int:
    """Compare the smallest excess of each turn over all orders of trimming with the largest."""
    n = tiny.turns
    if not within(tiny, BELOW if check == ALL_BELOW else UPPER_BOUND):
        return OUTSIDE
    put_fewest_and_most(tiny, simulator.ESTIMATED, tiny.xi - tiny.estimate)
    if check == ALL_ORDERS:
        put_fewest_and_most(tiny, simulator.EXACT, tiny.xi)
        return int(agree(tiny, 0, n, n, SAME) and agree(tiny, 2 * n, 3 * n, n, SAME))
    put_measure(tiny, EXCESSES, outcome(tiny, simulator.LEAST_RECENT, AT_CAPACITY))
    put_measure(tiny, EXCESSES, outcome(tiny, simulator.LATEST_FIRST, AT_CAPACITY))
    return int(agree(tiny, 0, n, n, SAME))


@compiled
def _inclusion(check: int, tiny: Tiny) -> int:
    """Compare what is reused at C with C + 1, and with the formula."""
    n = tiny.turns
    policy = LRU if check == STACK_LRU else simulator.LEAST_RECENT if check == STACK_TLRU else ROUND_ROBIN
    put_measure(tiny, REUSES, outcome(tiny, policy, AT_CAPACITY))
    put_measure(tiny, REUSES, outcome(tiny, policy, ONE_MORE))
    included = agree(tiny, 0, n, n, NO_MORE)
    if check == STACK_ROUND_ROBIN:
        return int(included)
    simulator.begin(tiny)
    for turn in range(n):
        put(tiny, _formula(tiny, turn, 0 if check == STACK_LRU else tiny.xi))
        simulator.arrive(tiny, turn)
    return int(included and agree(tiny, 0, 2 * n, n, SAME))


@compiled
def _formula(tiny: Tiny, turn: int, xi: int) -> int:
    """Return clip(C - S, 0, b) + clip(C - S', 0, L - b), from the pasts by recency, most recent first."""
    before, surplus, budgets, length = 0, 0, 0, -1
    for c in tiny.order[: tiny.known][::-1]:
        safe = max(0, tiny.past[c] - xi)
        budgets += safe
        if c == tiny.label[turn]:
            length = tiny.past[c]
        elif length < 0:
            before += safe
            surplus += tiny.past[c] - safe
    safe = max(0, length - xi)
    low = min(max(tiny.capacity - before, 0), safe)
    return int(low + min(max(tiny.capacity - budgets - surplus, 0), max(length, 0) - safe))


@compiled
def _hindsight(check: int, tiny: Tiny) -> int:
    """Compare Tail-Optimized Belady, optima and bounds."""
    if check == HITS:
        return _hits(tiny)
    most = int(np.maximum(0, tiny.total - tiny.xi)[: tiny.turns].sum())
    if check == CAP_IS_NECESSARY:
        return _cap_is_necessary(tiny)
    if check == CAP_IS_ENOUGH:
        cost = optimum.least_cost(tiny, optimum.FEWEST_ABOVE)
        least, above = cost // optimum.UNIT, cost % optimum.UNIT
        capped = most + optimum.least_cost(tiny, optimum.CAPPED_REUSE)
        put(tiny, least)
        put(tiny, above)
        put(tiny, capped)
        return int(above == 0 and capped == least)
    best = tel(tiny, outcome(tiny, simulator.TAIL_OPTIMIZED, AT_CAPACITY))
    put(tiny, most - best if check == CERTIFIED else best)
    put(tiny, optimum.least_bound(tiny) if check == CERTIFIED else optimum.least_cost(tiny, optimum.EXCESS))
    return int(tiny.out[1] == tiny.out[2])


@compiled
def _cap_is_necessary(tiny: Tiny) -> int:
    cost = optimum.least_cost(tiny, optimum.MOST_ABOVE)
    least = -(-cost // optimum.UNIT)
    above = optimum.UNIT * least - cost
    put(tiny, least)
    put(tiny, above)
    lru = outcome(tiny, LRU, AT_CAPACITY)
    put_measure(tiny, TEL, lru)
    put_measure(tiny, REUSES, lru)
    for turn in range(tiny.turns):
        put(tiny, max(0, tiny.total[turn] - tiny.xi))
    return int(above == 0)


@compiled
def _hits(tiny: Tiny) -> int:
    """Compare Belady with the optimum, and with evicting block by block what is needed furthest ahead."""
    n = tiny.turns
    put_measure(tiny, REUSES, outcome(tiny, simulator.BELADY, AT_CAPACITY))
    hits = int(tiny.out[1 : 1 + n].sum())
    simulator.begin(tiny)
    for turn in range(n):
        put(tiny, simulator.arrive(tiny, turn))
        for _ in range(tiny.cached.sum() - tiny.capacity):
            furthest = -1
            for c in range(tiny.known):
                if tiny.cached[c] and (furthest < 0 or tiny.upcoming[c] > tiny.upcoming[furthest]):
                    furthest = c
            tiny.cached[furthest] -= 1
    put(tiny, hits)
    put(tiny, int(tiny.total[:n].sum()) - optimum.least_cost(tiny, optimum.EXCESS))
    return int(agree(tiny, 0, n, n, SAME) and hits == tiny.out[tiny.out[0]])


@compiled
def _figure_1(check: int, tiny: Tiny) -> int:
    """Replay a second turn with 0, 1, ... L blocks of the first kept."""
    length, total = tiny.after[0], tiny.total[1]
    needed = length + tiny.prompt[1] - tiny.xi
    if check != BUDGET and needed <= 0:
        return OUTSIDE
    if check == BUDGET_EXISTS_REPAIRED and tiny.xi < tiny.prompt[1]:
        return OUTSIDE
    as_stated, least = True, total
    for kept in range(length + 1):
        simulator.simulate(tiny, LRU, 0, kept, tiny.taken)
        excess = max(0, total - tiny.taken[1] - tiny.xi)
        put(tiny, excess)
        least = min(least, excess)
        as_stated = as_stated and excess == max(0, needed - kept)
    put(tiny, needed)
    return int(as_stated if check == BUDGET else least == 0)
