"""What is loaded before anything is asked for: other packages' modules, by a list of those that may be."""

import os
import subprocess
import sys

import click
import pytest

from teltheory.cli import commands

LOADED = """
import sys
names = sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names)
print("loaded:", *[name for name in names if not name.startswith("_")])
OURS = ("teltheory.cli.", "teltheory.formats.", "scipy.")
print("parts:", *[name for name in sys.modules if name.startswith(OURS)])
"""
WITH_NUMPY = {"numpy", "typing_extensions", "cython_runtime"}
HEAVY = {"distributed", "gguf", "highspy", "matplotlib", "pyarrow", "pyomo", "scipy", "sympy"}
HEAVY |= {"tokenizers", "torch", "transformers", "z3"}


def named(group, *outer):
    """Yield the names of every command of a group, groups in it included, with the command."""
    for name, one in sorted(group.commands.items()):
        if isinstance(one, click.Group):
            yield from named(one, *outer, name)
        else:
            yield (*outer, name), one


COMMANDS = dict(named(commands))


def loaded_after(code):
    """The packages that a new process has loaded after some code, and parts of ours and of SciPy."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    command = [sys.executable, "-c", code + LOADED]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, env=plain).stdout.splitlines()
    found = [line.split()[1:] for line in lines if line.startswith(("loaded:", "parts:"))]
    return set(found[0]) - {"teltheory"}, set(found[1])


def test_importing_the_toolkit_loads_numpy_alone():
    packages, parts = loaded_after("import teltheory")
    assert packages <= WITH_NUMPY
    assert not parts


def test_help_loads_no_command():
    help_of_all = 'from teltheory.cli import main\ntry: main(["--help"])\nexcept SystemExit: pass\n'
    packages, parts = loaded_after(help_of_all)
    assert packages <= WITH_NUMPY | {"click", "colorama"}
    assert parts == {
        f"teltheory.cli.{name}" for name in ("on_demand", "printed", "printed.output", "printed.streams", "tree")
    }


def test_commands_load_what_is_heavy_when_they_run():
    packages, parts = loaded_after(
        "from teltheory.cli import commands\n"
        f"for *groups, name in {list(COMMANDS)}:\n"
        "    group = commands\n"
        "    for outer in groups:\n"
        "        group = group.commands[outer]\n"
        "    group.commands[name].load()\n"
    )
    assert "teltheory.cli.replay.command" in parts
    assert not packages & HEAVY


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_the_list_of_commands_says_what_each_says_of_itself(names):
    listed = COMMANDS[names]
    itself = listed.load()
    assert listed.name == itself.name == names[-1]
    for room in (45, 80, 1000):
        assert listed.get_short_help_str(room) == itself.get_short_help_str(room)


def test_a_command_is_called_with_its_own_options(capsys):
    context = click.Context(commands)
    name, command, rest = commands.resolve_command(context, ["curve", "--help"])
    assert (name, rest) == ("curve", ["--help"])
    with pytest.raises(click.exceptions.Exit):
        command.make_context(name, rest, parent=context)
    assert "TRACE" in capsys.readouterr().out
