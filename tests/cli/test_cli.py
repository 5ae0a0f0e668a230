import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes.deeds import die_deciding

import proofs_checks


def test_replay_figure_2(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 100, "--xi", 160, "--q-hat", 100)
    rows = {row["policy"]: row for row in data["rows"]}
    assert list(rows) == [
        "lru", "fifo", "lfu", "slru", "gdsf", "2q", "s3-fifo", "threshold-lru", "tlru",
        "end-aware", "length-aware", "belady", "tail-optimized-belady",
    ]  # fmt: skip
    assert rows["lru"]["tel"] == 40
    assert rows["tlru"]["tel"] == 0
    assert rows["tail-optimized-belady"]["regret"] == 0
    assert rows["lru"]["regret"] == 40
    assert rows["tlru"]["share_closed"] == 1.0
    assert rows["lru"]["violations"] == 1
    assert rows["lru"]["p99"] == pytest.approx(200 * 71.7e-6)


def test_policies_keep_their_own_parameters(run_json, trace_file):
    policies = ["lru", "tlru:xi=160,q_hat=100,trim=least-recent", "tlru:q_hat=0"]
    flags = [flag for policy in policies for flag in ("--policy", policy)]
    data = run_json("replay", trace_file, "--capacity", 100, "--xi", 150, *flags)
    assert [row["policy"] for row in data["rows"]] == policies
    assert [row["tel"] for row in data["rows"]] == [50, 10, 0]


def test_thresholds_named_by_policies_alone(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 100, "--policy", "tlru:xi=160,q_hat=100")
    assert [(row["xi"], row["tel"], row["lru"]) for row in data["rows"]] == [(160, 0, 40)]


def test_tables_say_what_was_assumed(output, trace_file):
    printed = output("replay", trace_file, "--capacity", 100, "--xi", 160)
    for expected in ("71.7 us", "Q̂ = 100", "cutoff 1024", "3 turns, 2 conversations", "Optional caching"):
        assert expected in " ".join(printed.split())


def test_a_trace_of_a_single_turn(run, run_json, tmp_path):
    file = tmp_path / "single.csv"
    file.write_text("conversation,prompt,response\n7,5,1\n")
    data = run_json("replay", file, "--capacity", 3, "--xi", 1)
    assert data["trace"]["turns"] == 1
    assert len(data["rows"]) == 13
    assert run("replay", file, "--capacity", 3, "--xi", 1) == 0
    assert run("optimum", file, "--capacity", 3, "--xi", 1, "--method", "pyomo") == 0


