"""`teltheory apps explain`, `run` and `lift`."""

import json

import httpx
import pytest

from teltheory.formats.request_logs import read_log
from teltheory.systems.apps.engines import remote

SNAKE = {
    "name": "snake",
    "requests": [
        {"name": "write", "prompt": "Write {{input:task}}. Code: {{output:code}}", "sampling": {"max_tokens": 4}},
        {
            "name": "test",
            "prompt": "Write {{input:task}}. Code: {{input:code}}. Test: {{output:tests}}",
            "sampling": {"max_tokens": 4},
        },
    ],
    "set": {"task": "a snake game"},
    "get": [{"semantic_var_id": "code"}, {"semantic_var_id": "tests", "criteria": "throughput"}],
}
LOG = [
    {"id": "a", "prompt": "Rivers?", "response": "They run to the sea, all of them."},
    {"id": "b", "prompt": "Is it true? They run to the sea, all of them.", "response": "Most do."},
]


@pytest.fixture
def written(tmp_path):
    """A function that writes an application or a log, changed or not, and returns its file."""

    def file(data, name="app [b].json"):
        rows = "".join(json.dumps(row) + "\n" for row in data) if name.endswith("l") else json.dumps(data)
        (tmp_path / name).write_text(rows)
        return tmp_path / name

    return file


def test_explain_shows_the_graph_and_what_is_shared(output, run_json, written):
    """The drawing, labels, and the prefix that a generated variable is part of."""
    file = written(SNAKE)
    lines = output("apps", "explain", file).splitlines()
    assert [line.split() for line in lines if "●" in line] == [
        ["●", "write", "task", "code", "latency", "1", "26"],
        ["└─●", "test", "task,", "code", "tests", "throughput", "0", "34", "+"],
    ]
    found = run_json("apps", "explain", file, "--tokenizer", "characters/4")
    assert [row["after"] for row in found["applications"][0]["requests"]] == [[], ["write"]]
    assert found["prefixes"] == [
        {
            "tokens": 7,
            "variables": ["code"],
            "requests": [["snake", "write"], ["snake", "test"]],
            "text": "Write a snake game. Code: {code}",
        }
    ]
    said = output("apps", "explain", written([{**SNAKE, "get": []}, {**SNAKE, "name": "other", "set": {}}]))
    assert "Gets: none, so everything is for throughput." in said
    assert "Nobody sets or produces: task." in said


def test_run_says_what_the_tiny_engine_says(run_json, written):
    """The second prompt goes on in the context of the first, output included; two engines change no text."""
    found = run_json("apps", "run", written(SNAKE))
    (one,) = found["applications"]
    assert one["failures"] == {}
    assert one["values"].keys() == {"task", "code", "tests"}
    prompts = ["Write a snake game. Code: ", f"Write a snake game. Code: {one['values']['code']}. Test: "]
    assert found["prompts"] == sum(map(len, prompts))
    counts = found["engines"][0]
    assert counts["filled"] == len(prompts[0]) + len(". Test: ")
    both = run_json(
        "apps", "run", written([SNAKE, {**SNAKE, "name": "again"}]), "--engine", "tiny", "--engine", "tiny"
    )
    assert [again["values"] for again in both["applications"]] == [one["values"]] * 2
    assert sum(engine["filled"] for engine in both["engines"]) == counts["filled"]


def test_run_sets_values_and_tells_what_failed(run, capsys, written):
    """A failing transform is told with request and variable, at each get that it reaches, and with exit code 1."""
    entry = [{"name": "code", "transforms": "json:x"}]
    data = {**SNAKE, "requests": [{**SNAKE["requests"][0], "placeholders": entry}, SNAKE["requests"][1]]}
    beside = {"name": "beside", "prompt": "{{input:task}}{{output:other}}", "sampling": {"max_tokens": 2}}
    data = {**data, "requests": [*data["requests"], beside], "get": [*SNAKE["get"], {"semantic_var_id": "other"}]}
    assert run("apps", "run", written({**data, "set": {}}), "--set", "task=a=b") == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    failed = [line for line in printed.out.splitlines() if "failed" in line]
    assert [line.partition(" failed: ")[0] for line in failed] == ["code", "tests"]
    assert all("request write, variable 'code', transform" in line for line in failed)
    assert "\nother: " in printed.out


