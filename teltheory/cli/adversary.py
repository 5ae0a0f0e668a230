"""`teltheory adversary`: a trace on which an online policy pays and the optimum does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.options import json_option
from teltheory.cli.output import check_target, console, write_json
from teltheory.policies.spec import parse_policy

if TYPE_CHECKING:
    from teltheory.claims.adversary import Attack


@click.command("adversary")
@click.argument("policy")
@click.option(
    "--budget", type=click.IntRange(1), default=100, show_default=True, help="Past of a conversation, n."
)
@click.option(
    "--conversations", type=click.IntRange(2), default=2, show_default=True, help="New ones of a phase, K."
)
@click.option(
    "--augmentation", type=click.IntRange(1), default=1, show_default=True, help="The policy's cache over n, h."
)
@click.option("--xi", type=click.IntRange(1), default=1, show_default=True, help="Threshold in tokens.")
@click.option("--phases", type=click.IntRange(1), default=1, show_default=True, help="How often it is played.")
@click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
@json_option
def adversary(policy: str, xi: int, target: str | None, **game: Any) -> int:
    """Find a trace on which POLICY, an online one, pays, and the optimum nothing.

    TEL is not competitive: for every online policy there is a trace on which it pays n (1 - h/K) a phase or more.
    POLICY is in its short form; a threshold or an estimate that is left out is the game's.
    """
    check_target(target)
    from teltheory.claims.adversary import adversary as found

    attack = found(parse_policy(policy).build(xi, xi), xi=xi, **game)
    if target != "-":
        console().print(_told(policy, attack), highlight=False, markup=False)
    if target is not None:
        write_json(target, _plain(attack))
    return 0


def _told(policy: str, attack: Attack) -> str:
    turns, room, game = f"{len(attack.trace):,} turns", f"{attack.game.capacity:,} tokens", attack.game
    paid = f"{policy} with {room} pays {int(attack.expected):,} on {turns}, the optimum {attack.optimum:,}"
    least = f"{float(attack.bound):,.1f} or more"
    if attack.expected < attack.bound:
        return f"{paid}. It looks ahead: for an online policy there is a trace on which it pays {least}."
    with_room = f"{paid} with {game.optimum_capacity:,}"
    return f"{with_room}. For every online policy there is such a trace on which it pays {least}."


def _plain(attack: Attack) -> dict[str, Any]:
    trace, game = attack.trace, attack.game
    columns = (trace.conversation, trace.prompt, trace.response)
    return {
        "turns": [list(turn) for turn in zip(*(column.tolist() for column in columns), strict=True)],
        "xi": game.xi,
        "forced": game.forced,
        "capacity": game.capacity,
        "optimum_capacity": game.optimum_capacity,
        "paid": int(attack.expected),
        "bound": str(attack.bound),
        "optimum": attack.optimum,
    }
