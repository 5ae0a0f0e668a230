"""What PyPI's kvcache-simulator hits on the cases of `teltheory vectors`, as a file of the same form.

    PYTHON experiments/engines/vectors_by_kvcache_simulator.py vectors.json theirs.json
    teltheory vectors theirs.json --check

PYTHON is that of an environment with kvcache-simulator 0.1.3. Every block counts one token. The simulator reports
hits of the last requests alone, and only if the cache was full before them. So requests for a block of their own,
as many as the cache has blocks, come first. What a request hits is the difference of two reports. Its input is the
whole path, so of its hits those within the first `ask` blocks count.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from kvcache_sim.plan import build_execution_plan
from kvcache_sim.policies import simulate_policy
from kvcache_sim.trace import TraceData

OURS = {"lru": "lru", "fifo": "fifo", "belady": "optimal"}


def plan_of(paths):
    """Return the paths as the simulator takes them."""
    ids = [block for path in paths for block in path]
    starts = [0]
    for path in paths:
        starts.append(starts[-1] + len(path))
    sums = (1, len(paths), len(set(ids)), len(ids), len(ids) / len(paths), 0, 0)
    return build_execution_plan(TraceData(ids, [1] * len(ids), starts, *sums), 0)


def hits_of(requests, capacity, policy):
    """Return what each request hits."""
    paths = [[-1 - block] for block in range(capacity)] + [row["path"] for row in requests]
    plan = plan_of(paths)
    after = [
        simulate_policy(replace(plan, warmup_requests=k), policy, capacity) for k in range(capacity, len(paths))
    ]
    assert all(one.measurementMode == "fixed_window" for one in after)
    counts = [one.hitTokens for one in after] + [0]
    return [min(counts[k] - counts[k + 1], row["ask"]) for k, row in enumerate(requests)]


def main(source, target):
    """Write its answers to the cases of shared prefixes that begin with an empty cache."""
    suite, cases = json.loads(Path(source).read_text()), []
    for case in suite["cases"]:
        requests = sorted(case.get("requests", []), key=lambda row: row.get("arrival", 0))
        runs = [run for run in case["runs"] if requests and not run.get("initial")]
        for run in runs:
            run["hits"] = {name: hits_of(requests, run["capacity"], theirs) for name, theirs in OURS.items()}
            run["optima"] = []
        cases += [{**case, "runs": runs}] if runs else []
    Path(target).write_text(json.dumps({**suite, "cases": cases}))


main(*sys.argv[1:])
