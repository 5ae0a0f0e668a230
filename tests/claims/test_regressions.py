"""Every counterexample that a campaign found and that was kept, replayed against its claim."""

from pathlib import Path

import pytest

from proofs_checks import all_claims
from teltheory.claims.regressions import complaints, read_regression

CLAIMS = {claim.id: claim for claim in all_claims()}
FILES = sorted((Path(__file__).parent / "regressions").glob("*.json"))


def test_there_are_some():
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_counterexample_does_as_its_file_says(file):
    content = read_regression(file)
    assert list(complaints(CLAIMS[content["claim"]], content)) == []


@pytest.mark.parametrize("file", FILES[:1], ids=lambda file: file.stem)
def test_a_file_that_is_wrong_is_noticed(file):
    content = read_regression(file)
    claim, example = CLAIMS[content["claim"]], content["counterexample"]
    turned = {**content, "refutes": False}
    assert list(complaints(claim, turned)) == [f"the case refutes {claim.id}"]
    renumbered = {**example, "turns": [[c + 5, q, a] for c, q, a in example["turns"]]}
    assert any(
        "order of appearance" in told for told in complaints(claim, {**content, "counterexample": renumbered})
    )
    other = {**example, "values": {}}
    assert "the values are others" in list(complaints(claim, {**content, "counterexample": other}))
