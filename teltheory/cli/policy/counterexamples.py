"""`teltheory policy`: traces on which a policy is worse than another, and on which it pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.completion import policies
from teltheory.cli.asked.options import forced_option, json_option, whole
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, progress_bar, report
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import Spec, parse_policy
from teltheory.report.words import counterexample_text

if TYPE_CHECKING:
    from teltheory.claims.dominance import Family
    from teltheory.claims.verdict import Verdict
    from teltheory.optimal.adversary import Attack


@command(
    "never-worse", "policy never-worse tlru --turns 3 --tokens 4", "policy never-worse tlru --than lru --forced"
)
@click.argument("policy", metavar="POLICY", shell_complete=policies)
@option(
    "--than",
    default="lru",
    show_default=True,
    metavar="POLICY",
    shell_complete=policies,
    help="Policy to compare with.",
)
@whole("--turns", 4, "Number of turns. All traces up to that are tried.")
@whole("--tokens", 4, "Tokens in a trace. All traces up to that are tried.")
@whole("--conversations", 3, "Conversations in a trace. All traces up to that are tried.")
@whole("--samples", 2000, "Number of larger random traces that are tried after that.", least=0)
@forced_option
@json_option
def never_worse(policy: str, than: str, target: str | None, **bounds: Any) -> int:
    """Look for a trace on which POLICY is worse than another.

    Worse is a larger TEL; the smallest such trace is printed. All traces up to the bounds are tried, smallest
    first, then random ones; where only a random one refutes, it is made smaller as far as single steps lead.
    Policies are given in their short form; a threshold or an estimate that is left out takes every value,
    estimates at least every next prompt. If nothing refutes, the default bounds take some 20 seconds,
    and --tokens 5 takes minutes.
    """
    check_target(target)
    from teltheory.claims.dominance import never_worse as decided

    ours, other = parse_policy(policy), parse_policy(than)
    with progress_bar() as bar:
        bar.add_task("Trying traces, smallest first", total=None)
        verdict = decided(_family(ours), _family(other), **bounds)
    tried = f"instances of up to {bounds['turns']} turns and {bounds['tokens']} tokens"
    report(target, [_told(policy, than, verdict, tried)], verdict.as_dict())
    return 0


def _told(policy: str, than: str, verdict: Verdict, tried: str) -> str:
    scope = verdict.scope
    if verdict.counterexample is None:
        drawn = scope.bounds.get("sampled", {"instances": 0})["instances"]
        more = f", and on {drawn:,} random ones" if drawn else ""
        return f"{policy} has a TEL of at most {than}'s on all {scope.instances:,} {tried}{more}."
    where = " (a random trace, shrunk: there may be a smaller one)" if scope.kind == "sampled" else ""
    return f"{policy} is worse than {than} on {counterexample_text(verdict.counterexample)}{where}."


def _family(spec: Spec) -> AnyPolicy | Family:
    """Return the policy, or what makes it where a threshold or an estimate is left out."""
    if spec.needs("q_hat"):
        return spec.build
    if spec.needs("xi"):
        return lambda xi: spec.build(xi, 0)
    return spec.build(0, 0)


@command("adversary", "policy adversary tlru --phases 5")
@click.argument("policy", metavar="POLICY", shell_complete=policies)
@whole("--past", 100, "Tokens in the past of a conversation, n.", dest="budget")
@whole(
    "--new-conversations",
    2,
    "Number of new conversations in a phase, K.",
    least=2,
    dest="conversations",
)
@whole("--augmentation", 1, "Cache of the policy as a multiple of n, h.")
@whole("--xi", 1, "Threshold in tokens.")
@whole("--phases", 1, "Number of phases that are played.")
@forced_option
@json_option
def adversary(policy: str, xi: int, target: str | None, **game: Any) -> int:
    """Find a trace on which POLICY pays and the optimum nothing.

    TEL is not competitive: for every online policy there is a trace on which it pays n (1 - h/K) a phase or more.
    POLICY is in its short form; a threshold or an estimate that is left out is the game's.
    """
    check_target(target)
    from teltheory.optimal.adversary import adversary as found

    attack = found(parse_policy(policy).build(xi, xi), xi=xi, **game)
    report(target, [_paid(policy, attack)], _as_data(attack))
    return 0


def _paid(policy: str, attack: Attack) -> str:
    turns, room, game = f"{len(attack.trace):,} turns", f"{attack.game.capacity:,} tokens", attack.game
    paid = f"{policy} with {room} pays {int(attack.expected):,} on {turns}, the optimum {attack.optimum:,}"
    least = f"{float(attack.bound):,.1f} or more"
    if attack.looks_ahead:
        return f"{paid}. It looks ahead: for an online policy there is a trace on which it pays {least}."
    with_room = f"{paid} with {game.optimum_capacity:,}"
    return f"{with_room}. For every online policy there is such a trace on which it pays {least}."


def _as_data(attack: Attack) -> dict[str, Any]:
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
