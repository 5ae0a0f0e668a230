"""What scripts may rely on, by docs/releasing.md: names, the ways they are called, commands and their options."""

import inspect

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
}


def reached(path):
    found = tt
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("name", sorted({*POLICIES, *FUNCTIONS, *OTHERS}))
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
