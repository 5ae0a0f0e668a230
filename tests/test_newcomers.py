"""Lines that somebody new writes at first, as they write them: each stopped them once."""

from fractions import Fraction

import pytest
from refusals import refused

import teltheory as tt
from teltheory.cli import main
from teltheory.cost.given import Units
from teltheory.errors import ArgumentError

SOME = tt.Trace.from_turns(
    conversation=[0, 1, 0, 1, 0], prompt=[3000, 2000, 900, 400, 500], response=[100, 50, 20, 10, 0]
)
MODEL = "llama-2-7b"


@pytest.mark.parametrize("made", [tt.TLRU, tt.EndAwareTLRU, tt.LengthAwareTLRU, tt.TailOptimizedBelady])
def test_a_time_is_a_threshold_of_a_policy(made):
    problem = tt.Problem(SOME, capacity=3500, xi="200ms", model=MODEL)
    short = problem.replay(f"{made.name}:xi=200ms")
    assert problem.replay(made("200ms")) == short == problem.replay(made(tt.A100_LLAMA2_7B.threshold("200ms")))
    assert tt.replay(SOME, made("200ms"), 3500, model=MODEL) == short


def test_a_policy_is_read_wherever_one_is_taken():
    policy = tt.TLRU("200ms", trim="least-recent")
    curve = tt.capacity_curve(SOME, policy, model=MODEL)
    known = tt.TLRU(2789, 600, trim="least-recent")
    assert (curve.cached(3500) == tt.capacity_curve(SOME, known).cached(3500)).all()
    served = [tt.serve(timed(SOME), one, 3500, model=MODEL) for one in (policy, known)]
    assert served[0].uncached.tolist() == served[1].uncached.tolist()


def timed(trace):
    return tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, arrival=range(len(trace)))


