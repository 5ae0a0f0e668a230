"""What TEL has to do with the mean, with CVaR, and with LRU (Sections 1 and 2 of Zhang et al. 2025).

CVaR at level p is the mean of the worst share 1 - p of the turns. Rockafellar and Uryasev (2000): it is the least,
over xi, of xi + TEL_xi / ((1 - p) n), and a p-th percentile is where that is least. With p = a / b all is whole
after a multiplication by (b - a) n.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs_checks.tail_optimized.hardness import percentile
from proofs_checks.tail_optimized.lemmas.limit_proofs import poor_proof
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Unshrunk, Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import BOTH, reading, sharpness
from teltheory.claims.worlds import JUDGED_BY_BRUTE_FORCE, SmallWorlds
from teltheory.cost.metrics import tail_excess_latency
from teltheory.optimal import hindsight_optimum
from teltheory.optimal.chains.brute_force import all_reuses, smallest_rising_total
from teltheory.policies import LRU, TLRU, Belady, TailOptimizedBelady
from teltheory.replay import replay

LEVELS = (Fraction(0), Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(19, 20))

SMALL = SmallWorlds(
    quick={1: 3, 2: 3, 3: 3, 4: 2},
    full={1: 5, 2: 5, 3: 4, 4: 3, 5: 2},
    thresholds=lambda world: range(1),
    samples=0,
    reach=JUDGED_BY_BRUTE_FORCE,
)
WITH_THRESHOLDS = SmallWorlds(
    quick={1: 3, 2: 3, 3: 3, 4: 3},
    full=SMALL.full,
    samples=0,
    reach=JUDGED_BY_BRUTE_FORCE,
    natural_sizes=({3: 2, 4: 1}, {3: 2, 4: 2}),
)
FIVE_TURNS = replace(
    SMALL,
    quick={5: 3},
    full={4: 4, 5: 4},
    conversations=2,
    capacities=lambda world: range(1, 2),
    natural_sizes=({5: 4}, {5: 4}),
)

row = rows(source="Section 2", space=SMALL)


@row(
    "tel.mean",
    "Setting xi = 0 recovers the average-latency objective: TEL is n times the mean, and so is the least TEL.",
    relation=all_equal,
    origin=BOTH,
)
def mean(case: Case) -> Values:
    """Hold TEL at 0 against the mean of the uncached lengths: policies, then the least of all."""
    trace, start, n = case.world.trace, case.world.initial, len(case.world.turns)
    outcomes = [replay(trace, policy, case.capacity, initial=start) for policy in (LRU(), TLRU(1, 1), Belady())]
    best = hindsight_optimum(trace, case.capacity, 0, initial=start)
    means = [Fraction(sum(outcome.uncached.tolist()), n) for outcome in outcomes]
    return {
        "TEL at 0": [*(tail_excess_latency(outcome, 0) for outcome in outcomes), best.objective],
        "n times the mean": [
            *(int(n * each) for each in means),
            smallest_rising_total(case.instance, lambda u: u),
        ],
    }


def worst_share(uncached: Sequence[int], level: Fraction) -> int:
    """Return (b - a) n times the mean of the worst share 1 - a/b, counted turn by turn from the worst."""
    a, b = level.numerator, level.denominator
    left, total = (b - a) * len(uncached), 0
    for length in sorted(uncached, reverse=True):
        taken = min(left, b)
        total, left = total + taken * length, left - taken
    return total


def by_threshold(xi: int, tel: int, n: int, level: Fraction) -> int:
    """Return (b - a) n (xi + TEL / ((1 - a/b) n))."""
    a, b = level.numerator, level.denominator
    return (b - a) * n * xi + b * tel


def tel_of(uncached: Sequence[int], xi: int) -> int:
    """Return TEL of uncached lengths."""
    return sum(max(length - xi, 0) for length in uncached)


def of_levels(uncached: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the worst shares of all levels, and the least over thresholds that stands for each."""
    n, thresholds = len(uncached), range(max(uncached) + 1)
    return [worst_share(uncached, level) for level in LEVELS], [
        min(by_threshold(xi, tel_of(uncached, xi), n, level) for xi in thresholds) for level in LEVELS
    ]


@row(
    "tel.cvar",
    "TEL mirrors CVaR: CVaR at level p is the least, over xi, of xi + TEL / ((1 - p) n).",
    relation=all_equal,
    origin=reading("CVaR as the least over thresholds, after Rockafellar and Uryasev"),
)
def cvar(case: Case) -> Values:
    """Hold the mean of the worst turns against the least by thresholds; p = a/b, both times (b - a) n."""
    found = [of_levels(case.uncached(policy)) for policy in (LRU(), TLRU(1, 1), Belady())]
    return {
        "CVaR": [value for shares, _ in found for value in shares],
        "by TEL": [value for _, least in found for value in least],
    }


def all_uncached(case: Case) -> list[list[int]]:
    """Return the uncached lengths of every policy."""
    totals = case.instance.total.tolist()
    return [[total - x for total, x in zip(totals, reuses, strict=True)] for reuses in all_reuses(case.instance)]


def least_tels(case: Case) -> list[int]:
    """Return the least TEL at every threshold from 0 to the longest input."""
    trace, start = case.world.trace, case.world.initial
    longest = int(case.instance.total.max())
    return [hindsight_optimum(trace, case.capacity, xi, initial=start).objective for xi in range(longest + 1)]


