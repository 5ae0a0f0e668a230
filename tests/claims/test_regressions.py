"""Every counterexample that a campaign found and that was kept, replayed against its claim."""

import json
from pathlib import Path

import pytest
from claims.replaying import replays_as_written

from proofs_checks import all_claims

CLAIMS = {claim.id: claim for claim in all_claims()}
FILES = sorted((Path(__file__).parent / "regressions").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_counterexample_does_as_its_file_says(file):
    content = json.loads(file.read_text())
    replays_as_written(CLAIMS[content["claim"]], content)
