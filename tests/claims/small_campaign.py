"""A small campaign on two claims, and what it finds."""

from dataclasses import replace

from proofs_checks.tail_optimized.theorem_31 import mean_estimate, theorem_31
from teltheory.claims.batches import Trial, texts_of
from teltheory.claims.campaign import Campaign, CampaignStore, summary
from teltheory.claims.generators import GENERATORS

CLAIMS = ("theorem-31", "theorem-31.mean-estimate")
FEW = tuple(replace(generator, drawn=12) for generator in GENERATORS)
A_ROUND = len(CLAIMS) * len(FEW)


def claim_named(name):
    return {"theorem-31": theorem_31, "theorem-31.mean-estimate": mean_estimate}[name]


def campaign(batches=2 * A_ROUND, trial=None, seconds=None):
    claims = tuple(claim_named(name) for name in CLAIMS)
    return Campaign(claims, trial or Trial(claim_named, FEW), batches, seconds)


def texts():
    return texts_of([claim_named(name) for name in CLAIMS], FEW)


def here(work, items, workers, name=str):
    """Do work in this process that others would do."""
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
