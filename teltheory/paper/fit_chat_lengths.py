"""Fit the laws of lengths of the WildChat-like workload: the numbers of `teltheory/workloads/chat_data.py`.

    python -m teltheory.paper.fit_chat_lengths [wildchat_turn_lengths.csv]

Quantiles of prompts and responses, of first and of later turns, and the correlation of the normal scores of two
responses (and of two prompts) of one conversation: the mean of their product over all pairs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from teltheory.workloads import data_folder
from teltheory.workloads.chat_data import LEVELS
from teltheory.workloads.laws import Quantiles

FILE = "wildchat_turn_lengths.csv"


def columns(path: Path) -> dict[str, NDArray[np.int64]]:
    """Return conversation (numbered), turn, prompt and response of each row."""
    from pyarrow import csv

    table = csv.read_csv(path)
    names = {"turn": "turn", "prompt": "user_tokens", "response": "response_tokens"}
    _, conversation = np.unique(table["conversation_hash"].to_pylist(), return_inverse=True)
    return {"conversation": conversation, **{name: table[column].to_numpy() for name, column in names.items()}}


def quantiles(data: dict[str, NDArray[np.int64]]) -> dict[str, tuple[int, ...]]:
    """Return the quantiles of each law at `LEVELS`; the lowest is 0 for prompts, so that the law is increasing."""
    first = data["turn"] == 1
    parts = {"FIRST": first, "LATER": ~first}
    found = {}
    for name in ("prompt", "response"):
        for part, turns in parts.items():
            law = Quantiles.of(data[name][turns], LEVELS)
            found[f"{part}_{name.upper()}S"] = tuple(map(int, law.lengths))
    return found


def correlation(data: dict[str, NDArray[np.int64]], name: str) -> float:
    """Return the mean product of two normal scores of one conversation; first and later turns are ranked apart."""
    from scipy.special import ndtri

    scores = np.empty(len(data[name]))
    for turns in (data["turn"] == 1, data["turn"] > 1):
        ranks = np.argsort(np.argsort(data[name][turns], kind="stable"), kind="stable")
        scores[turns] = ndtri((ranks + 0.5) / len(ranks))
    sums, squares = (np.bincount(data["conversation"], weights) for weights in (scores, scores**2))
    turns_of_each = np.bincount(data["conversation"])
    return float((sums**2 - squares).sum() / (turns_of_each * (turns_of_each - 1)).sum())


def main(arguments: Sequence[str]) -> None:
    """Print the numbers."""
    data = columns(Path(arguments[0]) if arguments else data_folder() / FILE)
    sys.stdout.write(f"{len(data['turn']):,} turns of {data['conversation'].max() + 1:,} conversations\n")
    for name, lengths in quantiles(data).items():
        sys.stdout.write(f"{name} = {lengths}\n")
    sys.stdout.write(f"RESPONSE_CORRELATION = {correlation(data, 'response'):.2f}\n")
    sys.stdout.write(f"correlation of prompts: {correlation(data, 'prompt'):.2f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
