"""Figures 4 to 6: the scan has their captions and what the text says of them, and none of their curves.

- `figure-4` cannot be decided: its curves are an image, and both data sets are downloads of the reader's own. The
  rows below it hold the project's workloads, before they are cut, against what is published about the data sets.
- `figure-5` is decided by the text of Appendix G.1 with "the tail (around 300 ms)" read as P95, which under LRU
  lies there; "slightly higher" as higher by at most the 40 ms that the text names. `figure-5.p99` is the same at
  P99.
- `figure-6` is decided by the text of Appendix G.2 with "very closely" read as within 5 % of Tail-Optimized
  Belady's P90, P95 and P99.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from experiments.fit_chat_lengths import FILE, columns
from experiments.paper.printed import CAPACITIES
from proofs_checks.paper_runs import TOGETHER, Sampled, Spot, interval, told
from teltheory.claims.claim import Claim, Enumerated, MissingDataError, Rule, Unshrunk, Values
from teltheory.claims.data_files import data_file
from teltheory.claims.origin import BOTH, OURS, reading
from teltheory.claims.worlds import Given
from teltheory.workloads import sharegpt_like
from teltheory.workloads.chat_data import WILDCHAT_AT_LEAST, WILDCHAT_LONGEST_KNOWN, wildchat_like
from teltheory.workloads.chats import turn_law

THRESHOLDS = (100, 200, 300)
MOST_MEDIAN_MS = 40
NEAR_PER_CENT = 5
TURNS_MEAN, TURNS_SHARES = 2.35, {2: 42.1, 3: 26.2, 5: 12.4, 10: 2.7}
TURNS_PERCENTILES = {50: 1, 90: 5, 95: 7, 99: 13}
LEFT_OUT = (25, 75, 85)
CELLS, AS_TOLD = "cells", "as the text says"
FIGURE_5 = "Figure 5, Appendix G.1"


@dataclass(frozen=True)
class Fact(Unshrunk):
    """A number that is published or measured about a data set, and the workload's.

    Attributes
    ----------
    what, unit : str
        What it is.
    published, ours : float
        Both numbers.
    within : float
        How far they may be apart.
    """

    what: str
    unit: str
    published: float
    ours: float
    within: float

    @property
    def row(self) -> str:
        """What it is."""
        return f"{self.what}, {self.unit}" if self.unit else self.what

    @property
    def column(self) -> str:
        """The only column."""
        return "published / ours"

    def shown(self, values: Values) -> str:
        """Return both numbers."""
        return f"{values['published']:g} / {values['ours']:.4g}"

    def size(self) -> tuple[Any, ...]:
        """Return its name."""
        return (self.what,)

    def measures(self) -> dict[str, int]:
        """Return nothing."""
        return {}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return what it is and both numbers."""
        return {"what": self.row, "values": dict(values)}


def both(case: Fact) -> Values:
    """Return both numbers and how far they may be apart."""
    return {"published": case.published, "ours": case.ours, "within": case.within}


def near(cells: Sequence[Values]) -> Values:
    """Count the numbers, and those that are near the published ones."""
    found = sum(abs(cell["ours"] - cell["published"]) <= cell["within"] for cell in cells)
    return {CELLS: len(cells), "near": found}


def turns_of_a_conversation() -> tuple[Fact, ...]:
    """Return what is published about WildChat's turns, and the law of the workload before it is cut."""
    law = turn_law(WILDCHAT_AT_LEAST, WILDCHAT_LONGEST_KNOWN)
    numbers = range(1, law.lengths[-1] + 1)
    more = dict(zip((0, *numbers), law.at_least(np.arange(1, len(numbers) + 2)).tolist(), strict=True))
    percentiles = {q: min(k for k in numbers if more[k] <= 1 - q / 100) for q in TURNS_PERCENTILES}
    return (
        Fact("mean", "turns", TURNS_MEAN, law.mean, TURNS_MEAN / 100),
        *(Fact(f"P{q}", "turns", known, percentiles[q], 1) for q, known in TURNS_PERCENTILES.items()),
        *(Fact(f"{k} turns or more", "%", known, 100 * more[k - 1], 0.1) for k, known in TURNS_SHARES.items()),
    )