def test_run_asks_a_server_and_tells_what_it_cached(run, run_json, capsys, monkeypatch, written):
    """Outputs are completions; the key comes from the environment."""
    asked = []

    def answer(request):
        asked.append((request.headers.get("authorization"), json.loads(request.content)))
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 6}}
        return httpx.Response(200, json={"choices": [{"text": "ok"}], "usage": usage})

    made = remote.RemoteEngine.__init__
    transport = httpx.MockTransport(answer)
    monkeypatch.setattr(
        remote.RemoteEngine, "__init__", lambda self, *args, **more: made(self, *args, **more, transport=transport)
    )
    monkeypatch.setenv("KEY_OF_TEST", "secret")
    file = written(SNAKE)
    at = ("--engine", "http://localhost:1", "--served-model", "m")
    found = run_json("apps", "run", file, *at, "--api-key-env", "KEY_OF_TEST")
    assert found["applications"][0]["values"] == {"task": "a snake game", "code": "ok", "tests": "ok"}
    assert found["engines"][0]["usage"] == {"calls": 2, "prompt": 18, "completion": 2, "cached": 12}
    assert {key for key, _ in asked} == {"Bearer secret"}
    assert run("apps", "run", file, *at) == 0
    assert "The server counted 18 tokens in 2 prompts and had 12 of them cached." in capsys.readouterr().out


def test_lift_writes_what_explain_run_and_replay_read(run, run_json, capsys, tmp_path, written):
    """Applications and their trace."""
    apps, trace = tmp_path / "lifted.json", tmp_path / "trace.jsonl"
    assert run("apps", "lift", written(LOG, "log.jsonl"), "--apps", apps, "--trace-out", trace) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["app/0", "2", "1", "63.5", "%", "0", "0"] in lines
    assert [json.loads(line).get("after") for line in trace.read_text().splitlines()] == [None, ["a"]]
    assert run_json("apps", "run", apps)["applications"][0]["failures"] == {}
    found = run_json("apps", "lift", written(LOG, "log.jsonl"), "--least", "99")
    assert (found["short"], len(found["applications"])) == (2, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"requests": [*SNAKE["requests"], {"prompt": "{{output:code}}"}]}, "two producers, request write and"),
        (
            {"requests": [{"prompt": "{{input:b}}{{output:c}}"}, {"prompt": "{{input:c}}{{output:b}}"}]},
            "a cycle: ",
        ),
        ({"set": {"tsk": "x"}}, "set of 'tsk': found no request"),
        ({"get": [{"semantic_var_id": "tset"}]}, "get of 'tset': found no request that produces it"),
        ({"get": [{"semantic_var_id": "code"}, {"semantic_var_id": "code", "criteria": "ttft"}]}, "'ttft' after"),
        ({"requests": [{"prompt": "{{inptu:b}}{{output:c}}"}]}, "found '{{inptu:b}}'"),
        ({"gets": []}, "found field 'gets'"),
    ],
)
def test_bad_files_are_refused_in_a_line(refused, written, change, said):
    """With the file's name, by every command that reads one."""
    file = written({**SNAKE, **change})
    for command in ("explain", "run"):
        complaint = refused("apps", command, file)
        assert complaint.startswith(str(file))
        assert said in complaint


