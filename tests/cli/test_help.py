"""Every help: it fits 80 columns, is whole, names a thing by one name, and its examples can be called."""

import shlex

import click
import pytest
from click.testing import CliRunner

from teltheory.cli import commands
from teltheory.cli.on_demand import OnDemand
from teltheory.cli.parts import FEW, SECTIONS, STANDARD_INPUT, Command

WIDTH = 80
FRAGMENTS = ("Of ", "For ", "By ", "Beside ")


def tree(group, *outer):
    """Yield every group and command below a group with its names."""
    yield outer, group
    if isinstance(group, click.Group):
        for name, one in group.commands.items():
            yield from tree(one.load() if isinstance(one, OnDemand) else one, *outer, name)


EVERY = dict(tree(commands))
CALLED = {names: one for names, one in EVERY.items() if not isinstance(one, click.Group)}
OPTIONS = [
    (names, param) for names, one in CALLED.items() for param in one.params if isinstance(param, click.Option)
]


def meaning(option):
    """The first sentence of an option's help; what follows says what one command takes."""
    return (option.help or "").partition(". ")[0].removesuffix(".")


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_a_help_fits_80_columns_and_is_whole(names):
    told = CliRunner().invoke(commands, [*names, "--help"], prog_name="teltheory", terminal_width=WIDTH)
    assert told.exit_code == 0
    lines = told.output.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert not (isinstance(EVERY[names], click.Group) and "...\n" in told.output.partition("[ARGS]...")[2])
    assert not [word for word in ("INTEGER", "FLOAT", "TEXT ", "RANGE") if f" {word}" in told.output]


def test_an_option_has_one_meaning_in_all_commands():
    found = {}
    for _, option in OPTIONS:
        for name in option.opts:
            found.setdefault(name, set()).add((meaning(option), option.is_flag))
    assert {name: said for name, said in found.items() if len(said) > 1} == {}


def test_every_option_of_a_long_help_has_a_section():
    long = [[one for one in command.params if isinstance(one, click.Option)] for command in CALLED.values()]
    listed = {option.opts[0].lstrip("-") for options in long if len(options) >= FEW for option in options}
    assert listed - {name for names in SECTIONS.values() for name in names.split()} == set()


def test_a_command_that_takes_a_trace_says_that_it_may_be_standard_input():
    takes = {names for names, one in CALLED.items() if any(param.metavar == "TRACE" for param in one.params)}
    told = {
        names: CliRunner().invoke(commands, [*names, "--help"]).output.count(STANDARD_INPUT) for names in CALLED
    }
    assert told == {names: int(names in takes) for names in CALLED}
    assert ("modules", "replay") in takes


def test_an_option_says_in_sentences_what_it_does():
    def is_sentence(option):
        said = option.help or ""
        return said.endswith(".") and not said.startswith(FRAGMENTS) and len(meaning(option).split()) >= 3

    assert [(names, option.opts[0]) for names, option in OPTIONS if not is_sentence(option)] == []


@pytest.mark.parametrize("names", CALLED, ids=" ".join)
def test_examples_can_be_called(names):
    command = CALLED[names]
    assert isinstance(command, Command)
    assert command.examples
    for example in command.examples:
        assert example.split()[: len(names)] == [*names]
        rest = shlex.split(example)[len(names) :]
        context = command.make_context(names[-1], rest, parent=click.Context(commands))
        assert set(context.params)


@pytest.mark.parametrize(
    ("line", "meant"),
    [("advice t.csv", "advise"), ("replay t.csv --capactiy 3", "--capacity"), ("rag serv", "serve")],
)
def test_a_slip_is_answered_with_what_may_be_meant(refused, line, meant):
    assert f"Did you mean '{meant}'?" in refused(*line.split())
