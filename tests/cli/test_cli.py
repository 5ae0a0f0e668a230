import io
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from processes.deeds import die_deciding

import proofs_checks
import teltheory as tt
from teltheory.errors import ArgumentError, TelTheoryError
from teltheory.policies.spec import default_estimate, parse_policy


def test_replay_figure_2(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 100, "--xi", 160, "--q-hat", 100)
    rows = {row["policy"]: row for row in data["rows"]}
    assert list(rows) == [
        "lru", "threshold-lru", "tlru", "end-aware", "length-aware", "belady", "tail-optimized-belady"
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


def test_several_capacities_and_thresholds(run_json, trace_file):
    flags = ["--capacity", 50, "--capacity", "0.1k", "--xi", 10, "--slo", "1ms", "--policy", "lru"]
    data = run_json("replay", trace_file, *flags)
    assert [(row["capacity"], row["xi"]) for row in data["rows"]] == [(50, 10), (50, 13), (100, 10), (100, 13)]
    assert data["slo"] == {"13": "1ms"}


def test_the_share_is_blank_where_lru_is_optimal(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 1000, "--xi", 160, "--policy", "lru")
    assert data["rows"][0]["share_closed"] is None
    assert data["rows"][0]["change"] is None


def test_tables_say_what_was_assumed(run, trace_file, capsys):
    assert run("replay", trace_file, "--capacity", 100, "--xi", 160) == 0
    printed = capsys.readouterr().out
    for expected in ("71.7 us", "Q̂ = 100", "cutoff 1024", "3 turns, 2 conversations", "Optional caching"):
        assert expected in " ".join(printed.split())


def test_a_trace_of_a_single_turn(run, run_json, tmp_path):
    file = tmp_path / "single.csv"
    file.write_text("conversation,prompt,response\n7,5,1\n")
    data = run_json("replay", file, "--capacity", 3, "--xi", 1)
    assert data["trace"]["turns"] == 1
    assert len(data["rows"]) == 7
    assert run("replay", file, "--capacity", 3, "--xi", 1) == 0
    assert run("optimum", file, "--capacity", 3, "--xi", 1, "--method", "pyomo") == 0


COMMANDS_OF_A_TRACE = [
    ("replay", "{file}"),
    ("curve", "{file}"),
    *(("optimum", "{file}", "--goal", objective) for objective in ("tel", "slo", "p95")),
    ("advise", "{file}", "--capacity", "3k", "--slo", "1s"),
    ("convert", "{file}", "{file}.new.csv"),
    ("reproduce", "--trace", "{file}"),
    ("bench", "--quick", "--trace", "{file}"),
    ("figures", "{folder}", "--trace", "{file}"),
]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, "header.csv") for command in COMMANDS_OF_A_TRACE),
        *((("replay", "{file}"), f"empty.{ending}") for ending in ("jsonl", "csv", "parquet", "json")),
        (("replay", "{file}"), "header.parquet"),
    ],
)
def test_a_file_without_a_turn_is_one_line_and_exit_code_2(run, tmp_path, capsys, command, name):
    file = tmp_path / name
    file.touch()
    if file.stem == "header":
        tt.write_trace(tt.Trace.from_turns([], [], []), file)
    assert run(*(word.format(file=file, folder=tmp_path / "figures") for word in command)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"teltheory: {file}: found no turn, expected at least one\n"


@pytest.mark.parametrize("method", ["auto", "greedy", "lp", "milp", "pyomo"])
def test_optimum(run_json, trace_file, method):
    data = run_json("optimum", trace_file, "--capacity", 100, "--xi", 120, "--method", method)
    row = data["rows"][0]
    assert (row["optimum"], row["lru"]) == (0, 80)
    assert row["method"] == ("greedy" if method == "auto" else method)


def test_the_same_command_gives_the_same_bytes(run, trace_file, tmp_path):
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file in files:
        assert run("replay", trace_file, "--capacity", 100, "--xi", 160, "--json", file) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


BAD = [
    (["replay", "nowhere.csv"], ["nowhere.csv", "no such file"]),
    (["replay", "{trace}", "--capacity", "-1"], ["capacity", "-1"]),
    (["replay", "{trace}", "--capacity", "1.5"], ["capacity", "1.5"]),
    (["replay", "{trace}", "--capacity", "many"], ["capacity", "many"]),
    (["replay", "{trace}", "--xi", "-3"], ["xi", "-3"]),
    (["replay", "{trace}", "--q-hat", "-3"], ["--q-hat", "-3"]),
    (["replay", "{trace}", "--slo", "-3s"], ["slo", "-3s"]),
    (["replay", "{trace}", "--slo", "soon"], ["slo", "soon"]),
    (["replay", "{trace}", "--policy", "mru"], ["policy", "mru", "tlru"]),
    (["replay", "{trace}", "--policy", "tlru:xi=-1"], ["xi", "-1"]),
    (["replay", "{trace}", "--policy", "tlru:x=1"], ["x=1", "xi=..."]),
    (["replay", "{trace}", "--policy", "tlru:xi=1,xi=2"], ["xi=2", "once"]),
    (["replay", "{trace}", "--policy", "tlru:trim=never"], ["trim", "never", "eager"]),
    (["replay", "{trace}", "--policy", "lru:xi=1"], ["xi=1", "no parameter"]),
    (["replay", "{trace}", "--format", "mp3"], ["format", "mp3"]),
    (["replay", "{trace}", "--forced", "--capacity", "50"], ["{trace}", "turn 0", "100", "50"]),
    (["optimum", "{trace}", "--forced", "--capacity", "50"], ["{trace}", "turn 0", "100", "50"]),
    (["optimum", "{trace}", "--method", "magic"], ["--method", "magic"]),
    (["verify", "--claim", "theorem-99"], ["theorem-99", "theorem-31"]),
    (["verify", "--section", "nine"], ["section", "nine", "hindsight"]),
    (["reproduce", "--trace", "nowhere.csv"], ["nowhere.csv"]),
    (["replay", "{trace}", "--json", "no/such/folder/out.json"], ["no/such/folder"]),
    (["replay", "{trace}", "--json", "."], ["found a folder"]),
    (["replay"], ["TRACE"]),
    (["replya", "{trace}"], ["replya"]),
    (["replay", "{trace}", "--frobnicate"], ["--frobnicate"]),
]


@pytest.mark.parametrize(("arguments", "told"), BAD, ids=lambda value: " ".join(value)[:40])
def test_bad_usage_is_one_line_and_exit_code_2(run, arguments, told, trace_file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert run(*[argument.replace("{trace}", str(trace_file)) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for words in told:
        assert words.replace("{trace}", str(trace_file)) in captured.err
    assert sorted(tmp_path.rglob("*")) == before


def test_bad_lines_are_named(run, tmp_path, capsys):
    file = tmp_path / "bad.csv"
    file.write_text("conversation,prompt,response\n1,2,3\n1,-2,3\n")
    assert run("replay", file, "--json", tmp_path / "out.json") == 2
    error = capsys.readouterr().err
    assert "bad.csv, line 3, prompt: found -2, expected 0 tokens or more" in error
    assert not (tmp_path / "out.json").exists()


def test_an_interrupt_leaves_no_file(run, trace_file, tmp_path, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("teltheory.cli.replay.sweep", interrupt)
    assert run("replay", trace_file, "--json", tmp_path / "out.json") == 130
    assert capsys.readouterr().err.lstrip() == "teltheory: interrupted\n"
    assert list(tmp_path.iterdir()) == [trace_file]


def test_verify_one_claim(run, capsys):
    assert run("verify", "--claim", "figure-2", "--workers", 1) == 0
    assert "figure-2" in capsys.readouterr().out


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
    monkeypatch.setattr("teltheory.cli.verify.decide_all", lambda *_: ([row], False))
    assert run("verify", "--claim", "figure-2") == 1


def test_a_verify_whose_processes_are_killed_ends_with_1_and_names_the_claim(run, capsys, monkeypatch):
    monkeypatch.setattr("teltheory.cli.verify._decide", die_deciding)
    assert run("verify", "--claim", "figure-2", "--workers", 2) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "claim figure-2" in error
    assert "dead" in error


@pytest.mark.long
def test_a_check_runs_alone():
    script = Path(proofs_checks.__file__).parent / "tail_optimized" / "printed_numbers.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "kv-size" in done.stdout


def test_reproduce_without_the_data_says_so(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    monkeypatch.setattr("teltheory.cli.reproduce.chosen_claims", lambda *_: ["figure-2"])
    monkeypatch.setattr("teltheory.cli.reproduce.BUILT_IN_TURNS", 200)
    assert run("reproduce", "--workers", 1, "--json", tmp_path / "out.json") == 0
    assert "left out" in capsys.readouterr().out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["left_out"]
    assert [row["verdict"] for row in data["claims"]] == ["holds"]
    assert len(next(iter(data["tables"].values()))["rows"]) == 7 * 3 * 3


def test_reproduce_on_a_given_trace(run, trace_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("teltheory.cli.reproduce.chosen_claims", lambda *_: ["figure-2"])
    monkeypatch.chdir(tmp_path)
    file = trace_file.rename("[bold]x.csv")
    assert run("reproduce", "--workers", 1, "--trace", file, "--json", "out.json") == 0
    assert "[bold]x.csv" in capsys.readouterr().out
    data = json.loads(Path("out.json").read_text())
    assert (list(data["tables"]), data["left_out"]) == (["[bold]x.csv"], [])


def test_the_story_on_the_mooncake_trace(run_json, mooncake):
    policies = ["--policy", "lru", "--policy", "tlru", "--policy", "tail-optimized-belady"]
    flags = ["--capacity", "1M", "--slo", "1s", "--slo", "2s", "--slo", "3s"]
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


def test_default_estimate_is_rounded_up():
    trace = tt.Trace.from_turns([0, 0, 0], [9, 1, 2], [0, 0, 0])
    assert default_estimate(trace) == 2
    assert default_estimate(tt.Trace.from_turns([0], [9], [0])) == 0


def test_policy_specs_round_trip():
    for text in ("lru", "tlru:xi=2800,q_hat=200,trim=eager", "threshold-lru:cutoff=5", "belady"):
        assert parse_policy(text).text == text
    assert parse_policy("end-aware:q_hat=2").build(7, 9) == tt.EndAwareTLRU(7, 2)
    assert parse_policy("adaptive").build(7, 9) == tt.AdaptiveTLRU(7, 9)
    adaptive = parse_policy("adaptive:xi=0,quantile=0.9,share=3/4,window=10,every=2,hysteresis=0,trim=eager")
    assert adaptive.text == "adaptive:xi=0,quantile=9/10,share=3/4,window=10,every=2,hysteresis=0,trim=eager"
    quantile, share = Fraction(9, 10), Fraction(3, 4)
    assert adaptive.build(7, 9) == tt.AdaptiveTLRU(0, 9, quantile, share, 10, 2, Fraction(0), "eager")
    for wrong in ("share=x", "share=1/0", "quantile=2", "share=-1", "window=0", "window=1.5", "hysteresis=nan"):
        with pytest.raises(ArgumentError, match=wrong.partition("=")[0]):
            parse_policy(f"adaptive:{wrong}")
    with pytest.raises(ArgumentError):
        parse_policy("")
    assert issubclass(ArgumentError, TelTheoryError)


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


def test_a_reader_that_goes_away_is_no_error(trace_file):
    """`teltheory ... | head -1`: what else is printed is dropped without a word."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "teltheory", "convert", str(trace_file), str(trace_file.with_name("out.csv"))]
    ended = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert ended.stderr == ""
