"""`teltheory check` decides a statement of one's own."""

from __future__ import annotations

from typing import Any

import click

from teltheory.claims.claim import EFFORTS, Effort
from teltheory.cli.asked.options import EFFORT, forced_option, json_option
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, progress_bar, report
from teltheory.report.words import counterexamples, strength


@command(
    None,
    "check 'TEL(tlru) <= TEL(lru)' --where 'q_hat >= max_prompt'",
    "check 'uncached(tlru) <= uncached(lru) per turn'",
    "check 'hits(mine.py:Mine) <= hits(belady)'",
)
@click.argument("statement")
@option("--where", metavar="CONDITION", help="Condition on the cases: 'q_hat >= max_prompt and capacity > 0'.")
@forced_option
@option("--forests", is_flag=True, help="Decide it where requests share prefixes, in blocks.")
@option("--tiers", is_flag=True, help="Decide it in two tiers of memory.")
@option("--effort", type=click.Choice(EFFORTS), default="quick", show_default=True, help=EFFORT)
@json_option
def check(statement: str, where: str | None, effort: Effort, target: str | None, **kind: Any) -> int:
    """Decide a statement, such as 'TEL(tlru) <= TEL(lru)'.

    Its verdict on small cases is printed.

    STATEMENT compares measures of policies: TEL, uncached or prefill, hits, violations; with + - *, whole numbers
    and <= < = > >=. It is about sums over all turns, or about each turn if it ends with 'per turn'. A policy is in
    its short form; a threshold, an estimate or a cutoff that it leaves out takes every value.

    A condition, and a statement too, may name xi, q_hat, capacity, turns and max_prompt, the longest prompt that
    continues a conversation; of traces also conversations, tokens and prompts, the sum of all; of forests blocks.

    Every case up to the bounds that are printed is tried, smallest first, then random ones. Ends with 0 if the
    statement holds on all of them, which is no proof, and with 1 if it is refuted, or if no case is as the
    condition says.
    """
    check_target(target)
    from teltheory.claims.statements.check import check as decided

    with progress_bar() as bar:
        bar.add_task("Trying cases, smallest first", total=None)
        verdict = decided(statement, where, effort=effort, **kind)
    row = verdict.as_dict()
    lines = [f"{verdict.verdict}: {row['statement']}", *counterexamples(row), *strength(row)]
    report(target, ["\n".join(lines)], row)
    return 0 if verdict.expected else 1
