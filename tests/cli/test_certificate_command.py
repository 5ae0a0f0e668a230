import json

import pytest

import teltheory as tt
from teltheory.cli.proof_files import digest_of

TURNS = "conversation,prompt,response\nA,3,1\nB,4,2\nA,1,0\nB,2,0\n"


@pytest.fixture
def trace_file(tmp_path):
    file = tmp_path / "trace.csv"
    file.write_text(TURNS)
    return file


@pytest.fixture
def proof(run, trace_file, tmp_path):
    file = tmp_path / "proof.json"
    asked = ["--capacity", 5, "--capacity", 7, "--xi", 0, "--xi", 2, "--certificate", file]
    assert run("optimum", trace_file, *asked) == 0
    return file


def test_what_optimum_writes_is_a_proof(run, trace_file, proof, capsys):
    capsys.readouterr()
    assert run("check-certificate", proof, trace_file) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    optimum = tt.hindsight_optimum(tt.read_trace(trace_file), 5, 2).objective
    assert f"Capacity 5, threshold 2: no policy has less TEL than {optimum} " in "".join(lines)


def test_forced_caching_is_in_the_file(run, trace_file, tmp_path, capsys):
    proof = tmp_path / "proof.json"
    assert run("optimum", trace_file, "--capacity", 9, "--xi", 1, "--forced", "--certificate", proof) == 0
    capsys.readouterr()
    assert run("check-certificate", proof, trace_file) == 0
    assert "forced caching" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", '"teltheory_certificates": 1 or 2'),
        (b'{"teltheory_certificates": 3}', '"teltheory_certificates": 1 or 2'),
        (b'{"teltheory_certificates": true}', '"teltheory_certificates": 1 or 2'),
        (b'{"teltheory_certificates": 1, "certificates": 3}', "certificates: found int, expected a list"),
        (b'{"teltheory_certificates": 1, "certificates": [3]}', "certificates[0]: expected an object"),
        (b'{"teltheory_certificates": 1, "certificates": [], "sha256": ""}', "sha256: found another"),
    ],
)
def test_other_files_are_refused_in_one_line(run, trace_file, proof, capsys, content, told):
    proof.write_bytes(content)
    assert run("check-certificate", proof, trace_file) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_another_trace_is_refused(run, tmp_path, proof, capsys):
    other = tmp_path / "other.csv"
    other.write_text(TURNS.replace("B,2,0", "B,3,0"))
    assert run("check-certificate", proof, other) == 2
    assert "certificates[0]" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["auto", "greedy", "lp", "milp", "pyomo"])
def test_every_method_writes_a_proof(run, trace_file, tmp_path, capsys, method):
    proof = tmp_path / "proof.json"
    asked = ["--capacity", 5, "--xi", 2, "--method", method, "--certificate", proof]
    assert run("optimum", trace_file, *asked) == 0
    assert run("check-certificate", proof, trace_file) == 0
    assert "no policy has less TEL" in capsys.readouterr().out


def test_a_file_of_version_1_still_loads(run, trace_file, proof, capsys):
    data = json.loads(proof.read_text())
    for entry in data["certificates"]:
        assert entry.pop("objective_kind") == "tel"
    data = {**data, "teltheory_certificates": 1, "sha256": digest_of(data["certificates"])}
    proof.write_text(json.dumps(data))
    capsys.readouterr()
    assert run("check-certificate", proof, trace_file) == 0
    assert capsys.readouterr().out.count("no policy has less TEL") == 4
