"""`teltheory verify`: decide the claims."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import click

from teltheory.claims.claim import EFFORTS, Effort
from teltheory.claims.search import decide_safely
from teltheory.cli.options import json_option
from teltheory.cli.output import check_target, console, progress_bar, write_json
from teltheory.cli.tables import ledger_table
from teltheory.errors import ArgumentError


@click.command()
@click.option("--effort", type=click.Choice(EFFORTS), default="quick", show_default=True, help="How many cases.")
@click.option("--claim", "only", multiple=True, metavar="ID", help="Decide only this claim; repeatable.")
@click.option("--section", "section", metavar="NAME", help="Decide only the claims of one file of proofs_checks.")
@click.option("--workers", type=click.IntRange(1), default=None, help="Processes; one a core when left out.")
@json_option
def verify(
    effort: Effort, only: tuple[str, ...], section: str | None, workers: int | None, target: str | None
) -> int:
    """Decide every claim of the paper and print the ledger.

    Ends with 0 whatever the paper's own statements turn out to be, and with 1 if a row of ours or a repaired claim
    is refuted, or a row stays undecided or ends in an error.
    """
    check_target(target)
    ids = chosen_claims(only, section)
    rows, sound = decide_all(ids, effort, workers)
    if target != "-":
        console().print(ledger_table(rows))
    if target is not None:
        write_json(target, {"claims": rows})
    return 0 if sound else 1


def chosen_claims(only: Sequence[str], section: str | None) -> list[str]:
    """Return the identifiers of the claims to decide, in the ledger's order."""
    from proofs_checks import MODULES, all_claims

    if section is not None and section not in MODULES:
        raise ArgumentError("section", section, "one of " + ", ".join(MODULES))
    claims = all_claims(MODULES if section is None else (section,))
    known = [claim.id for claim in claims]
    for name in only:
        if name not in known:
            raise ArgumentError("claim", name, "one of " + ", ".join(known))
    return [name for name in known if not only or name in only]


def decide_all(ids: Sequence[str], effort: Effort, workers: int | None) -> tuple[list[dict[str, Any]], bool]:
    """Decide claims on several processes; return their rows in the order of `ids`, and whether all are sound."""
    decided: dict[str, tuple[dict[str, Any], bool]] = {}
    context = multiprocessing.get_context("spawn")
    size = min(workers or os.cpu_count() or 1, max(len(ids), 1))
    with progress_bar() as bar, ProcessPoolExecutor(size, context, _exit_in_order) as pool:
        task = bar.add_task("Deciding claims", total=len(ids))
        waiting = [pool.submit(_decide, name, effort) for name in ids]
        try:
            for future in as_completed(waiting):
                row, sound = future.result()
                decided[row["id"]] = row, sound
                bar.advance(task)
        except KeyboardInterrupt:
            _stop(pool)
            raise
    return [decided[name][0] for name in ids], all(decided[name][1] for name in ids)


def _exit_in_order() -> None:
    """Leave interrupts to the parent, and end on its signal in good order, so that all is tidied up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)


def _end(*_: object) -> None:
    """End the process; a solver's reader threads, cut off in the middle, have nothing more to say."""
    threading.excepthook = lambda _: None
    sys.exit()


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers; a signal ends the claim at hand, and a worker that has another one needs another signal."""
    pool.shutdown(wait=False, cancel_futures=True)
    while workers := multiprocessing.active_children():
        for worker in workers:
            worker.terminate()
            worker.join(0.2)


def _decide(name: str, effort: Effort) -> tuple[dict[str, Any], bool]:
    from proofs_checks import all_claims

    claim = next(claim for claim in all_claims() if claim.id == name)
    verdict = decide_safely(claim, effort)
    return verdict.as_dict(), verdict.expected
