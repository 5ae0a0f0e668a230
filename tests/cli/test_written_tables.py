"""--csv and --latex write what --json and the printed tables have, of every command that replays."""

import csv
import io
import json

import pytest

LOADED = ["--tier", "50", "--tier", "100:0.3", "--model", "llama-2-7b"]
COMMANDS = {
    "replay": ["--capacity", "50,100", "--xi", "40"],
    "curve": ["--policy", "lru,hindsight", "--capacity", "50,100", "--xi", "40", "--points", "3"],
    "compare": ["--capacity", "50,100", "--xi", "40"],
    "optimum": ["--capacity", "50,100", "--xi", "40"],
    "replay in tiers": ["--policy", "lru,tlru", "--xi", "40", *LOADED],
}


@pytest.mark.parametrize("named", COMMANDS)
def test_csv_has_the_rows_of_the_json_and_latex_those_of_the_tables(run, capsys, trace_file, tmp_path, named):
    files = {kind: tmp_path / f"found.{kind}" for kind in ("json", "csv", "latex")}
    options = [*COMMANDS[named], *(part for kind, file in files.items() for part in (f"--{kind}", file))]
    assert run(named.split()[0], trace_file, *options) == 0
    found = json.loads(files["json"].read_text())["rows"]
    table = list(csv.DictReader(io.StringIO(files["csv"].read_text())))
    assert len(table) == len(found)
    for row, expected in zip(table, found, strict=True):
        for name, value in expected.items():
            if not isinstance(value, dict):
                written = json.dumps(value) if isinstance(value, list) else "" if value is None else str(value)
                assert row[name] == written
    latex = files["latex"].read_text()
    assert latex.count("\\toprule") == latex.count("\\end{tabular}") == capsys.readouterr().out.count("─\n")
    body = [line for line in latex.splitlines() if line.endswith("\\\\")]
    assert len({line.count(" & ") for line in body if line.startswith("policy")}) <= 2
    for expected in found:
        if "tel" in expected and isinstance(expected["tel"], int):
            assert any(f" & {expected['tel']:,} & " in line for line in body)


def test_one_file_at_most_is_standard_output(output, refused, trace_file):
    asked = ["replay", trace_file, "--policy", "lru", "--capacity", "50", "--xi", "40"]
    assert refused(*asked, "--json", "-", "--latex", "-").startswith(
        "--latex: found '-', expected a file, as --json"
    )
    for option, begins in (("--csv", "capacity,xi,policy,"), ("--latex", "% Needs")):
        assert output(*asked, option, "-").startswith(begins)
