"""Bad usage and bad input of every command: one line of complaint, exit code 2, nothing printed or written."""

import json

import pytest

import teltheory as tt

ON_TRACES = ("replay", "compare", "optimum", "curve")
SERVED = [
    ("--capacity 40GiB", "capacity: found '40GiB', expected tokens such as 300k, or the model"),
    ("--capacity 40GiB --model gpt-5", "model: found 'gpt-5', expected one of "),
    ("--capacity 40gib --model vicuna-7b", "capacity: found '40gib', expected 40GiB"),
    ("--capacity 40G", "capacity: found '40G', expected 40000M tokens or 40GB or 40GiB"),
    ("--capacity 1,000,000", "capacity: found '1,000,000', expected 1000000 or 1_000_000, as a comma lists"),
    ("--capacity 40m", "capacity: found '40m', expected 40M tokens or 40MB or 40MiB"),
    ("--capacity 1.5", "capacity: found '1.5'"),
    ("--slo 200", "slo: found '200', expected a time with its unit, such as 200ms or 200s"),
    ("--slo soon", "slo: found 'soon'"),
    ("--xi 200ms", "xi: found '200ms', expected tokens such as 2800 or 2.8k; --slo takes times"),
    ("--latency h100", "--latency: found 'h100', expected a100-llama2-7b, a100-llama2-7b-att"),
    ("--latency none.json", "none.json: found no such file, expected a latency model"),
    ("--latency mine.json --capacity 1GiB", "capacity: found '1GiB'"),
    ("--model a --kv-bytes 9", "--kv-bytes: found '9', expected none with --model"),
    ("--kv-bytes 0", "Invalid value for '--kv-bytes': 0 is not in the range"),
    ("--kv-dtype fp8", "--kv-dtype: found 'fp8', expected --model or --config with it"),
    ("--tensor-parallel 2 --kv-bytes 9", "--tensor-parallel: found 2, expected --model or --config with"),
    ("--model llama-3-8b --tensor-parallel 3", "tensor_parallel: found 3, expected a number"),
    ("--accept-latency-of gpt-5", "--accept-latency-of: found 'gpt-5', expected a model"),
    ("--accept-latency-of llama-2-7b --latency x.json", "--accept-latency-of: found 'llama-2-7b'"),
    ("--config none.json", "none.json: found no such file, expected a model's config.json"),
    ("--format mp3", "format: found 'mp3'"),
]
REPLAY = [
    ("--capacity -1", "capacity: found '-1'"),
    ("--q-hat -3", "--q-hat"),
    ("--policy mru", "policy: found 'mru', expected lru, or one of lru, threshold-lru, tlru"),
    ("--policy tlru:xi=-1", "xi: found '-1'"),
    ("--policy tlru:xi=5x", "policy tlru, xi: found '5x', expected tokens such as 300000, 300k or 1M, or a time"),
    ("--policy tlru:x=1", "x=1', expected xi=..."),
    ("--policy tlru:xi=1,xi=2", "once"),
    ("--policy tlru:trim=never", "eager"),
    ("--policy lru:xi=1", "no parameter"),
    ("--policy Optimum", "policy: found 'Optimum', expected a policy: the hindsight optimum is none"),
    ("--policy slo-tlru --xi 100", "policy: found 'slo-tlru', expected thresholds in seconds with it, --slo"),
    ("--policy slo-tlru:slo=3 --slo 1s", "policy slo-tlru: found 'slo=3', expected q_hat=..., trim="),
    ("--forced --capacity 50", "trace.csv, turn 0: forced caching must keep a past of length 100"),
    ("--json no/such/folder/out.json", "no/such/folder"),
    ("--json .", "found a folder"),
    ("--frobnicate", "--frobnicate"),
]
OPTIMUM = [
    ("--goal p95 --xi 3", "--xi or --slo: found '3', expected none with --goal p95, which has no threshold"),
    ("--goal p0", "goal: found 'p0', expected tel, slo or a percentile"),
    ("--goal p100.5", "goal: found 'p100.5'"),
    ("--goal slo --method lp", "--method: found 'lp', expected auto, heuristic, milp"),
    ("--goal p95 --method milp", "--method: found 'milp', expected auto with"),
    ("--method heuristic", "--method: found 'heuristic', expected auto, greedy"),
    ("--method magic", "--method"),
    ("--goal slo --time-limit 60", "--time-limit: found '60', expected a time with its unit, such as 60s"),
    ("--goal slo --certificate no/such/folder/proof.json", "no/such/folder"),
    ("--goal p95 --forced --capacity 50", "trace.csv, turn 0: forced caching must keep a past of length 100"),
    ("--goal slo --slo 2s --latency a100-llama2-7b-attention", "--latency: found 'a100-llama2-7b-attention', exp"),
    ("--goal p95 --latency a100-llama2-7b-attention", "expected one without attention or a table with --goal p95"),
]
CURVE = [
    ("--figure curves.gif", ".png, .svg, .pdf"),
    ("--figure no/such/folder/curves.png", "no/such/folder"),
    ("--points 1", "--points"),
    ("--policy mru", "hindsight"),
    ("--policy t-lruu:xi=3", "policy: found 't-lruu:xi=3', expected"),
    ("--style icml", "style: found 'icml', expected --figure FILE with it"),
    ("--policy hindsight:xi=3", "policy: found 'hindsight:xi=3'"),
]
ADVISE = [
    ("--slo 200ms --goal p100", "goal: found 'p100', expected a percentile below p100"),
    ("--slo 200ms --goal 95", "goal: found '95', expected tel, slo or a percentile"),
    ("--slo 200ms --work-cost 0.9", "--work-cost: found '0.9', expected a multiple of LRU's"),
    ("--slo 200ms --median-cost much", "--median-cost"),
    ("--slo 200ms --first 2", "--first: found '2', expected a share of the turns"),
    ("--slo 200ms --first 1/0", "--first"),
    ("--slo 200ms --policy tlru:xi=3", "a policy whose xi is left to be chosen"),
    ("--slo 200ms --html -", "--html: found '-', expected a file"),
    ("--slo 200ms --html missing/advice.html", "missing"),
    ("--slo 200ms", "trace.csv, turns: found 3, expected at least 40 in each part, not 1 and 2"),
    ("--slo 200", "slo: found '200', expected a time with its unit, such as 200ms or 200s"),
    ("", "--slo"),
]
OTHERS = [
    ("replay nowhere.csv", "nowhere.csv: found no such file"),
    ("replay", "TRACE"),
    ("replay bad.csv", "bad.csv, line 3, prompt: found -2, expected 0 tokens or more"),
    ("replya trace.csv", "replya"),
    ("verify --claim theorem-99", "claim: found 'theorem-99', expected one of theorem-"),
    ("verify --section nine", "expected one of engines, "),
    ("verify --claim figure-2 --budget 8", "--budget: found '8', expected a time with its unit, such as 8s"),
    ("reproduce --trace nowhere.csv", "nowhere.csv"),
    ("policy never-worse tlru:xi=5ms,q_hat=1", "expected a threshold in tokens: there is no latency here"),
    ("policy adversary lru --forced --phases 2 --past 3 --xi 5", "must keep a past of length 9, expected at most"),
    *(
        (f"{command} {first} same.pdf {second} {name}", f"expected a file of its own, as {taken} has")
        for command, first, second, name, taken in [
            ("curve nowhere.csv", "--style neurips --figure", "--latex", "same.tex", "--latex"),
            ("curve nowhere.csv", "--json", "--figure", "same.pdf", "--json"),
            ("simulate replicas nowhere.csv", "--csv", "--figure", "./same.pdf", "--csv"),
            ("replay nowhere.csv --xi 5 --capacity 9", "--json", "--store", "same.pdf", "--json"),
            ("optimum nowhere.csv --xi 5 --capacity 9", "--latex", "--certificate", "same.pdf", "--latex"),
            ("advise nowhere.csv --slo 1s --capacity 9", "--json", "--html", "same.pdf", "--json"),
            ("rag serve nowhere", "--json", "--figure", "same.pdf", "--json"),
            ("apps lift nowhere", "--apps", "--trace-out", "same.pdf", "--apps"),
            ("calibrate nowhere", "--json", "--save", "same.pdf", "--json"),
            ("server probe --url http://127.0.0.1:9 --served-model m", "--json", "--record", "same.pdf", "--json"),
        ]
    ),
    ("verify --from ledger.json --claim figure-2", "--claim: found 'figure-2', expected none with --from"),
    ("verify --claim figure-2 --errata e.md", "--errata: found 'e.md', expected the whole ledger"),
    ("verify --markdown a.md --errata a.md", "--errata: found 'a.md', expected a file of its own, as --markdown"),
    ("check-certificate proof.json", "TRACE"),
    ("trace sample sharegpt-like a.csv --gaps exponential:mean=1", "gaps"),
    ("trace sample wildchat-like a.csv --gaps exponential:mean=1,rate=2", "gaps"),
    ("trace sample wildchat-like a.csv --gaps uniform", "times"),
    ("trace sample wildchat-like a.txt", "a.txt"),
    ("trace sample wildchat-like none/a.csv", "none"),
    ("trace sample mooncake-like a.csv", "mooncake-like"),
    ("trace convert trace.csv none/own.csv", "found no folder"),
    ("trace convert chats.json own.csv --times sharegpt", "tokenizer: found None, expected a tokenizer.json of"),
    ("trace convert chats.json own.csv --tokenizer characters/4", "times: found None, expected an assumption: "),
    ("trace convert chats.json own.csv --tokenizer characters/4 --times soon", "times: found 'soon'"),
    ("trace convert chats.json own.csv --tokenizer none.json --times sharegpt", "none.json: found no such file"),
    (
        "trace convert chats.json own.csv --format wildchat --tokenizer characters/4",
        "element 1, conversation: found",
    ),
    ("figures made --slo 0.5ms", "whole milliseconds"),
    ("figures made --slo 2", "slo: found '2', expected a time with its unit, such as 2ms or 2s"),
    ("figures made --trace nowhere.csv", "nowhere.csv"),
    ("figures made --capacity 10GiB", "10000M tokens"),
    ("bench --trace trace.csv", "found 3 turns, expected 100 or more"),
]
BAD = [
    *((f"{command} trace.csv {options}", told) for options, told in SERVED for command in ON_TRACES),
    *((f"replay trace.csv {options}", told) for options, told in REPLAY),
    *((f"optimum trace.csv {options}", told) for options, told in OPTIMUM),
    *((f"curve trace.csv {options}", told) for options, told in CURVE),
    *((f"advise trace.csv --capacity 100 {options}", told) for options, told in ADVISE),
    *OTHERS,
]


