import json
from math import inf

import numpy as np
import pytest

import teltheory as tt
from teltheory.cost.goals import read_level
from teltheory.errors import SolverError
from teltheory.optimal.slo.solver import Milp
from teltheory.optimal.solver import INTERRUPTED
from teltheory.policies.spec import default_estimate

# both of the last two turns need 40 over a step where there is room for 50: one of them violates
FOUR_TURNS = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\nB,100,0\n"


@pytest.fixture
def four_turns(tmp_path):
    file = tmp_path / "four.csv"
    file.write_text(FOUR_TURNS)
    return file


def test_the_fewest_violations(run_json, four_turns):
    data = run_json("optimum", four_turns, "--goal", "slo", "--capacity", 50, "--capacity", 80, "--xi", 160)
    row, roomy = data["rows"]
    assert (data["objective"], data["forced"], data["time_limit"], data["q_hat"]) == ("slo", False, 60, 100)
    counts = {"lru": 2, "tlru": 2, "violations": 1, "lower": 1, "proved": 1}
    assert {name: row[name] for name in counts} == counts
    assert (row["gap"], row["gap_of_avoidable"], row["status"]) == (0, 0, "optimal")
    assert row["seconds"] >= 0
    assert roomy["violations"] == 0


def test_the_best_percentile(run_json, four_turns):
    data = run_json("optimum", four_turns, "--goal", "p75", "--capacity", 50)
    (row,) = data["rows"]
    assert (row["level"], row["allowed"]) == (0.75, 1)
    assert (row["percentile"], row["lower"], row["proved"]) == (150, 150, 150)
    assert row["percentile_ttft"] == row["lower_ttft"] == pytest.approx(150 * 71.7e-6)
    trace = tt.read_trace(four_turns)
    lru = tt.replay(trace, tt.LRU(), 50)
    assert row["lru"] == sorted(lru.uncached.tolist())[2]
    assert row["lru_ttft"] == tt.ttft_quantiles(lru, [0.75], tt.A100_LLAMA2_7B)[0]


@pytest.fixture
def no_prices(monkeypatch):
    """Without prices everything is left to the solver."""
    monkeypatch.setattr("teltheory.optimal.slo.violations.bound_of", lambda *arguments: 0)
    for name in ("violations", "percentile"):
        for search in ("sharpened", "exhausted"):
            monkeypatch.setattr(f"teltheory.optimal.slo.{name}.{search}", lambda state, *others, **options: state)


@pytest.mark.parametrize(("objective", "value"), [(["slo", "--xi", 160], 1), (["p75"], 150)])
def test_what_only_the_solver_says_is_labelled(output, run_json, four_turns, no_prices, objective, value):
    asked = ("optimum", four_turns, "--capacity", 50, "--goal", *objective)
    (row,) = run_json(*asked)["rows"]
    assert (row["lower"], row["by_solver"], row["proved"], row["status"]) == (value, True, 0, "optimal by solver")
    printed = output(*asked)
    assert f"lower, by solver {value} " in " ".join(printed.split())
    assert "optimal by solver" in " ".join(printed.split())


def test_what_whole_numbers_say_is_not_called_the_solvers(output, run_json, four_turns):
    asked = ("optimum", four_turns, "--goal", "slo", "--capacity", 50, "--xi", 160)
    assert run_json(*asked)["rows"][0]["by_solver"] is False
    assert "lower, by solver" not in output(*asked)


def test_a_solver_that_contradicts_a_plan_is_an_error(run, four_turns, no_prices, monkeypatch, capsys):
    wrong = Milp(np.array([True, False]), 0, "Optimal")
    monkeypatch.setattr("teltheory.optimal.slo.violations.choose", lambda *arguments: wrong)
    assert run("optimum", four_turns, "--goal", "slo", "--capacity", 50, "--xi", 160, "--json", "-") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "a bound below a plan" in told.err


def test_tlru_has_the_best_of_the_default_thresholds(run_json, mooncake, mooncake_trace):
    data = run_json("optimum", mooncake, "--goal", "p95", "--capacity", "1M", "--time-limit", "0s")
    (row,) = data["rows"]
    trace = mooncake_trace
    assert len(data["slo"]) == 3
    found = {
        xi: int(np.quantile(tt.replay(trace, policy, 1_000_000).uncached, 0.95, method="inverted_cdf"))
        for xi in map(int, data["slo"])
        for policy in [tt.TLRU(xi, default_estimate(trace))]
    }
    assert (row["tlru"], row["tlru_xi"]) == min((value, xi) for xi, value in found.items())
    assert row["proved"] <= row["lower"] <= row["percentile"] <= row["tlru"] < row["lru"]


