"""Small tidy tables with made-up numbers, no two of which are the same."""

from itertools import count, product
from math import nan

from teltheory.paper import rows
from teltheory.paper.rows import POLICIES
from teltheory.paper.tidy import write_rows

PERCENTILES = ("p50", "p90", "p95", "p99")


def write(path, row, lines):
    write_rows([row(*line) for line in lines], path, row)
    return path


def averages(path, capacities, thresholds, policies, measures, alone=False):
    places = zip(product(capacities, thresholds, policies, measures), count(100), strict=False)
    lines = [
        (*place, 1 if alone else 4, float(mean), nan if alone else mean - 3.0, nan if alone else mean + 5.0)
        for place, mean in places
    ]
    return write(path, rows.Average, lines)


def means(path, thresholds=(100, 200, 300), capacities=(1000, 4000), alone=False):
    measures = (*PERCENTILES, "above", "tel", "regret", "closed")
    return averages(path, capacities, thresholds, POLICIES, measures, alone)


def curves(path, alone=False):
    policies = ("lru", "threshold-lru", "tlru", "tail-optimized-belady")
    return averages(path, (500, 5000, 50_000), (200,), policies, ("p95", "tel", "regret"), alone)


def sensitivity(path):
    measures = [*PERCENTILES[1:], *(f"improvement-{p}" for p in PERCENTILES[1:])]
    return averages(path, (1000, 10_000), (100, 150, 200), ("lru", "tlru"), measures)


def cells(path):
    """Two tables: the columns of Table 2 at two thresholds, and those of Table 3 at one; every verdict."""
    verdicts = ("inside", "same sign", "off")
    two = [
        (2, c, xi, "above", against)
        for c, xi, against in product((1000, 2000), (50, 200), ("lru", "threshold-lru"))
    ]
    three = [(3, c, 500, metric, "threshold-lru") for c, metric in product((1000, 2000), PERCENTILES[1:])]
    numbers = [(i + 0.25, -i - 0.5, -i - 1.0, -i, -i - 2.0, -i + 2.0, verdicts[i % 3]) for i in range(20)]
    return write(
        path, rows.ComparedRow, [(*place, *row) for place, row in zip(two + three, numbers, strict=False)]
    )


def improvements(path):
    places = product((1000, 2000), (500, 1000), ("p90", "p95", "p99", "above"), ("lru", "threshold-lru"))
    return write(path, rows.Improvement, [(*place, i / 8, nan, nan) for i, place in enumerate(places)])


def timed(path):
    lines = [
        (series, 3, 2 * u, u, u, 10.0 * u + i, 10.0 * u, float(i), 0.9876)
        for series in ("a server", "another $x^$")
        for i, u in enumerate((30, 10, 20))
    ]
    return write(path, rows.TimedRow, lines)


def shares(path):
    lines = [
        (workload, quantity, 3, value, share / (2 if workload == "sharegpt" else 1))
        for workload in ("wildchat", "sharegpt", "mooncake")
        for quantity in ("turns", "tokens", "prompt", "response")
        for value, share in ((1, 1.0), (10, 0.5), (1000, 0.01))
    ]
    return write(path, rows.AtLeast, [("wildchat-published", "turns", 1, 2, 0.421), *lines])


def adaptive(path):
    policies = [("lru", 0.0), ("fixed", 0.5), ("fixed", 1.0), ("best-fixed", 0.0), ("adaptive", 0.8)]
    lines = [
        (workload, capacity, policy, share, 0.95, 500, "improvement-blocks", 4, share + i, i - 1.0, i + 3.0)
        for workload in ("wildchat", "$x^$")
        for capacity in (1000, 4000)
        for i, (policy, share) in enumerate(policies)
    ]
    return write(path, rows.Adapted, lines)


def front(path):
    lines = [
        (workload, 1000, trim, margin, 4, 50.0, 95.0, 99.0, 100.0 + i, 100.0 - i, i % 2)
        for workload in ("wildchat", "$x^$")
        for trim in ("round-robin", "least-recent", "eager")
        for i, margin in enumerate((0.0, 0.5, 1.0))
    ]
    return write(path, rows.MarginRow, lines)


def returning(path):
    policies = ("LRU", "T-LRU", "End-Aware", "learnt order", "return-aware", "optimum")
    lines = [
        ("a trace, $x^$", capacity, slo, 700, 100, policy, 90 - i, 50, 40 - i, i / 8, 0.1, 0.2, 0.3, 0.4)
        for capacity in (1000, 4000)
        for slo in (0.5, 1.0)
        for i, policy in enumerate(policies)
    ]
    return write(path, rows.Returned, lines)


def served_documents(path):
    systems = ("none", "gpu-lru", "ragcache")
    places = zip(product((0.5, 1.5), (1, 4), (0.25, 0.75), systems), count(1), strict=False)
    lines = [(*place, 8 * place[2], 64 / i, 128 / i, i / 32, 2.0 * i) for place, i in places]
    return write(path, rows.ServedDocuments, lines)


BELIEVING = ("lru", "tlru", "et-lru:index=printed", "et-lru:index=belief", "et-lru:index=next")


def horizons(path):
    places = product(("paper", "bayes"), (1, 2, 3), (8,), (0.5,), BELIEVING)
    lines = [(*place, place[1] * 2.0 ** BELIEVING.index(place[-1])) for place in places]
    return write(path, rows.BeliefRegret, lines)


def rates(path):
    places = zip(product(("bayes",), (0,), (1, 8), (0.25, 0.5), BELIEVING), count(1), strict=False)
    return write(path, rows.BeliefRegret, [(*place, float(i)) for place, i in places])


def decisions(path):
    kept = {"optimum": "silent", "et-lru:index=printed": "served"}
    places = product(("paper", "bayes"), (1, 2), (1, 2, 3), ("optimum", *BELIEVING))
    lines = [(*place, kept.get(place[-1], "silent" if place[2] < 3 else "served")) for place in places]
    return write(path, rows.BeliefDecision, lines)