@pytest.fixture
def folder(trace_file, tmp_path, monkeypatch):
    """The current folder: Figure 2, a bad line, a latency of nobody's model, and chats."""
    monkeypatch.chdir(tmp_path)
    trace_file.rename("trace.csv")
    model = {"teltheory_latency": 1, "form": "formula", "per_token": "1/1000", "provenance": {"model": "mine"}}
    chat = {"id": "1", "conversations": [{"from": "human", "value": "a b"}, {"from": "gpt", "value": "a"}]}
    (tmp_path / "bad.csv").write_text("conversation,prompt,response\n1,2,3\n1,-2,3\n")
    (tmp_path / "mine.json").write_text(json.dumps(model))
    (tmp_path / "chats.json").write_text(json.dumps([chat]))
    return tmp_path


@pytest.mark.parametrize(("command", "told"), BAD, ids=[command for command, _ in BAD])
def test_bad_usage_is_one_line_and_exit_code_2(refused, folder, command, told):
    before = sorted(folder.rglob("*"))
    assert told in refused(*command.split())
    assert sorted(folder.rglob("*")) == before


COMMANDS_OF_A_TRACE = [
    "replay {file}",
    "curve {file}",
    *(f"optimum {{file}} --goal {goal}" for goal in ("tel", "slo", "p95")),
    "advise {file} --capacity 3k --slo 1s",
    "trace convert {file} {file}.new.csv",
    "reproduce --trace {file}",
    "bench --quick --trace {file}",
    "figures {folder} --trace {file}",
]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, "header.csv") for command in COMMANDS_OF_A_TRACE),
        *(("replay {file}", name) for name in ("empty.jsonl", "empty.csv", "empty.parquet", "header.parquet")),
    ],
)
def test_a_file_without_a_turn_is_one_line_and_exit_code_2(refused, tmp_path, command, name):
    file = tmp_path / name
    file.touch()
    if file.stem == "header":
        tt.write_trace(tt.Trace.from_turns([], [], []), file)
    told = refused(*command.format(file=file, folder=tmp_path / "figures").split())
    assert told == f"{file}: found no turn, expected at least one"


@pytest.mark.parametrize("option", ["--model", "--config", "--kv-bytes"])
def test_an_slo_for_a_model_without_a_latency_is_refused(refused, trace_file, others, option):
    ways = "--latency FILE.json (of teltheory calibrate) or --accept-latency-of llama-2-7b with it"
    ways += ": it has no latency of its own"
    asked = [("replay", "--policy", "tlru:xi=200ms"), ("replay", "--policy", "slo-tlru")]
    for command, *options in (*asked, *((command, "--slo", "2s") for command in (*ON_TRACES, "advise"))):
        told = refused(command, trace_file, *options, option, others[option])
        assert told == f"{option}: found '{others[option]}', expected {ways}"
