import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from report.documents import DOCS, parts

import teltheory as tt
from proofs_checks.algorithm_1 import EndlessLoopError, Reading
from proofs_checks.errata import ERRATA
from teltheory.cli import main
from teltheory.instance import Instance
from teltheory.optimal.brute_force import all_reuses
from teltheory.report.errata import errata_markdown
from teltheory.report.markdown import ledger_markdown
from teltheory.report.words import counterexample_text
from teltheory.workloads import data_folder

SCRIPTS = Path(__file__).parents[2] / "proofs_checks" / "counterexamples"
PAGE = Path(__file__).parents[2] / "docs" / "theorem-d2.md"
PRINTED_ROWS = {
    "hindsight.initial-state": "refuted",
    "hindsight.integral": "holds",
    "theorem-b1": "holds",
    "theorem-b1.forced": "holds",
    "theorem-b1.cap-is-necessary": "refuted",
    "theorem-b1.belady": "holds",
    "theorem-b1.certificate": "holds",
    "theorem-31": "holds",
    "theorem-31.per-request": "holds",
    "theorem-31.forced": "holds",
    "theorem-31.threshold-lru": "holds",
    "theorem-31.large-q": "holds",
    "theorem-31.mean-estimate": "refuted",
    "algorithm-1.as-printed": "refuted",
    "algorithm-1.nonnegative": "refuted",
    "algorithm-1.terminates": "refuted",
    "algorithm-1.single-pass": "holds",
    "lemma-d3": "holds",
    "lemma-d3.real-threshold": "refuted",
    "lemma-d3.real-threshold.marginal": "holds",
    "lemma-d3.any-n": "refuted",
    "lemma-d3.any-n.total": "holds",
    "algorithm-2.cost": "holds",
    "trim.order-is-free": "holds",
    "trim.order-is-free.mean": "refuted",
    "trim.eager": "holds",
    "figure-1": "holds",
    "figure-2": "holds",
    "stack.lru": "holds",
    "stack.tlru": "holds",
    "stack.tlru-round-robin": "holds",
    "belief.posterior": "refuted",
    "belief.posterior.silence": "holds",
    "belief.posterior.alive-at-last-turn": "holds",
    "belief.posterior.sign": "holds",
    "belief.posterior.symbolic": "holds",
    "kv-size": "holds",
    "kv-size.gb": "refuted",
    "algorithm-2.score": "holds",
    "algorithm-2.score.real-threshold": "refuted",
    "algorithm-2.score.difference": "holds",
    "algorithm-2.convex": "holds",
    "figure-1.min": "holds",
    "appendix-c.short": "holds",
    "appendix-c.short.trimmed.eager": "holds",
    "appendix-c.first-case.at-least": "holds",
    "appendix-c.second-case": "holds",
    "appendix-c.cases": "refuted",
    "appendix-c.third-case": "holds",
    "appendix-c.cut": "holds",
    "appendix-c.step.recency": "holds",
    "sensitivity.text.p95": "holds",
    "sensitivity.peak.printed": "holds",
}

IN_DOCUMENTS = {
    "appendix-c.short.uncached": "refuted",
    "appendix-c.short.trimmed": "refuted",
    "appendix-c.first-case": "refuted",
    "appendix-c.step": "refuted",
    "sensitivity.text": "refuted",
}

