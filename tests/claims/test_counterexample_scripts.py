"""Counterexamples that stand on their own: short scripts that import fractions and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import proofs_checks
from proofs_checks.tail_optimized.posterior import PAPER, SILENT, posterior
from teltheory.claims.search import decide

FOLDER = Path(proofs_checks.__file__).parent / "counterexamples"
NEXT_TURNS = FOLDER / "next_turns.py"
SCRIPTS = sorted(set(FOLDER.glob("*.py")) - {NEXT_TURNS})
BY_NAME = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)


def lines_of_code(source: str) -> int:
    """Return the number of lines that are neither empty nor a comment nor the docstring."""
    tree = ast.parse(source)
    told = tree.body[0].end_lineno if ast.get_docstring(tree) is not None else 0
    lines = [line.strip() for line in source.splitlines()[told:]]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def imported(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def ran(source: str) -> subprocess.CompletedProcess[str]:
    """Run a script as if it stood in its folder, and nothing else were installed."""
    command = [sys.executable, "-E", "-s", "-c", source]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER)


@BY_NAME
def test_a_script_is_short_rests_on_fractions_alone_and_asserts_what_it_shows(script: Path) -> None:
    source = script.read_text()
    assert lines_of_code(source) <= 20
    assert imported(source) == {"fractions"}
    assert "assert " in source
    done = ran(source)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_the_script_of_next_turns_confirms_every_row_and_fails_if_the_rule_is_the_best() -> None:
    source = NEXT_TURNS.read_text()
    assert imported(source) == {"sys", "fractions"}
    assert len(ran(source).stdout.splitlines()) == source.count(": Row(\n")
    wrong = source.replace("(0, 0, 1)], [0, 1], [1, 0], 1, index", "(0, 0, 1)], [1, 0], [0, 1], 1, index")
    assert "AssertionError" in ran(wrong).stderr


def test_the_script_on_the_posterior_fails_where_nothing_differs() -> None:
    source = next(script for script in SCRIPTS if script.stem == "belief_posterior").read_text()
    done = ran(source.replace("(1 - alive_and_silent)", "(1 - paper)"))
    assert done.returncode == 1
    assert "AssertionError" in done.stderr


def test_the_script_on_the_posterior_is_the_ledger_s_counterexample() -> None:
    script = next(script for script in SCRIPTS if script.stem == "belief_posterior")
    example = decide(posterior).counterexample
    assert example is not None
    values = example["values"]
    assert ran(script.read_text()).stdout == (
        f"{PAPER} = {values[PAPER]}, alive given the silence: {values[SILENT]}\n"
    )
