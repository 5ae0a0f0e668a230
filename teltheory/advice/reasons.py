"""Why advice in a queue stays with LRU: facts that were measured, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.goal import Goal
from teltheory.model.units import in_seconds

if TYPE_CHECKING:
    from teltheory.advice.held_out import Row

LITTLE = 0.05
"""Share of the tail that endless memory removes below which memory is ample."""
MOST = 0.5
"""Share of the tail that is wait from which on it is a queue's."""


def reasons_of(lru: Row, tried: Row, endless: Row, goal: Goal, idle: bool) -> Iterator[str]:
    """Yield what speaks for LRU on the rest; `idle` says that too few turns of the first part count."""
    slo = f"{float(goal.slo):g} s"
    if idle:
        yield "Memory is ample: until its end the first part overflows no first tier, so all policies do the same."
    if not lru.slow:
        yield f"There is no tail: under LRU no turn of the rest takes longer than {slo}."
        return
    yield from _ample(lru, endless)
    yield from _eaten(lru, tried)
    if lru.wait >= MOST * lru.tel:
        share, tel = _percent(lru.wait / lru.tel), in_seconds(lru.tel)
        yield f"The tail is a queue's: {share} of LRU's {tel} s above the SLO are waits."


def _ample(lru: Row, endless: Row) -> Iterator[str]:
    left = (lru.tel - endless.tel) / lru.tel
    if left < LITTLE:
        found, tel = in_seconds(endless.tel), in_seconds(lru.tel)
        yield (
            f"Memory is ample: with LRU and endless memory the seconds above the SLO would be {found} instead of "
            f"{tel}, {_lower(left)}."
        )


def _eaten(lru: Row, tried: Row) -> Iterator[str]:
    """Yield what a setting that adds to the tail costs, and that waits take back what is gained without them."""
    alone, waits, worse = lru.alone - tried.alone, tried.wait - lru.wait, tried.tel - lru.tel
    if worse < 0:
        return
    if alone > 0:
        yield (
            f"The queue eats the gain: if no turn waited {tried.policy} would have {in_seconds(alone)} s less "
            f"above the SLO than LRU's {in_seconds(lru.alone)}; its waits have {in_seconds(waits, plus=True)} s."
        )
    if tried.busy > lru.busy:
        more, share = in_seconds(tried.busy - lru.busy), _percent(tried.busy / lru.busy - 1)
        added, waited = in_seconds(worse), in_seconds(waits)
        of_it = f"of the {added} s that it adds above the SLO {waited} are waits"
        yield (
            f"{tried.policy} keeps the replicas busy for {more} s longer ({share}), at a utilisation of "
            f"{tried.utilisation:.2f} instead of {lru.utilisation:.2f}: "
            f"{of_it if waits <= worse else f'it adds {added} s above the SLO, its waits alone {waited}'}."
        )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _lower(share: float) -> str:
    return f"{_percent(abs(share))} {'lower' if share >= 0 else 'higher'}"
