"""Random models of the belief MDP by class, and where policies lose on them.

A class is a belief, one turn rate or two, prompts of one known length or random ones, and optional or forced
caching. A model is drawn as the document of a file, so that it can be read, changed and solved again. A decision
for M turns is exact at a state in which nobody was silent for more than K - M turns; only these are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from teltheory.belief.compared import rows_of, solutions
from teltheory.belief.model_file import model_of
from teltheory.belief.optimality import ScoreRule
from teltheory.errors import ArgumentError

CLASSES = tuple(
    product(("paper", "bayes"), ("one rate", "two rates"), ("known", "random"), ("optional", "forced"))
)
COLUMNS = ("belief", "rates", "prompts", "caching")
GAPS = ("1/3", "1/2", "2/3")
MOST_STATES = 200_000
SEEN = 2
"""Heard turns of the states that are looked at."""


def drawn(rng: np.random.Generator, kind: Sequence[str]) -> dict[str, Any]:
    """Return a random document of a class."""
    belief, rates_of, prompts, caching = kind
    two = rates_of == "two rates"
    slow, quick = sorted(rng.choice(np.arange(1, 9), 2, replace=False).tolist())
    forced, longest = caching == "forced", int(rng.integers(1, 3))
    first: dict[str, Any] = {str(longest): 1}
    more = "0" if forced else str(longest)
    later: dict[str, Any] = {more: 1}
    if prompts == "random":
        first, later = {"1": "1/2", "2": "1/2"}, {"0": 1} if forced else {"1": "1/2", "2": "1/2"}
    capacity, response = int(rng.integers(2, 4)), {str(int(rng.integers(0, 2)) if not forced else 0): 1}
    own = {"prompts": [first, later] if forced else [later], "response": response}
    kinds = [{"name": "slow", "turn_rate": slow, "share": "1/2", **own}]
    kinds.append({"name": "quick", "turn_rate": quick if two else slow, "share": "1/2", **own})
    rates = {"death_rate": int(rng.integers(1, 3)), "birth_rate": int(rng.integers(1, 3))}
    rule = {"capacity": capacity, "xi": int(rng.integers(0, 3)), "caching": caching, "belief": belief}
    gaps = {"gaps": {GAPS[rng.integers(3)]: 1}}
    return {**rule, **rates, **gaps, "kinds": kinds if two else [kinds[0] | {"share": 1}]}


def tried(number: int, seed: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of a model and its document, classes in turn."""
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        yield i, drawn(rng, CLASSES[i % len(CLASSES)])


def found_on(document: dict[str, Any], policies: Sequence[ScoreRule], turns: int) -> dict[str, Any]:
    """Return what each policy loses on a model at its worst state, in tokens."""
    options: dict[str, Any] = {"turns": turns, "silent": turns + SEEN, "most": MOST_STATES}
    try:
        best, *others = rows_of(solutions(model_of(document), policies, **options))
    except ArgumentError as error:
        return {"skipped": str(error)}
    lost = {row["policy"]: row["worst"] for row in others}
    return {"states": best["states"], "lost": lost, "saving": best["saving"]}


def summary(
    results: Sequence[tuple[dict[str, Any], dict[str, Any]]], policies: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a row a class and policy: models, on how many it loses, the largest loss, the smallest model."""
    rows = []
    for kind in CLASSES:
        of_class = [(document, found) for document, found in results if class_of(document) == kind]
        solved = [(document, found) for document, found in of_class if "lost" in found]
        for policy in policies if solved else ():
            losing = [(document, found) for document, found in solved if found["lost"][policy] > 0]
            smallest = min(losing, key=lambda one: (one[1]["states"], str(one[0])), default=None)
            rows.append(
                {
                    **dict(zip(COLUMNS, kind, strict=True)),
                    "policy": policy,
                    "models": len(solved),
                    "loses": len(losing),
                    "worst": max((found["lost"][policy] for _, found in losing), default=0.0),
                    "smallest": None if smallest is None else smallest[0],
                }
            )
    return rows


def class_of(document: dict[str, Any]) -> tuple[str, ...]:
    """Return a document's class."""
    kinds = document["kinds"]
    rates = "two rates" if len({kind["turn_rate"] for kind in kinds}) > 1 else "one rate"
    prompts = "random" if any(len(law) > 1 for kind in kinds for law in kind["prompts"]) else "known"
    return document["belief"], rates, prompts, document["caching"]