BELIEF_ROWS = {
    "theorem-d2": "holds",
    "theorem-d2.homogeneous.fixed": "holds",
    "theorem-d2.homogeneous.random": "holds",
    "theorem-d2.homogeneous.by-conversation": "holds",
    "theorem-d2.heterogeneous.fixed": "holds",
    "theorem-d2.heterogeneous.random": "holds",
    "theorem-d2.heterogeneous.by-conversation": "holds",
    "theorem-d2.turn-law": "refuted",
    "theorem-d2.turn-law.promising": "holds",
    "theorem-d2.forced": "holds",
    "theorem-d2.forced.one-law": "holds",
    "theorem-d2.forced-heterogeneous": "refuted",
    "theorem-d2.forced-random": "refuted",
    "theorem-d2.bayes": "holds",
    "theorem-d2.bayes.zero-threshold": "holds",
    "theorem-d2.bayes-random": "refuted",
    "theorem-d2.bayes-heterogeneous": "refuted",
    "theorem-d2.bayes-next-event.homogeneous.fixed": "holds",
    "theorem-d2.bayes-next-event.homogeneous.random": "refuted",
    "theorem-d2.bayes-next-event.homogeneous.by-conversation": "refuted",
    "theorem-d2.bayes-next-event.heterogeneous.fixed": "refuted",
    "theorem-d2.bayes-next-event.heterogeneous.random": "refuted",
    "theorem-d2.bayes-next-event.heterogeneous.by-conversation": "refuted",
    "corollary.lru": "holds",
    "corollary.lru.bayes": "holds",
    "corollary.tlru": "holds",
    "corollary.tlru.bayes": "holds",
    "corollary.paging": "holds",
    "paging.ever": "refuted",
}


PROVED = {
    "theorem-31",
    "theorem-31.per-request",
    "theorem-31.forced",
    "theorem-31.threshold-lru",
    "theorem-31.threshold-lru.first",
    "theorem-31.threshold-lru.second",
    "theorem-31.threshold-lru.partial",
    "theorem-31.large-q",
    "algorithm-1.repaired",
    "algorithm-1.single-pass",
    "trim.order-is-free",
    "trim.order-is-free.named",
    "trim.order-is-free.named.forced",
    "trim.eager",
    "stack.lru",
    "stack.tlru",
    "stack.tlru-round-robin",
}

CERTIFIED = {
    f"{name}{mode}"
    for name in ("theorem-b1.certificate", "violations.fewest", "weighted.certificate")
    for mode in ("", ".forced")
}
DATA_ROWS = {"figure-3.vllm-cpu": "refuted", "figure-3.a100-cold": "holds"}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    target = tmp_path_factory.mktemp("ledger") / "ledger.json"
    with pytest.raises(SystemExit) as stop:
        main(["verify", "--json", str(target)])
    assert stop.value.code == 0
    return {row["id"]: row for row in json.loads(target.read_text())["claims"]}


def test_one_pass_of_trimming_can_be_worse_than_threshold_lru(ledger):
    example = ledger["theorem-31.threshold-lru.single-pass"]["counterexample"]
    xi, q_hat = example["xi"], example["q_hat"]
    reading = Reading(xi, q_hat, strictly=True, nonnegative=True, trim_loop="if", last_block=True)
    found = [tel(example, reading), tel(example, tt.ThresholdLRU(xi - q_hat))]
    assert list(example["values"].values()) == found
    assert found[0] > found[1]


@pytest.mark.parametrize("name", sorted(PROVED))
def test_a_proof_says_by_what_and_leaves_nothing_open(ledger, name):
    scope = ledger[name]["scope"]
    assert scope["kind"] == "proved"
    proof = scope["bounds"]["proof"]
    assert "z3" in proof["by"]
    assert "cvc5" in proof["by"]
    assert proof["obligations"] > 0
    assert "unproved" not in proof


