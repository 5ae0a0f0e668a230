"""`teltheory never-worse`: the smallest trace on which a policy is worse than another."""

from __future__ import annotations

from collections.abc import Callable

import click

from teltheory.cli.options import json_option
from teltheory.cli.output import check_target, console, write_json
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import Spec, parse_policy
from teltheory.report.words import counterexample_text


@click.command("never-worse")
@click.argument("policy")
@click.option("--than", default="lru", show_default=True, metavar="POLICY", help="The other policy.")
@click.option("--turns", type=click.IntRange(1), default=4, show_default=True, help="Most turns of a trace.")
@click.option("--tokens", type=click.IntRange(1), default=5, show_default=True, help="Most tokens of a trace.")
@click.option("--conversations", type=click.IntRange(1), default=3, show_default=True, help="Most of them.")
@click.option("--samples", type=click.IntRange(0), default=2000, show_default=True, help="Larger random traces.")
@click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
@json_option
def never_worse(
    policy: str,
    than: str,
    turns: int,
    tokens: int,
    conversations: int,
    samples: int,
    forced: bool,
    target: str | None,
) -> int:
    """Search for a trace on which POLICY has a larger TEL than another policy; print the smallest.

    All traces up to the bounds are tried, smallest first, then random ones. Policies are given in their short
    form; a threshold or an estimate that is left out takes every value, estimates at least every next prompt.
    """
    check_target(target)
    from teltheory.claims.dominance import never_worse as decided

    ours, other = parse_policy(policy), parse_policy(than)
    verdict = decided(
        _family(ours),
        _family(other),
        turns=turns,
        tokens=tokens,
        conversations=conversations,
        samples=samples,
        forced=forced,
    )
    row = verdict.as_dict()
    if target != "-":
        out = console()
        tried = f"{verdict.scope.instances:,} instances of up to {turns} turns and {tokens} tokens"
        if verdict.counterexample is None:
            out.print(f"{policy} has a TEL of at most {than}'s on all {tried}.", highlight=False, markup=False)
        else:
            found = counterexample_text(row["counterexample"])
            out.print(f"{policy} is worse than {than} on {found}.", highlight=False, markup=False)
    if target is not None:
        write_json(target, row)
    return 0


def _family(spec: Spec) -> AnyPolicy | Callable[[int, int], AnyPolicy]:
    """Return the policy, or what makes it where a threshold or an estimate is left out."""
    if spec.needs("xi") or spec.needs("q_hat"):
        return spec.build
    return spec.build(0, 0)
