"""The core does its work without the packages of the extras, and what needs one says so in one line."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

import teltheory
from teltheory.base.extras import NAMES, OF, install, not_there

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
from teltheory.paper import adaptive, all, beliefs, front, grid

reproduce.decide_all, reproduce.BUILT_IN_TURNS = (lambda *_: ([], True)), 40
all.make_all, all.LONG_TURNS = partial(all.make_all, seeds=1, turns=20), 100
grid.FINE_XI_MS, grid.CURVE_POINTS = dict.fromkeys(grid.WORKLOADS, (100, 200)), 3
adaptive.RATIOS = front.RATIOS = (Fraction(0), Fraction(1, 2))
adaptive.SHARES = adaptive.WINDOWS = ()
beliefs.RATIOS, beliefs.GAPS = (8,), (beliefs.GAP,)
main("reproduce --workers 1 --out out".split())
"""
)
AT = "--capacity 2k --slo 200ms"
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
    "verify --claim figure-2 --claim parrot.groups.stage --workers 1",
]
NEED = {
    f"curve t.csv {AT} --figure c.svg": "matplotlib is needed for `report`",
    f"advise t.csv {AT} --html a.html": "matplotlib is needed for `report`",
    "figures made": "matplotlib is needed for `report`",
    f"replay t.csv {AT} --scheduler tcp://localhost:1": "distributed (Dask) is needed for `cluster`",
    "server probe --url http://localhost:1 --served-model m": "httpx is needed for `calibrate`",
    "modules run s.pml p.pml --weights .": "torch is needed for `modules`",
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
        extra = said.split("`")[1]
        assert told[line] == f"teltheory: {said}: {install(f'[{extra}]')}\n"


@pytest.mark.long
def test_reproduce_makes_the_tables_without_matplotlib_and_says_what_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    said = " ".join(run(REPRODUCE, cwd=tmp_path).stdout.split())
    assert re.search(r"Left out: figures, tables in LaTeX and report.html, as matplotlib, .* not installed", said)
    assert install("[report]") in said
    assert "Table 6, printed and ours" in said
    tables = {file.stem.partition("_")[0] for file in (tmp_path / "out" / "tables").glob("*.csv")}
    assert tables == {
        *("runs", "means", "cells", "attention", "curves", "sensitivity", "adaptive", "pareto", "belief", "figure")
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


def said_by(where, monkeypatch, extra="rag"):
    """What an installation from somewhere says: `where` is its direct_url.json, None if it has none."""
    given = SimpleNamespace(read_text=lambda name: where if name == "direct_url.json" else None)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: given)
    return not_there("sklearn.decomposition", extra)


CLONE = '{"url": "file:///home/me/teltheory", "dir_info": %s}'
WHEEL = '{"url": "file:///tmp/teltheory-0.1.0-py3-none-any.whl", "archive_info": {"hash": "sha256=0"}}'


@pytest.mark.parametrize(
    ("where", "command"),
    [
        (CLONE % '{"editable": true}', "pip install -e '.[rag]' (in the clone)"),
        (CLONE % "{}", "pip install '.[rag]' (in the clone)"),
        (WHEEL, "pip install 'teltheory[rag]'"),
        (None, "pip install 'teltheory[rag]'"),
    ],
)
def test_the_line_is_that_of_the_way_it_was_installed(where, command, monkeypatch):
    assert said_by(where, monkeypatch) == f"scikit-learn is needed for `rag`: {command}"


def test_without_any_metadata_the_name_is_that_of_the_package(monkeypatch):
    def unknown(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", unknown)
    assert not_there("z3", "proofs") == "z3-solver is needed for `proofs`: pip install 'teltheory[proofs]'"


def test_no_error_says_a_line_of_its_own():
    package, line = Path(teltheory.__file__).parent, re.compile(r"pip install .{0,3}(teltheory|\.)\[")
    own = [file.name for file in package.rglob("*.py") if line.search(file.read_text(encoding="utf-8"))]
    assert own == []


@pytest.mark.repository
def test_packages_are_called_as_the_extras_call_them():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    listed = {extra: {re.split(r"[><=;\[]", one)[0] for one in needs} for extra, needs in extras.items()}
    assert [name for name, extra in OF.items() if NAMES.get(name, name).split()[0] not in listed[extra]] == []


SLOW = """
import sys, time
from teltheory.base import progress
from teltheory.base.extras import needed
from teltheory.cli import _loading_in_lines

progress.PATIENCE = 0.2
sys.path.insert(0, sys.argv[1])
with _loading_in_lines():
    needed("slow_to_load", "rag"), needed("slow_to_load", "rag"), needed("quick_to_load", "rag")
    time.sleep(0.3)
"""
UNTIL_SAID = """
import logging, threading
from teltheory.base.progress import LOADING
said = threading.Event()
logging.getLogger(LOADING).addFilter(lambda record: said.set() or True)
said.wait(10)
"""


def test_what_loads_for_long_says_so_once_without_a_terminal(tmp_path):
    (tmp_path / "slow_to_load.py").write_text(UNTIL_SAID)
    (tmp_path / "quick_to_load.py").touch()
    command = [sys.executable, "-c", SLOW, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "teltheory: loading slow_to_load, which takes more than a second\n")