@pytest.mark.parametrize("name", BELIEF_ROWS)
def test_decisions_are_computed_in_two_ways(ledger, name):
    scope = ledger[name]["scope"]
    assert scope["bounds"]["second route"]["instances"] == -(-scope["instances"] // 100)


def test_every_row_has_the_expected_verdict(ledger):
    expected = PRINTED_ROWS | BELIEF_ROWS | IN_DOCUMENTS
    assert {name: ledger[name]["verdict"] for name in expected} == expected


@pytest.mark.parametrize("name", DATA_ROWS)
def test_a_row_on_measurements_is_decided_where_they_are_at_hand(ledger, name):
    file = data_folder() / ledger[name]["scope"]["bounds"]["cases"].split(":")[0]
    assert ledger[name]["verdict"] == (DATA_ROWS[name] if file.is_file() else "not decidable here")


@pytest.mark.parametrize("name", BELIEF_ROWS)
def test_the_page_on_theorem_d2_has_every_row_with_its_verdict(ledger, name):
    row = ledger[name]
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    assert f"| {row['verdict']}" in line
    assert f" {row['scope']['instances']:,} " in line
    example = row["counterexample"]
    if example is not None:
        assert all(_shown(cost) in line for cost in example["values"].values())


@pytest.mark.parametrize("name", [name for name, verdict in BELIEF_ROWS.items() if verdict == "refuted"])
def test_a_script_of_fractions_alone_confirms_the_counterexample(ledger, name):
    script = SCRIPTS / f"{name.replace('-', '_').replace('.', '_')}.py"
    example = ledger[name]["counterexample"]
    (rule, cost), (_, optimal) = example["values"].items()
    told = subprocess.run([sys.executable, "-I", script], capture_output=True, text=True, check=True).stdout
    rule = "the rule" if rule == "rule" else rule
    assert told == f"{rule} keeps {example['kept']}: {cost}, but {example['best']} costs {optimal}\n"


def _shown(cost):
    return cost if len(cost) < 10 else f"{float(Fraction(cost)):.6f}"


def test_every_row_says_what_it_rests_on(ledger):
    for row in ledger.values():
        if row["verdict"] == "not decidable here":
            continue
        assert set(row) == {"id", "origin", "source", "statement", "verdict", "scope", "counterexample", "seconds"}
        assert row["scope"]["instances"] > 0
        proof = row["scope"]["bounds"].get("proof", {"unproved": ()})
        tried = "certified" if row["id"] in CERTIFIED else "exhaustive"
        assert row["scope"]["kind"] == (tried if {"unproved", "missing"} & set(proof) else "proved")
        assert (row["counterexample"] is not None) == (row["verdict"] == "refuted")


@pytest.mark.parametrize("name", [name for name, verdict in PRINTED_ROWS.items() if verdict == "refuted"])
def test_the_readme_shows_the_smallest_counterexamples(ledger, name):
    example = ledger[name]["counterexample"]
    if "turns" in example:
        text = counterexample_text(example).split(" xi=")[0].replace("; C", ", C")
    else:
        text = " instead of ".join(example["values"].values())
    assert text in (Path(__file__).parents[2] / "README.md").read_text()


def lines_without(names, text):
    return [line for line in text.splitlines() if not any(name in line for name in names)]


@pytest.mark.parametrize(
    ("page", "make"), [("ledger.md", ledger_markdown), ("errata.md", lambda rows: errata_markdown(rows, ERRATA))]
)
def test_the_documents_are_made_of_this_ledger(ledger, page, make):
    """Where data are missing, all but what rests on them; `make ledger` makes the documents anew."""
    committed, made = parts((DOCS / page).read_text()), parts(make(list(ledger.values())))
    missing = [name for name in DATA_ROWS if ledger[name]["verdict"] == "not decidable here"]
    assert list(made) == list(committed)
    for name in made:
        if not missing:
            assert made[name] == committed[name]
        elif name and name not in missing:
            assert lines_without(missing, made[name]) == lines_without(missing, committed[name])


def whole(value):
    if isinstance(value, dict):
        return all(map(whole, value.values()))
    if isinstance(value, list):
        return all(map(whole, value))
    return isinstance(value, int)


def test_counterexamples_in_turns_are_whole_numbers(ledger):
    for row in ledger.values():
        example = row["counterexample"]
        if example is not None and "turns" in example:
            assert set(example) == {"turns", "initial", "capacity", "xi", "q_hat", "forced", "values"}
            assert whole(example)


def test_the_refuted_belief_is_off_by_fractions(ledger):
    example = ledger["belief.posterior"]["counterexample"]
    decay = Fraction(example["exp(-1)"]) ** example["seconds"]
    mu, rate = example["death_rate"], example["turn_rate"]
    found = [Fraction(value) for value in example["values"].values()]
    assert found == [decay**mu, (mu + rate) / (rate + mu / decay ** (mu + rate))]


def replayed(example, policy):
    trace = tt.Trace.from_turns(*zip(*example["turns"], strict=True))
    return tt.replay(trace, policy, example["capacity"], example["forced"], example["initial"])


def tel(example, policy):
    return tt.tail_excess_latency(replayed(example, policy), example["xi"])


def excesses(example, policy):
    return [max(u - example["xi"], 0) for u in replayed(example, policy).uncached.tolist()]


def optimum(example):
    trace = tt.Trace.from_turns(*zip(*example["turns"], strict=True))
    return tt.hindsight_optimum(trace, example["capacity"], example["xi"]).objective


@pytest.mark.parametrize("name", ["theorem-31.mean-estimate", "theorem-31.mean-estimate.continuing"])
def test_replay_mean_estimates(ledger, name):
    example = ledger[name]["counterexample"]
    t_lru = tel(example, tt.TLRU(example["xi"], example["q_hat"]))
    assert {"T-LRU": t_lru, "LRU": tel(example, tt.LRU())} == example["values"]
    assert t_lru > tel(example, tt.LRU())


def test_the_mean_estimate_is_the_mean(ledger):
    example = ledger["theorem-31.mean-estimate"]["counterexample"]
    prompts = [prompt for _, prompt, _ in example["turns"]]
    assert example["q_hat"] * len(prompts) == sum(prompts)


def test_replay_order_of_trimming(ledger):
    example = ledger["trim.order-is-free.mean"]["counterexample"]
    found = {
        trim: excesses(example, tt.TLRU(example["xi"], example["q_hat"], trim))
        for trim in ("round-robin", "least-recent")
    }
    assert found == example["values"]
    assert found["round-robin"] != found["least-recent"]


def test_replay_algorithm_1_as_printed(ledger):
    example = ledger["algorithm-1.as-printed"]["counterexample"]
    reading = Reading(
        example["xi"],
        example["q_hat"],
        nonnegative=True,
        trim_loop="until nothing is trimmed",
        last_block=True,
    )
    assert list(example["values"].values()) == [tel(example, reading), tel(example, tt.LRU())]
    assert tel(example, reading) > tel(example, tt.LRU())


def test_replay_negative_counts(ledger):
    example = ledger["algorithm-1.nonnegative"]["counterexample"]
    reading = Reading(example["xi"], example["q_hat"])
    replayed(example, reading)
    assert min(reading.lowest) < 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("algorithm-1.terminates", {}),
        ("algorithm-1.terminates.trim-loop", {"last_block": True}),
        ("algorithm-1.terminates.lru-loop", {"trim_loop": "until nothing is trimmed"}),
    ],
)
def test_replay_endless_loops(ledger, name, changes):
    example = ledger[name]["counterexample"]
    with pytest.raises(EndlessLoopError):
        replayed(example, Reading(example["xi"], example["q_hat"], **changes))


def test_replay_caps_that_are_not_necessary(ledger):
    example = ledger["theorem-b1.cap-is-necessary"]["counterexample"]
    lru = replayed(example, tt.LRU())
    assert tel(example, tt.LRU()) == optimum(example) == example["values"]["optimum"]
    assert any(x > cap for x, cap in zip(lru.cached.tolist(), example["values"]["caps"], strict=True))


def test_replay_the_free_start(ledger):
    example = ledger["hindsight.initial-state"]["counterexample"]
    assert optimum(example) == example["values"]["optimum"] > example["values"]["(1)-(5) as printed"]


def test_replay_the_missing_budget(ledger):
    example = ledger["figure-1.budget-exists"]["counterexample"]
    assert excesses({**example, "capacity": 10**6}, tt.LRU())[1] > 0


def test_lru_is_among_all_reuses_of_the_cap_example(ledger):
    example = ledger["theorem-b1.cap-is-necessary"]["counterexample"]
    trace = tt.Trace.from_turns(*zip(*example["turns"], strict=True))
    assert tuple(replayed(example, tt.LRU()).cached.tolist()) in all_reuses(
        Instance.of(trace, example["capacity"])
    )
