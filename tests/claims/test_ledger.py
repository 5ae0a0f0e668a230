import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from claims.expected_verdicts import (
    BELIEF_ROWS,
    CERTIFIED,
    DATA_ROWS,
    DIFFERENCE_ROWS,
    DRAWN_ROWS,
    EXPECTED,
    JUDGED_ROWS,
    LIMIT_ROWS,
    MACHINE_CHECKED,
    MEASURED,
    MODULE_ROWS,
    OPTIMUM_ROWS,
    PARROT_ROWS,
    PROVED,
    RAG_ROWS,
    SAMPLED,
    TAIL_ROWS,
    TIER_ROWS,
)
from claims.replaying import case_of, excesses, is_canonical, optimum, tel, whole
from claims.rows import KEPT, lines_of
from claims.second_opinion_on_tables import improvements_again
from report.ledger_rows import DOCS

import proofs_checks
import teltheory as tt
from proofs_checks.tail_optimized.algorithm_1 import one_pass
from proofs_checks.tail_optimized.plain_beliefs import Judge
from proofs_checks.tail_optimized.theorem_d2_general import DIVISOR
from teltheory.claims.case import Case
from teltheory.claims.forests import ForestCase, SmallForests, no_threshold
from teltheory.claims.forests import no_estimate as no_estimate_on_forests
from teltheory.claims.search import refutes
from teltheory.claims.worlds import SmallWorlds, no_estimate
from teltheory.report.ledger import paper_sentence
from teltheory.workloads import data_folder

SCRIPTS = Path(proofs_checks.__file__).parent / "counterexamples"

pytestmark = pytest.mark.ledger


@pytest.mark.parametrize("name", sorted(PROVED.split()))
def test_a_proof_says_by_what_and_leaves_nothing_open(ledger, name):
    scope = ledger[name]["scope"]
    coq = name in MACHINE_CHECKED
    assert (scope["bounds"]["machine-checked"]["beside"] if coq else scope["kind"]) == "proved"
    proof = scope["bounds"]["proof"]
    assert "z3" in proof["by"]
    assert ("cvc5" in proof["by"]) == (not coq)
    assert proof["obligations"] > 0
    assert "unproved" not in proof


@pytest.mark.parametrize("name", [*BELIEF_ROWS, *JUDGED_ROWS])
def test_decisions_are_computed_in_two_ways(ledger, name):
    scope = ledger[name]["scope"]
    assert scope["bounds"]["second route"]["instances"] == -(-scope["instances"] // 100)


def test_every_row_has_the_expected_verdict(ledger):
    assert len(ledger) == 627
    found = {name: row["verdict"] for name, row in ledger.items()}
    without_data = {name for name in DATA_ROWS if found[name] == "not decidable here"}
    assert all((data_folder() / _file(ledger[name])).is_file() is False for name in without_data)
    others = {name: word for name, word in found.items() if word not in ("holds", "reproduced")}
    assert {name: others[name] for name in others if name not in without_data} == {
        name: word for name, word in EXPECTED.items() if name not in without_data
    }


def _file(row):
    return row["scope"]["bounds"]["cases"].split(":")[0]


@pytest.mark.repository
@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("beliefs.md", [*BELIEF_ROWS, *(name for name in JUDGED_ROWS if name not in DRAWN_ROWS)]),
        ("value-iteration.md", DRAWN_ROWS),
        ("limits.md", LIMIT_ROWS),
        ("forest-optimum.md", OPTIMUM_ROWS),
        ("ragcache.md", RAG_ROWS),
        ("tiers-theory.md", [*TIER_ROWS, *DIFFERENCE_ROWS]),
        ("prompt-cache.md", MODULE_ROWS),
        ("parrot.md", [*TAIL_ROWS, *PARROT_ROWS]),
    ],
)
def test_a_page_has_every_row_with_its_verdict(ledger, page, rows):
    lines = (DOCS / page).read_text().splitlines()
    for name in rows:
        line = next(line for line in lines if line.startswith("|") and f"`{name}`" in line)
        assert f"| {ledger[name]['verdict']}" in line
    families = tuple({name.partition(".")[0] + "." for name in rows})
    told = {line.split("`")[1] for line in lines if line.startswith("| `")}
    assert {name for name in told if name.startswith(families)} <= set(ledger)


@pytest.mark.repository
def test_the_page_on_the_forests_optimum_counts_what_the_rows_tried(ledger):
    text = (DOCS / "forest-optimum.md").read_text()
    scopes = {name: ledger[f"forest.{name}"]["scope"] for name in TRIED}
    assert [name for name, scope in scopes.items() if f"{scope['instances']:,}" not in text] == []
    drawn = sum(scopes[name]["bounds"]["sampled"]["instances"] for name in TRIED if name.startswith("optimum"))
    assert f"| {drawn:,} |" in text