class Lengths(Enumerated):
    """WildChat's prompts and the responses to them, as the benchmark logs have them, and the workload's laws."""

    def classes(self, effort: str) -> Iterator[Iterator[Fact]]:
        """Yield means, and percentiles that the laws were not made of, as one class.

        Raises
        ------
        MissingDataError
            Where the file is not in the data folder.
        """
        data, chats = columns(data_file(FILE)), wildchat_like(mean_prompt=None)
        for name, laws in (("prompt", chats.prompts), ("response", chats.responses)):
            for which, law in zip(("first", "later"), laws, strict=True):
                lengths = data[name][(data["turn"] == 1) == (which == "first")]
                yield iter(_lengths(f"{which} {name}", lengths, law))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is compared, in words."""
        return {"cases": f"{FILE}: means, and P25, P75 and P85, by kind of turn, prompts not scaled"}


def _lengths(what: str, lengths: Any, law: Any) -> Iterator[Fact]:
    mean = float(lengths.mean())
    yield Fact(f"{what}, mean", "tokens", mean, law.mean, mean / 20)
    for q in LEFT_OUT:
        known = float(np.quantile(lengths, q / 100, method="inverted_cdf"))
        yield Fact(f"{what}, P{q}", "tokens", known, float(law.quantile(np.array([q / 100]))[0]), known / 10)


class Unscanned(Enumerated):
    """Curves that are an image."""

    missing = MissingDataError(
        "missing: the curves of Figure 4, an image that the scan of the paper does not have, and the numbers "
        "behind them. figure-4.turns and figure-4.lengths compare what is published of WildChat; of ShareGPT only "
        "the mean turns and the mean prompt are (figure-4.sharegpt), its law of turns is declared, not measured"
    )

    def classes(self, effort: str) -> Iterator[Iterator[Fact]]:
        """Raise MissingDataError."""
        raise self.missing

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return that there is no case."""
        return {"cases": "no case"}


figure_4 = Claim(
    "figure-4",
    "Figure 4",
    "Turns a conversation and tokens of WildChat and ShareGPT are distributed as drawn.",
    both,
    lambda counts: bool(counts[CELLS] == counts["near"]),
    Unscanned(),
    BOTH,
)
PUBLISHED = "the mean within 1 %, percentiles within one turn, shares within 0.1 points"
figure_4_turns = replace(
    figure_4,
    id="figure-4.turns",
    source="Figure 4, published facts of WildChat",
    statement="Before it is cut the WildChat-like workload has WildChat's published turns a conversation.",
    space=Given(turns_of_a_conversation(), "mean, four percentiles and four shares of 529,428 conversations"),
    origin=OURS,
    rule=Rule(f"Every number is near the published one: {PUBLISHED}.", near),
)
figure_4_lengths = replace(
    figure_4_turns,
    id="figure-4.lengths",
    source="Figure 4, per-turn benchmark logs of WildChat's prompts",
    statement="Before prompts are scaled the WildChat-like workload has the lengths of the logs, also at "
    "percentiles of which its laws are not made.",
    space=Lengths(),
    rule=Rule("Every mean is within 5 % of the logs', every percentile within 10 %.", near),
)
figure_4_sharegpt = replace(
    figure_4_turns,
    id="figure-4.sharegpt",
    source="Figure 4, Appendix G.2",
    statement="The ShareGPT-like workload has the mean turns and the mean prompt that the paper gives; all else "
    "of it is declared, not measured.",
    space=Given(
        (
            Fact("mean turns a conversation", "", 3.5, sharegpt_like().mean_turns, 0.05),
            Fact("mean prompt", "tokens", 100, sharegpt_like().mean_prompt, 0.5),
        ),
        "two means",
    ),
    rule=Rule("Both means round to the printed ones.", near),
)


def differences(metrics: tuple[str, ...]) -> tuple[Spot, ...]:
    """Return the places at which T-LRU is compared with LRU and Threshold-LRU on the WildChat-like workload."""
    return tuple(
        Spot("wildchat", capacity, xi, "tlru", against, metric)
        for against, capacity, xi, metric in product(("lru", "threshold-lru"), CAPACITIES, THRESHOLDS, metrics)
    )


