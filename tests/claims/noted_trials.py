"""Campaigns for the tests that kill them: each batch notes in a folder that it was tried, and where."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkstemp

from sweep.noting import runs, wait_for

from proofs_checks.tail_optimized.theorem_31 import mean_estimate, theorem_31
from teltheory.claims.batches import Trial, texts_of
from teltheory.claims.campaign import Campaign, CampaignStore, summary
from teltheory.claims.generators import GENERATORS

CLAIMS = ("theorem-31", "theorem-31.mean-estimate")
FEW = tuple(replace(generator, drawn=30) for generator in GENERATORS)
A_ROUND = len(CLAIMS) * len(FEW)


def claim_named(name):
    return {"theorem-31": theorem_31, "theorem-31.mean-estimate": mean_estimate}[name]


@dataclass(frozen=True)
class NotedTrial(Trial):
    """Notes each batch; one that is held waits for a file `go`."""

    folder: str = ""
    held: int = -1

    def __call__(self, batch):
        rank = ranks(batch)
        os.close(mkstemp(prefix=f"run-{rank}-{os.getpid()}-", dir=self.folder)[0])
        if rank == self.held:
            wait_for((Path(self.folder) / "go").exists)
        return super().__call__(batch)


def ranks(batch):
    """Return the batch's place in the campaign's order."""
    names = [generator.name for generator in FEW]
    return batch.number * A_ROUND + CLAIMS.index(batch.claim) * len(FEW) + names.index(batch.generator)


def campaign(batches=2 * A_ROUND, trial=None, seconds=None):
    claims = tuple(claim_named(name) for name in CLAIMS)
    return Campaign(claims, trial or Trial(claim_named, FEW), batches, seconds)


def texts():
    return texts_of([claim_named(name) for name in CLAIMS], FEW)


def here(work, items, workers):
    """Try batches in this process."""
    yield from ((i, work(item)) for i, item in enumerate(items))


def store_at(path):
    return CampaignStore(path, texts())


def told(plan, store):
    """Return all that the ledger learns, as plain data."""
    found = [summary(plan, store, name) for name in CLAIMS]
    return [[one.facts, one.counterexample, str(one.origin)] for one in found]


def left_alone(batches=2 * A_ROUND):
    """Return what a campaign finds that is tried here, last batch first."""
    plan, store = campaign(batches), store_at(None)
    for batch in reversed(list(plan.in_order())):
        store.add(batch, plan.trial(batch)[1])
    return told(plan, store)


def tries(folder):
    """Return how often each batch was tried, by its place."""
    return Counter(rank for rank, _ in runs(folder))
