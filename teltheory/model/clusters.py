"""What belongs together among requests, and is drawn as one where a number is said to be sure.

1. A trace has conversations; where a kind of requests has none, each is by itself. A forest has what its file
   says belongs together, `Forest.cluster`: sessions; or the conversations of its turns.
2. Where nothing says so it is the root prefix: what a path begins with below the system prompt, the units that at
   least 90 % of all requests begin with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from teltheory.model.numbers import IntArray, readonly
from teltheory.model.preambles import system_prompt, without

PLURAL = {
    "conversation": "conversations",
    "session": "sessions",
    "request": "requests",
    "root prefix": "root prefixes",
}


def clustered(requests: Any) -> tuple[Any, str]:
    """Return requests of which `cluster_of` says the clusters, and what one of them is called."""
    conversation = getattr(requests, "conversation", None)
    if not requests.shared:
        return requests, "request" if conversation is None else "conversation"
    if requests.cluster is not None:
        return requests, "session"
    if conversation is not None and not _share(requests):
        return requests, "conversation"
    alone = replace(requests, conversation=None)
    _, number = np.unique(without(alone, system_prompt(alone)).tree, return_inverse=True)
    return replace(requests, cluster=readonly(number.astype(np.int64))), "root prefix"


def _share(forest: Any) -> bool:
    """Whether two conversations of a forest walk one tree."""
    pairs = np.unique(np.stack([forest.tree, forest.conversation]), axis=1)
    return bool(len(np.unique(pairs[0])) < pairs.shape[1])


def cluster_of(requests: Any) -> IntArray:
    """Return the cluster of each request, by number, of requests that `clustered` returned; shape (n,)."""
    named = (getattr(requests, name, None) for name in ("cluster", "conversation"))
    own = next((found for found in named if found is not None), None)
    return np.arange(len(requests), dtype=np.int64) if own is None else np.asarray(own, np.int64)


def named(clusters: int, called: str) -> str:
    """Return how many clusters there are, in words."""
    return f"1 {called}" if clusters == 1 else f"{clusters:,} {PLURAL[called]}"
