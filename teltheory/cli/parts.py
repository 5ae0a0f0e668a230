"""Commands and options: click's, with sections, examples and plain metavars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

FEW = 13
"""Options that a help lists without sections."""
SECTIONS = {
    "Policies": "policy than q-hat split trim",
    "Hints": "hints close-delay close-if retain resume resume-error",
    "Cache": (
        "capacity forced cache rules chains block-size without running tier tier-mode loading share-last-tier"
    ),
    "Threshold and latency": "goal xi slo latency accept-latency-of",
    "Served model": "model config kv-bytes kv-dtype tensor-parallel gpu gpu-hour",
    "Choice of the setting": "work-cost median-cost first",
    "Trace": "trace format columns tokenizer system-prompt blocks times draws arrivals hints-file",
    "Replicas and load": "replicas router load stretch ticks overload chunk decode bound plan percentile",
    "Search": "method time-limit certificate measure exact most-states",
    "Belief MDP": "vary turns discount average silent",
    "Claims": "effort claim section list from",
    "Campaign of random traces": "budget batches regressions",
    "Documents and questions": (
        "queries question vectors query-vectors document-tokens question-tokens dimensions system-tokens top-k "
        "index stage-times slower"
    ),
    "Requests": "rate requests zipf popular within fresh repeat-share look-back",
    "Server": (
        "window patience batch-size speculation interruption copying host-copies lose-gpu searchers url "
        "served-model api-key-env timeout vocabulary"
    ),
    "Modules": (
        "schema items together always size kept total roles way scaffold fast slow weights device dtype threads "
        "answer-tokens batch batch-sizes tasks kind encoding compare"
    ),
    "Work": "lengths shares repeats quick growth points seed workers store scheduler",
    "Output": "out html figure style markdown errata record save json explain csv latex",
}
"""Sections of the help of a command with many options, and what is in each, in this order."""

STANDARD_INPUT = "TRACE may be - for standard input, or a name that `trace fetch` lists."


class Option(click.Option):
    """An option, with plain metavars and few extras."""

    def make_metavar(self, ctx: click.Context) -> str:
        """Return what stands for the value: N for a number that has no other name."""
        if self.metavar is None and isinstance(self.type, click.types.IntParamType | click.types.FloatParamType):
            return "N"
        return super().make_metavar(ctx)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the default, and a range if it has two ends that say something."""
        extra = super().get_help_extra(ctx)
        most = getattr(self.type, "max", None)
        if most is None or most > 10**6:
            extra.pop("range", None)
        return extra


class Command(click.Command):
    """A command whose help has sections and examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and what else a TRACE may be."""
        super().format_help_text(ctx, formatter)
        if any(param.metavar == "TRACE" for param in self.params):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(STANDARD_INPUT)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, in sections if there are many."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        listed = {param.opts[0].lstrip("-"): param.get_help_record(ctx) for param in options}
        records = {name: record for name, record in listed.items() if record is not None}
        if len(records) > FEW:
            for title, names in SECTIONS.items():
                _write(formatter, title, [records.pop(name) for name in names.split() if name in records])
        _write(formatter, "Options", list(records.values()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"  teltheory {example}\n")


def _write(formatter: click.HelpFormatter, title: str, records: list[tuple[str, str]]) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def option(*names: str, **settings: Any) -> Decorator:
    """Return a decorator that adds an option, as `click.option` does."""
    return click.option(*names, cls=Option, **settings)


def command(name: str | None = None, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command, whose help ends with examples: what follows `teltheory`."""
    return click.command(name, cls=Command, examples=examples)
