"""The programs that Coq extracts answer as the toolkit, and certificates are verified by one of them."""

import json
from dataclasses import replace
from itertools import starmap

import pytest
from click.testing import CliRunner
from formal.bridge import Question, answers, cases, differing, questions
from formal.forests import forest_cases

import teltheory as tt
from teltheory.claims import formal
from teltheory.cli import commands
from teltheory.cli.optimum.certificate import checked, read_certificates
from teltheory.cli.optimum.verified import SAID, verify

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(formal.which("coqc") is None, reason="Coq is not installed: package coq"),
]

TURNS = [(0, 90, 10), (1, 100, 5), (0, 20, 3), (2, 80, 0), (1, 60, 9), (0, 30, 1)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return formal.programs(tmp_path_factory.mktemp("programs"))


def test_what_runs_is_what_is_proved(program):
    count, asked, wrong = differing(program, map(questions, cases(100, 7)))
    assert (count, wrong) == (100, [])
    assert asked >= 400


def test_what_runs_on_shared_prefixes_is_what_is_proved(program):
    asked = (starmap(Question, lines) for lines in forest_cases(100, 7))
    assert differing(program, asked) == (100, 400, [])


def test_another_answer_is_seen(program):
    def lies(case):
        first, *_ = questions(case)
        return [Question(first.line, {"a liar": [one + 1 for one in first.expected["reference"]]})]

    _, _, wrong = differing(program, map(lies, cases(20, 7)))
    assert len(wrong) > 10
    assert "a liar" in wrong[0]


def test_a_number_that_is_too_large_is_no_answer(program):
    huge = 2**62 - 1
    assert answers(program, [f"lru 1 {huge} 0 0 0 1 0 0 {huge} 0 0"]) == [[huge]]
    with pytest.raises(formal.ProofToolError, match="answered 0 of 1 lines"):
        answers(program, [f"lru 1 {huge} 0 0 0 1 0 0 {huge} 1 0"])
    with pytest.raises(formal.ProofToolError, match="answered 0 of 1 lines"):
        answers(program, [f"lru 1 {2**62} 0 0 0 0"])


@pytest.fixture
def files(tmp_path, monkeypatch, program):
    """Return a function that writes a trace and a file of certificates; Coq compiles once."""
    monkeypatch.setattr("teltheory.cli.optimum.verified.programs", lambda _: program)

    def written(forced):
        rows = [dict(zip(("conversation", "prompt", "response"), turn, strict=True)) for turn in TURNS]
        (tmp_path / "trace.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        options = ["--capacity", "250", "--xi", "60", "--certificate", str(tmp_path / "p.json")]
        run("optimum", tmp_path / "trace.jsonl", *options, *(["--forced"] if forced else []))
        return tmp_path / "p.json", tmp_path / "trace.jsonl"

    return written


def run(*arguments):
    return CliRunner().invoke(commands, [*map(str, arguments)])


@pytest.mark.parametrize("forced", [False, True])
def test_a_certificate_is_verified_by_the_extracted_program(files, forced):
    done = run("check-certificate", "--verified", *files(forced))
    assert done.exit_code == 0
    assert " ".join(done.output.split()).endswith(SAID)


def test_a_claim_that_is_more_than_coq_proves_is_refused(files):
    file, trace_file = files(forced=False)
    [(entry, trace)] = checked(str(file), read_certificates(str(file)), tt.read_trace(trace_file))
    more = replace(entry, proof=replace(entry.proof, objective=entry.proof.objective + 1))
    with pytest.raises(tt.CertificateError, match="Coq proves"):
        verify("p.json", [(more, trace)])


def test_what_the_checker_does_not_know_is_said(files):
    file, trace_file = files(forced=True)
    [(entry, trace)] = checked(str(file), read_certificates(str(file)), tt.read_trace(trace_file))
    blocks = replace(entry, prefixes=replace(entry.prefixes, chains=False))
    with pytest.raises(
        tt.CertificateError, match="found tel of shared prefixes, and --verified knows TEL of priv"
    ):
        verify("p.json", [(blocks, trace)])