@row(
    "tel.cvar.optimum",
    "The least CVaR of all policies is the least, over xi, of xi + least TEL / ((1 - p) n); a policy that has it "
    "also has the least TEL at its own percentile.",
    source="Section 2, beyond the paper: docs/limits.md",
    relation=lambda values: values["least CVaR"] == values["by least TEL"] and values["not TEL-optimal"] == 0,
)
def cvar_optimum(case: Case) -> Values:
    """Compute the least CVaR by all policies and by hindsight optima; count those that are not TEL-optimal."""
    policies, least, n = all_uncached(case), least_tels(case), len(case.world.turns)
    shares = [min(worst_share(uncached, level) for uncached in policies) for level in LEVELS]
    own = (
        (uncached, percentile(uncached, level))
        for level, share in zip(LEVELS, shares, strict=True)
        for uncached in policies
        if worst_share(uncached, level) == share
    )
    return {
        "least CVaR": shares,
        "by least TEL": [min(by_threshold(xi, tel, n, level) for xi, tel in enumerate(least)) for level in LEVELS],
        "not TEL-optimal": sum(tel_of(uncached, xi) > least[xi] for uncached, xi in own),
    }


@row(
    "tel.cvar.given-threshold",
    "Tail-Optimized Belady at xi, the least TEL, has the least CVaR at p = 1/2 where xi is its own median.",
    relation=lambda values: values["CVaR"] == values["least CVaR"],
    space=WITH_THRESHOLDS,
    origin=reading("the least TEL at a percentile for the least CVaR at its level"),
)
def given_threshold(case: Case) -> Values | None:
    """Compare its CVaR with the least of all policies; n times both."""
    half, uncached = Fraction(1, 2), case.uncached(TailOptimizedBelady(case.xi))
    if percentile(uncached, half) != case.xi:
        return None
    least = min(worst_share(each, half) for each in all_uncached(case))
    return {"CVaR": worst_share(uncached, half), "least CVaR": least}


def least_tel(case: Case, xi: int) -> int:
    """Return the least TEL at a threshold, by all policies."""
    return smallest_rising_total(case.instance, lambda u: max(u - xi, 0))


@row(
    "tel.cvar.every-threshold",
    "Some policy has the least TEL at every threshold, and so the least CVaR at every level.",
    relation=lambda values: values["least sum of all TELs"] == sum(values["least TELs"]),
    space=FIVE_TURNS,
    origin=sharpness("theorem-b1", "the threshold is fixed beforehand"),
)
def every_threshold(case: Case) -> Values:
    """Add up TEL over all thresholds, by all policies: u (u + 1) / 2 a turn in all, and the least at each."""
    thresholds = range(int(case.instance.total.max()) + 1)
    return {
        "least TELs": [least_tel(case, xi) for xi in thresholds],
        "least sum of all TELs": smallest_rising_total(case.instance, lambda u: u * (u + 1) // 2),
    }


@dataclass(frozen=True)
class Poor(Unshrunk, Case):
    """A trace on which LRU is to be `times` times as bad as T-LRU."""

    times: int = 1


def two_long(first: int, second: int, prompt: int, n: int, times: int) -> Poor:
    """Return two conversations, the first of which returns; C = xi = n."""
    turns = ((0, prompt, first - prompt), (1, prompt, second - prompt), (0, prompt, prompt))
    return Poor(World(turns), n, n, prompt, times=times)


def long_and_short(n: int, times: int) -> Poor:
    """Return a conversation of 2n that returns after n short ones that do not; C = 2n, xi = 3."""
    short = tuple((1 + k, 1, 1) for k in range(n))
    return Poor(World(((0, 1, 2 * n - 1), *short, (0, 1, 1))), 2 * n, 3, 1, times=times)


def families(most: int) -> Iterator[Iterator[Poor]]:
    """Yield families of traces for every factor up to the largest; in all but the first nothing is 0."""
    factors = range(1, most + 1)
    yield (two_long(2 * k, k, 0, k, k) for k in factors)
    yield (two_long(4 * k, 2 * k, 1, 2 * k, k) for k in factors)
    yield (long_and_short(2 * k, k) for k in factors)


FAMILIES = Listed(families, 40, 200, lambda most: {"what": f"three families of traces, for factors up to {most}"})


def many_times(values: Values) -> bool:
    """Whether LRU pays so many times what T-LRU does, or so much where T-LRU pays nothing."""
    return bool(values["LRU"] >= values["times"] * max(values["T-LRU"], 1))


@row(
    "intro.lru-arbitrarily-poor",
    "LRU can perform arbitrarily poorly: for every k its TEL is k times T-LRU's, or k where T-LRU's is 0.",
    source="Abstract",
    relation=many_times,
    space=FAMILIES,
    origin=BOTH,
    proof=poor_proof,
)
def arbitrarily_poor(poor: Poor) -> Values:
    """Replay both; the estimate is the next prompt."""
    return {"LRU": poor.tel(LRU()), "T-LRU": poor.tel(TLRU(poor.xi, poor.q_hat)), "times": poor.times}


@row(
    "intro.lru-arbitrarily-poor.largest",
    "LRU can perform arbitrarily poorly: for every k its largest uncached length is k times T-LRU's.",
    source="Abstract",
    relation=many_times,
    space=FAMILIES,
    origin=reading("tail latency as the largest uncached length"),
)
def arbitrarily_poor_at_worst(poor: Poor) -> Values | None:
    """Replay both on the family whose largest lengths differ without bound."""
    if len(poor.world.turns) == 3:
        return None
    lru, t_lru = (max(poor.uncached(policy)) for policy in (LRU(), TLRU(poor.xi, poor.q_hat)))
    return {"LRU": lru, "T-LRU": t_lru, "times": poor.times}
