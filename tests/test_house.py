"""The house in figures: what a newcomer has to learn, counted from the code alone and held.

`python tests/test_house.py` prints them. A figure may fall; its limit then falls with it, in the same commit.
"""

import ast
import gc
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grimp
import pytest
from networkx import DiGraph, strongly_connected_components

pytestmark = pytest.mark.repository

ROOT = Path(__file__).parents[1]
KINDS = [
    "Trace",
    "Forest",
    "ModuleTrace",
    "Tiers",
    "Instance",
    "ForestInstance",
    "ModuleInstance",
    "TieredOutcome",
]
LONG = 50
ALONE = ("proofs_checks", "tests")
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Figure:
    """What is counted: before this house was built, as it was asked for, and the most that it may be today."""

    what: str
    before: int
    asked: int
    limit: int


FIGURES = {
    "isinstance": Figure("`isinstance` on kinds of requests outside model/", 121, 15, 1),
    "long": Figure("functions of 50 lines and more", 24, 3, 4),
    "circles": Figure("circles of files", 5, 0, 0),
    "names": Figure("class names that stand more than once", 73, 25, 8),
    "rooms": Figure("pairs of rooms, one of which imports the other", 187, 140, 144),
    "teltheory": Figure("lines of code, package", 51_778, 48_154, 58_786),
    "proofs_checks": Figure("lines of code, proofs_checks", 14_231, 13_235, 15_388),
    "tests": Figure("lines of code, tests", 43_463, 39_117, 50_926),
}


def trees(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield each file with its tree, one at a time."""
    paths = sorted(path for path in (ROOT / folder).rglob("*.py") if "out" not in path.parts)
    return ((path, ast.parse(path.read_text())) for path in paths)


def defined(tree: ast.Module, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements of these kinds, and the file; expressions hold none."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        waiting += (one for name in BODIES for one in getattr(node, name, ()))
        if isinstance(node, kinds):
            yield node


def told_apart(path: Path, tree: ast.Module) -> int:
    """Return how often code outside model/ asks which kind of requests or memory it has."""
    if "model" in path.parts or "isinstance(" not in path.read_text():
        return 0
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(getattr(call.func, "id", "") == "isinstance" and asks_a_kind(call.args[1]) for call in calls)


def asks_a_kind(asked: ast.expr) -> bool:
    return any(isinstance(node, ast.Name | ast.Attribute) and name_of(node) in KINDS for node in ast.walk(asked))


def name_of(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def long_functions(tree: ast.Module) -> int:
    """Return how many functions have 50 lines and more, docstrings counted."""
    functions = defined(tree, ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(function.end_lineno - function.lineno + 1 >= LONG for function in functions)


def imports() -> grimp.ImportGraph:
    return grimp.build_graph("teltheory", exclude_type_checking_imports=True, cache_dir=None)


def circles(graph: grimp.ImportGraph) -> list[set[str]]:
    """Return the sets of files that import each other around, imports inside functions counted."""
    edges = [(one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)]
    return [circle for circle in strongly_connected_components(DiGraph(edges)) if len(circle) > 1]


def pairs_of_rooms(graph: grimp.ImportGraph) -> int:
    """Return how many pairs of rooms there are, the first of which imports the second."""
    pairs = {
        (room(one), room(other)) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)
    }
    return sum(one != other for one, other in pairs)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def lines_of(text: str, tree: ast.Module) -> set[int]:
    """Return the lines that are neither blank nor in a docstring."""
    written = {number for number, line in enumerate(text.splitlines(), 1) if line.strip()}
    documented = (one for one in defined(tree, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    docstrings = (one.body[0] for one in documented if ast.get_docstring(one, clean=False) is not None)
    return written - {line for one in docstrings for line in range(one.lineno, one.end_lineno + 1)}


def measured() -> dict[str, int]:
    graph, found, classes = imports(), Counter(), Counter()
    for path, tree in trees("teltheory"):
        found["isinstance"] += told_apart(path, tree)
        found["long"] += long_functions(tree)
        found["teltheory"] += len(lines_of(path.read_text(), tree))
        classes.update(one.name for one in defined(tree, ast.ClassDef))
    return {
        **found,
        "circles": len(circles(graph)),
        "names": sum(times > 1 for times in classes.values()),
        "rooms": pairs_of_rooms(graph),
        **{of: sum(len(lines_of(path.read_text(), tree)) for path, tree in trees(of)) for of in ALONE},
    }


@pytest.fixture(scope="module")
def counted():
    """What is measured, without Python's collector: millions of nodes of trees cost it seconds."""
    gc.disable()
    try:
        return measured()
    finally:
        gc.enable()


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_of_the_house_does_not_grow(figure, counted):
    assert counted[figure] <= FIGURES[figure].limit


def test_files_that_import_each_other_are_a_circle():
    graph = grimp.ImportGraph()
    for one, other in ("ab", "bc", "ca", "cd"):
        graph.add_import(importer=one, imported=other)
    assert circles(graph) == [{"a", "b", "c"}]


def test_a_kind_is_asked_where_isinstance_names_it():
    tree = ast.parse("isinstance(x, Trace | tt.Forest), isinstance(x, int), issubclass(x, Trace)")
    assert [asks_a_kind(one.args[1]) for one in ast.walk(tree) if isinstance(one, ast.Call)] == [True, False, True]


def test_a_line_of_code_is_neither_blank_nor_documentation():
    text = '"""A file."""\n\nx = 1  # said\n\ndef f():\n    """Return 1.\n\n    Once.\n    """\n    # why\n'
    text += '    return """\n1"""\n'
    assert lines_of(text, ast.parse(text)) == {3, 5, 10, 11, 12}


def table() -> str:
    now = measured()
    rows = [f"{one.what:<50} {one.before:>7,} {one.asked:>7,} {now[name]:>7,}" for name, one in FIGURES.items()]
    return "\n".join([f"{'':<50} {'before':>7} {'asked':>7} {'now':>7}", *rows])


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
