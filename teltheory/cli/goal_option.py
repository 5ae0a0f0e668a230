"""The option --goal of `advise` and `optimum`, and its old name in each, which works for one more version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from teltheory.cli.output import complain
from teltheory.cost.goals import TEL
from teltheory.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])


def goal_option(old: str) -> Callable[[F], F]:
    """Return a decorator that adds --goal, handed over as `goal`, and its old name, as `before`."""

    def add(command: F) -> F:
        command = click.option(old, "before", hidden=True)(command)
        return click.option(
            "--goal", metavar="tel|slo|pNN", help="TEL (as when left out), turns above the SLO, or p95 of TTFT."
        )(command)

    return add


def asked_goal(goal: str | None, before: str | None, old: str) -> str:
    """Return the goal that was asked for, after a warning where that was by the old name."""
    if before is None:
        return goal or TEL
    if goal is not None:
        raise ArgumentError(old, before, "--goal alone, its new name")
    complain(f"warning: {old} is the old name of --goal, and goes with the next version", 0)
    return before
