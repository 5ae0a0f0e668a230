"""Claims with a rule: what the runner, the JSON and the documents make of them."""

import json
from dataclasses import dataclass, replace

import pytest
from report.ledger_rows import parts

from proofs_checks import all_claims
from teltheory.claims.claim import Claim, Placed, Rule
from teltheory.claims.origin import BOTH, OURS, reading, repairs, sharpness
from teltheory.claims.search import decide
from teltheory.claims.verdict import is_expected
from teltheory.claims.worlds import Given
from teltheory.report.ledger import read_ledger
from teltheory.report.ledger_pages import ledger_markdown


@dataclass(frozen=True)
class Square(Placed):
    number: int

    @property
    def row(self):
        return f"tens {self.number // 10}"

    @property
    def column(self):
        return f"ones {self.number % 10}"

    def shown(self, values):
        return f"{values['square']:.1f}"


def square(case):
    return None if case.number == 12 else {"square": case.number**2 / 3}


def counts(cells):
    return {"cells": len(cells), "most": max(cell["square"] for cell in cells)}


TABLE = Claim(
    "table-7",
    "Table 7",
    "Squares are small.",
    square,
    lambda found: found["most"] <= 200,
    Given(tuple(map(Square, (1, 2, 11, 12, 22))), "five numbers"),
    rule=Rule("No square is above 200.", counts),
)


def test_all_cells_together_decide():
    verdict = decide(TABLE)
    assert (verdict.verdict, verdict.counterexample, verdict.scope.instances) == ("reproduced", None, 4)
    assert verdict.scope.kind == "exhaustive"
    assert verdict.numbers["counts"] == {"cells": 4, "most": 161.3333}
    assert verdict.numbers["cells"][2] == {
        "row": "tens 1", "column": "ones 1", "shown": "40.3", "values": {"square": 40.3333},
    }  # fmt: skip
    worse = replace(TABLE, relation=lambda found: found["most"] <= 161)
    assert decide(worse).verdict == "not reproduced"
    assert decide(replace(TABLE, sampled=True)).scope.kind == "sampled"


@pytest.mark.parametrize(
    ("origin", "verdict", "sound"),
    [
        (BOTH, "not reproduced", True),
        (BOTH, "reproduced", True),
        (reading("strictly"), "not reproduced", True),
        (sharpness("table-6", "whole numbers"), "not reproduced", True),
        (repairs("table-6"), "not reproduced", False),
        (OURS, "not reproduced", False),
        (OURS, "reproduced", True),
        (BOTH, "refuted", True),
        (repairs("table-6"), "refuted", False),
    ],
)
def test_only_what_is_ours_must_hold(origin, verdict, sound):
    assert is_expected(verdict, replace(TABLE, origin=origin)) == sound


def nothing(cells):
    return [{**cell, "square": 0.0} for cell in cells]


def all_alike(cells):
    return [{**cell, "square": 100.0} for cell in cells]


def distance(cells):
    return {**counts(cells), "distance": sum(abs(cell["square"] - 40) for cell in cells)}


def with_nulls(**nulls):
    return replace(TABLE, rule=Rule("No square is above 200.", distance, "distance", nulls))


def test_what_a_null_model_does_as_well_is_not_reproduced():
    """Ours are 0.3, 1.3, 40.3 and 161.3: 200 away from 40 together; 160 for nothing, 240 for 100 everywhere."""
    verdict = decide(with_nulls(nothing=nothing, alike=all_alike))
    assert verdict.verdict == "not reproduced"
    first, second = verdict.numbers["nulls"]
    assert (first["null"], first["accepted"], first["beaten"]) == ("nothing", True, False)
    assert (second["null"], second["counts"]["distance"], second["beaten"]) == ("alike", 240.0, False)
    assert verdict.numbers["error"] == "distance"


@pytest.mark.parametrize(("most", "word"), [(390.0, "not reproduced"), (410.0, "reproduced")])
def test_the_error_must_be_less_than_half_of_a_null_models(most, word):
    (ours,) = {decide(with_nulls()).numbers["counts"]["distance"]}
    null = lambda cells: [{"square": 40 + most / len(cells)} for _ in cells]  # noqa: E731
    assert ours == pytest.approx(200)
    assert decide(with_nulls(null=null)).verdict == word


def test_every_row_by_rule_has_null_models_and_counts_its_error():
    of_verdicts = "sensitivity.latency"  # counts rows with another verdict: there is no distance
    with_rule = [claim for claim in all_claims() if claim.rule is not None and claim.id != of_verdicts]
    assert len(with_rule) > 20
    for claim in with_rule:
        assert claim.rule.nulls, claim.id
        assert claim.rule.error in claim.rule.said
        assert all(name in claim.rule.said for name in claim.rule.nulls)


def rows(**changes):
    one = decide(replace(TABLE, **changes)).as_dict()
    samples = {"samples": "seeds 0 to 3", "WildChat-like": "gaps of 400 s"}
    sampled = {**one["scope"], "kind": "sampled", "bounds": {"cases": "five numbers", "samples": samples}}
    return read_ledger(json.dumps({"claims": [one, {**one, "id": "table-8", "scope": sampled}]}), "l.json")


def test_the_page_has_rule_counts_and_cells_side_by_side():
    page = parts(ledger_markdown(rows()))
    lines = page["table-7"].splitlines()
    assert "- Rule: No square is above 200." in lines
    assert "- Counts: cells 4, most 161.3333" in lines
    assert lines[lines.index("|  | ones 1 | ones 2 |") + 2 :][:3] == [
        "| tens 0 | 0.3 | 1.3 |",
        "| tens 1 | 40.3 |  |",
        "| tens 2 |  | 161.3 |",
    ]
    told = "4 cases measured on random samples, which proves nothing: five numbers. samples: seeds 0 to 3; "
    assert told + "WildChat-like: gaps of 400 s." in page["table-8"]
    assert "| reproduced | 2 |" in page[""]
