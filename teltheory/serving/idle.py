"""Requests that come to an idle server, one at a time, so that nobody waits; and all memory in one pool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.model.numbers import readonly
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.serving.served import Served
from teltheory.serving.work import Price


def on_idle_server(outcome: TieredOutcome, latency: Latency) -> Served:
    """Return what requests take if each comes to an idle server, at a time 0 of its own."""
    price, inputs = Price(outcome.tiers, latency, outcome.block_size), outcome.in_tokens().total
    load, compute = price.load(outcome.cached), price.compute(outcome.cached, inputs)
    nobody, nothing = readonly(np.zeros(len(outcome), np.int64)), readonly(np.zeros(len(outcome)))
    load, compute, service = map(readonly, (load, compute, price.service(load, compute)))
    return Served(outcome, nobody, nothing, nothing, load, compute, service, 1)


def pooled_tiers(tiers: Tiers, replicas: int) -> Tiers:
    """Return the tiers that all replicas have together, exclusive if they keep copies: those only take room."""
    sizes = [replicas * size for size in tiers.capacities]
    return replace(tiers, capacities=sizes, mode="exclusive" if tiers.keeps_copies else tiers.mode)
