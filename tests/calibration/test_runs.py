import csv
import json
import re

import numpy as np
import pytest
from refusals import refused

import teltheory as tt


def serving(**changes):
    run = {
        "date": "20260101-000000",
        "backend": "vllm",
        "model_id": "llama",
        "tokenizer_id": "llama",
        "num_prompts": 4,
        "mean_ttft_ms": 150.0,
        "input_lens": [100, 200, 300, 400],
        "output_lens": [1, 1, 0, 1],
        "ttfts": [0.1, 0.2, 0.0, 0.15],
        "itls": [[], [], [], []],
        "errors": ["", "", "Connection reset", ""],
        "start_times": [10.0, 11.0, 12.0, 13.0],
    }
    return {**run, **changes}


def record(ttft=100.0, unit="ms", n=500, phase="profiling", cancelled=False, error=None, **metrics):
    about = {"request_start_ns": 10**18, "request_end_ns": 10**18 + 10**9, "benchmark_phase": phase}
    values = {
        "input_sequence_length": {"value": n, "unit": "tokens"},
        "time_to_first_token": {"value": ttft, "unit": unit},
        **{name: {"value": value, "unit": "tokens"} for name, value in metrics.items()},
    }
    return {"metadata": {**about, "was_cancelled": cancelled}, "metrics": values, "error": error}


def written(tmp_path, *lines, name="result.json"):
    file = tmp_path / name
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return file


def columns(runs):
    return runs.prompt_tokens.tolist(), runs.cached_tokens.tolist(), runs.ttft.tolist()


@pytest.mark.parametrize("indent", [None, 2])
def test_a_result_of_vllm_bench_serve(tmp_path, indent):
    file = written(tmp_path, json.dumps(serving(), indent=indent))
    runs = tt.read_ttft_runs(file, cold=True)
    assert columns(runs) == ([100, 200, 400], [0, 0, 0], [0.1, 0.2, 0.15])
    assert runs.source == "result.json (vllm)"
    assert runs.facts["model"] == "llama"
    assert runs.facts["engine"] == "vllm"
    assert re.fullmatch("[0-9a-f]{64}", runs.facts["data_sha256"])
    assert runs.sent.tolist() == [10, 11, 13]
    assert runs.done.tolist() == [10.1, 11.2, 13.15]
    assert runs.notes[0] == "1 left out: the request failed"
    assert "3 requests are said to be cold" in runs.notes[1]


def test_an_entry_without_a_first_token_is_left_out(tmp_path):
    file = written(tmp_path, serving(errors=["", "", "", ""], start_times=None))
    runs = tt.read_ttft_runs(file, cold=True)
    assert runs.notes[0] == "1 left out: no first token came (TTFT 0)"
    assert runs.sent is None


def test_several_runs_of_sglang_in_one_file(tmp_path):
    run = {
        "backend": "sglang",
        "request_rate": 1.0,
        "input_lens": [7, 9],
        "ttfts": [0.5, 0.25],
        "errors": ["", ""],
    }
    file = written(tmp_path, run, {**run, "ttfts": [0.125, 1.0]}, name="online.jsonl")
    runs = tt.read_ttft_runs(file, cold=True)
    assert columns(runs) == ([7, 9, 7, 9], [0, 0, 0, 0], [0.5, 0.25, 0.125, 1.0])
    assert runs.facts["engine"] == "sglang"


def test_aiperf_takes_profiling_requests_that_went_well_in_the_unit_that_each_says(tmp_path):
    cached = {"usage_prompt_cache_read_tokens": 64, "usage_prompt_tokens": 512}
    file = written(
        tmp_path,
        record(phase="warmup", ttft=9000.0),
        record(cancelled=True),
        record(error={"code": 500, "type": "E", "message": "m"}),
        record(250.0, "ms", **cached),
        record(250_000_000, "ns", **cached),
        record(0.25, "s", **cached),
        record(77.0),
        name="profile_export.jsonl",
    )
    runs = tt.read_ttft_runs(file)
    assert columns(runs) == ([512] * 3, [64] * 3, pytest.approx([0.25] * 3))
    assert runs.sent.tolist() == [1e9] * 3
    assert [note.split(" left out: ")[0] for note in runs.notes] == ["1", "1", "1", "1"]
    assert "phase 'warmup', not 'profiling'" in runs.notes[0]
    assert "does not say how many tokens were cached" in runs.notes[3]


def test_a_csv_in_seconds_and_one_in_milliseconds_are_the_same_runs(tmp_path):
    seconds = written(tmp_path, "prompt_tokens,cached_tokens,ttft_s", "100,32,0.5", "200,0,0.75", name="s.csv")
    thousands = written(tmp_path, "ttft_ms,cached_tokens,prompt_tokens", "500,32,100", "750,0,200", name="ms.csv")
    assert (
        columns(tt.read_ttft_runs(seconds))
        == columns(tt.read_ttft_runs(thousands))
        == (
            [100, 200],
            [32, 0],
            [0.5, 0.75],
        )
    )


@pytest.mark.parametrize(
    "header", ["prompt_tokens,cached_tokens,ttft", "prompt_tokens,ttft_s,ttft_ms", "prompt_tokens"]
)
def test_a_time_without_one_unit_is_an_error(tmp_path, header):
    file = written(tmp_path, header, ",".join("1" * len(header.split(","))), name="runs.csv")
    with pytest.raises(
        tt.FileError, match=r"runs.csv, line 1, columns: .*expected one column of times that names"
    ):
        tt.read_ttft_runs(file)


