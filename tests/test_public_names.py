"""What scripts may rely on, by docs/files-and-releases.md: names, their calls, commands and their options."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import teltheory as tt
from teltheory.cli import commands

POLICIES = {
    "LRU": "",
    "TLRU": "xi q_hat trim",
    "ThresholdLRU": "cutoff",
    "EndAwareTLRU": "xi q_hat trim",
    "LengthAwareTLRU": "xi trim",
    "Belady": "",
    "TailOptimizedBelady": "xi",
    "ETLRU": "",
}
FUNCTIONS = {
    "read_trace": "path format",
    "replay": "trace policy capacity forced initial engine",
    "tail_excess_latency": "outcome xi",
    "capacity_curve": "trace policy",
    "hindsight_optimum": "trace capacity xi forced initial method",
    "check_certificate": "trace capacity xi certificate",
    "read_ttft_runs": "path",
    "fit_latency": "runs",
    "Problem": "requests capacity xi model forced initial running cache rules",
}
OTHERS = {"Trace", "Outcome", "CapacityCurve", "Optimum", "Certificate", "CertificateError"}
METHODS = {
    "Trace.from_turns": "conversation prompt response arrival history",
    "Trace.to_blocks": "",
    "Problem.replay": "policy",
    "Problem.tel": "outcome",
    "Problem.violations": "outcome",
    "Problem.optimum": "method",
    "Problem.check_certificate": "certificate",
    "Problem.fewest_violations": "",
    "Problem.best_percentile": "q",
    "Problem.regret": "policy",
    "Problem.curve": "policy",
    "Problem.serve": "policy",
    "Problem.advise": "",
    "Problem.adversary": "policy",
    "Problem.with_": "",
    "CapacityCurve.cached": "capacity",
    "CapacityCurve.tail_excess_latency": "capacities xi",
    "LatencyModel.ttft": "uncached cached",
}
COMMANDS = {
    "reproduce": "--json --out --trace",
    "verify": "--json --effort --claim",
    "replay": "--capacity --xi --slo --policy --json",
    "optimum": "--capacity --xi --slo --json",
    "check-certificate": "--format",
    "curve": "--capacity --xi --slo --json",
    "calibrate": "--json",
    "advise": "--json --slo --capacity --goal",
    "figures": "",
    "bench": "--json",
    "demo": "--json --html",
    "compare": "--capacity --xi --slo --policy --json",
}


FIRST_PAGES = {"sweep", "Grid", "Sample", "LeastRecentlyUsed", "on_arrays", "default_estimate", "wildchat_like"}
GROUPS = {"policies": "FIFO GDSF on_arrays", "belief": "bayes_posterior next_event", "systems": "rag modules apps"}
FRONT = Path(tt.__file__)


def imported_for_types():
    """Return what the front door imports where types are checked: the module of each name."""
    (block,) = (one for one in ast.parse(FRONT.read_text()).body if isinstance(one, ast.If))
    return {alias.name: one.module for one in block.body for alias in one.names}


def reached(path):
    found = tt
    for name in path.split("."):
        found = getattr(found, name)
    return found


def test_the_front_door_lists_loads_and_types_the_same_names():
    typed = {name: module for name, module in imported_for_types().items() if name not in GROUPS}
    assert set(tt.__all__) == {*typed, *GROUPS}
    for name, module in typed.items():
        assert getattr(tt, name) is getattr(import_module(module), name), name
    assert set(tt.__all__) <= set(dir(tt))


def test_groups_hold_the_rest():
    for group, names in GROUPS.items():
        assert getattr(tt, group) is import_module(f"teltheory.{group}")
        assert all(hasattr(getattr(tt, group), name) for name in names.split())
    assert not {"FIFO", "bayes_posterior"} & {*tt.__all__}


def test_a_function_stands_in_front_of_the_room_of_its_name():
    """Whatever is imported first; between two of three the package is forgotten."""
    both = "assert callable(tt.sweep) and callable(tt.replay)"
    told = f"__import__(first); import teltheory as tt; {both}; tt.sweep.__name__"
    code = f"{told}; from teltheory.sweep.grid import Grid; from teltheory.replay.curve import capacity_curve"
    done = f"{code}; {both} and tt.Grid is Grid"
    forgotten = "[sys.modules.pop(name) for name in [*sys.modules] if name.startswith('teltheory')]"
    firsts = "teltheory.sweep.grid", "teltheory.replay.curve", "teltheory"
    told_each = f"import sys\nfor first in {firsts}: {done}; {forgotten}"
    subprocess.run([sys.executable, "-c", told_each], check=True)


def test_an_unknown_name_is_an_error_that_names_it():
    with pytest.raises(AttributeError, match="module 'teltheory' has no attribute 'nothing'"):
        tt.nothing  # noqa: B018 - the error is asked for


@pytest.mark.parametrize("name", sorted({*POLICIES, *FUNCTIONS, *OTHERS, *FIRST_PAGES}))
def test_a_public_name_is_exported(name):
    assert name in tt.__all__
    assert getattr(tt, name) is not None


@pytest.mark.parametrize(("path", "names"), sorted({**POLICIES, **FUNCTIONS, **METHODS}.items()))
def test_a_public_name_takes_its_arguments_by_name(path, names):
    parameters = inspect.signature(reached(path)).parameters
    assert set(names.split()) <= {name for name, one in parameters.items() if one.kind != one.POSITIONAL_ONLY}


@pytest.mark.parametrize(("name", "options"), sorted(COMMANDS.items()))
def test_a_public_command_takes_its_options(name, options):
    command = commands.commands[name].load()
    known = {option for parameter in command.params for option in parameter.opts}
    assert set(options.split()) <= known
    assert isinstance(command, click.Command)
