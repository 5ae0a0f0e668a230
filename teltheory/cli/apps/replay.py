"""`teltheory apps replay`: a trace of applications under policies, with a threshold for all turns of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import click

from teltheory.cli.apps.files import trace_in
from teltheory.cli.apps.options import tokens_of, tokens_option
from teltheory.cli.apps.tails import LEGEND, TailGrid, grid_options, told
from teltheory.cli.asked.options import policy_option, q_hat_option, table_options
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.replay.command import about
from teltheory.cost.applications import application_excess
from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace, Measure
from teltheory.model.display import percent
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.units import listed_values
from teltheory.policies.application_tlru import SPLITS, ApplicationTLRU
from teltheory.policies.online import LRU
from teltheory.policies.policy import Trim
from teltheory.policies.spec import default_estimate, parse_policy, policy_texts
from teltheory.replay.applications import replay_applications

POLICIES = ("lru", "tlru", ApplicationTLRU.name, "belady")
"""What is replayed where no policy is named."""
COLUMNS = ("policy", "computed", "reused", "above", "largest", "excess", "vs LRU")
SPLIT = "How the turns to come share the threshold: equal, reserve, request; a comma lists. All when left out."


@dataclass(frozen=True)
class ReplayRow:
    """A policy at a capacity and a threshold; lengths in tokens."""

    capacity: int
    xi: int
    measure: Measure
    policy: str
    computed: int
    reused: int
    above: int
    largest: int
    excess: int
    lru: int

    def cells(self) -> list[str]:
        """Return it as text; blank where LRU has no excess."""
        change = f"{100 * (self.excess - self.lru) / self.lru:+.1f} %" if self.lru else ""
        numbers = (self.above, self.largest, self.excess)
        share = percent(self.reused / max(self.reused + self.computed, 1))
        return [self.policy, f"{self.computed:,}", share, *(f"{number:,}" for number in numbers), change]


@command(None, "apps replay apps.jsonl --capacity 300k --xi 2800")
@click.argument("file", metavar="FILE")
@policy_option
@option("--split", "splits", multiple=True, metavar="SPLIT,...", help=SPLIT)
@option(
    "--trim",
    type=click.Choice(get_args(Trim)),
    default="round-robin",
    show_default=True,
    help="Order in which shared budgets are trimmed.",
)
@q_hat_option
@grid_options
@tokens_option
@table_options
def replay(
    file: str,
    policies: tuple[str, ...],
    splits: tuple[str, ...],
    trim: Trim,
    q_hat: int | None,
    tokenizer: str,
    target: str | None,
    forced: bool,
    **grid: Any,
) -> int:
    """Replay the applications of FILE under policies.

    FILE has applications, a log of requests, which they are lifted from, or a trace of lengths. The excess of each
    application is counted.

    The policy application-tlru shares an application's threshold among its turns, once for each --split; tlru has
    it for each turn.
    """
    check_target(target)
    asked, chosen = TailGrid.of(**grid), _splits(splits)
    texts = policy_texts(policies) or POLICIES
    for text in texts:
        if text != ApplicationTLRU.name:
            parse_policy(text)
    said: list[str] = []
    apps = trace_in(file, tokens_of(tokenizer).count, said.append)
    with about(file):
        rows = list(_rows(apps, asked, _Built(texts, chosen, trim, q_hat), forced))
    report(
        target,
        [*said, *_parts(apps, rows, q_hat)],
        {"applications": apps.applications, "rows": list(map(asdict, rows))},
    )
    return 0


@dataclass(frozen=True)
class _Built:
    """What makes policies of their names."""

    texts: Sequence[str]
    splits: Sequence[str]
    trim: Trim
    q_hat: int | None

    def policies(self, apps: ApplicationTrace, xi: int, measure: Measure) -> Iterator[tuple[str, Any]]:
        """Yield each policy with its name."""
        estimate = default_estimate(apps.trace) if self.q_hat is None else self.q_hat
        for text in self.texts:
            if text == ApplicationTLRU.name:
                for split in self.splits:
                    yield f"{text}, {split}", ApplicationTLRU(xi, split, measure, self.trim)  # type: ignore[arg-type]
            else:
                spec = parse_policy(text)
                yield spec.text, spec.build(xi, estimate)


def _splits(texts: tuple[str, ...]) -> tuple[str, ...]:
    splits = listed_values("--split", texts) if texts else tuple(SPLITS)
    for split in splits:
        if split not in SPLITS:
            raise ArgumentError("--split", split, ", ".join(SPLITS))
    return splits


def _rows(apps: ApplicationTrace, asked: TailGrid, built: _Built, forced: bool) -> Iterator[ReplayRow]:
    for capacity, xi, measure in asked.cells(apps):

        def excess(outcome: Outcome, xi: int = xi, measure: Measure = measure) -> Any:
            return application_excess(apps, outcome, xi, measure)

        lru = exact_sum(excess(replay_applications(apps, LRU(), capacity, forced)))
        for name, policy in built.policies(apps, xi, measure):
            outcome = replay_applications(apps, policy, capacity, forced)
            above = excess(outcome)
            sizes = outcome.prefilled, outcome.reused, int((above > 0).sum()), int(above.max(initial=0))
            yield ReplayRow(capacity, xi, measure, name, *sizes, exact_sum(above), lru)


def _parts(apps: ApplicationTrace, rows: Sequence[ReplayRow], q_hat: int | None) -> Iterator[Any]:
    yield told(apps)
    if q_hat is None:
        estimate = f"Q̂ = {default_estimate(apps.trace):,} where a policy has none of its own"
        yield f"{estimate}: the mean prompt of turns that continue a conversation."
    yield LEGEND
    for capacity, xi, measure in dict.fromkeys((row.capacity, row.xi, row.measure) for row in rows):
        title = f"Capacity {capacity:,}, threshold {xi:,}, {measure}"
        some = [row.cells() for row in rows if (row.capacity, row.xi, row.measure) == (capacity, xi, measure)]
        yield plain_table(title, COLUMNS, some, left=COLUMNS[:1])
