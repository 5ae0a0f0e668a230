"""A small page as `teltheory reproduce` makes it, of names that would like to be mark-up."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
from report.documents import row

import teltheory as tt
from teltheory.cli.options import read_question
from teltheory.cli.reproduce_page import Replayed, write_page
from teltheory.cli.served import Served
from teltheory.paper.printed import V1_TABLES
from teltheory.paper.rows import Compared
from teltheory.policies.spec import POLICIES, Spec, default_estimate
from teltheory.sweep import Grid, sweep
from teltheory.units import read_time

HOSTILE = "<img src=x onerror=alert(1)>.jsonl"
CLOSING = "</script><script>window.hacked = 1</script><b onclick='alert(2)'>\"&amp;"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><script>parent.hacked = 2</script>'
SVG += b'<rect id="top" width="90" height="60" fill="#0072b2"/></svg>'
CELLS = {"cells": [{"row": CLOSING, "column": "1 s", "shown": "2 | 3", "values": {}}], "counts": {"inside": 4}}
ROWS = [
    row("hindsight.integral", kind="certified", cases="all of them"),
    row("theorem-31.mean-estimate", "refuted", stopped_at={"turns": 3}, tokens_by_turns={"1": 3}),
    {**row("trim.eager", kind="sampled", what=CLOSING), "statement": f"`{CLOSING}` is no worse than {CLOSING}."},
    {**row("table-1", "not reproduced", what="ours"), "rule": "all of them", "numbers": CELLS},
    row("something.new", origin="ours"),
]


def turns(trace):
    """The lines of a trace's file; every conversation bears a hostile name."""
    columns = (trace.code, trace.prompt, trace.response)
    for c, q, a in zip(*(column.tolist() for column in columns), strict=True):
        yield json.dumps({"conversation": f"{CLOSING} {c}", "prompt": q, "response": a})


def sampled(turns, seed=7):
    return tt.sample_conversations(tt.ConversationModel(), turns, np.random.default_rng(seed))


def replayed(title, file, trace, capacities, slos):
    thresholds, sizes = read_question((), slos, capacities, Served()).on(trace)
    grid = Grid([Spec(name) for name in POLICIES], sizes, thresholds.xis, default_estimate(trace))
    return Replayed(title, file, trace, grid, thresholds, sweep(trace, grid, thresholds.latency))


def compared():
    """Table 1 with numbers of its own, one cell of each verdict among them."""
    verdicts = ("inside", "same sign", "off")
    places = [(capacity, column) for capacity in (1000, 2000) for column in V1_TABLES[0].columns]
    return [
        Compared(1, capacity, column.xi_ms, column.metric, column.against, k, k + 0.5, 0, 9, 0, 9, verdicts[k % 3])
        for k, (capacity, column) in enumerate(places)
    ]


def made(folder, rows=ROWS):
    """Write a small page and return it with the traces that it shows, by the anchors of their sliders."""
    file = folder / HOSTILE
    file.write_text("\n".join(turns(sampled(150))) + "\n")
    (folder / "tables").mkdir()
    (folder / "tables" / "<b>.csv").write_text("a,b\n1,2\n")
    for name in ("figure_3", "<i>new", "means & ends"):
        (folder / f"{name}.svg").write_bytes(SVG)
    traces = {"trace-1": sampled(120, seed=8), "trace-2": tt.read_trace(file)}
    shown = [
        replayed(
            "Built-in trace, seed 8", None, traces["trace-1"], ("2k", "5k", "10k"), ("50ms", "100ms", "200ms")
        ),
        replayed(HOSTILE, file, traces["trace-2"], ("3k", "6k"), ("60ms", "120ms")),
    ]
    return write_page(folder, rows, shown, compared(), [("Effort", CLOSING)], [f"{CLOSING} is left out"]), traces


def texts(trace, capacity, slo, latency=tt.A100_LLAMA2_7B, q_hat=None):
    """What the page has to show at a capacity and an SLO such as "100 ms", from the reference and the solver."""
    xi = latency.threshold(read_time("slo", slo.replace(" ", "")))
    q_hat = default_estimate(trace) if q_hat is None else q_hat
    rows = []
    for policy in (tt.LRU(), tt.TLRU(xi, q_hat)):
        outcome = tt.replay(trace, policy, capacity, engine="reference")
        quantiles = tt.ttft_quantiles(outcome, (0.5, 0.9, 0.95, 0.99), latency)
        assert (outcome.cached == tt.capacity_curve(trace, policy).cached(capacity)).all()
        share = sum(outcome.cached.tolist()) / sum(trace.total.tolist())
        work = (f"{100 * share:.1f} %", f"{sum(outcome.uncached.tolist()):,}")
        counts = (tt.slo_violations(outcome, xi), tt.tail_excess_latency(outcome, xi))
        rows.append([*(f"{value:.3f}" for value in quantiles), *work, *(f"{count:,}" for count in counts)])
    best = tt.hindsight_optimum(trace, capacity, xi, method="lp").objective
    return [*rows, [*[""] * 7, f"{best:,}"]]


def sentence(shown):
    """What is said of such numbers, worked out from the text of the table."""
    lru, tlru, best = (int(line[-1].replace(",", "")) for line in shown)
    change, share = Fraction(lru - tlru, lru), Fraction(lru - tlru, lru - best)
    return [f"{100 * float(abs(change)):.1f} %", f"closes {100 * float(share):.1f} %" if share > 0 else "above"]
