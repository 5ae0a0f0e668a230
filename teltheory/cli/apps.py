"""`teltheory apps`: applications of many requests. A line for each command; the modules are apps_*.py."""

import click

from teltheory.cli.on_demand import OnDemand

apps = click.Group("apps", help="Parrot: applications of many requests, joined by semantic variables.")
COMMANDS: tuple[OnDemand, ...] = (
    OnDemand(
        "explain",
        "Show the graph of applications: labels, stages, task groups, and the prefixes that prompts share.",
        "apps_explain:explain_command",
    ),
    OnDemand("run", "Run applications on a tiny engine or at an OpenAI-compatible server.", "apps_run:run"),
    OnDemand(
        "lift",
        "Lift applications from LOG, JSON lines with prompts and responses: prompts that hold earlier outputs.",
        "apps_lift:lift_command",
    ),
)
for command in COMMANDS:
    apps.add_command(command)
