"""Every statement of the list of claims has a row of the ledger, and where it is split, rows below its name."""

from __future__ import annotations

import re

import pytest

from proofs_checks import all_claims, figure_4
from teltheory.claims.search import decide_safely
from teltheory.workloads import data_folder

LIST = data_folder().parent / "CLAIMS.md"
STATEMENTS = [
    "hindsight.initial-state",
    "hindsight.integral",
    "theorem-b1",
    "theorem-b1.forced",
    "theorem-b1.cap-is-necessary",
    "theorem-b1.belady",
    "theorem-b1.certificate",
    "theorem-31",
    "theorem-31.per-request",
    "theorem-31.forced",
    "theorem-31.threshold-lru",
    "theorem-31.large-q",
    "theorem-31.mean-estimate",
    "algorithm-1.as-printed",
    "algorithm-1.nonnegative",
    "algorithm-1.terminates",
    "algorithm-1.single-pass",
    "trim.order-is-free",
    "trim.order-is-free.mean",
    "trim.eager",
    "figure-1",
    "figure-2",
    "section-3.infinitely-old",
    "appendix-e.repeated",
    "remark.one-parameter",
    "theorem-b1.capped",
    "stack.lru",
    "stack.tlru",
    "stack.tlru-round-robin",
    "belief.posterior",
    "lemma-d3",
    "lemma-d3.real-threshold",
    "lemma-d3.any-n",
    "theorem-d2",
    "theorem-d2.turn-law",
    "theorem-d2.forced",
    "theorem-d2.forced-heterogeneous",
    "theorem-d2.forced-random",
    "theorem-d2.bayes",
    "theorem-d2.bayes-random",
    "theorem-d2.bayes-heterogeneous",
    "theorem-d2.bayes-next-event",
    "corollary.lru",
    "corollary.tlru",
    "corollary.tlru.homogeneous",
    "corollary.paging",
    "paging.ever",
    "et-lru.printed-index",
    "algorithm-2.cost",
    "kv-size",
    "figure-3",
    "figure-4",
    "table-1",
    "table-2",
    "table-3",
    "table-4",
    "table-5",
    "table-6",
    "figure-5",
    "figure-6",
    "sensitivity.peak",
    "sensitivity.text",
    "sensitivity.text.p95",
    "headline.*",
    "prediction.end-aware",
    "prediction.poisson",
    "intro.lru-arbitrarily-poor",
    "appendix-g.hard",
    "tel.mean",
    "tel.cvar",
    "tel.not-competitive",
    "slo.np-hard",
    "percentile.np-hard",
]
SPLIT = {"theorem-d2.bayes-next-event", "figure-3", "headline.*"}
TO_COME = {
    "forest.*",
    "parrot.*",
    "prompt-cache.*",
    "queue.*",
    "ragcache.*",
    "tiers.*",
}
"""Statements on the list that no row decides yet."""


def identifiers(text: str) -> set[str]:
    """Return the identifiers in the first columns of a page's tables, ranges written out."""
    found: set[str] = set()
    for cell in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE):
        found |= set(re.findall(r"`([^`]+)`", cell))
        for stem, first, last in re.findall(r"`([a-z-]+)(\d)` … `\1(\d)`", cell):
            found |= {f"{stem}{k}" for k in range(int(first), int(last) + 1)}
    return found


def test_every_statement_has_a_row() -> None:
    rows = {claim.id for claim in all_claims()}
    assert {name for name in STATEMENTS if name not in rows} == SPLIT
    assert all(any(row.startswith(f"{name.removesuffix('.*')}.") for row in rows) for name in SPLIT)


def test_no_identifier_is_used_twice() -> None:
    rows = [claim.id for claim in all_claims()]
    assert len(rows) == len(set(rows))


@pytest.mark.skipif(not LIST.is_file(), reason="the list of claims is not beside the data folder")
def test_the_statements_are_those_of_the_list() -> None:
    listed = identifiers(LIST.read_text())
    assert set(STATEMENTS) - listed == {"paging.ever"}
    assert listed - set(STATEMENTS) == TO_COME


def test_ranges_are_written_out() -> None:
    assert identifiers("| `a-1` … `a-3`, `b` | … |") == {"a-1", "a-2", "a-3", "b"}


def test_what_cannot_be_decided_names_what_is_missing_in_one_line() -> None:
    verdict = decide_safely(figure_4.figure_4)
    assert (verdict.verdict, verdict.expected, verdict.scope.instances) == ("not decidable here", True, 0)
    assert verdict.problem is not None
    assert verdict.problem.startswith("missing: the curves of Figure 4")
    assert "\n" not in verdict.problem
