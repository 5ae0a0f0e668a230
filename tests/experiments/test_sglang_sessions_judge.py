"""The script on SGLang's sessions counts what is served otherwise, on forests and on a folder of sessions."""

import json
from contextlib import nullcontext

import pytest

from experiments import sglang_sessions_judge as judge
from experiments.engine_cases import hits_of


def answering(deaf):
    """What SGLang's process answers, in this one; who is deaf hears no closes."""

    def answers(_, engine, cases):
        yield {"engine": engine, "version": "1"}
        assert {case["core"] for case in cases} == {"python"}
        yield from (hits_of({**case, "closes": []} if deaf else case) for case in cases)

    return answers


def session(name, ends):
    """Return a recording whose requests have 1, 2, ... blocks of their own."""
    blocks = [[*range(1, i + 1)] for i in range(1, ends)]
    asked = [{"t": 10 * len(ids), "type": "n", "in": 64 * len(ids), "out": 1, "hash_ids": ids} for ids in blocks]
    return {"id": name, "block_size": 64, "hash_id_scope": "local", "requests": asked}


@pytest.mark.parametrize("deaf", [False, True])
def test_a_judge_that_hears_no_closes_differs(tmp_path, capsys, monkeypatch, deaf):
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name, ends in ("a", 6), ("b", 5), ("c", 7):
        (folder / f"{name}.json").write_text(json.dumps(session(name, ends)))
    monkeypatch.setattr(judge, "CAPACITIES", (8,))
    monkeypatch.setattr(judge, "answers", answering(deaf))
    words = ["ours", "--forests", "70", "--trace", str(folder)]
    with pytest.raises(SystemExit, match="1") if deaf else nullcontext():
        judge.main(words)
    *rows, _, last = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 + 7 + 3
    assert ("0 differ" in last.split(",")[-1]) != deaf
    assert sum(row.count("sessions") for row in rows) == 3


def test_vectors_are_what_the_judge_hits(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "VECTORS", 2)
    monkeypatch.setattr(judge, "answers", answering(deaf=False))
    judge.main(["ours", "--vectors", str(tmp_path / "vectors.json")])
    found = json.loads((tmp_path / "vectors.json").read_text())
    assert len(found["cases"]) == 14
    assert all(hits_of(case) == case["hits"] for case in found["cases"])
