"""A small page as `teltheory reproduce` makes it, of names that would like to be mark-up."""

import base64
import gzip
import json
import re

import numpy as np
from report.ledger_rows import row

import teltheory as tt
from teltheory.claims.erratum import Erratum
from teltheory.cli.asked.question import read_question
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.reproduce.page import ReplayedTrace, write_page
from teltheory.paper.printed import V1_TABLES
from teltheory.paper.rows import BeliefRegret, ComparedRow
from teltheory.paper.tidy import write_rows
from teltheory.policies.spec import POLICIES, Spec
from teltheory.sweep import sweep

HOSTILE = "<img src=x onerror=alert(1)>.jsonl"
CLOSING = "</script><script>window.hacked = 1</script><b onclick='alert(2)'>\""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="60"><script>parent.hacked = 2</script>'
SVG += b'<rect id="top" width="90" height="60" fill="#0072b2"/></svg>'
CELLS = {"cells": [{"row": CLOSING, "column": "1 s", "shown": "2 | 3", "values": {}}], "counts": {"inside": 4}}
ROWS = [
    row("hindsight.integral", kind="certified", cases="all of them"),
    row("theorem-31.mean-estimate", "refuted", stopped_at={"turns": 3}, tokens_by_turns={"1": 3}),
    {**row("trim.eager", kind="sampled", what=CLOSING), "statement": f"`{CLOSING}` is no worse than {CLOSING}."},
    {**row("table-1", "not reproduced", what="ours"), "rule": "all of them", "numbers": CELLS},
    row("something.new", origin="ours"),
]
ERRATUM = Erratum(
    "The mean", "Section 4", "It is.", "It isn't.", "Take the largest.", {"theorem-31.mean-estimate": ()}
)
ERRATA = (
    "# Errata\n\n[The mean](#theorem-31.mean-estimate)\n\n## 1. The mean\n\n"
    '<a id="theorem-31.mean-estimate"></a>[the row](ledger.md#theorem-31.mean-estimate), [all](ledger.md)\n'
)


def turns(trace):
    """The lines of a trace's file; every conversation bears a hostile name."""
    columns = (trace.code, trace.prompt, trace.response)
    for c, q, a in zip(*(column.tolist() for column in columns), strict=True):
        yield json.dumps({"conversation": f"{CLOSING} {c}", "prompt": q, "response": a})


def sampled(turns, seed=7):
    return tt.sample_conversations(tt.ConversationModel(), turns, np.random.default_rng(seed))


def replayed(title, file, trace, capacities, slos):
    specs = [Spec(name) for name in POLICIES]
    asked = read_question(specs, capacities=capacities, xis=(), slos=slos, served=ServedModel()).on(trace)
    return ReplayedTrace(title, title, file, asked, sweep(trace, asked.grid, asked.thresholds.latency))


def compared(more=0.5):
    """Table 1 with numbers of its own, one cell of each verdict among them."""
    verdicts = ("inside", "same sign", "off")
    places = [(capacity, column) for capacity in (1000, 2000) for column in V1_TABLES[0].columns]
    return [
        ComparedRow(
            1, capacity, column.xi_ms, column.metric, column.against, k, k + more, 0, 9, 0, 9, verdicts[k % 3]
        )
        for k, (capacity, column) in enumerate(places)
    ]


def made(folder, rows=ROWS):
    """Write a small page and return it with the trace that its chart shows."""
    file = folder / HOSTILE
    file.write_text("\n".join(turns(sampled(60))) + "\n")
    (folder / "tables").mkdir()
    (folder / "tables" / "<b>.csv").write_text("a,b\n1,2\n")
    regrets = [BeliefRegret("bayes", 0, ratio, x, "lru", ratio + x) for ratio in (1, 8) for x in (0.5, 2 / 3)]
    write_rows(regrets, folder / "tables" / "belief_rates.csv", BeliefRegret)
    for name in ("figure_3", "<i>new", "means & ends"):
        (folder / f"{name}.svg").write_bytes(SVG)
    trace = tt.read_trace(file)
    shown = [replayed(HOSTILE, file, trace, ("3k", "6k"), ("60ms", "120ms"))]
    missing = [f"{CLOSING} is left out"]
    both = compared(), compared(-1.5)
    return write_page(folder, rows, ERRATA, [ERRATUM], shown, both, [("Effort", CLOSING)], missing), trace


def unpacked(text):
    """A page's HTML once its script has inflated the packed sections."""
    return re.sub(
        r'<div data-html="(.*?)"></div>', lambda at: gzip.decompress(base64.b64decode(at[1])).decode(), text
    )
