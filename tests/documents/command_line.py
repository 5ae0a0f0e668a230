"""Whether a command of the documents would be accepted, and running it in this process."""

import argparse
import importlib
import importlib.util
import inspect
import re
import runpy
import shlex
import tomllib
from pathlib import Path
from unittest.mock import patch

import click

from teltheory.cli import commands as teltheory_commands
from teltheory.cli import main as teltheory_main
from teltheory.cli.loading import OnDemand

ROOT = Path(__file__).parents[2]
TARGETS = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


class AcceptedError(Exception):
    pass


def words(text):
    found = shlex.split(text.removesuffix("&"))
    while re.match(r"^[A-Z_]+=", found[0]):
        found.pop(0)
    return found


def accept(command):
    """Raise where the command names what is not there, or is not used as it can be."""
    program, *rest = words(command.text)
    judges = {"teltheory": accept_teltheory, "python": accept_python, "make": accept_make, "pip": accept_pip}
    judges.get(program, accept_dask)(rest, command.inline)


def accept_teltheory(arguments, inline):
    name, *rest = arguments
    chosen = teltheory_commands.commands[name]
    chosen = chosen.load() if isinstance(chosen, OnDemand) else chosen
    if not inline:
        with chosen.make_context(name, rest):
            return
    accept_options(chosen, rest)
    for claim in re.findall(r"--claim (\S+)", " ".join(rest)):
        assert claim in claims(), claim


def accept_options(chosen, arguments):
    known = {name for parameter in chosen.params for name in parameter.opts}
    assert {word for word in arguments if word.startswith("--")} <= known, arguments


def claims():
    from proofs_checks import all_claims

    return {claim.id for claim in all_claims()}


def accept_python(arguments, inline):
    if arguments[0] != "-m":
        assert (ROOT / arguments[0]).is_file(), arguments[0]
    name, rest = module_of(arguments)
    assert importlib.util.find_spec(name), name
    if name.startswith(("experiments.", "paper_figs.", "documents.")) and not inline:
        accept_arguments(name, rest)


def module_of(arguments):
    if arguments[0] == "-m":
        return arguments[1], arguments[2:]
    return arguments[0].removesuffix(".py").replace("/", "."), arguments[1:]


def accept_arguments(name, arguments):
    module = importlib.import_module(name)
    main = getattr(module, "main", None)
    if isinstance(main, click.Command):
        with main.make_context(name, list(arguments)):
            return
    if "argparse" not in Path(module.__file__).read_text():
        return
    real = argparse.ArgumentParser.parse_args

    def parse_args(parser, given=None, namespace=None):
        real(parser, given, namespace)
        raise AcceptedError

    with patch.object(argparse.ArgumentParser, "parse_args", parse_args), patch("sys.argv", [name, *arguments]):
        try:
            main(arguments) if inspect.signature(main).parameters else main()
        except AcceptedError:
            return
    raise AssertionError(f"{name} parsed no arguments")


def accept_make(targets, inline):
    assert set(targets) <= set(TARGETS), targets


def accept_pip(arguments, inline):
    assert arguments[0] == "install"
    for wanted in arguments[1:]:
        extra = re.fullmatch(r"teltheory\[(\w+)\]", wanted)
        assert extra, wanted
        assert extra[1] in EXTRAS, wanted


def accept_dask(arguments, inline):
    accept_options(importlib.import_module(f"distributed.cli.dask_{arguments[0]}").main, arguments)


def run(text):
    """Run a command in this process and in this folder; return its exit code."""
    program, *rest = words(text)
    try:
        if program == "teltheory":
            teltheory_main(rest)
        elif rest[0] != "-m" and "counterexamples" in rest[0]:
            runpy.run_path(str(ROOT / rest[0]), run_name="__main__")
        else:
            name, arguments = module_of(rest)
            main = importlib.import_module(name).main
            main.main(arguments, standalone_mode=False) if isinstance(main, click.Command) else main(arguments)
    except SystemExit as ended:
        return ended.code or 0
    return 0
