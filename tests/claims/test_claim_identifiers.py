"""Every statement of the list of claims has a row of the ledger, and where it is split, rows below its name."""

import re

import pytest

from proofs_checks import SECONDS, all_claims
from proofs_checks.slowest import slowest
from teltheory.claims.registry import slow_claims
from teltheory.workloads import data_folder

LIST = data_folder().parent / "CLAIMS.md"
SPLIT = {"theorem-d2.bayes-next-event", "figure-3", "headline.*", "forest.*", "ragcache.*"}
TO_COME = {"parrot.*", "prompt-cache.*", "queue.*", "tiers.*"}
"""Statements on the list that no row decides yet."""


def identifiers(text: str) -> set[str]:
    """Return the identifiers in the first columns of a page's tables, ranges written out."""
    found: set[str] = set()
    for cell in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE):
        found |= set(re.findall(r"`([^`]+)`", cell))
        for stem, first, last in re.findall(r"`([a-z-]+)(\d)` … `\1(\d)`", cell):
            found |= {f"{stem}{k}" for k in range(int(first), int(last) + 1)}
    return found


def test_no_identifier_is_used_twice() -> None:
    rows = [claim.id for claim in all_claims()]
    assert len(rows) == len(set(rows))


def test_the_slow_claims_are_claims_of_the_ledger_longest_first() -> None:
    assert slow_claims() == SECONDS
    assert set(SECONDS) <= {claim.id for claim in all_claims()}
    assert list(SECONDS.values()) == sorted(SECONDS.values(), reverse=True)
    seconds = {"quick": 0.4, "slow": 1.2, "slower": 30.6}
    assert slowest([{"id": name, "seconds": took} for name, took in seconds.items()]) == {"slower": 31, "slow": 1}


@pytest.mark.skipif(not LIST.is_file(), reason="the list of claims is not beside the data folder")
def test_every_statement_of_the_list_has_a_row() -> None:
    rows = {claim.id for claim in all_claims()}
    listed = identifiers(LIST.read_text())
    assert len(listed) > 70
    assert listed - rows == SPLIT | TO_COME
    assert all(any(row.startswith(f"{name.removesuffix('.*')}.") for row in rows) for name in SPLIT)


THE_PAPERS = """
theorem-31.mean-estimate theorem-31.mean-estimate.continuing trim.order-is-free.mean
trim.order-is-free.mean.any-order lemma-d3.any-n theorem-d2.turn-law theorem-d2.forced-heterogeneous
theorem-d2.forced-random tel.cvar.every-threshold
"""


def test_every_row_that_leaves_a_condition_out_names_the_row_that_has_it() -> None:
    claims = {claim.id: claim for claim in all_claims()}
    sharp = [claim for claim in claims.values() if claim.origin.whose == "sharpness"]
    assert len(sharp) > 100
    assert [claim.id for claim in sharp if claim.origin.of not in claims] == []
    assert [claim.id for claim in sharp if claims[claim.origin.of].origin.whose == "sharpness"] == []
    assert [claim.id for claim in claims.values() if claim.origin.of and claim not in sharp] == []
    theirs = {claim.id for claim in sharp if claims[claim.origin.of].origin.whose == "paper"}
    assert theirs == set(THE_PAPERS.split())
