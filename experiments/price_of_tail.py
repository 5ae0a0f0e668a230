"""What T-LRU's tail costs in prefill: how much of that is its own, and how much nobody avoids. One tidy table.

    python -m experiments.price_of_tail TRACE TABLE.csv

The trace as private conversations at 1 M, 3 M and 10 M tokens and 2 seconds, then 6,000 turns of WildChat-like
conversations at 25 k, 50 k and 100 k tokens and 0.2 seconds. Beside LRU and T-LRU stand Work-Aware T-LRU at some
prices w of a prefilled token, and plans of the hindsight front: least prefill, w = 1/4, least TEL. *price* is the
prefill above LRU's, *gain* the TEL below LRU's. *closed* is the share of LRU's distance to the least prefill / 4 +
TEL.

How T-LRU's price is made up: *own* is at least the share that a Work-Aware T-LRU does not pay whose gain is at
most one point less. *proved* is what any policy with T-LRU's TEL prefills at least, against LRU, and *unavoidable*
the share of the price up to there. *front* has what prefill and TEL change by in hindsight, from least prefill to
least TEL.

Median against tail, at the smallest capacity: the least TEL of all plans whose P50 is at most some tokens lies
between a bound, proved by prices, and a plan.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import ClassVar

import numpy as np

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.optimal.costs.front import WorkFront
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies import AnyPolicy, WorkAwareTLRU
from teltheory.policies.spec import default_estimate

LATENCY = tt.A100_LLAMA2_7B
PRICES = tuple(Fraction(1, n) for n in (64, 16, 4, 1))
QUARTER = Fraction(1, 4)
POINT = 0.01
"""Of LRU's TEL: how much less a gain may be."""
MEDIANS = (Fraction(1), Fraction(11, 10), Fraction(13, 10))
"""Medians that are allowed, in multiples of the best."""
TRIES, FIRST_PRICE, STEP = 6, 300, 8
"""How often a price of a turn above the median is tried, the first one, and its first steps up or down."""
TIME_LIMIT = 3.0
"""Seconds of a search for median against tail."""
WORKLOADS = ("trace", "WildChat-like")
SPLIT = ("tokens", "T-LRU", "w = 1/4", "own, at least", "proved", "unavoidable", "front")


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """What a policy or plan prefills, and its TEL.

    Attributes
    ----------
    prefilled, tel, p50, p95 : int
        In tokens.
    price, gain : float
        Prefill above LRU's and TEL below LRU's, as shares of LRU's.
    closed : float or None
        Share of LRU's distance to the least prefill / 4 + TEL that is closed.
    """

    AXES: ClassVar = ("workload", "capacity", "name")

    workload: str
    capacity: int
    xi: int
    name: str
    prefilled: int
    tel: int
    p50: int
    p95: int
    price: float
    gain: float
    closed: float | None


def workloads(trace: tt.Trace) -> Iterator[tuple[str, tt.Trace, tuple[int, ...], Fraction]]:
    """Yield name, trace, capacities and SLO."""
    yield WORKLOADS[0], trace, (1_000_000, 3_000_000, 10_000_000), Fraction(2)
    chats = tt.wildchat_like().sample(6_000, np.random.default_rng(1))
    yield WORKLOADS[1], chats, (25_000, 50_000, 100_000), Fraction(1, 5)


def policies(trace: tt.Trace, xi: int) -> dict[str, AnyPolicy]:
    """Return the policies by name."""
    q_hat = default_estimate(trace)
    aware = {f"Work-Aware, w = {price}": WorkAwareTLRU(xi, q_hat, price) for price in PRICES}
    return {"LRU": tt.LRU(), "T-LRU": tt.TLRU(xi, q_hat), **aware}


def front_at(trace: tt.Trace, capacity: int, xi: int) -> WorkFront:
    """Return the proved front, with a line at a quarter."""
    return tt.work_front(trace, capacity, xi, works=(Fraction(1, 1024), QUARTER, 1024))


def rows_at(name: str, trace: tt.Trace, capacity: int, xi: int, front: WorkFront) -> list[Row]:
    """Return the rows of policies and plans."""
    outcomes = {one: tt.replay(trace, policy, capacity) for one, policy in policies(trace, xi).items()}
    quarter = next(plan for plan in front.plans if plan.work == QUARTER)
    outcomes |= {"plan, least prefill": front.plans[-1].outcome, "plan, w = 1/4": quarter.outcome}
    outcomes |= {"plan, least TEL": front.plans[0].outcome}
    sums = {one: (int(out.uncached.sum()), tt.tail_excess_latency(out, xi)) for one, out in outcomes.items()}
    (work, tail), least = sums["LRU"], quarter.least

    def row(one: str) -> Row:
        prefilled, tel = sums[one]
        p50, p95 = (_percentile(outcomes[one], q) for q in (0.5, 0.95))
        closed = tt.share_closed(QUARTER * work + tail, QUARTER * prefilled + tel, least)
        shares = (prefilled - work) / work, (tail - tel) / tail, None if closed is None else float(closed)
        return Row(name, capacity, xi, one, prefilled, tel, p50, p95, *shares)

    return [row(one) for one in outcomes]


def _percentile(outcome: tt.Outcome, q: float) -> int:
    return int(np.quantile(outcome.uncached, q, method="inverted_cdf"))