def test_bad_usage_is_refused_in_a_line(refused, tmp_path, written, monkeypatch):
    """What no engine can run, values that nobody takes, servers that are none."""
    file = written(SNAKE)
    assert "no such file" in refused("apps", "explain", tmp_path / "none.json")
    assert "found no JSON" in refused("apps", "explain", written([1, 2], "log.jsonl"))
    assert "--set: found 'task'" in refused("apps", "run", file, "--set", "task")
    assert "--set: found 'code=x'" in refused("apps", "run", file, "--set", "code=x")
    assert "no value of task" in refused("apps", "run", written({**SNAKE, "set": {}}))
    assert "--served-model" in refused("apps", "run", file, "--engine", "http://localhost:1")
    assert "--served-model: found 'm'" in refused("apps", "run", file, "--served-model", "m")
    assert "--timeout: found" in refused("apps", "run", file, "--timeout", "0s")
    assert "url: found" in refused("apps", "run", file, "--engine", "localhost", "--served-model", "m")
    assert "--api-key-env: found 'NO_SUCH_KEY'" in refused(
        "apps", "run", file, "--engine", "http://x:1", "--served-model", "m", "--api-key-env", "NO_SUCH_KEY"
    )
    assert "model 'big'" in refused(
        "apps", "run", written({**SNAKE, "requests": [{**row, "model": "big"} for row in SNAKE["requests"]]})
    )
    unfit = [{**SNAKE["requests"][0], "placeholders": [{"name": "task", "transforms": "json:x"}]}]
    broken = written({**SNAKE, "requests": unfit, "get": []})
    complaint = refused("apps", "explain", broken)
    assert complaint.startswith(
        f"{broken}, request write, variable 'task', transform 'json:x': found 'a snake game'"
    )
    large = [{**SNAKE["requests"][0], "sampling": {"max_tokens": 64_000}}, SNAKE["requests"][1]]
    assert "request write" in refused("apps", "run", written({**SNAKE, "requests": large}))
    log = written(LOG, "log.jsonl")
    assert "line 1, prompt" in refused("apps", "lift", written([{"response": "r"}], "bad.jsonl"))
    assert "no folder" in refused("apps", "lift", log, "--apps", tmp_path / "none" / "a.json")
    assert "tokenizer" in refused("apps", "lift", log, "--tokenizer", "words")


CALLS = [
    {
        "id": "first",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rivers?"}],
        "response": {
            "choices": [{"message": {"role": "assistant", "content": "They run to the sea, all of them."}}]
        },
    },
    {
        "id": "next",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Rivers?"},
            {"role": "assistant", "content": "They run to the sea, all of them."},
            {"role": "user", "content": "Is it true?"},
        ],
        "response": "Most do.",
    },
    {
        "id": "other",
        "messages": [{"role": "user", "content": "Sum up: They run to the sea, all of them."}],
        "response": "Sea.",
    },
]
ASKED = ("--capacity", "100", "--xi", "20")


@pytest.mark.parametrize("log", [LOG, CALLS])
def test_all_commands_take_a_log(run_json, output, written, tmp_path, log):
    """What `lift` writes is what `explain` and `replay` make of the log itself."""
    file, apps, trace = written(log, "log.jsonl"), tmp_path / "apps.json", tmp_path / "trace.jsonl"
    output("apps", "lift", file, "--apps", apps, "--trace-out", trace)
    assert run_json("apps", "explain", file) == run_json("apps", "explain", apps)
    assert run_json("apps", "replay", file, *ASKED) == run_json("apps", "replay", trace, *ASKED)
    assert run_json("apps", "optimum", file, *ASKED)["rows"] == run_json("apps", "optimum", trace, *ASKED)["rows"]
    assert run_json("apps", "run", file)["engines"] == run_json("apps", "run", apps)["engines"]


def test_messages_without_a_response_are_a_conversation(written):
    said = [("user", "Hi"), ("assistant", "Yes?"), ("user", "Bye"), ("assistant", "So long.")]
    messages = [{"role": role, "content": text} for role, text in said]
    log = read_log(written([{"id": "a", "messages": messages}], "log.json"))
    texts = [(one.name, one.prompt, one.response) for one in log]
    assert texts == [("a", "Hi\n", "Yes?"), ("a.1", "Hi\nYes?\nBye\n", "So long.")]


def test_applications_are_replayed_with_outputs_as_long_as_they_may_be(run_json, written):
    """`test` begins with all of `write`, and goes on with its conversation."""
    found = run_json("apps", "replay", written(SNAKE), "--capacity", "1k", "--xi", "20", "--policy", "lru")
    row = found["rows"][0]
    first = len("Write a snake game. Code: ")
    assert (row["reused"], row["computed"]) == (first + 4, first + len(". Test: "))


def test_a_file_that_has_not_what_a_command_needs_is_refused_with_what_it_is(refused, written):
    trace = written([{"request": "r", "application": "a", "prompt": 3, "response": 4}], "trace.jsonl")
    assert "found a trace of lengths, expected texts" in refused("apps", "explain", trace)
    assert "found applications, expected a log of requests" in refused("apps", "lift", written(SNAKE))
    empty = written([{"prompt": "", "response": {}}], "log.jsonl")
    assert "response: found {}, expected a text, or choices" in refused("apps", "lift", empty)