TRIED = ("optimum", "optimum.forced", "optimum.running", "strict.closed-needs", "strict.closed-needs.forced")


@pytest.mark.parametrize("name", [name for name in BELIEF_ROWS if EXPECTED.get(name) == "refuted"])
def test_a_script_of_fractions_alone_confirms_the_counterexample(ledger, name):
    script = SCRIPTS / "next_turns.py"
    example = ledger[name]["counterexample"]
    (rule, cost), (_, optimal) = example["values"].items()
    told = subprocess.run([sys.executable, script, name], capture_output=True, text=True, check=True).stdout
    rule = "the rule" if rule == "rule" else rule
    assert told == f"{rule} keeps {example['kept']}: {cost}, but {example['best']} costs {optimal}\n"


@pytest.mark.parametrize("name", [name for name in JUDGED_ROWS if EXPECTED.get(name) == "refuted"])
def test_the_judge_confirms_a_counterexample_from_its_plain_data(ledger, name):
    example = ledger[name]["counterexample"]
    judge, kept, cached = (
        Judge(example["model"], example["history"]),
        *map(tuple, (example["kept"], example["cached"])),
    )
    turns = range(1 if "every-horizon" in name else example["following"], example["following"] + 1)
    rule, optimal = map(Fraction, example["values"].values())
    assert rule > optimal
    assert rule == (DIVISOR if "scaling" in name else 1) * sum(judge.keeping(kept, m) for m in turns)
    assert "scaling" in name or optimal == sum(judge.least(cached, m) for m in turns)


def test_every_row_says_what_it_rests_on(ledger):
    for row in ledger.values():
        if row["verdict"] == "not decidable here":
            continue
        always = {"id", "origin", "kind", "source", "file", "statement", "verdict", "scope", "counterexample"}
        sometimes = {"rule", "numbers", "editions", "note", "repairs", "natural", "of"}
        assert set(row) - sometimes == always | {"seconds"}
        assert ("editions" in row) == (row["origin"] == "paper")
        assert ("note" in row) == (row["origin"] in ("reading", "sharpness", "another paper"))
        assert row["origin"] == "ours" or "repairs" not in row
        assert ("of" in row) == (row["origin"] == "sharpness")
        assert ("rule" in row) == (row["verdict"] in ("reproduced", "not reproduced"))
        assert row["scope"]["instances"] > 0
        proof = row["scope"]["bounds"].get("proof", {"unproved": ()})
        tried = "certified" if row["id"] in CERTIFIED else "sampled" if row["id"] in SAMPLED else "exhaustive"
        beside = row["scope"]["bounds"].get("machine-checked", {}).get("beside", row["scope"]["kind"])
        assert beside == (tried if {"unproved", "missing"} & set(proof) else "proved")
        assert (row["counterexample"] is not None) == (row["verdict"] == "refuted")


def test_rows_that_are_theorems_in_coq_say_so(ledger):
    found = {name for name, row in ledger.items() if row["scope"] and row["scope"]["kind"] == "machine-checked"}
    assert found == MACHINE_CHECKED


@pytest.mark.repository
def test_the_readme_counts_the_papers_statements(ledger):
    text = " ".join((Path(__file__).parents[2] / "README.md").read_text().split())
    assert paper_sentence(list(ledger.values())) in text


def test_a_repair_repairs_a_row_that_fails(ledger):
    for row in ledger.values():
        if "repairs" in row:
            assert ledger[row["repairs"]]["verdict"] in ("refuted", "not reproduced")


@pytest.mark.repository
def test_each_row_has_the_verdict_and_the_instances_it_had(ledger):
    """Where data are missing, all but what rests on them; `make ledger` writes the table anew."""
    committed, decided = KEPT.read_text().splitlines(), lines_of(ledger.values())
    missing = [name for name in DATA_ROWS if ledger[name]["verdict"] == "not decidable here"]
    assert [line for line in decided if not line.startswith(tuple(f"{name}," for name in missing))] == [
        line for line in committed if not line.startswith(tuple(f"{name}," for name in missing))
    ]


def test_rows_on_experiments_name_their_samples_and_show_every_cell(ledger):
    for name in MEASURED:
        scope, numbers = ledger[name]["scope"], ledger[name]["numbers"]
        samples = scope["bounds"]["samples"]
        assert samples["samples"] == "the first 2,000 turns of each seed"
        wildchat = 40 if name.startswith(("table", "sensitivity", "headline")) else 20
        for workload, seeds in (("WildChat-like", wildchat), ("ShareGPT-like", 40)):
            assert samples.get(workload, f"seeds 0 to {seeds - 1}, ").startswith(f"seeds 0 to {seeds - 1}, ")
        assert len(numbers["cells"]) == scope["instances"]
        places = {(cell["row"], cell["column"]) for cell in numbers["cells"]}
        assert len(places) == scope["instances"]


