"""`teltheory never-worse`: the smallest trace on which a policy is worse than another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.options import json_option
from teltheory.cli.output import check_target, progress_bar, report
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import Spec, parse_policy
from teltheory.report.words import counterexample_text

if TYPE_CHECKING:
    from teltheory.claims.dominance import Family
    from teltheory.claims.verdict import Verdict

SHOWN_EVERY = 1000


@click.command("never-worse")
@click.argument("policy")
@click.option("--than", default="lru", show_default=True, metavar="POLICY", help="The other policy.")
@click.option("--turns", type=click.IntRange(1), default=4, show_default=True, help="Most turns of a trace.")
@click.option("--tokens", type=click.IntRange(1), default=5, show_default=True, help="Most tokens of a trace.")
@click.option("--conversations", type=click.IntRange(1), default=3, show_default=True, help="Most of them.")
@click.option("--samples", type=click.IntRange(0), default=2000, show_default=True, help="Larger random traces.")
@click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
@json_option
def never_worse(policy: str, than: str, target: str | None, **bounds: Any) -> int:
    """Search for a trace on which POLICY has a larger TEL than another policy; print the smallest.

    All traces up to the bounds are tried, smallest first, then random ones; where only a random one refutes, it is
    made smaller as far as single steps lead. Policies are given in their short form; a threshold or an estimate
    that is left out takes every value, estimates at least every next prompt.
    """
    check_target(target)
    from teltheory.claims.dominance import never_worse as decided

    ours, other = parse_policy(policy), parse_policy(than)
    with _counted() as tried_one:
        verdict = decided(_family(ours), _family(other), **bounds, progress=tried_one)
    tried = f"instances of up to {bounds['turns']} turns and {bounds['tokens']} tokens"
    report(target, [_told(policy, than, verdict, tried)], verdict.as_dict())
    return 0


@contextmanager
def _counted() -> Iterator[Callable[[], None]]:
    """Show how many instances were tried, of a number that nobody knows before."""
    with progress_bar() as bar:
        task = bar.add_task("Instances tried: 0", total=None)
        tried = count(1)

        def tried_one() -> None:
            number = next(tried)
            if number % SHOWN_EVERY == 0:
                bar.update(task, description=f"Instances tried: {number:,}")

        yield tried_one


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
