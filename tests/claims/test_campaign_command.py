import json
import sqlite3
from contextlib import closing

import pytest
from claims.replaying import replays_as_written
from claims.small_campaign import here
from stored import rows, sealed

from teltheory.claims.case import Case, World
from teltheory.claims.registry import claim_named
from teltheory.cli import main

NAMES = ("theorem-31.large-q", "algorithm-1.nonnegative", "kv-size")


def row(name, verdict):
    scope = {"kind": "exhaustive", "instances": 9, "bounds": {"tokens_by_turns": {"2": 3}}}
    example = {"turns": [[0, 1, 0]], "initial": [], "capacity": 0, "xi": 0, "q_hat": 0, "values": {}}
    facts = {"id": name, "origin": "ours", "kind": "statement", "source": "", "statement": "", "verdict": verdict}
    return facts | {"scope": scope, "counterexample": example if verdict == "refuted" else None, "seconds": 0.1}


@pytest.fixture
def verify(monkeypatch, capsys):
    """Run the command with rows that are decided already, and batches in this process."""

    def decided(ids, *_):
        return [row(name, "refuted" if name == NAMES[1] else "holds") for name in ids], True

    monkeypatch.setattr("teltheory.claims.campaign.on_processes", here)
    monkeypatch.setattr("teltheory.cli.verify.command.decide_all", decided)

    def run(*options):
        with pytest.raises(SystemExit) as stop:
            main(["verify", *(f"--claim={name}" for name in NAMES), *map(str, options)])
        return stop.value.code, *capsys.readouterr()

    return run


@pytest.mark.long
def test_the_ledger_tells_what_a_campaign_tried_and_repeats(verify, tmp_path):
    """Its counterexample is written to a file once."""
    store, reached, kept = tmp_path / "out.store", [], tmp_path / "kept"
    kept.mkdir()
    for options in (["--store", store], [], ["--store", store]):
        target = tmp_path / f"{len(reached)}.json"
        code, out, err = verify("--batches", 4, *options, "--regressions", kept, "--json", target)
        assert (code, err) == (0, "")
        assert "A campaign of samples, which proves nothing: 700 random instances" in " ".join(
            out.replace("│", "").split()
        )
        reached.append(target.read_bytes())
    assert reached[0] == reached[1] == reached[2]
    assert len(rows(store)) == 4
    decided = {one["id"]: one for one in json.loads(reached[0])["claims"]}
    facts = decided["theorem-31.large-q"]["scope"]["bounds"]["campaign"]
    assert (facts["instances"], facts["batches"], facts["refuting"]) == (700, 3, 0)
    assert decided["algorithm-1.nonnegative"]["scope"]["bounds"]["campaign"]["refuting"] > 0
    assert "campaign" not in decided["kv-size"]["scope"]["bounds"]
    (file,) = kept.glob("*.json")
    content = json.loads(file.read_text())
    assert content["claim"] == "algorithm-1.nonnegative"
    replays_as_written(claim_named(content["claim"]), content)


def test_a_row_of_ours_that_is_refuted_ends_with_1(verify, monkeypatch, tmp_path):
    store = tmp_path / "out.store"
    verify("--batches", 2, "--store", store)
    example = Case(World(((0, 1, 0),)), 0).as_counterexample({})
    with closing(sqlite3.connect(store)) as database, database:
        changed = "UPDATE results SET found = json_set(found, '$.counterexample', json(?))"
        database.execute(changed, (json.dumps(example),))
        sealed(database)
    assert verify("--batches", 2, "--store", store)[0] == 0
    monkeypatch.setattr("teltheory.cli.verify.command.claim_named", lambda _: claim_named("stack.lru"))
    assert verify("--batches", 2, "--store", store)[0] == 1


WRONG = [
    (["--store", "x"], "--store: found 'x', expected --budget or --batches with it, for a campaign"),
    (["--regressions", "x"], "--regressions: found 'x', expected --budget or --batches"),
    (["--scheduler", "tcp://h:1"], "--scheduler: found 'tcp://h:1', expected --budget or --batches"),
    (["--batches", 1, "--workers", 2, "--scheduler", "tcp://h:1"], "--workers: found 2, expected none with"),
    (["--budget", "5x"], "--budget: found '5x', expected a time with its unit, such as 5s or 5min or 5h"),
    (["--budget", "1s", "--regressions", "/no/folder"], "found no folder"),
    (["--budget", "1s", "--store", "/no/folder/x"], "found no folder"),
    (["--budget", "1s", "--section", "printed_numbers"], "expected one of"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_wrong_options_are_told_in_a_line(verify, options, told):
    code, out, err = verify(*options)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_a_campaign_needs_a_claim_on_traces(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--claim", "kv-size", "--budget", "1s"])
    assert "found 'kv-size', expected one whose cases are traces" in capsys.readouterr().err
