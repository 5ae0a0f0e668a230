"""Regret of LRU, T-LRU and ET-LRU with three beliefs, as deaths, heterogeneity and prompts' variance grow.

    python -m experiments.regret_of_beliefs TABLE.csv

Samples of the conversation model, one factor changed at a time: the death rate, with births in proportion so that
as many are alive; the coefficient of variation of the turn rates (gamma); the spread of prompts, the standard
deviation of their logarithm. ET-LRU knows the model: its rates, also those of each conversation, and its law of
prompts. T-LRU's estimate is the mean of the prompts that continue a conversation. Regret is against Tail-Optimized
Belady; written and printed is its mean in per cent of LRU's on the same sample, with Student's 95 % interval.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import teltheory as tt
from teltheory.paper.rows import Regret
from teltheory.paper.script import in_order, markdown, run
from teltheory.paper.tables import average_of
from teltheory.paper.tidy import write_rows
from teltheory.policies.learned.etlru import Belief
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate
from teltheory.workloads import ConversationMixture, GammaRates, Kind, LogNormal, sample_labelled

ALIVE = 17.0
TURN_RATE = 1 / 200
MEAN_PROMPT, MEAN_RESPONSE = 200.0, 300.0
CAPACITY, XI = 10_000, 1_000
TURNS, SEEDS = 2_000, 5
BELIEFS: tuple[Belief, ...] = ("paper", "bayes", "next-event")


@dataclass(frozen=True)
class Setting:
    """A sample's model and seed."""

    factor: str = ""
    value: float = 0.0
    lifetime: float = 600.0
    variation: float = 1.0
    spread: float = 1.0
    seed: int = 0

    @property
    def model(self) -> ConversationMixture:
        """The conversation model."""
        rate = GammaRates(TURN_RATE, self.variation) if self.variation else TURN_RATE
        kind = Kind(rate, LogNormal(MEAN_PROMPT, self.spread), LogNormal(MEAN_RESPONSE))
        return ConversationMixture(ALIVE / self.lifetime, 1 / self.lifetime, (kind,))


def settings() -> Iterator[Setting]:
    """Yield the grid."""
    for seed in range(SEEDS):
        base = Setting(seed=seed)
        for lifetime in (2400.0, 1200.0, 600.0, 300.0, 150.0):
            yield replace(base, factor="deaths an hour", value=3600 / lifetime, lifetime=lifetime)
        for variation in (0.0, 0.5, 1.0, 1.5, 2.0):
            yield replace(base, factor="variation of turn rates", value=variation, variation=variation)
        for spread in (0.0, 0.5, 1.0, 1.5, 2.0):
            yield replace(base, factor="spread of prompts", value=spread, spread=spread)


def regrets(setting: Setting) -> dict[str, int]:
    """Return the regret of each policy on a sample, in tokens."""
    sample = sample_labelled(setting.model, TURNS, np.random.default_rng(setting.seed))
    optimum = tt.hindsight_optimum(sample.trace, CAPACITY, XI).objective
    return {
        name: tt.tail_excess_latency(tt.replay(sample.trace, policy, CAPACITY), XI) - optimum
        for name, policy in policies(setting, sample.turn_rate, sample.trace).items()
    }


def rows(grid: list[Setting], found: list[dict[str, int]]) -> Iterator[Regret]:
    """Yield the shares of LRU's regret, averaged over those samples of a factor's value where LRU has one."""
    samples: dict[tuple[str, float, str], list[float]] = {}
    for setting, of in zip(grid, found, strict=True):
        for policy, regret in of.items():
            shares = samples.setdefault((setting.factor, setting.value, policy), [])
            shares += [100 * regret / of["LRU"]] if of["LRU"] else []
    for place, shares in samples.items():
        yield Regret(*place, len(shares), *average_of(np.array(shares)))


def policies(setting: Setting, turn_rates: NDArray[np.float64], trace: tt.Trace) -> dict[str, AnyPolicy]:
    """Return the policies by name."""
    model = setting.model
    law = LogNormal(MEAN_PROMPT, setting.spread)
    online: dict[str, AnyPolicy] = {"LRU": tt.LRU(), "T-LRU": tt.TLRU(XI, default_estimate(trace))}
    rates = tuple(turn_rates.tolist())
    for belief in BELIEFS:
        online[f"ET-LRU ({belief})"] = tt.ETLRU(XI, law, model.death_rate, rates, model.birth_rate, belief)
    return online


def lines(table: list[Regret]) -> Iterator[str]:
    """Yield means and intervals as a Markdown table, a column a policy."""
    cells: dict[tuple[str, str], list[str]] = {}
    for row in table:
        if row.policy != "LRU":
            cells.setdefault((row.factor, f"{row.value:g}"), []).append(f"{row.mean:.0f} ± {row.half:.0f}")
    policies = dict.fromkeys(row.policy for row in table if row.policy != "LRU")
    yield from markdown(("factor", "value", *policies), ((*place, *shares) for place, shares in cells.items()))


def main(table: str) -> Iterator[str]:
    """Replay every sample under every policy, write the table and yield its lines."""
    grid = list(settings())
    found = list(rows(grid, list(in_order(regrets, grid, None, "sample {}".format))))
    write_rows(found, Path(table), Regret)
    yield from lines(found)


if __name__ == "__main__":
    run(main, __doc__)
