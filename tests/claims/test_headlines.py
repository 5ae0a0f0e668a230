"""The numbers of abstract, introduction and conclusion: what the tables have, and what turns each row."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from claims.made_up_runs import foresight

from proofs_checks.tail_optimized import headlines, headlines_measured
from proofs_checks.tail_optimized.instances import paper_runs
from teltheory.claims.claim import Claim
from teltheory.claims.search import decide
from teltheory.claims.worlds import Given
from teltheory.paper.printed import CAPACITIES, TABLE_1

SENTENCES = {
    name: claim
    for name, claim in vars(headlines).items()
    if isinstance(claim, Claim) and name not in ("gap", "gap_v1")
}


@pytest.mark.parametrize("name", SENTENCES)
def test_another_number_in_the_tables_turns_a_sentence(name: str) -> None:
    """A whole digit more or less in any of its numbers is seen, and so is what just rounds to it."""
    claim = SENTENCES[name]
    (case,) = claim.space.listed
    right = replace(case, found=case.said)
    assert decide(replace(claim, space=Given((right,), "as said"))).verdict == "holds"
    for place in range(len(case.said)):
        for by, word in ((Fraction(1, 2), "holds"), (Fraction(51, 100), "refuted")):
            found = [said + by * case.digit * (i == place) for i, said in enumerate(case.said)]
            space = Given((replace(case, found=tuple(found)),), "one number off")
            assert decide(replace(claim, space=space)).verdict == word


def test_what_the_tables_have() -> None:
    found = {name: [str(float(n)) for n in claim.space.listed[0].found] for name, claim in SENTENCES.items()}
    assert found == {
        "p90": ["27.5"],
        "p95": ["23.9"],
        "violations": ["38.9"],
        "violations_forty": ["40.7"],
        "violations_range": ["8.8", "40.7", "8.8", "40.7"],
        "sharegpt": ["10.0", "6.9", "10.0", "6.8"],
        "sharegpt_violations": ["2.3", "7.9"],
        "sharegpt_at_slo": ["2.3", "4.8"],
        "p95_range": ["2.0", "23.9"],
    }


def test_the_gap_is_closed_by_a_half_and_a_worse_picture_is_seen() -> None:
    for claim in (headlines.gap, headlines.gap_v1):
        assert decide(claim).verdict == "holds"
        (case,) = claim.space.listed
        lru = replace(claim, space=Given((replace(case, xi=0),), "T-LRU with nothing to trim is LRU"))
        assert decide(lru).verdict == "refuted"


def test_the_samples_own_largest_improvement_is_taken(monkeypatch) -> None:
    faster = {("tlru", 4000, 200): (50.0, 100.0, 290.0, 490.0)}
    found = foresight({}, {**dict.fromkeys(("lru", "threshold-lru"), (50.0, 200.0, 300.0, 500.0)), **faster})
    monkeypatch.setattr(paper_runs, "replayed", lambda workload: found)
    cells = decide(headlines_measured.headline_measured).numbers["cells"]
    ours = {cell["row"]: cell["values"]["ours"] for cell in cells}
    assert ours["WildChat-like, P90, largest, %"] == pytest.approx(50, abs=0.01)
    assert ours["WildChat-like, P95, largest, %"] == pytest.approx(100 / 30, abs=0.01)
    assert headlines_measured.best(TABLE_1, "p90").shape == (len(CAPACITIES), 4)


@pytest.mark.parametrize(("factor", "word"), [(1.0, "reproduced"), (1.14, "reproduced"), (1.16, "not reproduced")])
def test_percentiles_under_lru_may_be_15_per_cent_off(factor: float, word: str) -> None:
    claim = headlines_measured.percentiles
    p90 = claim.space.listed[1]
    made = tuple(
        replace(case, samples=lambda at=case.printed * (factor if case == p90 else 1.0): np.array([at, at]))
        for case in claim.space.listed
    )
    assert decide(replace(claim, space=Given(made, "made up"))).verdict == word
    assert claim.kind == "by construction"