def test_the_same_command_gives_the_same_bytes(run, trace_file, tmp_path):
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file in files:
        assert run("replay", trace_file, "--capacity", 100, "--xi", 160, "--json", file) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_interrupt_leaves_no_file(run, trace_file, tmp_path, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("teltheory.cli.replay.command.sweep", interrupt)
    assert run("replay", trace_file, "--json", tmp_path / "out.json") == 130
    assert capsys.readouterr().err.lstrip() == "teltheory: interrupted\n"
    assert list(tmp_path.iterdir()) == [trace_file]


def test_verify_one_claim(output):
    assert "figure-2" in output("verify", "--claim", "figure-2", "--workers", 1)


@pytest.mark.long
def test_verify_repeats_byte_for_byte_but_for_the_seconds(run_json):
    claims = ["--claim", "appendix-c.second-case", "--claim", "belief.posterior"]
    texts = []
    for workers in (1, 2):
        data = run_json("verify", *claims, "--workers", workers)
        for row in data["claims"]:
            row["seconds"] = 0
        texts.append(json.dumps(data))
    assert texts[0] == texts[1]


def test_verify_ends_with_1_where_a_row_of_ours_is_refuted(run, monkeypatch):
    row = {
        "id": "figure-2", "origin": "ours", "kind": "statement",
        "source": "", "statement": "", "verdict": "refuted",
        "scope": {"kind": "exhaustive", "instances": 1, "bounds": {"cases": "one"}},
        "counterexample": None, "seconds": 0.0,
    }  # fmt: skip
    monkeypatch.setattr("teltheory.cli.verify.command.decide_all", lambda *_: ([row], False))
    assert run("verify", "--claim", "figure-2") == 1


def test_a_verify_whose_processes_are_killed_ends_with_1_and_names_the_claim(run, capsys, monkeypatch):
    monkeypatch.setattr("teltheory.cli.verify.command.decide_named", die_deciding)
    assert run("verify", "--claim", "figure-2", "--workers", 2) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "claim figure-2" in error
    assert "dead" in error


def test_the_rows_of_one_file_are_decided(output, decided_here):
    script = Path(proofs_checks.__file__).parent / "tail_optimized" / "printed_numbers.py"
    assert "kv-size" in output("verify", script, "--workers", 1)


def test_reproduce_without_the_data_says_so(output, decided_here, tmp_path, monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    monkeypatch.setattr("teltheory.cli.reproduce.command.chosen_claims", lambda *_: ["figure-2"])
    monkeypatch.setattr("teltheory.cli.reproduce.command.BUILT_IN_TURNS", 40)
    assert "left out" in output("reproduce", "--workers", 1, "--json", tmp_path / "out.json")
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["left_out"]
    assert [row["verdict"] for row in data["claims"]] == ["holds"]
    assert len(next(iter(data["tables"].values()))["rows"]) == 7 * 3 * 3


def test_reproduce_on_a_given_trace(output, decided_here, trace_file, tmp_path, monkeypatch):
    monkeypatch.setattr("teltheory.cli.reproduce.command.chosen_claims", lambda *_: ["figure-2"])
    monkeypatch.chdir(tmp_path)
    file = trace_file.rename("[bold]x.csv")
    assert "[bold]x.csv" in output("reproduce", "--workers", 1, "--trace", file, "--json", "out.json")
    data = json.loads(Path("out.json").read_text())
    assert (list(data["tables"]), data["left_out"]) == (["[bold]x.csv"], [])


def test_reproduce_decides_the_sections_that_it_is_asked_for(run, trace_file, monkeypatch, capsys):
    decided = []
    monkeypatch.setattr(
        "teltheory.cli.reproduce.command.decide_all", lambda ids, *_: (decided.extend(ids), ([], True))[1]
    )
    sections = [f"--section={name}" for name in ("printed_numbers", "trimming", "printed_numbers")]
    assert run("reproduce", "--workers", 1, "--trace", trace_file, *sections) == 0
    assert {"kv-size", "trim.order-is-free"} <= {*decided}
    assert len(decided) == len(set(decided)) < 40
    assert run("reproduce", "--trace", trace_file, "--section", "nowhere") == 2
    assert "section: found 'nowhere', expected one of" in capsys.readouterr().err


def test_the_story_on_the_mooncake_trace(run_json, mooncake):
    policies = ["--policy", "lru", "--policy", "tlru", "--policy", "tail-optimized-belady"]
    flags = ["--capacity", "1M", "--slo", "1s", "--slo", "2s", "--slo", "3s", "--chains"]
    data = run_json("replay", mooncake, *policies, *flags)
    assert data["trace"]["chaining"]["chained"] == 3974
    for row in data["rows"]:
        if row["policy"] == "tail-optimized-belady":
            assert -0.35 <= row["change"] <= -0.25
        assert row["optimum"] <= row["tel"] <= row["lru"]
    gains = {row["xi"]: row["p95"] for row in data["rows"] if row["policy"] == "tlru"}
    lru = data["rows"][0]["p95"]
    assert min(gains.values()) < 0.95 * lru
    assert max(gains.values()) >= lru


@pytest.mark.long
def test_verify_ends_its_processes_without_a_word():
    claims = ["--claim", "figure-2", "--claim", "kv-size"]
    command = [sys.executable, "-m", "teltheory", "verify", *claims, "--workers", "2"]
    ends = [subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2)]
    assert {(end.returncode, end.stderr) for end in ends} == {(0, "")}


def test_what_an_encoding_lacks_is_escaped(run, trace_file, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run("replay", trace_file, "--capacity", 100, "--xi", 160) == 0
    assert rb"Q\u0302 = 100" in written.getvalue()


EACH_IN_A_PROCESS = """
import json, os, sys
from contextlib import redirect_stdout, suppress
from io import StringIO
from teltheory.cli import main
first, *others = json.loads(sys.argv[1])
with redirect_stdout(StringIO()), suppress(SystemExit):
    main(first)
for arguments in others:
    process = os.fork()
    if not process:
        main(arguments)
    assert os.waitpid(process, 0)[1] == 0, arguments
os._exit(0)
"""


def test_a_reader_that_goes_away_is_no_error(trace_file):
    """`teltheory ... | head -1`: what else is printed is dropped without a word, and files are written."""
    read, write = os.pipe()
    os.close(read)
    target = trace_file.with_name("out.json")
    replay = ["replay", str(trace_file), "--capacity", "100", "--xi", "160", "--csv", "-"]
    others = [[*replay, "--json", str(target)], ["trace", "describe", str(trace_file)], ["--help"]]
    commands = json.dumps([replay, *others])
    command = [sys.executable, "-c", EACH_IN_A_PROCESS, commands]
    ended = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(json.loads(target.read_text())["rows"]) > 0


def test_a_closed_output_is_one_line_and_a_closed_error_output_none(trace_file):
    closing = ["sh", "-c", 'exec "$0" -m teltheory trace describe "$@"']
    given = [sys.executable, str(trace_file), "--json", "no/x"]
    closing[2] += " >&-"
    ended = subprocess.run([*closing, *given[:2]], stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("teltheory: standard output: found it closed")
    assert ended.stderr.count("\n") == 1
    closing[2] = closing[2].replace(">&-", "2>&-")
    ended = subprocess.run([*closing, *given], stdout=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")


@pytest.mark.parametrize("error", [EOFError("no more"), BrokenPipeError("the server is gone")])
def test_an_early_end_is_no_interrupt_and_no_verdict(refused, trace_file, monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr("teltheory.cli.trace.describe.described", broken)
    assert f"({error})" in refused("trace", "describe", trace_file)


CHILDREN = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.long
@pytest.mark.skipif(not CHILDREN.exists(), reason="this system does not list a process's children")
def test_an_interrupted_verify_ends_at_once_and_in_order(tmp_path):
    command = [sys.executable, "-m", "teltheory", "verify", "--workers", "2", "--json", str(tmp_path / "out.json")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if len(children(process.pid)) >= 3:
            break
        time.sleep(0.1)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed.strip() == "teltheory: interrupted"
    assert list(tmp_path.iterdir()) == []