@pytest.mark.parametrize(
    ("name", "cell", "replayed"),
    [
        ("table-1", 60, ("wildchat", "p95", "lru", 10000, 200)),
        ("table-1.headings", 59, ("wildchat", "p90", "lru", 10000, 150)),
        ("table-2", 0, ("wildchat", "above", "lru", 1000, 50)),
        ("table-3", 65, ("wildchat", "p99", "threshold-lru", 10000, 500)),
        ("table-4", 9, ("sharegpt", "p95", "lru", 1000, 500)),
        ("table-6", 59, ("sharegpt", "above", "threshold-lru", 10000, 500)),
    ],
)
def test_a_cell_is_what_replays_of_the_samples_give(ledger, name, cell, replayed):
    found = ledger[name]["numbers"]["cells"][cell]["values"]["ours"]
    assert found == pytest.approx(improvements_again(*replayed, seeds=40), abs=1e-4)


def test_counterexamples_in_turns_are_whole_numbers(ledger):
    for row in ledger.values():
        example = row["counterexample"]
        if example is not None and "turns" in example:
            assert set(example) == {"turns", "initial", "capacity", "xi", "q_hat", "forced", "values"}
            assert whole(example)


def test_counterexamples_in_paths_are_read_back_and_refute_with_the_values_of_their_rows(ledger):
    claims = {claim.id: claim for claim in proofs_checks.all_claims()}
    for row in ledger.values():
        example = row["counterexample"]
        if example is not None and "ask" in example and "paths" in example:
            fields = {"paths", "ask", "total", "capacity", "xi", "q_hat", "forced", "values"}
            assert set(example) - {"running"} == fields
            assert whole({name: value for name, value in example.items() if name != "values"})
            case = case_of(example)
            assert is_canonical(case)
            assert refutes(claims[row["id"]], case)
            assert case.as_counterexample(claims[row["id"]].values(case)) == example


def test_a_natural_counterexample_refutes_the_claim_itself_and_has_nothing_that_is_0(ledger):
    claims = {claim.id: claim for claim in proofs_checks.all_claims()}
    rows = [row for row in ledger.values() if "natural" in row]
    found = {row["id"]: row["natural"]["counterexample"] for row in rows}
    refuted = [row["id"] for row in ledger.values() if row["verdict"] == "refuted"]
    spaces = {name: claims[name].space for name in refuted}
    kinds = {name: space for name, space in spaces.items() if isinstance(space, SmallWorlds | SmallForests)}
    assert set(found) == {name for name, space in kinds.items() if any(space.natural_sizes)}
    assert [name for name, example in found.items() if example is None] == []
    for name, example in found.items():
        case = case_of(example)
        assert refutes(claims[name], case)
        assert case.as_counterexample(claims[name].values(case)) == example
        assert case.capacity > 0
        assert (case.xi > 0, case.q_hat > 0) == has_threshold_and_estimate(spaces[name], case)
        assert has_nothing_that_is_0(case)


def has_threshold_and_estimate(space, case):
    if isinstance(case, ForestCase):
        return space.thresholds is not no_threshold, space.estimates is not no_estimate_on_forests
    return space.thresholds(case.world) != range(1), space.estimates is not no_estimate


def has_nothing_that_is_0(case):
    if isinstance(case, ForestCase):
        return case.shape.is_growing and case.shape.ends == case.ask == case.total
    return min(length for turn in case.world.turns for length in turn[1:]) > 0


POLICIES = {
    "LRU": lambda example: tt.LRU(),
    "T-LRU": lambda example: tt.TLRU(example["xi"], example["q_hat"]),
    "Threshold-LRU": lambda example: tt.ThresholdLRU(example["xi"] - example["q_hat"]),
    "single pass": lambda example: one_pass(Case.of(example)),
    "round-robin": lambda example: tt.TLRU(example["xi"], example["q_hat"], "round-robin"),
    "least-recent": lambda example: tt.TLRU(example["xi"], example["q_hat"], "least-recent"),
}


def test_counterexamples_replay_with_the_values_of_their_rows(ledger):
    replays = 0
    for name in ("theorem-31", "algorithm-1.as-printed", "trim.order-is-free.mean"):
        for row in (row for row in ledger.values() if row["id"].startswith(name) and row["counterexample"]):
            example = row["counterexample"]
            for policy in example["values"].keys() & POLICIES.keys():
                made, told = POLICIES[policy](example), example["values"][policy]
                found = tel(example, made) if isinstance(told, int) else excesses(example, made)
                assert found == told, (row["id"], policy)
                replays += 1
    assert replays > 10


def test_hindsight_counterexamples_are_told_by_another_optimum(ledger):
    for name in ("hindsight.initial-state", "theorem-b1.cap-is-necessary"):
        example = ledger[name]["counterexample"]
        assert optimum(example) == example["values"]["optimum"]