@pytest.mark.parametrize(("turns", "level", "rank"), [(100, "p7", 7), (1000, "p99.9", 999), (3, "p100", 3)])
def test_a_percentile_has_the_rank_that_exact_numbers_give(turns, level, rank):
    assert read_level(level).rank(turns) == rank


def test_tables_say_what_their_columns_mean(in_words, run, four_turns, capsys):
    assert run("optimum", four_turns, "--goal", "slo", "--capacity", 50, "--xi", 160, "--forced") == 2
    assert "forced caching must keep" in capsys.readouterr().err
    printed = in_words("optimum", four_turns, "--goal", "slo", "--capacity", 300, "--xi", 160, "--forced")
    for words in ("Q̂ = 100", "No policy has fewer than proved", "At most 60 s a search", "Forced caching"):
        assert words in printed
    asked = ("optimum", four_turns, "--goal", "p75", "--capacity", 50, "--time-limit", "5s")
    printed = in_words(*asked)
    for words in ("Smallest p75 of uncached tokens", "At most 5 s a search", "0.011", " 150 "):
        assert words in printed


def test_both_sides_are_shown_where_a_solver_was_asked(output, run_json, trace_file):
    asked = ("optimum", trace_file, "--capacity", 100, "--xi", 120, "--method", "milp")
    (row,) = run_json(*asked)["rows"]
    assert (row["incumbent"], row["bound"], row["gap"], row["status"]) == (0, 0, 0, "optimal")
    assert "incumbent" in output(*asked)
    assert "incumbent" not in output(*asked[:-2])


def test_a_row_without_an_optimum_is_printed_and_ends_with_1(run, trace_file, tmp_path, capsys, monkeypatch):
    limits = iter([SolverError("Time limit reached", 30.0, 12.5), SolverError("Time limit reached", None, -inf)])

    def give_up(*_, **__):
        raise next(limits)

    monkeypatch.setattr("teltheory.optimal.solver.solve_intervals", give_up)
    target = tmp_path / "out.json"
    asked = ("optimum", trace_file, "--capacity", 100, "--xi", 120, "--xi", 130, "--method", "milp")
    assert run(*asked, "--json", target) == 1
    told = capsys.readouterr()
    for words in ("Time limit", "30", "12.5", "17.5"):
        assert words in told.out
    assert told.err.count("\n") == 1
    assert "capacity 100, threshold 120 tokens: no optimum was proved" in told.err
    assert "1 more like it" in told.err
    first, second = json.loads(target.read_text())["rows"]
    assert (first["optimum"], first["incumbent"], first["bound"], first["gap"]) == (None, 30.0, 12.5, 17.5)
    assert (second["status"], second["incumbent"], second["bound"]) == ("Time limit reached", None, None)


def test_no_proofs_are_written_where_one_is_missing(run, trace_file, tmp_path, monkeypatch):
    def give_up(*_, **__):
        raise SolverError("Time limit reached", 10.0, 5.0)

    monkeypatch.setattr("teltheory.optimal.chains.lazy.LazyIntervalSolver.solve", give_up)
    asked = ("optimum", trace_file, "--capacity", 100, "--xi", 1, "--method", "lp")
    assert run(*asked, "--certificate", tmp_path / "certificates.json") == 1
    assert list(tmp_path.iterdir()) == [trace_file]


@pytest.mark.parametrize(
    ("place", "flags"),
    [
        ("teltheory.optimal.slo.violations.packed", ["--goal", "slo", "--xi", "160"]),
        ("teltheory.optimal.slo.percentile._Bisection.refute", ["--goal", "p75"]),
    ],
)
def test_an_interrupted_search_prints_its_rows_and_writes_nothing(
    run, four_turns, tmp_path, capsys, monkeypatch, place, flags
):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    written = ["--json", tmp_path / "out.json", "--certificate", tmp_path / "certificates.json"]
    assert run("optimum", four_turns, "--capacity", 50, "--capacity", 61, *flags, *written) == 130
    told = capsys.readouterr()
    assert "interrup" in told.out
    assert " 50 " in told.out
    assert " 61 " not in told.out
    assert told.err.strip() == "teltheory: interrupted"
    assert list(tmp_path.iterdir()) == [four_turns]


def test_an_interrupted_solver_is_an_interrupt(run, trace_file, capsys, monkeypatch):
    def stop(*_, **__):
        raise SolverError(INTERRUPTED, 30.0, 12.5)

    monkeypatch.setattr("teltheory.optimal.solver.solve_intervals", stop)
    assert run("optimum", trace_file, "--capacity", 100, "--xi", 120, "--xi", 130, "--method", "milp") == 130
    assert "12.5" in capsys.readouterr().out
