"""Names and forms that commands had: each does what today's does, after one line of warning."""

from __future__ import annotations

import click
import pytest

from teltheory.cli import commands
from teltheory.cli.tree import FORMER

FORMS = {
    "convert t.csv o.csv --seed 3": "trace convert t.csv o.csv --seed 3",
    "sample wildchat-like o.csv --turns 5": "trace sample wildchat-like o.csv --turns 5",
    "ledger --markdown a.md l.json": "verify --from l.json --markdown a.md",
    "check-certificate --seed 3 p.json t.csv": "optimum t.csv --check p.json --seed 3",
    "never-worse tlru --than lru": "policy never-worse tlru --than lru",
    "adversary lru --phases 2": "policy adversary lru --phases 2",
    "calibrate-file r.csv --cold": "calibrate r.csv --cold",
    "calibrate --served-model m --url=http://h:1": "server probe --served-model m --url=http://h:1",
    "simulate t.csv --slo 2s": "simulate replicas t.csv --slo 2s",
    "simulate --slo 2s t.csv": "simulate replicas --slo 2s t.csv",
    "rag mine --rate 3": "rag serve mine --rate 3",
}


def called(line, capsys):
    """Return the function that a command line calls, with what, and what is said before that."""
    capsys.readouterr()
    context, command, rest = click.Context(commands), commands, line.split()
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context)
        name, command, rest = command.resolve_command(context, rest)
    made = command.make_context(name, rest, parent=context)
    return made.command.callback, made.params, capsys.readouterr().err


@pytest.mark.parametrize("former", FORMS)
def test_a_former_form_does_what_todays_does_after_one_line_of_warning(former, capsys):
    *found, warning = called(former, capsys)
    *expected, silence = called(FORMS[former], capsys)
    assert found == expected
    assert silence == ""
    assert warning.count("\n") == 1
    assert f"`teltheory {former.split()[0]}` is `teltheory {FORMS[former].split()[0]}" in warning


def test_every_former_form_is_tried():
    assert {one.name for one in FORMER} == {former.split()[0] for former in FORMS}


@pytest.mark.parametrize(
    ("line", "meant"),
    [("advice t.csv", "advise"), ("replay t.csv --capactiy 3", "--capacity"), ("rag serv", "serve")],
)
def test_a_slip_is_answered_with_what_may_be_meant(refused, line, meant):
    assert f"Did you mean '{meant}'?" in refused(*line.split())
