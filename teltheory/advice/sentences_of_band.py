"""What an advice says if its TTFT is estimated: what is advised at both ends of the band and in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.words import change
from teltheory.advice.words import setting as setting_of
from teltheory.model.display import Table

if TYPE_CHECKING:
    from teltheory.advice import Advice

HEADS = ("efficiency", "SLO tokens", "advice", "LRU P95 s", "its P95 s", "gain on the rest")
MEASURE = "Measure this GPU (teltheory calibrate) before you follow it."


def band_lines(advice: Advice) -> Iterator[str]:
    """Yield the ranges within the band, and whether the advice is the same there; nothing of what is measured."""
    if not advice.band:
        return
    whole, found = _all(advice), [one for _, one in _all(advice) if one is not None]
    slos = _range([f"{one.goal.xi:,}" for one in found])
    lru, tried = (_range([f"{one.held_out.rows[i].p95:.3f}" for one in found]) for i in (0, 1))
    yield (
        f"Estimated: at {_range([share for share, _ in whole])} of the peak the SLO is {slos} tokens, and P95 on "
        f"the rest is {lru} s with LRU, {tried} s with {advice.policy}."
    )
    said = [(share, _kind(one)) for share, one in whole]
    if len({kind for _, kind in said}) == 1:
        xis = sorted(one.xi for one in found)
        setting = f", ξ = {_range([f'{xi:,}' for xi in xis])}" if advice.recommended else ""
        yield f"The advice is the same in the middle and at both ends of the band: {said[0][1]}{setting}."
        return
    each = ", ".join(f"{kind} at {share}" for share, kind in said)
    yield f"The advice differs within the band: {each}. {MEASURE}"


def tables_of_band(advice: Advice) -> Iterator[Table]:
    """Yield the advice at both ends of the band and in the middle as a table."""
    if advice.band:
        yield "The band of the estimate", HEADS, [_row(share, one) for share, one in _all(advice)]


def _row(share: str, one: Advice | None) -> tuple[str, ...]:
    if one is None:
        return share, "none", _kind(one), "", "", ""
    lru, tried = one.held_out.rows[:2]
    which = f"{one.policy}, {setting_of(one, one.tried.margin)}" if one.recommended else _kind(one)
    return share, f"{one.goal.xi:,}", which, f"{lru.p95:.3f}", f"{tried.p95:.3f}", change(one.held_out.gain)


def _all(advice: Advice) -> list[tuple[str, Advice | None]]:
    """Return the efficiencies from the slow end to the fast one, and the advice at each."""
    texts = [f"{float(100 * one.efficiency):.0f} %" for one in advice.band]
    each = [(one.advice or advice) if one.reached else None for one in advice.band]
    return list(zip(texts, each, strict=True))


def _kind(one: Advice | None) -> str:
    if one is None:
        return "no prompt keeps the SLO"
    return one.policy if one.recommended else "stay with LRU"


def _range(texts: list[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else f"{texts[0]} to {texts[-1]}"
