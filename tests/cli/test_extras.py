"""The core does its work without the packages of the extras, and what needs one says so in one line."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from teltheory.base.extras import OF

ROOT = Path(__file__).parents[2]
EXTRAS = {*OF, "httpx", "simpy", "tokenizers", "tueplots", "mkdocs", "libcachesim", "pandas", "polars", "IPython"}
EXTRAS -= {"markdown_it"}  # rich brings it
BLOCKED = f"""
import json, sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *rest):
        return None if name.partition(".")[0] in {EXTRAS} else self.finder.find_spec(name, *rest)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
COMMANDS = (
    BLOCKED
    + """
from contextlib import redirect_stdout
from io import StringIO
from teltheory.cli import main

for line in json.loads(sys.argv[1]):
    said = StringIO()
    try:
        with redirect_stdout(said):
            main(line.split())
    except SystemExit as end:
        print(json.dumps([end.code, bool(said.getvalue())]))
    print(json.dumps(line), file=sys.stderr)
"""
)
REPRODUCE = (
    BLOCKED
    + """
from fractions import Fraction
from functools import partial

from teltheory.cli import main
from teltheory.cli.reproduce import command as reproduce
from teltheory.paper import adaptive, all, front, grid

reproduce.decide_all, reproduce.BUILT_IN_TURNS = (lambda *_: ([], True)), 40
all.make_all, all.LONG_TURNS = partial(all.make_all, seeds=1, turns=20), 100
grid.FINE_XI_MS, grid.CURVE_POINTS = dict.fromkeys(grid.WORKLOADS, (100, 200)), 3
adaptive.RATIOS = front.RATIOS = (Fraction(0), Fraction(1, 2))
adaptive.SHARES = adaptive.WINDOWS = ()
main("reproduce --workers 1 --out out".split())
"""
)
AT = "--capacity 2k --slo 200ms"
REPORT = "pip install 'teltheory[report]'"
CORE = [
    "--help",
    "trace sample wildchat-like t.csv --turns 200",
    "trace describe t.csv",
    "trace convert t.csv t.parquet",
    f"replay t.parquet --policy lru,tlru {AT}",
    f"curve t.csv --policy lru,hindsight {AT}",
    f"optimum t.csv {AT} --method lp",
    f"advise t.csv {AT}",
    "demo",
    "verify --claim lemma-d3 --claim parrot.groups.stage --workers 1",
]
NEED = {
    f"curve t.csv {AT} --figure c.svg": "matplotlib is not installed, expected it: " + REPORT,
    f"advise t.csv {AT} --html a.html": REPORT,
    "figures made": "matplotlib is not installed, expected it: " + REPORT,
    f"replay t.csv {AT} --scheduler tcp://localhost:1": "pip install 'teltheory[cluster]'",
    "server probe --url http://localhost:1 --served-model m": "pip install 'teltheory[calibrate]'",
    "modules run s.pml p.pml --weights .": "pip install 'teltheory[modules]'",
}


def run(code, *arguments, cwd):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd, env=plain, check=True
    )


def test_commands_of_the_core_need_no_extra_and_others_say_which(tmp_path):
    (tmp_path / "s.pml").write_text("<schema name='s'><module name='m'>text</module></schema>")
    (tmp_path / "p.pml").write_text("<prompt schema='s'><m/>text</prompt>")
    done = run(COMMANDS, json.dumps([*CORE, *NEED]), cwd=tmp_path)
    found = dict(zip([*CORE, *NEED], map(json.loads, done.stdout.splitlines()), strict=True))
    assert [found[line] for line in CORE] == [[0, True]] * len(CORE)
    assert [found[line] for line in NEED] == [[2, False]] * len(NEED)
    told, before = {}, ""
    for line in done.stderr.splitlines():
        if line.startswith('"'):
            told[json.loads(line)], before = before, ""
        else:
            before += line + "\n"
    for line, said in NEED.items():
        assert told[line].startswith("teltheory: ")
        assert told[line].endswith(f"{said}\n")
        assert told[line].count("\n") == 1


def test_reproduce_makes_the_tables_without_matplotlib_and_says_what_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    said = " ".join(run(REPRODUCE, cwd=tmp_path).stdout.split())
    assert re.search(r"Left out: figures, tables in LaTeX and report.html, as matplotlib, .* not installed", said)
    assert REPORT in said
    assert "Table 6, printed and ours" in said
    tables = {file.stem.partition("_")[0] for file in (tmp_path / "out" / "tables").glob("*.csv")}
    assert tables == {
        *("runs", "means", "cells", "attention", "curves", "sensitivity", "adaptive", "pareto", "figure")
    }
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["tables"]


@pytest.mark.repository
def test_extras_that_are_spoken_of_are_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    files = [*ROOT.glob("teltheory/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    spoken = {name for file in files for name in re.findall(r"'(?:teltheory|\.)\[(\w+)\]'", file.read_text())}
    spoken |= {name for file in files for name in re.findall(r'needed\("[\w.]+", "(\w+)"\)', file.read_text())}
    assert spoken | {*OF.values()} <= {*extras}
    assert "report" in spoken
