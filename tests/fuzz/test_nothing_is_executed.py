"""No data is ever executed: the packages have no pickle, no eval and no shell, but for a list that is argued."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGES = ("teltheory", "proofs_checks", "experiments", "paper_figs", "benchmarks")
MODULES = {
    *(
        "pickle",
        "cPickle",
        "dill",
        "cloudpickle",
        "joblib",
        "marshal",
        "shelve",
        "jsonpickle",
        "yaml",
        "xml",
        "runpy",
    ),
    *("code", "codeop", "pty", "subprocess", "commands", "ctypes"),
}
BUILTINS = {"eval", "exec", "compile", "__import__"}
PICKLING = {"read_pickle", "to_pickle"}
OF_OS = {"system", "popen", "spawnl", "spawnv", "execv", "execl", "execvp"}
ALLOWED = {
    (
        "experiments/check_vllm.py",
        "subprocess",
    ): "starts the server that it measures, with a list and without a shell",
    ("benchmarks/memory.py", "subprocess"): "measures itself in a process of its own, without a shell",
    ("benchmarks/footprint.py", "subprocess"): "measures itself in a process of its own, without a shell",
    ("benchmarks/door.py", "subprocess"): "times processes that start, without a shell",
    ("teltheory/cli/loading.py", "import_module"): "the commands that are named in teltheory/cli/__init__.py",
    ("teltheory/__init__.py", "import_module"): "a name of the list in that file",
    ("teltheory/workloads/counting.py", "import_module"): "tokenizers or tiktoken",
    ("teltheory/claims/smt.py", "import_module"): "z3 or cvc5",
    ("proofs_checks/__init__.py", "import_module"): "the modules of that folder",
}


def executing(tree):
    """Yield the name of whatever in a module could execute data."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name for alias in node.names for name in alias.name.split(".")[:1] if name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            yield from {(node.module or "").split(".")[0]} & MODULES
        elif isinstance(node, ast.Call):
            yield from called(node)


def called(node):
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if isinstance(node.func, ast.Name) and name in BUILTINS:
        yield name
    if isinstance(node.func, ast.Attribute) and name in PICKLING:
        yield name
    if isinstance(node.func, ast.Attribute) and name in OF_OS and getattr(node.func.value, "id", "") == "os":
        yield name
    if name == "import_module" and not (node.args and isinstance(node.args[0], ast.Constant)):
        yield name
    for keyword in node.keywords:
        if keyword.arg in ("allow_pickle", "shell") and getattr(keyword.value, "value", True):
            yield keyword.arg


def test_no_module_executes_data():
    folders = [Path(find_spec(package).origin).parent for package in PACKAGES]
    files = {str(file.relative_to(folder.parent)): file for folder in folders for file in folder.rglob("*.py")}
    assert len(files) > 300
    found = {(place, name) for place, file in files.items() for name in executing(ast.parse(file.read_text()))}
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import os\nos.system('x')",
        "eval(text)",
        "exec(text)",
        "__import__(text)",
        "numpy.load(path, allow_pickle=True)",
        "import_module(text)",
        "importlib.import_module(text)",
        "run(text, shell=True)",
        "pandas.read_pickle(path)",
        "import yaml",
    ],
)
def test_what_could_execute_data_is_seen(code):
    assert list(executing(ast.parse(code)))
