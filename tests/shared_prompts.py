"""A file of prompts that share prefixes, as the Mooncake trace has them."""

import json
from pathlib import Path

import numpy as np

SIZE = 512


def write_prompts(file: Path, count: int, seed: int) -> None:
    """Write a prompt of one block, then prompts that begin with a part of an earlier one, in full blocks."""
    rng, paths = np.random.default_rng(seed), [[0]]
    for k in range(count):
        old = paths[rng.integers(len(paths))]
        new = range(100 * k + 100, 100 * k + 100 + int(rng.integers(1, 4)))
        paths.append([*old[: rng.integers(1, len(old) + 1)], *new])
    rows = (
        {"timestamp": 1000 * k, "input_length": SIZE * len(path), "output_length": 1, "hash_ids": path}
        for k, path in enumerate(paths)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
