"""Certificates of optima, violations and percentiles: what is false is refused, with the digest and without."""

import json
import subprocess
import sys
from copy import deepcopy

import pytest

import teltheory as tt
from teltheory.cli import main
from teltheory.cli.optimum.certificate import certificates_as_data, digest_of, read_certificates

# the last two turns are kept over a step where there is room for 50, and need 40 each to compute at most 160
TURNS = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\nB,100,0\n"
ASKED = {
    "tel": ["--goal", "tel", "--xi", 160],
    "slo": ["--goal", "slo", "--xi", 160],
    "p75": ["--goal", "p75"],
    "p100": ["--goal", "p100"],
}
EACH = pytest.mark.parametrize("objective", ASKED)
HARD = pytest.mark.parametrize("objective", ["slo", "p75", "p100"])


@pytest.fixture
def turns_file(tmp_path):
    file = tmp_path / "turns.csv"
    file.write_text(TURNS)
    return file


@pytest.fixture(scope="module")
def proofs(tmp_path_factory):
    """What the file with the certificate of each objective says."""
    folder = tmp_path_factory.mktemp("proofs")
    (folder / "turns.csv").write_text(TURNS)
    for objective, asked in ASKED.items():
        options = ["--capacity", 50, *asked, "--certificate", folder / objective]
        with pytest.raises(SystemExit, match=r"^0$"):
            main(["optimum", str(folder / "turns.csv"), *map(str, options)])
    return {objective: (folder / objective).read_text() for objective in ASKED}


@pytest.fixture
def written(proofs, tmp_path, objective):
    """A file with the certificate of an objective."""
    file = tmp_path / "certificates.json"
    file.write_text(proofs[objective])
    return file