def split(rows: Sequence[Row], front: WorkFront) -> tuple[str, ...]:
    """Return how T-LRU's price is made up, as cells of `SPLIT`."""
    lru, tlru, *others = rows
    aware = [row for row in others if row.name.startswith("Work")]
    quarter = next(row for row in aware if row.name.endswith(f"= {QUARTER}"))
    enough = [row for row in aware if row.gain >= tlru.gain - POINT]
    fewest = min([tlru.prefilled, *(max(row.prefilled, lru.prefilled) for row in enough)])
    price, least = tlru.prefilled - lru.prefilled, front.least_prefilled(tlru.tel)
    parts = (tlru.prefilled - fewest, max(0, least - lru.prefilled))
    shares = [f"{part / price:.0%}" if price > 0 else "" for part in parts]
    first, last = front.plans[0], front.plans[-1]
    ends = first.prefilled / last.prefilled - 1, first.tel / last.tel - 1 if last.tel else 0.0
    policies = (f"{row.price:+.1%}, {row.gain:.1%}" for row in (tlru, quarter))
    moved = ", ".join(f"{end:+.1%}" for end in ends)
    return f"{lru.workload}, {lru.capacity:,}", *policies, shares[0], _against(least, lru), shares[1], moved


def _against(prefilled: int, lru: Row) -> str:
    return f"{prefilled / lru.prefilled - 1:+.1%}"


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of a capacity."""
    heads = ("", "prefilled", "TEL", "price", "gain", "P50", "P95", "closed")
    cells = (
        (r.name, f"{r.prefilled:,}", f"{r.tel:,}", f"{r.price:+.1%}", f"{r.gain:.1%}", f"{r.p50:,}", f"{r.p95:,}",
         "" if r.closed is None else f"{r.closed:.0%}") for r in rows
    )  # fmt: skip
    yield from markdown(heads, cells, "l" + 7 * "r")


def step_costs(trace: tt.Trace, xi: int, most: int, price: int) -> tt.PiecewiseCosts:
    """Return TEL plus a price for each turn that computes more than `most`."""
    points = []
    for history, prompt in zip(trace.history.tolist(), trace.prompt.tolist(), strict=True):
        total = history + prompt
        reuses = {0, min(history, max(0, total - xi)), history}
        reuses |= {total - most - 1, total - most} if 0 < total - most <= history else set()
        cost = [(x, max(total - x - xi, 0) + price * (total - x > most)) for x in sorted(reuses)]
        points.append(cost)
    return tt.PiecewiseCosts.from_points(points)


def median_against_tail(trace: tt.Trace, capacity: int, xi: int) -> Iterator[tuple[int, int, int | None]]:
    """Yield medians, and between what the least TEL of a plan with at most this median lies."""
    best = tt.best_percentile(trace, capacity, 0.5, time_limit=TIME_LIMIT)
    allowed, least = len(trace) // 2, tt.hindsight_optimum(trace, capacity, xi).objective
    for share in MEDIANS:
        most, lower, low, high, good = int(best.upper * share), least, 0, 0, list[int]()
        if np.sum(best.outcome.uncached > most) <= allowed:
            good.append(tt.tail_excess_latency(best.outcome, xi))
        for _ in range(TRIES):
            price = isqrt(low * high) if low and high else high // STEP or low * STEP or FIRST_PRICE
            found = tt.cost_optimum(trace, capacity, step_costs(trace, xi, most, price), time_limit=TIME_LIMIT)
            lower = max(lower, found.proved - price * allowed)
            if np.sum(found.outcome.uncached > most) <= allowed:
                high = price
                good.append(tt.tail_excess_latency(found.outcome, xi))
            else:
                low = price
        yield most, lower, min(good, default=None)


def main(trace_file: str, target: str) -> Iterator[str]:
    """Replay, search, yield the tables, and write once everything is found."""
    check_place(Path(target), "to write")
    rows, splits = list[Row](), list[tuple[str, ...]]()
    smallest = list[tuple[str, tt.Trace, int, int]]()
    for name, trace, capacities, slo in workloads(tt.read_trace(trace_file)):
        xi = LATENCY.threshold(slo)
        smallest.append((name, trace, capacities[0], xi))
        for capacity in capacities:
            front = front_at(trace, capacity, xi)
            found = rows_at(name, trace, capacity, xi, front)
            yield f"\n{name}, {capacity:,} tokens, threshold {float(slo):g} s = {xi:,} tokens\n"
            yield from table(found)
            splits.append(split(found, front))
            rows += found
    tidy.write_rows(rows, Path(target), Row)
    yield "\nPrice and gain of T-LRU and of Work-Aware T-LRU\n"
    yield from markdown(SPLIT, splits, "l" + 6 * "r")
    yield "\nMedian against tail\n"
    yield from markdown(("", "P50 at most", "TEL, proved", "TEL, plan", "gap"), _medians(smallest), "lrrrr")


def _medians(places: Sequence[tuple[str, tt.Trace, int, int]]) -> Iterator[Sequence[object]]:
    for name, trace, capacity, xi in places:
        for most, lower, upper in median_against_tail(trace, capacity, xi):
            gap = "" if upper is None else f"{(upper - lower) / upper if upper else 0:.1%}"
            yield name, f"{most:,}", f"{lower:,}", "" if upper is None else f"{upper:,}", gap


if __name__ == "__main__":
    run(main, __doc__)
