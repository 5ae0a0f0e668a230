"""Up to which sizes claims on traces are enumerated: most tokens by number of turns, at either effort.

Plain Python judges small classes; `teltheory.claims.compiled` runs these and the large ones.
"""

from dataclasses import replace

from teltheory.claims.worlds import Limits, SmallWorlds

JUDGED = {1: 3, 2: 3, 3: 3, 4: 2}, {1: 5, 2: 5, 3: 4, 4: 2}
JUDGED_WITH_STARTS = {1: 2, 2: 2, 3: 1}, {1: 3, 2: 3, 3: 2, 4: 1}
POLICIES = {1: 12, 2: 10, 3: 6, 4: 4, 5: 3, 6: 2}, {1: 40, 2: 30, 3: 15, 4: 10, 5: 7, 6: 5}
POLICIES_WITH_STARTS = {1: 12, 2: 10, 3: 7, 4: 4, 5: 2}, {1: 40, 2: 30, 3: 14, 4: 9, 5: 6, 6: 3}
STATES = {1: 8, 2: 8, 3: 6, 4: 4, 5: 2, 6: 1}, {1: 20, 2: 20, 3: 12, 4: 8, 5: 6, 6: 4}
STATES_WITH_STARTS = {1: 8, 2: 8, 3: 6, 4: 4, 5: 2}, {1: 20, 2: 20, 3: 11, 4: 7, 5: 5, 6: 3}
START_TOKENS = {"quick": 2, "full": 4}
JUDGED_NATURAL = {1: 2, 2: 1, 3: 1}, {1: 4, 2: 3, 3: 2}
LARGE_NATURAL = {1: 12, 2: 8, 3: 5, 4: 2}, {1: 12, 2: 10, 3: 8, 4: 5, 5: 2}
"""Of natural worlds, above the least tokens."""


def judged(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for plain Python."""
    return _sized(space, JUDGED_WITH_STARTS if space.starts else JUDGED, JUDGED_NATURAL)


def of_policies(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for compiled replays of a few policies."""
    return _sized(space, POLICIES_WITH_STARTS if space.starts else POLICIES, LARGE_NATURAL)


def of_states(space: SmallWorlds) -> SmallWorlds:
    """Return a space with the sizes for compiled checks that go through states, orders or many policies."""
    return _sized(space, STATES_WITH_STARTS if space.starts else STATES, LARGE_NATURAL)


def _sized(space: SmallWorlds, sizes: tuple[Limits, Limits], natural: tuple[Limits, Limits]) -> SmallWorlds:
    quick, full = sizes
    return replace(space, quick=quick, full=full, start_tokens=START_TOKENS, natural_sizes=natural)
