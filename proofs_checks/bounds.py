"""Up to which sizes claims on traces are enumerated: most tokens by number of turns, at either effort.

Plain Python judges small classes; the compiled check runs these and the large ones (`teltheory.claims.small`).
"""

from __future__ import annotations

from dataclasses import replace

from teltheory.claims.worlds import SmallWorlds

JUDGED = {1: 3, 2: 3, 3: 3, 4: 2}, {1: 5, 2: 5, 3: 4, 4: 2}
JUDGED_WITH_STARTS = {1: 2, 2: 2, 3: 1}, {1: 3, 2: 3, 3: 2, 4: 1}
POLICIES = {1: 12, 2: 10, 3: 6, 4: 4, 5: 3, 6: 2}, {1: 40, 2: 30, 3: 15, 4: 10, 5: 7, 6: 5}
POLICIES_WITH_STARTS = {1: 12, 2: 10, 3: 7, 4: 4, 5: 2}, {1: 40, 2: 30, 3: 14, 4: 9, 5: 6, 6: 3}
STATES = {1: 8, 2: 8, 3: 6, 4: 4, 5: 2, 6: 1}, {1: 20, 2: 20, 3: 12, 4: 8, 5: 6, 6: 4}
STATES_WITH_STARTS = {1: 8, 2: 8, 3: 6, 4: 4, 5: 2}, {1: 20, 2: 20, 3: 11, 4: 7, 5: 5, 6: 3}
START_TOKENS = {"quick": 2, "full": 4}


def judged(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for plain Python."""
    return _sized(space, JUDGED_WITH_STARTS if space.starts else JUDGED)


def of_policies(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for compiled replays of a few policies."""
    return _sized(space, POLICIES_WITH_STARTS if space.starts else POLICIES)


def of_states(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for compiled checks that go through states, orders or many policies."""
    return _sized(space, STATES_WITH_STARTS if space.starts else STATES)


def _sized(space: SmallWorlds, sizes: tuple[dict[int, int], dict[int, int]]) -> SmallWorlds:
    return replace(space, quick=sizes[0], full=sizes[1], start_tokens=START_TOKENS)