def difference(case: Spot) -> Values:
    """Return the mean difference in milliseconds, and what the text says of it: from where to where it lies."""
    expected = [0, MOST_MEDIAN_MS] if case.metric == "p50" else [None, 0]
    return {**interval(case.of(case.policy) - case.of(case.against)), "expected": expected}


def as_the_text_says(cells: Sequence[Values]) -> Values:
    """Count the cells, and those whose mean difference has the sign and size that the text says."""
    found = 0
    for cell in cells:
        low, high = cell["expected"]
        found += cell["ours"] < 0 if low is None else low < cell["ours"] <= high
    return {CELLS: len(cells), AS_TOLD: found}


def _figure_5_rule(percentile: str) -> Rule:
    return Rule(
        f"At xi = 100, 200 and 300 ms and every C the mean {percentile} of T-LRU is below that of LRU and of "
        f"Threshold-LRU, and its mean P50 above theirs, by at most {MOST_MEDIAN_MS} ms.",
        as_the_text_says,
    )


figure_5 = Claim(
    "figure-5",
    FIGURE_5,
    "T-LRU is better than LRU and Threshold-LRU at the tail (P95), with a slightly higher median, WildChat.",
    difference,
    lambda counts: bool(counts[CELLS] == counts[AS_TOLD]),
    Sampled(differences(("p50", "p95")), "difference of mean percentiles in ms", ("wildchat",)),
    BOTH,
    sampled=True,
    rule=_figure_5_rule("P95"),
    together=TOGETHER,
)
figure_5_p99 = replace(
    figure_5,
    id="figure-5.p99",
    statement="T-LRU is better than LRU and Threshold-LRU at P99, with a slightly higher median, WildChat.",
    space=Sampled(differences(("p50", "p99")), "difference of mean percentiles in ms", ("wildchat",)),
    origin=reading("the tail is P99"),
    rule=_figure_5_rule("P99"),
)


def above_belady(case: Spot) -> Values:
    """Return by how much a mean percentile lies above Tail-Optimized Belady's, in per cent."""
    ours, best = case.of(case.policy), case.of(case.against)
    return {"ours": 100 * float(ours.mean() / best.mean() - 1), "policy in ms": float(ours.mean())}


@dataclass(frozen=True)
class Above(Spot):
    """A place at which a percentile is compared in per cent."""

    def shown(self, values: Values) -> str:
        """Return the per cent."""
        return told(values["ours"])


def within(cells: Sequence[Values]) -> Values:
    """Count the cells near Tail-Optimized Belady, and find the farthest."""
    found = [abs(cell["ours"]) for cell in cells]
    near_it = sum(value <= NEAR_PER_CENT for value in found)
    return {CELLS: len(found), f"within {NEAR_PER_CENT} %": near_it, "farthest, per cent": max(found)}


figure_6 = Claim(
    "figure-6",
    "Figure 6, Appendix G.2",
    "T-LRU, End-Aware and Length-Aware T-LRU are all close to Tail-Optimized Belady, ShareGPT.",
    above_belady,
    lambda counts: bool(counts[CELLS] == counts[f"within {NEAR_PER_CENT} %"]),
    Sampled(
        tuple(
            Above("sharegpt", capacity, xi, policy, "tail-optimized-belady", metric)
            for policy, capacity, xi, metric in product(
                ("tlru", "end-aware", "length-aware"), CAPACITIES, THRESHOLDS, ("p90", "p95", "p99")
            )
        ),
        "mean percentile above Tail-Optimized Belady's, in per cent",
        ("sharegpt",),
    ),
    BOTH,
    sampled=True,
    rule=Rule(
        f"At xi = 100, 200 and 300 ms and every C their mean P90, P95 and P99 are within {NEAR_PER_CENT} % of "
        "Tail-Optimized Belady's.",
        within,
    ),
    together=TOGETHER,
)


if __name__ == "__main__":
    from teltheory.cli import main

    main(["verify", "--section", "figures_4_to_6"])
