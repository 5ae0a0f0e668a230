"""The engines' script finds a request whose hits differ, and an engine that does not answer."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from experiments import check_engines
from experiments.engine_cases import hits_of

ROOT = Path(__file__).parents[2]
ENGINE = """#!{python}
import json, sys
sys.path.insert(0, {root!r})
from experiments.engine_cases import hits_of
print(json.dumps({{"engine": "ours", "version": "1"}}))
for line in sys.stdin:
    case = json.loads(line)
    hits = hits_of(case)
    hits[0] += case.get("core") == "rust" and case["policy"] == "slru"
    print(json.dumps(hits))
"""


def engine(folder, text):
    script = folder / "python"
    script.write_text(text)
    script.chmod(0o755)
    return str(script)


def answering(wrong):
    """What a process answers, in this one."""

    def answers(_, engine, cases):
        yield {"engine": engine, "version": "1"}
        for case in cases:
            first, *hits = hits_of(case)
            yield [first + wrong * (case.get("core") == "rust" and case["policy"] == "slru"), *hits]

    return answers


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_request_that_an_engine_serves_otherwise_is_counted(tmp_path, capsys, monkeypatch, wrong):
    ours = engine(tmp_path, ENGINE.format(python=sys.executable, root=str(ROOT)))
    if not wrong:
        monkeypatch.setattr(check_engines, "answers", answering(wrong))
    words = [ours, "--forests", "7", "--trace", "nowhere", "--engine", "sglang"]
    with pytest.raises(SystemExit, match="1") if wrong else nullcontext():
        check_engines.main(words)
    *rows, _, last = capsys.readouterr().out.splitlines()
    differ = {tuple(cell.strip() for cell in row.split("|")[2:4]): row.split("|")[-2].strip() for row in rows[2:]}
    assert len(differ) == 14
    assert {name for name, count in differ.items() if count != "0"} == ({("rust", "slru")} if wrong else set())
    assert last.endswith(f"{wrong} differ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#!/bin/sh\necho '{\"version\": 1}'\n", "no error"),
        ("#!/bin/sh\necho no module >&2\nexit 1\n", "no module"),
    ],
)
def test_an_engine_that_does_not_answer_is_one_line(tmp_path, capsys, text, reason):
    with pytest.raises(SystemExit) as ended:
        check_engines.main([engine(tmp_path, text), "--forests", "1", "--trace", "nowhere", "--engine", "vllm"])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected one with which vllm answers 1 cases" in line
    assert reason in line


def test_vectors_are_cases_with_hits_once_for_the_cores_that_agree(tmp_path, monkeypatch):
    monkeypatch.setattr(check_engines, "VECTORS", 3)
    monkeypatch.setattr(check_engines, "answers", answering(wrong=1))
    check_engines.main(["ours", "--vectors", str(tmp_path / "vectors.json"), "--seed", "3"])
    cases = json.loads((tmp_path / "vectors.json").read_text())["cases"]
    alone = [case for case in cases if case["cores"] == ["rust"]]
    assert {case["policy"] for case in alone} == {"slru"}
    assert all(hits_of(case) == case["hits"] for case in cases if case not in alone)
