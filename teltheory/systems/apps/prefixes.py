"""Hashes of the prefixes of a prompt (Parrot, Sections 4.2 and 5.3, PrefixHash).

1. A prompt is split where its variables stand. After each part the tokens up to there are hashed: 128 bits of
   BLAKE2b over the tokens, not the characters, so that only prompts whose keys and values are equal are equal.
2. The hash depends on the tokens alone, not on where the parts end.

The store that Parrot keeps of them, from a hash to requests and contexts, is in two places. A queue knows the
requests that begin with one (`teltheory.systems.apps.waiting`); a collision there costs a detour, no more. An
engine knows the contexts that hold one (`teltheory.systems.apps.engines.keeping`); there tokens are compared
before a hit counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

Hashes = tuple[tuple[int, int], ...]


def prefix_hashes(parts: Sequence[Sequence[int]]) -> Hashes:
    """Return (hash, tokens up to there) after each part of a prompt; `parts` are token ids."""
    running, length = blake2b(digest_size=16), 0
    found = []
    for part in parts:
        running.update(np.asarray(part, dtype="<i8").tobytes())
        length += len(part)
        found.append((int.from_bytes(running.digest(), "big"), length))
    return tuple(found)
