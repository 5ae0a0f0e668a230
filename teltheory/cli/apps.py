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
    OnDemand(
        "run",
        "Run the applications of FILE and show what a client gets; the exit code is 1 if a get fails.",
        "apps_run:run",
    ),
    OnDemand(
        "lift",
        "Lift applications from LOG, JSON lines with prompts and responses: prompts that hold earlier outputs.",
        "apps_lift:lift_command",
    ),
    OnDemand(
        "server",
        "Serve applications over HTTP until an interrupt: submit, get and set, and OpenAI's requests.",
        "apps_server:server",
    ),
    OnDemand(
        "replay",
        "Replay FILE, applications as JSON lines, under policies, and count the excess of each application.",
        "apps_replay:replay",
    ),
    OnDemand(
        "optimum",
        "Print the least excess that any policy reaches on FILE, applications as JSON lines, known in advance.",
        "apps_optimum:optimum",
    ),
)
for command in COMMANDS:
    apps.add_command(command)
