"""Figure 4: distributions of turns and tokens, of which the scan has the caption and none of the curves.

`figure-4` cannot be decided: its curves are an image, and both data sets are downloads of the reader's own.
The rows below it hold the project's workloads, before they are cut, against what is published about the data
sets. What is an input of a workload, or follows from one alone, is by construction and counts for nothing.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.claims.claim import Cells, Placed, Rule, Values, claim
from teltheory.claims.data_files import Missing, data_file
from teltheory.claims.listed import Listed
from teltheory.claims.origin import BOTH
from teltheory.claims.worlds import Given
from teltheory.paper.fit_chat_lengths import FILE, columns
from teltheory.paper.grid import Q_HAT
from teltheory.workloads import sharegpt_like
from teltheory.workloads.chat_data import WILDCHAT_AT_LEAST, WILDCHAT_LONGEST_KNOWN, wildchat_like
from teltheory.workloads.chats import turn_law

TURNS_MEAN, TURNS_SHARES = 2.35, {2: 42.1, 3: 26.2, 5: 12.4, 10: 2.7}
TURNS_PERCENTILES = {50: 1, 90: 5, 95: 7, 99: 13}
LEFT_OUT = (25, 75, 85)
CELLS, GIVEN, WRONG = "cells", "by construction", "not near"


@dataclass(frozen=True)
class Fact(Placed):
    """A number that is published or measured about a data set, and the workload's, at most `within` apart.

    `null` is what a simpler law, which knows only the mean, has in the place of ours; `given` says that the number
    is an input of the workload.
    """

    what: str
    unit: str
    published: float
    ours: float
    within: float
    null: float = 0.0
    given: bool = False

    @property
    def row(self) -> str:
        return f"{self.what}, {self.unit}" if self.unit else self.what

    @property
    def column(self) -> str:
        return "published / ours"

    def shown(self, values: Values) -> str:
        """Return both numbers."""
        mark = f" ({GIVEN})" if self.given else ""
        return f"{values['published']:g} / {values['ours']:.4g}{mark}"


def both(case: Fact) -> Values:
    """Return both numbers, how far they may be apart, and what a simpler law has."""
    names = ("published", "ours", "within", "null")
    return {**{name: getattr(case, name) for name in names}, GIVEN: case.given}


def near(cells: Cells) -> Values:
    """Count the numbers that are no inputs, and those of them that are not near the published ones."""
    counted = [cell for cell in cells if not cell[GIVEN]]
    wrong = sum(abs(cell["ours"] - cell["published"]) > cell["within"] for cell in counted)
    return {CELLS: len(cells), GIVEN: len(cells) - len(counted), "near": len(counted) - wrong, WRONG: wrong}


def all_near(counts: Values) -> bool:
    """Whether all numbers are near, of which at least one is no input."""
    return bool(counts["near"] and not counts[WRONG])


def simpler(cells: Cells) -> Cells:
    """Return the cells with the simpler law's numbers in the place of ours."""
    return [{**cell, "ours": cell["null"]} for cell in cells]


def turns_of_a_conversation() -> tuple[Fact, ...]:
    """Return what is published about WildChat's turns, and the law of the workload before it is cut.

    The law is made of the shares of conversations with at least 2, 3, 5, 10 and 14 turns; the last says that P99
    is 13, the first makes P50 1. The simpler law is the geometric one of the published mean.
    """
    law = turn_law(WILDCHAT_AT_LEAST, WILDCHAT_LONGEST_KNOWN)
    numbers = range(1, law.lengths[-1] + 1)
    ours = dict(zip((0, *numbers), law.at_least(np.arange(1, len(numbers) + 2)).tolist(), strict=True))
    geometric = {k: (1 - 1 / TURNS_MEAN) ** k for k in ours}
    (percentiles, shares), (null_percentiles, null_shares) = map(_of_turns, (ours, geometric))
    return (
        Fact("mean", "turns", TURNS_MEAN, law.mean, TURNS_MEAN / 100, TURNS_MEAN),
        *(
            Fact(f"P{q}", "turns", known, percentiles[q], 0, null_percentiles[q], q in (50, 99))
            for q, known in TURNS_PERCENTILES.items()
        ),
        *(
            Fact(f"{k} turns or more", "%", known, shares[k], 0.1, null_shares[k], k in WILDCHAT_AT_LEAST)
            for k, known in TURNS_SHARES.items()
        ),
    )


