"""`teltheory apps`: applications of many requests. A line for each command; the modules are apps_*.py."""

import click

from teltheory.cli.on_demand import OnDemand

apps = click.Group("apps", help="Parrot: applications of many requests, joined by semantic variables.")
COMMANDS: tuple[OnDemand, ...] = ()
for command in COMMANDS:
    apps.add_command(command)