def test_lengths_in_text_are_tokens_on_blocks_too():
    blocks = SOME.to_blocks(16)
    text, numbers = tt.TLRU("2.8k", "600"), tt.TLRU(2800 // 16, -(-600 // 16))
    assert tt.replay(blocks, text, 200) == tt.replay(blocks, numbers, 200)
    assert tt.replay(SOME, tt.ThresholdLRU("1k"), 3500) == tt.replay(SOME, tt.ThresholdLRU(1000), 3500)


SHARED = tt.Forest.from_paths([[1, 2], [1, 2, 3], [4], [1, 2, 3, 5, 6]], block_size=16)


def test_an_estimate_that_is_left_out_is_that_of_short_forms_on_a_forest_too():
    for forest, estimate in ((SHARED, 2), (SHARED[:2], 1)):
        problem = tt.Problem(forest, capacity=4)
        assert problem.policy(tt.TLRU("1k")) == problem.policy("tlru:xi=1k")
        assert problem.policy(tt.TLRU("1k")).q_hat == estimate


def test_a_time_without_a_model_says_what_to_add():
    with pytest.raises(
        ArgumentError, match=r"xi: found '200ms', expected tokens such as 2800, or the model .*model="
    ):
        tt.replay(SOME, tt.TLRU("200ms"), 3500)
    refused(ArgumentError, r"expected a time with its unit|expected tokens", tt.TLRU, "soon")
    with pytest.raises(ArgumentError, match=r"policy: .* expected lengths as whole numbers here"):
        tt.never_worse(tt.TLRU("200ms"), turns=2, tokens=2, samples=0)


def test_a_policy_is_never_worse_by_its_name():
    small = {"turns": 3, "tokens": 3, "samples": 0}
    assert decided(tt.never_worse("tlru", **small)) == decided(tt.never_worse(tt.TLRU, **small))
    reversed_roles = tt.never_worse("lru", "tlru", **small)
    assert reversed_roles.verdict == "refuted"
    assert decided(reversed_roles) == decided(tt.never_worse(tt.LRU(), tt.TLRU, **small))
    refused(ArgumentError, r"small traces have no latency", tt.never_worse, "tlru:xi=200ms")


def decided(verdict):
    return str(verdict), verdict.scope, verdict.counterexample


def test_a_percentile_is_p95():
    trace = timed(SOME)
    plans = [
        tt.plan(trace, "replicas", [1, 2], 3500, "300ms", model=MODEL, percentile=percentile)
        for percentile in ("p95", 95)
    ]
    assert str(plans[0]) == str(plans[1])
    with pytest.raises(ArgumentError, match=r"percentile: found 'median', expected text such as 'p95'"):
        tt.plan(trace, "replicas", [1], 3500, "300ms", model=MODEL, percentile="median")


def test_a_latency_model_is_a_time_a_token():
    assert tt.LatencyModel("71.7us").per_token == Fraction("71.7") / 10**6
    made = tt.LatencyModel("71.7us", constant="-3ms", floor="10ms")
    assert (made.constant, made.floor) == (Fraction(-3, 1000), Fraction(1, 100))
    refused(ArgumentError, r"per_token: found '71.7', expected a time with its unit", tt.LatencyModel, "71.7")
    refused(ArgumentError, r"per_token", tt.LatencyModel, "-3us")


def test_advice_takes_the_bytes_of_a_token():
    trace = chats()
    asked = {"slo": "200ms", "latency": tt.A100_LLAMA2_7B}
    given = tt.advise(trace, "10GB", kv_bytes="512KiB", **asked)
    assert given.capacity == 10**10 // 2**19 == tt.advise(trace, "10GB", kv_bytes=2**19, **asked).capacity
    with pytest.raises(ArgumentError, match=r"kv_bytes: found 524288, expected none with model"):
        tt.advise(trace, "10GB", kv_bytes=2**19, model=MODEL, **asked)
    with pytest.raises(ArgumentError, match=r"kv_bytes: found 'much', expected whole bytes"):
        tt.advise(trace, "10GB", kv_bytes="much", **asked)


def chats():
    turns = [(k % 9, 300 + 97 * k % 700, 200) for k in range(120)]
    return tt.Trace.from_turns(*zip(*turns, strict=True))


RECORDS = {
    "session_id": ["a", "b", "a", "a"],
    "prompt_tokens": [1200, 800, 2000, 2100],
    "completion_tokens": [300, 100, 50, 0],
    "timestamp": ["2026-03-01T12:00:00Z", "2026-03-01T12:00:09Z", "2026-03-01T12:00:05Z", "2026-03-01T12:01:00Z"],
    "note": ["", "x", "y", "z"],
}
LIBRARIES = {
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
    "dict": dict,
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_found_as_a_file_of_it_is(library, tmp_path):
    file, table = tmp_path / "log.csv", LIBRARIES[library](RECORDS)
    lines = [",".join(RECORDS), *(",".join(map(str, row)) for row in zip(*RECORDS.values(), strict=True))]
    file.write_text("\n".join(lines) + "\n")
    in_file = tt.read_trace(file)
    assert tt.read_trace(table) == in_file == tt.Trace.from_table(table)
    assert tt.read_trace(table).report == in_file.report
    assert in_file.arrival.tolist() == [0, 5, 9, 60]
    assert in_file.history.tolist() == [0, 1500, 0, 2050]


def test_anthropics_cached_tokens_are_input_in_a_table_too():
    table = {
        "conversation_id": [1, 1],
        "input_tokens": [10, 20],
        "cache_read_input_tokens": [None, 110],
        "cache_creation_input_tokens": [100, 30.0],
        "output_tokens": [5, 5],
    }
    assert tt.Trace.from_table(table).total.tolist() == [110, 160] == tt.read_trace(table).total.tolist()


def test_a_table_with_our_own_columns_is_read_as_before():
    table = {"conversation": ["x", "y", "x"], "prompt": [10, 20, 30], "response": [1, 2, 3]}
    assert tt.read_trace(table) == tt.Trace.from_table(table)
    named = {"who": table["conversation"], "prompt": table["prompt"], "response": table["response"]}
    columns = {"conversation": "who"}
    assert tt.read_trace(named, columns=columns) == tt.Trace.from_table(named, columns) == tt.read_trace(table)


def test_a_table_of_block_hashes_is_a_forest():
    rows = {
        "timestamp": [0, 1000],
        "input_length": [1024, 1536],
        "output_length": [10, 20],
        "hash_ids": [[1, 2], [1, 2, 3]],
    }
    forest = tt.read_trace(rows).forest
    assert forest.shared
    assert forest.known.tolist() == [0, 2]


def test_an_error_in_a_table_names_the_row_and_the_column():
    with pytest.raises(tt.FileError, match=r"table, row 2, completion_tokens: found -5"):
        tt.read_trace({"user": [1, 2], "prompt_tokens": [1, 2], "completion_tokens": [1, -5]})
    with pytest.raises(tt.TraceError, match=r"row 1, timestamp: found 'noon', expected a date and time"):
        tt.Trace.from_table(RECORDS | {"timestamp": [0, "noon", 1, 2]})
    refused(tt.FileError, r"table: found the fields 'a', expected", tt.read_trace, {"a": [1]})


def test_requests_that_name_no_conversation_are_each_one_of_their_own(tmp_path):
    table = {name: RECORDS[name] for name in ("prompt_tokens", "completion_tokens")}
    columns = {"conversation": "row"}
    made = tt.Trace.from_table(table, columns)
    assert made == tt.read_trace(table, columns=columns)
    assert made.conversations == 4
    assert made.prompt.tolist() == RECORDS["prompt_tokens"]
    file = tmp_path / "log.csv"
    file.write_text("prompt_tokens,completion_tokens\n1200,300\n800,100\n2000,50\n2100,0\n")
    assert tt.read_trace(file, columns=columns) == made
    refused(tt.FileError, r"or conversation=row where each row is one of its own", tt.read_trace, file)


def test_a_capacity_is_a_share_of_what_an_endless_cache_holds():
    peak = max(SOME.held)
    assert tt.Problem(SOME, capacity="10%").memory == peak // 10
    assert tt.Problem(SOME, capacity="12.5 %").memory == int(peak * Fraction(1, 8))
    tiers = tt.Problem(SOME, capacity=tt.Tiers(("10%", "50%"), (0, Fraction(1, 2)))).memory
    assert tiers.capacities == (peak // 10, peak // 2)
    assert tt.replay(SOME, "lru", "10%") == tt.replay(SOME, "lru", int(peak) // 10)
    blocks = SOME.to_blocks(16)
    assert tt.Problem(blocks, capacity="100%").memory == max(blocks.held)
    assert tt.advise(chats(), "10%", "200ms").capacity == max(chats().held) // 10
    assert Units.in_tokens(16, requests=SHARED).capacity("50%") == SHARED.peak * 16 // 2
    for wrong in ("101%", "a tenth%", "-1%"):
        with pytest.raises(ArgumentError, match=r"capacity: found .*%', expected a share of the peak from 0%"):
            tt.Problem(SOME, capacity=wrong)
    with pytest.raises(ArgumentError, match=r"capacities: found '10%', expected tokens or bytes here"):
        tt.sweep(SOME, tt.Grid(["lru"], ["10%"], [100]))


@pytest.mark.parametrize("command", ["replay", "optimum", "curve", "advise"])
def test_commands_take_a_share_and_say_its_size(command, tmp_path, capsys):
    file, trace = tmp_path / "trace.csv", chats()
    tt.write_trace(trace, file)
    peak = max(trace.held)
    with pytest.raises(SystemExit) as stop:
        main([command, str(file), "--capacity", "10%", "--slo", "150ms"])
    assert stop.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Capacity 10% is {peak // 10:,} tokens of the {peak:,} that an endless cache holds" in said


def test_a_notebook_shows_an_optimum_and_a_sweep_in_short():
    best = tt.Problem(SOME, capacity=3500, xi=600).optimum()
    assert best._repr_html_().startswith(f"<table><caption>TEL {best.upper:,}</caption><tr><th>lower</th>")
    assert "<td>optimal</td>" in best._repr_html_()
    assert "Certificate" not in best._repr_html_()
    cells = tt.sweep(SOME, tt.Grid(["lru", "tlru"], [3500], [600]))
    page = cells._repr_html_()
    assert page.startswith("<table><caption>2 cells</caption><tr><th>capacity</th><th>xi</th><th>policy</th>")
    assert page.count("<tr>") == 3
    assert f"<td>{cells[0].tel:,}</td>" in page
    many = type(cells)(cells * 30)._repr_html_()
    assert "60 cells, the first 50 of them" in many
    assert many.count("<tr>") == 51