def _of_turns(more: Mapping[int, float]) -> tuple[dict[int, int], dict[int, float]]:
    """Return the percentiles, and the shares in per cent, of a law given by its shares of more than k turns."""
    percentiles = {q: min(k for k in more if k and more[k] <= 1 - q / 100) for q in TURNS_PERCENTILES}
    return percentiles, {k: 100 * more[k - 1] for k in TURNS_SHARES}


def lengths(left_out: tuple[int, ...]) -> Iterator[Iterator[Fact]]:
    """Yield facts of WildChat's prompts and the responses to them, as the benchmark logs have them.

    Means, and percentiles of which the workload's laws were not made.
    """
    data, chats = columns(data_file(FILE)), wildchat_like(mean_prompt=None)
    for name, laws in (("prompt", chats.prompts), ("response", chats.responses)):
        for which, law in zip(("first", "later"), laws, strict=True):
            logged = data[name][(data["turn"] == 1) == (which == "first")]
            yield _lengths(f"{which} {name}", logged, law, left_out)


def _lengths(what: str, lengths: Any, law: Any, left_out: tuple[int, ...]) -> Iterator[Fact]:
    """Yield the mean, and percentiles with those of the exponential law of the same mean."""
    mean = float(lengths.mean())
    yield Fact(f"{what}, mean", "tokens", mean, law.mean, mean / 20, mean)
    for q in left_out:
        known = float(np.quantile(lengths, q / 100, method="inverted_cdf"))
        ours, null = float(law.quantile(np.array([q / 100]))[0]), -mean * math.log(1 - q / 100)
        yield Fact(f"{what}, P{q}", "tokens", known, ours, known / 10, null)


CURVES = Missing(
    "missing: the curves of Figure 4, an image that the scan of the paper does not have, and the numbers "
    "behind them. figure-4.turns and figure-4.lengths compare what is published of WildChat; of ShareGPT only "
    "the mean turns and the mean prompt are (figure-4.sharegpt), its law of turns is declared, not measured"
)
figure_4 = claim(
    "figure-4",
    "Figure 4",
    "Turns per conversation and tokens of WildChat and ShareGPT are distributed as drawn.",
    all_near,
    CURVES,
    origin=BOTH,
)(both)


def near_to(text: str, null: str) -> Rule:
    """Return the rule that all numbers are near, with a simpler law for the null model."""
    return Rule(text, near, WRONG, {null: simpler})


PUBLISHED = "the mean within 1 %, P90 and P95 equal"
figure_4_turns = claim(
    "figure-4.turns",
    "Figure 4, published facts of WildChat",
    "Before it is cut the WildChat-like workload has WildChat's published turns per conversation.",
    all_near,
    Given(turns_of_a_conversation(), "mean, four percentiles and four shares of 529,428 conversations"),
    rule=near_to(
        f"Every number that is no input of the workload is near the published one: {PUBLISHED}.",
        "the geometric law of the published mean",
    ),
)(both)
figure_4_lengths = claim(
    "figure-4.lengths",
    "Figure 4, per-turn benchmark logs of WildChat's prompts",
    "Before prompts are scaled the WildChat-like workload has the lengths of the logs, also at "
    "percentiles of which its laws are not made.",
    all_near,
    Listed(
        lengths, LEFT_OUT, LEFT_OUT, f"{FILE}: means, and P25, P75 and P85, by kind of turn, prompts not scaled"
    ),
    rule=near_to(
        "Every mean is within 5 % of the logs', every percentile within 10 %.",
        "the exponential law of the logs' mean",
    ),
)(both)
SHAREGPT = (
    Fact("mean turns per conversation", "", 3.5, sharegpt_like().mean_turns, 0.05, TURNS_MEAN),
    Fact("mean prompt", "tokens", 100, sharegpt_like().mean_prompt, 0.5, Q_HAT["wildchat"]),
)
figure_4_sharegpt = claim(
    "figure-4.sharegpt",
    "Figure 4, Appendix G.2",
    "The ShareGPT-like workload has the mean turns and the mean prompt that the paper gives; all else "
    "of it is declared, not measured.",
    all_near,
    Given(SHAREGPT, "two means, both inputs of the workload"),
    kind="by construction",
    rule=near_to("Both means, inputs of the workload, round to the printed ones.", "WildChat's means"),
)(both)