def test_the_probe_leaves_out_what_the_server_did_not_report_or_contradicted(tmp_path):
    good = {
        "prompt_tokens": 90,
        "cached_tokens": 32,
        "ttft_s": 0.5,
        "requested_cached_tokens": 40,
        "mismatch": False,
    }
    lines = [
        {"teltheory_probe": 1, "plan": {"model": "llama"}, "prompts": "tokens", "started": "2026-01-01"},
        good,
        {**good, "cached_tokens": None},
        {**good, "cached_tokens": 0, "mismatch": True},
    ]
    file = tmp_path / "probe.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + '\n{"prompt_tok')
    runs = tt.read_ttft_runs(file)
    assert columns(runs) == ([90], [32], [0.5])
    assert runs.notes == (
        "1 left out: the server did not report cached tokens",
        "1 left out: the server reported other cached tokens than were warmed",
    )
    assert (runs.facts["model"], runs.facts["date"]) == ("llama", "2026-01-01")


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([serving()], "result.json"),
        ([record()], "profile_export.jsonl"),
        (["prompt_tokens,ttft_s", "100,0.5"], "runs.csv"),
    ],
)
def test_a_file_that_says_nothing_of_cached_tokens_is_refused_until_the_run_is_said_to_be_cold(
    tmp_path, lines, name
):
    file = written(tmp_path, *lines, name=name)
    with pytest.raises(tt.FileError, match=r"found nothing, expected them, or your word .* \(cold=True, --cold\)"):
        tt.read_ttft_runs(file)
    assert not tt.read_ttft_runs(file, cold=True).cached_tokens.any()


def test_a_run_that_is_said_to_be_cold_and_was_not(tmp_path):
    file = written(tmp_path, "prompt_tokens,cached_tokens,ttft_s", "9,0,0.5", "9,4,0.5", name="runs.csv")
    refused(tt.FileError, "line 3, cached_tokens: found 4, expected 0", tt.read_ttft_runs, file, cold=True)


def test_rows_of_several_models_are_not_mixed(tmp_path):
    file = written(
        tmp_path, "model,prompt_tokens,cached_tokens,ttft_s", "a,9,0,0.5", "b,9,4,0.25", name="runs.csv"
    )
    for model in (None, "c"):
        refused(tt.ArgumentError, "model: found .*, expected one of a, b", tt.read_ttft_runs, file, model=model)
    runs = tt.read_ttft_runs(file, model="b")
    assert columns(runs) == ([9], [4], [0.25])
    assert runs.facts["model"] == "b"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([serving(ttfts=None)], "result.json, ttfts: found nothing, expected a list .vLLM: --save-detailed"),
        ([serving(errors=[""])], "errors: found '1 entries', expected 4"),
        ([serving(ttfts=[0.1, -1, 0, 0.2], mean_ttft_ms=None)], "entry 1, ttfts: found -1, expected a time above"),
        ([serving(input_lens=[0, 2, 3, 4])], "entry 0, input_lens: found 0, expected a whole number from 1 to"),
        ([serving(ttfts=[4000, 1, 0, 1], mean_ttft_ms=0)], "ttfts: found '4000 seconds', expected at most 3600:"),
        ([serving(errors=["x"] * 4)], "found none that counts .4 left out: the request failed., expected one or"),
        ([{"metadata": {}, "metrics": {}}], "benchmark_phase: found nothing, expected text such as 'profiling'"),
        ([{"some": 1}], "fields: found 'some', expected ttfts and input_lens"),
        ([""], "requests: found nothing, expected one or more"),
    ],
)
def test_errors_name_the_place_what_was_found_and_what_was_expected(tmp_path, lines, message):
    refused(tt.FileError, message, lambda: tt.read_ttft_runs(written(tmp_path, *lines), cold=True))


def test_a_file_that_is_not_there_and_a_format_that_is_not_one(tmp_path):
    refused(tt.FileError, "found no such file", lambda: tt.read_ttft_runs(tmp_path / "none.json"))
    refused(tt.ArgumentError, "format: found 'xml'", lambda: tt.read_ttft_runs(tmp_path / "none.json", "xml"))


def test_the_runs_are_checked_and_closed_for_writing():
    refused(tt.ArgumentError, "cached_tokens", tt.TTFTRuns, [1], [2], [0.5])
    refused(tt.ArgumentError, "ttft", tt.TTFTRuns, [2], [1], [0.0])
    refused(tt.ArgumentError, "ttft: found 'shape", tt.TTFTRuns, [2], [1], [0.5, 0.5])
    runs = tt.TTFTRuns([2, 3], [1, 1], [0.5, 0.25])
    assert runs.uncached_tokens.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        runs.ttft[0] = 1
    assert columns(runs.where(np.array([False, True]), "the second")) == ([3], [1], [0.25])


def test_the_run_of_vllm_on_two_cores(shared):
    file = shared("vllm_cpu_ttft.csv")
    with file.open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["model"] == "llama-5M-4L"]
    runs = tt.read_ttft_runs(file, model="llama-5M-4L")
    assert len(rows) == 245
    names = ("prompt_tokens", "cached_tokens", "ttft_s")
    assert columns(runs) == tuple([float(row[name]) for row in rows] for name in names)
    refused(tt.ArgumentError, "one of llama-28M-8L, llama-5M-4L", tt.read_ttft_runs, file)


def test_the_a100_table_is_cold_and_in_milliseconds(shared):
    runs = tt.read_ttft_runs(shared("a100_llama2_7b_prefill.csv"))
    assert len(runs) == 259
    assert not runs.cached_tokens.any()
    assert runs.ttft[0] == pytest.approx(0.0097036)
    assert runs.notes[0] == "columns that were not used: linear_ms, attention_ms"
