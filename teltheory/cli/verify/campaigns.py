"""The campaign of `teltheory verify`: its options, and what it adds to the ledger's rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from teltheory.claims.batches import Trial, regression, texts_of
from teltheory.claims.campaign import Campaign, CampaignStore, CampaignSummary, run, summary, with_traces
from teltheory.claims.registry import all_claims, claim_named
from teltheory.cli.asked.options import scheduler_option, store_option, together
from teltheory.cli.parts import option
from teltheory.cli.printed.output import progress_bar, write_json
from teltheory.errors import ArgumentError, FileError
from teltheory.model.units import LONG_TIMES, read_time

MOST_BATCHES = 1_000_000
"""Where their number is bounded, all of them are listed; --budget has no bound."""


@dataclass(frozen=True)
class CampaignOptions:
    """What was asked for."""

    budget: str | None
    batches: int | None
    store: str | None
    regressions: str | None
    scheduler: str | None

    @property
    def asked_for(self) -> bool:
        """Whether there is to be a campaign."""
        return self.budget is not None or self.batches is not None

    def check(self, workers: int | None) -> None:
        """Check what can be checked before any work."""
        for name in ("store", "regressions", "scheduler"):
            if not self.asked_for and getattr(self, name) is not None:
                raise ArgumentError(
                    f"--{name}", getattr(self, name), "--budget or --batches with it, for a campaign"
                )
        if self.scheduler is not None and workers is not None:
            raise ArgumentError("--workers", workers, "none with --scheduler, whose own workers try the batches")
        if self.budget is not None:
            read_time("--budget", self.budget, LONG_TIMES)
        if self.regressions is not None and not Path(self.regressions).is_dir():
            raise FileError(f"{self.regressions}: found no folder, expected one for counterexamples")


campaign_options = together(
    option(
        "--budget", metavar="TIME", help="Try random traces for so long before the claims are decided: 90s or 8h."
    ),
    option(
        "--batches",
        type=click.IntRange(0, MOST_BATCHES),
        help="Try N batches of random traces before that, which repeats exactly.",
    ),
    store_option,
    scheduler_option,
    option(
        "--regressions", metavar="DIR", help="Folder for the counterexamples that random traces give, a file each."
    ),
)


def campaign(ids: Sequence[str], options: CampaignOptions, workers: int | None) -> dict[str, CampaignSummary]:
    """Run a campaign on the claims whose cases are traces; return what it found on each."""
    every = with_traces(all_claims())
    claims = tuple(claim for claim in every if claim.id in ids)
    if not claims:
        raise ArgumentError("claim", ", ".join(ids), "one whose cases are traces, for a campaign")
    seconds = None if options.budget is None else float(read_time("--budget", options.budget, LONG_TIMES))
    plan = Campaign(claims, Trial(claim_named), options.batches, seconds)
    store = CampaignStore(options.store, texts_of(every, plan.trial.generators))
    _run(plan, store, workers, options.scheduler)
    found = {claim.id: summary(plan, store, claim.id) for claim in claims}
    folder = options.regressions
    for one in found.values():
        if folder is not None and one.counterexample is not None and one.origin is not None:
            name, content = regression(one.counterexample, one.origin)
            if not Path(folder, name).exists():
                write_json(str(Path(folder, name)), content, indent=None)
    return found


def _run(plan: Campaign, store: CampaignStore, workers: int | None, scheduler: str | None) -> None:
    """Run it with a progress bar, of batches where their number is bounded, else of seconds."""
    with progress_bar() as bar:
        known = sum(batch in store for batch in plan.in_order()) if plan.batches is not None else 0
        task = bar.add_task(
            "Campaign", total=plan.seconds if plan.batches is None else plan.batches, completed=known
        )

        def told(done: int, seconds: float) -> None:
            reached = seconds if plan.batches is None else known + done
            bar.update(task, completed=reached, description=f"Campaign, {len(store):,} batches")

        run(plan, store, told, workers=workers, scheduler=scheduler)


def with_campaign(row: dict[str, Any], found: CampaignSummary | None) -> dict[str, Any]:
    """Return a row of the ledger with what a campaign found on its claim.

    The scope says what was tried, and its kind never becomes a stronger one. A row that held is refuted by a
    counterexample, and in error if the check broke.
    """
    if found is None:
        return row
    scope = {**row["scope"], "bounds": {**row["scope"]["bounds"], "campaign": found.facts}}
    undecided = row["verdict"] in ("holds", "undecided")
    if undecided and found.counterexample is not None:
        scope |= {"kind": "sampled", "instances": found.facts["instances"]}
        return {**row, "verdict": "refuted", "scope": scope, "counterexample": found.counterexample}
    if undecided and found.problem is not None:
        return {**row, "verdict": "error", "scope": scope, "problem": found.problem}
    return {**row, "scope": scope}