def whole_numbers(data, path=()):
    """Yield the path to each whole number, true and false among them."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from whole_numbers(value, (*path, key))
    elif isinstance(data, int):
        yield path


def changed(data, path, change):
    """Return a copy in which the value at a path is changed by a function."""
    copy = deepcopy(data)
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return copy


def by(step):
    """Return a change of a number by a step; what is true becomes false."""
    return lambda value: not value if isinstance(value, bool) else value + step


def with_digest(entry):
    return {"teltheory_certificates": 2, "certificates": [entry], "sha256": digest_of([entry])}


def is_true(trace, entry):
    """Whether the claim of an entry is true, found out by solving."""
    instance = (trace, entry["capacity"])
    if entry["objective_kind"] == "slo":
        best = tt.fewest_violations(*instance, entry["xi"], entry["forced"])
        value = best.upper
    elif entry["objective_kind"] == "tel":
        return entry["objective"] == tt.hindsight_optimum(*instance, entry["xi"], entry["forced"]).objective
    else:
        best = tt.best_percentile(*instance, float(entry["objective_kind"][1:]) / 100, entry["forced"])
        value = best.upper
    assert best.status == "optimal"
    return entry["proved"] <= value <= entry["objective"]


@HARD
def test_what_the_verified_checker_does_not_know_is_said(run, turns_file, written, capsys):
    assert run("check-certificate", "--verified", written, turns_file) == 2
    assert "and --verified knows TEL of private conversations" in capsys.readouterr().err


@pytest.mark.parametrize("objective", ["tel"])
def test_without_coq_one_line_says_what_is_missing(run, turns_file, written, monkeypatch, capsys):
    monkeypatch.setattr("teltheory.claims.formal.which", lambda tool: None if tool == "coqc" else tool)
    assert run("check-certificate", "--verified", written, turns_file) == 2
    assert capsys.readouterr().err == "teltheory: found no coqc, expected the Debian packages coq\n"


@EACH
def test_what_optimum_writes_proves_it(in_words, turns_file, written, objective):
    (entry,) = json.loads(written.read_text())["certificates"]
    assert entry["objective_kind"] == objective
    told = in_words("check-certificate", written, turns_file)
    words = {
        "tel": "threshold 160: no policy has less TEL than 30",
        "slo": "threshold 160: no policy has fewer violations than 1 (proved by 1 price), and one has 1.",
        "p75": "p75: no policy has a smaller one than 150 (proved by 0 prices), and one has 150.",
        "p100": "p100: no policy has a smaller one than 175 (proved by 1 price), and one has 175.",
    }
    assert words[objective] in told


@EACH
def test_a_change_of_any_number_is_caught_by_the_digest(run, turns_file, written, capsys):
    data = json.loads(written.read_text())
    assert len(list(whole_numbers(data))) > 7
    for path in whole_numbers(data):
        for step in (1, -1):
            written.write_text(json.dumps(changed(data, path, by(step))))
            assert run("check-certificate", written, turns_file) == 2, path
            assert capsys.readouterr().err.count("\n") == 1


@EACH
def test_with_a_new_digest_what_is_accepted_is_true(run, turns_file, written, objective, capsys):
    (entry,) = json.loads(written.read_text())["certificates"]
    trace, refused = tt.read_trace(turns_file), set()
    for path in whole_numbers(entry):
        for step in (1, -1):
            other = changed(entry, path, by(step))
            written.write_text(json.dumps(with_digest(other)))
            code = run("check-certificate", written, turns_file)
            assert code == 2 or is_true(trace, other), path
            refused |= {(path[0], step)} if code == 2 else set()
            capsys.readouterr()
    assert {("objective", 1), ("objective", -1), ("kept", 1)} <= refused
    assert objective == "tel" or ("proved", 1) in refused


@HARD
@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("objective", 0, ", objective: found 0, expected"),
        ("proved", 10**6, ", proved: found 1000000"),
        ("kept", [0, 0, 0], ", kept: found 3 values, expected 4"),
        ("kept", [0, 0, 100, 100], ", kept: found 100 at step 2, expected at most the room of 50"),
        ("kept", [1, 0, 0, 0], ", kept[0]: found 1, expected 0 to 0"),
        ("prices", {"steps": [9], "numerators": [1], "denominator": 1, "cuts": []}, "steps[0]: found 9"),
        ("prices", {"steps": [1], "numerators": [1], "denominator": 0, "cuts": []}, "denominator: found 0"),
    ],
)
def test_a_false_claim_is_named(refused, turns_file, written, field, value, told):
    (entry,) = json.loads(written.read_text())["certificates"]
    written.write_text(json.dumps(with_digest({**entry, field: value})))
    error = refused("check-certificate", written, turns_file)
    assert f"{written}, certificates[0]" in error
    assert told in error


@pytest.mark.parametrize("objective", ["p100"])
def test_a_bound_needs_prices_and_where_they_are_bad_everything_is_tried(run, turns_file, written, capsys):
    (entry,) = json.loads(written.read_text())["certificates"]
    bad = {"steps": [], "numerators": [], "denominator": 1, "cuts": []}
    for change, code, told in (
        ({"prices": None}, 2, "prices: found none"),
        ({"prices": None, "proved": 0}, 0, ""),
        ({"prices": bad}, 0, ""),
        ({"prices": bad, "proved": entry["proved"] + 1}, 2, "fewer violations are possible"),
    ):
        written.write_text(json.dumps(with_digest({**entry, **change})))
        assert run("check-certificate", written, turns_file) == code
        assert told in capsys.readouterr().err


@HARD
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"objective_kind": "p0"}, "objective_kind: found 'p0', expected tel, slo"),
        ({"objective_kind": 7}, "expected an object with objective_kind"),
        ({"proved": "one"}, "proved: found 'one'"),
        ({"proved": 1.0}, "proved: found 1.0"),
        ({"forced": 1}, "forced: found 1"),
        ({"prices": [1]}, "prices: expected an object with steps, numerators, denominator"),
        (
            {"prices": {"steps": [1], "numerators": [-1], "denominator": 2, "cuts": []}},
            "prices, numerators[0]: found -1",
        ),
        ({"kept": [2**63]}, "kept[0]: found 9223372036854775808"),
        ({"more": 1}, "expected an object with objective_kind, capacity"),
    ],
)
def test_a_malformed_entry_is_refused_in_one_line(refused, turns_file, written, change, told):
    (entry,) = json.loads(written.read_text())["certificates"]
    written.write_text(json.dumps(with_digest({**entry, **change})))
    assert told in refused("check-certificate", written, turns_file)


@EACH
def test_what_is_read_is_what_was_written(written):
    data = json.loads(written.read_text())
    assert json.loads(json.dumps(certificates_as_data(read_certificates(str(written))))) == data


@pytest.mark.parametrize("objective", ["p75"])
def test_a_percentile_of_no_turn_proves_nothing(refused, tmp_path, written):
    empty = tmp_path / "empty.csv"
    empty.write_text("conversation,prompt,response\n")
    (entry,) = json.loads(written.read_text())["certificates"]
    written.write_text(json.dumps(with_digest({**entry, "kept": [], "objective": 0, "proved": 0})))
    assert "found no turn" in refused("check-certificate", written, empty)


@pytest.mark.parametrize("objective", ["p100"])
def test_checking_needs_no_solver_and_no_compiler(turns_file, written):
    code = (
        "import sys; sys.modules['highspy'] = sys.modules['pyomo'] = None\n"
        f"from teltheory.cli import main; main(['check-certificate', {str(written)!r}, {str(turns_file)!r}])"
    )
    checked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", '"teltheory_certificates": 2'),
        (b'{"teltheory_certificates": 3}', '"teltheory_certificates": 2'),
        (b'{"teltheory_certificates": true}', '"teltheory_certificates": 2'),
        (b'{"teltheory_certificates": 2, "certificates": 3}', "certificates: found int, expected a list"),
        (b'{"teltheory_certificates": 2, "certificates": [3]}', "certificates[0]: expected an object"),
        (b'{"teltheory_certificates": 2, "certificates": [], "sha256": ""}', "sha256: found another"),
    ],
)
def test_other_files_are_refused_in_one_line(refused, turns_file, tmp_path, content, told):
    file = tmp_path / "other.json"
    file.write_bytes(content)
    assert told in refused("check-certificate", file, turns_file)


@pytest.mark.parametrize("objective", ["tel"])
def test_another_trace_is_refused(refused, tmp_path, written):
    other = tmp_path / "other.csv"
    other.write_text(TURNS.replace("B,100,0\nA", "B,100,1\nA"))
    assert "certificates[0]" in refused("check-certificate", written, other)


@pytest.mark.parametrize("method", ["auto", "greedy", "lp", "milp", "pyomo"])
def test_every_method_writes_certificates_for_every_row(output, run, turns_file, tmp_path, capsys, method):
    written, rows = tmp_path / "certificates.json", ("--capacity", "250,300", "--xi", "0,160")
    assert run("optimum", turns_file, *rows, "--forced", "--method", method, "--certificate", written) == 0
    capsys.readouterr()
    told = output("check-certificate", written, turns_file)
    assert told.count("forced caching: no policy has less TEL than") == 4
