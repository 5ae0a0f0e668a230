"""The probe against a server with a known law: its measurements give the law back."""

from collections import defaultdict
from statistics import median

import numpy as np
import pytest
from calibration.loopback import Engine, Law
from calibration.probing import run_probe, serving, small_plan, virtual
from scipy import stats

NEAR_THE_LAW = 38
LAW = Law(alpha=7.2e-5, beta=0.012, gamma=2.0e-8, noise=0.001)
TRUTH = np.array([LAW.alpha, LAW.beta, LAW.gamma])


def intervals(rows):
    """95 % intervals of alpha, beta and gamma by least squares over rows of (n, c, seconds)."""
    n, c, seconds = np.array(rows, dtype=float).T
    scale = np.array([1e-3, 1.0, 1e-6])
    design = np.column_stack([n - c, np.ones_like(n), n**2 - c**2]) * scale
    estimate, (squares,), _, _ = np.linalg.lstsq(design, seconds, rcond=None)
    free = len(n) - 3
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * squares / free)
    reach = stats.t.ppf(0.975, free) * errors
    return (estimate - reach) * scale, (estimate + reach) * scale


def test_alpha_beta_and_gamma_come_back_on_a_virtual_clock(tmp_path):
    inside = np.zeros(3, dtype=int)
    for seed in range(20):
        engine = Engine(LAW, rng=np.random.default_rng(seed))
        plan = small_plan(lengths=(128, 256, 512, 1024), shares=(0, 0.5, 0.9), repeats=2, seed=seed)
        measured = run_probe(virtual(engine), plan, tmp_path / f"{seed}.jsonl", seed)
        assert [line.cached_tokens for line in measured] == [step.cached_tokens for step in plan.steps()]
        low, high = intervals([(line.prompt_tokens, line.cached_tokens, line.ttft_s) for line in measured])
        inside += (low <= TRUTH) & (high >= TRUTH)
    assert (inside >= 17).all(), inside
    assert inside.sum() < 60, "95 % intervals that always contain the truth are too wide"


def medians(law, path):
    """Median seconds of each cell, without those by which a busy machine made the server late."""
    engine = Engine(law, rng=np.random.default_rng(NEAR_THE_LAW))
    with serving(engine, "socket") as (url, client):
        plan = small_plan(url, lengths=(128, 320, 512, 768), repeats=5)
        measured = run_probe(client(), plan, path)
    asked = [request for request in engine.requests if len(request.units) in plan.lengths][2:]
    cells = defaultdict(list)
    for line, request in zip(measured, asked, strict=True):
        assert (line.prompt_tokens, line.cached_tokens) == (len(request.units), request.cached)
        assert line.ttft_s > request.delay - 1e-9
        cells[line.prompt_tokens, line.cached_tokens].append(line.ttft_s - request.late)
    assert sorted(cells) == sorted(plan.cells)
    return {cell: median(times) for cell, times in cells.items()}


def test_alpha_beta_and_gamma_come_back_over_a_socket(tmp_path):
    """What the socket itself takes is measured with a server that answers at once, and taken off.

    The planted noise happens to leave the estimates near the law, so that a busy machine seldom moves them out.
    """
    law = Law(alpha=6e-5, beta=0.016, gamma=2e-8, noise=0.005)
    seconds = medians(law, tmp_path / "law.jsonl")
    overhead = medians(Law(0, 0, 0), tmp_path / "at_once.jsonl")
    low, high = intervals([(*cell, seconds[cell] - overhead[cell]) for cell in seconds])
    truth = np.array([law.alpha, law.beta, law.gamma])
    assert ((low <= truth) & (truth <= high)).all(), (low, high)


@pytest.mark.parametrize("block", [15, 16, 25])
def test_cached_tokens_are_those_that_the_server_reports(tmp_path, block):
    plan = small_plan(lengths=(100, 200), shares=(0, 0.6), block_size=30)
    for line in run_probe(virtual(Engine(LAW, block=block)), plan, tmp_path / "probe.jsonl"):
        assert line.requested_cached_tokens == plan.cells[line.cell][1]
        assert line.cached_tokens == line.requested_cached_tokens // block * block
        assert not line.mismatch
