import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pytest
from claims.replaying import replays_as_written
from claims.small_campaign import A_ROUND, CLAIMS, FEW, campaign, here, left_alone, store_at, texts, told
from stored import rows, sealed

from proofs_checks.tail_optimized.algorithm_1 import as_printed
from proofs_checks.tail_optimized.theorem_31 import mean_estimate, theorem_31
from teltheory.claims.batches import Batch, BatchResult, Trial, in_order, regression, text_of, tried
from teltheory.claims.campaign import CampaignStore, run, summary
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Claim
from teltheory.claims.generators import GENERATORS
from teltheory.claims.search import refutes
from teltheory.claims.shrinking import shrunk
from teltheory.cli.verify.campaigns import with_campaign
from teltheory.errors import FileError, WorkerError
from teltheory.policies import LRU


def lines(path):
    return sorted(map(json.dumps, rows(path)))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A store that was filled in order."""
    path = tmp_path_factory.mktemp("campaign") / "out.store"
    plan, store = campaign(), store_at(path)
    for batch in plan.in_order():
        store.add(batch, plan.trial(batch)[1])
    return path


@pytest.mark.long
def test_one_process_or_two_in_any_order_find_the_same(finished, tmp_path):
    again, plan = store_at(tmp_path / "again.store"), campaign()
    run(plan, again, workers=2)
    assert lines(finished) == lines(tmp_path / "again.store")
    assert told(plan, store_at(finished)) == told(plan, again) == left_alone()


def test_the_seed_is_made_of_claim_generator_and_number_alone():
    batches = list(islice(in_order((theorem_31, mean_estimate), FEW), 3 * A_ROUND))
    assert len({batch.seed for batch in batches}) == 3 * A_ROUND
    assert Batch("theorem-31", "small", 0).seed == 13604658007528537641
    assert Batch("theorem-31", "small", 0, "x").seed == Batch("theorem-31", "small", 0, "y").seed
    assert [b.number for b in batches] == [0] * A_ROUND + [1] * A_ROUND + [2] * A_ROUND
    assert {(b.claim, b.generator) for b in batches[:A_ROUND]} == {(c, g.name) for c in CLAIMS for g in FEW}


def copied(finished, to, condition="FALSE"):
    """Copy a store but for the rows that meet a condition, which another version made."""
    shutil.copy(finished, to)
    with closing(sqlite3.connect(to)) as database, database:
        database.execute(
            f"UPDATE results SET about = json_set(about, '$.made_by', 'teltheory 0') WHERE {condition}"
        )
        sealed(database)
    return to


def test_what_is_stored_is_not_tried_again(finished, tmp_path, monkeypatch):
    monkeypatch.setattr("teltheory.claims.campaign.on_processes", here)
    path = copied(finished, tmp_path / "part.store", "rowid IN (1, 2, 3, 5, 7)")
    missing = [batch for batch in campaign().in_order() if batch not in store_at(path)]
    assert len(missing) == 5
    tried_again = []
    run(campaign(), store_at(path), lambda done, seconds: tried_again.append(done))
    assert tried_again == [1, 2, 3, 4, 5]
    assert set(lines(finished)) < set(lines(path))


@pytest.mark.parametrize("plan", [campaign(None, seconds=0.0), campaign(0)], ids=["no time", "no batches"])
def test_a_budget_that_is_over_hands_nothing_out(plan, tmp_path, monkeypatch):
    monkeypatch.setattr("teltheory.claims.campaign.on_processes", here)
    run(plan, store_at(tmp_path / "none.store"))
    assert not (tmp_path / "none.store").exists()


def test_a_number_of_batches_counts_those_alone(finished):
    store = store_at(finished)
    facts = summary(campaign(A_ROUND), store, "theorem-31").facts
    assert facts["batches"] == len(FEW)
    assert summary(campaign(None), store, "theorem-31").facts["batches"] == 2 * len(FEW)
    seeds = dict.fromkeys(("first_seed", "last_seed"), Batch("theorem-31", "small", 0).seed)
    assert facts["generators"]["small"] == {"instances": 12, "batches": 1, **seeds}


def test_what_another_version_of_a_claim_found_is_passed_over(finished):
    others = {**texts(), ("theorem-31", "small"): "0" * 12}
    assert len(CampaignStore(finished, others)) == len(store_at(finished)) - 2


DAMAGES = [
    ("about", "more", 1, "a row with Batch.*'more'"),
    ("about", "number", "x", "a row with number: found 'x'"),
    ("found", "tried", 1.5, "a row with tried: found 1.5"),
    ("found", "counterexample", 7, "a row with case: found 7"),
]


@pytest.mark.parametrize(("column", "field", "value", "told"), DAMAGES)
def test_a_damaged_row_is_named(finished, tmp_path, column, field, value, told):
    path = copied(finished, tmp_path / "damaged.store")
    with closing(sqlite3.connect(path)) as database, database:
        changed = f"UPDATE results SET {column} = json_set({column}, ?, ?) WHERE rowid = 1"
        database.execute(changed, (f"$.{field}", value))
        sealed(database)
    with pytest.raises(FileError, match=rf"campaign result \d+: found {told}"):
        store_at(path)


def test_the_text_tells_claims_apart():
    small = FEW[0]
    reworded = replace(theorem_31, statement="Something else.")
    farther = replace(theorem_31, space=replace(theorem_31.space, starts=1))
    computed = replace(theorem_31, values=mean_estimate.values)
    others = [text_of(claim, small) for claim in (reworded, farther, computed)]
    others += [text_of(theorem_31, replace(small, drawn=31)), text_of(theorem_31, FEW[1])]
    assert len({text_of(theorem_31, small), *others}) == 6
    with pytest.raises(WorkerError, match="another version of the claim"):
        Trial(lambda name: reworded, FEW)(next(campaign().in_order()))


def test_a_check_that_breaks_is_told_with_its_seed():
    def breaks(case):
        raise ZeroDivisionError("planted")

    found = tried(replace(theorem_31, values=breaks), FEW[0], 7)
    assert found == BatchResult(0, 0, None, "ZeroDivisionError: planted (case 0 of seed 7, small)")


def test_a_large_case_becomes_small():
    at_most = lambda values: values["TEL"] <= 5  # noqa: E731
    claim = Claim("TEL", "", "", lambda case: {"TEL": case.tel(LRU())}, at_most, theorem_31.space)
    turns = tuple((k % 7, 90 + k, k) for k in range(120))
    least = shrunk(claim, Case(World(turns, ((3, 40, 10),)), 500, 40, 300))
    assert refutes(claim, least)
    assert least == Case(World(((0, 6, 0),)), 0)


@pytest.mark.parametrize("generator", GENERATORS[1:], ids=lambda generator: generator.name)
@pytest.mark.parametrize("claim", [mean_estimate, as_printed], ids=lambda claim: claim.id)
def test_what_refutes_is_shrunk_as_far_as_it_goes(claim, generator):
    found = tried(claim, replace(generator, drawn=30), 3)
    while not found.refuting:
        found = tried(claim, generator, found.tried + 6)
    name, content = regression(found.counterexample, Batch(claim.id, generator.name, 0))
    assert name.startswith(claim.id)
    replays_as_written(claim, content)
    assert len(found.counterexample["turns"]) < 10


ROW = {"id": "theorem-31", "verdict": "holds", "scope": {"kind": "proved", "instances": 9, "bounds": {"a": 1}}}
ROW |= {"counterexample": None, "seconds": 1.0}


def with_example(number, tokens):
    example = Case(World(((0, tokens, 0),)), 0).as_counterexample({"a": 2, "b": 1})
    return Batch("theorem-31", "small", number), BatchResult(10, 1, example)


def of_batches(*made):
    store = store_at(None)
    for batch, found in made:
        store.add(batch, found)
    return summary(campaign(None), store, "theorem-31")


def test_a_campaign_without_a_refuting_case_leaves_the_kind(finished):
    found = summary(campaign(), store_at(finished), "theorem-31")
    row = with_campaign(ROW, found)
    assert row == {**ROW, "scope": {**ROW["scope"], "bounds": {"a": 1, "campaign": found.facts}}}
    assert with_campaign(ROW, None) is ROW


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_smallest_of_all_refutes_the_row(order):
    made = [with_example(0, 8), with_example(1, 3), with_example(2, 5)]
    found = of_batches(*(made[k] for k in order))
    assert found.origin.number == 1
    seeds = [found.facts["generators"]["small"][name] for name in ("first_seed", "last_seed")]
    assert seeds == [made[0][0].seed, made[2][0].seed]
    row = with_campaign(ROW, found)
    assert (row["verdict"], row["scope"]["kind"], row["scope"]["instances"]) == ("refuted", "sampled", 30)
    assert Case.of(row["counterexample"]).world.tokens == 3


def test_a_row_that_was_refuted_keeps_its_counterexample():
    row = {**ROW, "verdict": "refuted", "counterexample": {"the": "smallest"}}
    found = with_campaign(row, of_batches(with_example(0, 8)))
    assert (found["counterexample"], found["scope"]["kind"]) == ({"the": "smallest"}, "proved")
    assert found["scope"]["bounds"]["campaign"]["refuting"] == 1


def test_a_check_that_broke_makes_the_row_an_error():
    row = with_campaign(ROW, of_batches((Batch("theorem-31", "small", 0), BatchResult(3, 0, None, "broke"))))
    assert (row["verdict"], row["problem"]) == ("error", "broke")
