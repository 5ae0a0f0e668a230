"""The table on how far the policy is behind LRU: every line, by hand beside it, and its laws of starts."""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from experiments import behind_lru as experiment
from teltheory.workloads import wildchat_like

TRACE = wildchat_like().sample(300, np.random.default_rng(9))


@pytest.mark.parametrize("cache", ["turns", "strict", "holes"])
def test_a_line_is_what_replays_say(cache):
    pasts = zip(TRACE.code.tolist(), (TRACE.past // 16).tolist(), strict=True)
    paths = [[10_000 * code + i for i in range(blocks)] for code, blocks in pasts]
    blocks = tt.Forest.from_paths(paths, arrival=TRACE.arrival, block_size=16)
    blocks = blocks.with_hints(tt.Hints.of(blocks, kind=["x", "y", "z"] * 100))
    trace = TRACE.with_blocks(blocks)
    drawn = experiment.Drawn("one", {7: trace, 8: trace}, (2_000, 2_000), Fraction(1, 5))
    cells, worst = experiment.row(drawn, cache, 2_000)
    found = dict(zip(experiment.COLUMNS, cells, strict=True))
    xi = tt.A100_LLAMA2_7B.threshold(Fraction(1, 5))
    asked, threshold = ({}, xi) if cache == "turns" else ({"cache": cache}, xi // 16 * 16)
    requests = trace if cache == "turns" else blocks
    capacity = 2_000 if cache == "turns" else 2_000 // 16

    def tel(policy):
        return tt.replay(requests, policy, capacity, **asked).in_tokens().tel(threshold)

    lru, size = tel(tt.LRU()), 1 if cache == "turns" else 16
    q_hat = -(-experiment.default_estimate(requests) // size)
    own, plain = (kind(xi // size, q_hat, trim="least-recent") for kind in (tt.ReturnAwareTLRU, tt.TLRU))
    assert found["LRU's TEL"] == f"{lru:,}"
    assert found["T-LRU"] == f"{100 * (tel(plain) - lru) / lru:.1f}"
    assert found["policy"] == found["worst"] == f"{100 * (tel(own) - lru) / lru:.1f}"
    assert worst == 100 * (tel(own) - lru) / lru
    assert found["seeds"] == "7-8"
    ceilings = [found[name] for name in ("lengths", "gaps", "tags")]
    assert len(set(ceilings)) == 3
    assert min(float(ceiling) for ceiling in ceilings) < 0


def test_sessions_start_once_each_under_every_law():
    sizes = np.ones(10, np.int64)
    starts = {
        law: experiment.Starts(None, 0.5, 3, law=law).arrivals(sizes, delays=np.empty(0))
        for law in experiment.STARTS
    }
    assert starts["Poisson"].tolist() == tt.Times(None, 0.5, 3).arrivals(sizes, delays=np.empty(0)).tolist()
    assert sorted(starts["evenly"].tolist()) == [2.0 * k for k in range(10)]
    assert sorted(starts["fives"].tolist()) == [0.0] * 5 + [10.0] * 5
