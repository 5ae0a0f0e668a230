"""What an advice says of announced ends: whether to, what that brings, and what late or missing ones cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.engines import RELEASES
from teltheory.advice.words import change, in_one_unit, setting

if TYPE_CHECKING:
    from teltheory.advice import Advice
    from teltheory.advice.ends import AnnouncedEnds, WithEnds


def ends_lines(advice: Advice) -> Iterator[str]:
    """Yield what is said of ends, a subject a line; lines for a shell begin with two spaces."""
    ends = advice.ends
    if ends is None:
        return
    yield _conclusion(advice, ends)
    yield _beside(ends)
    if ends.engine is not None:
        yield _engine(advice, ends.engine, recommended=ends.engine_helps)
        if ends.engine_helps:
            yield f"  {ends.arguments}"


def _conclusion(advice: Advice, ends: AnnouncedEnds) -> str:
    which, both = f"T-LRU with {setting(advice, ends.margin)} tokens", ends.both
    (p50,), unit = in_one_unit(both.p50)
    found = f"on the rest {advice.goal.name} is {change(both.gain)} than with LRU, for {both.work:.3f} times the "
    found += f"prefill and a P50 of {p50} {unit}"
    if ends.recommended:
        return f"ADVICE, where agents' ends are known: announce ends and use {which}: {found}."
    said = f"Ends: to announce them and use {which} is not advised: {found}"
    if ends.unsure is not None:
        return f"{said}, and there is no interval: {ends.unsure}."
    if not ends.helps:
        return f"{said}, but the first part shows no gain within the limits that chance does not explain."
    if both.broken:
        return f"{said}, which is above the limit on {' and '.join(both.broken)}."
    return f"{said}, {'which may be chance' if ends.adds else 'no more than LRU that hears them'}."


def _beside(ends: AnnouncedEnds) -> str:
    """Return what ends alone bring, and what it costs if they are late or do not come; and how they are known."""
    ways = (f"{ends.seconds_late} s late, both are", ends.late), ("never announced, T-LRU is", ends.never)
    said = "; ".join(f"{way} {_brief(one)}" for way, one in ways)
    return f"Ends ({', '.join(ends.said)}) alone, under LRU, are {_brief(ends.alone)}; {said}."


def _brief(one: WithEnds) -> str:
    limits = f", above the limit on {' and '.join(one.broken)}" if one.broken else ""
    return f"{change(one.gain)} for {one.work:.3f} times the prefill{limits}"


def _engine(advice: Advice, one: WithEnds, *, recommended: bool) -> str:
    """Return what SGLang's rules make of it."""
    engine = RELEASES["sglang"]
    where = f"{engine.engine} ({engine.version}), session ids sent and /close_session at each agent's end, "
    where += "under its rules"
    found = f"{advice.goal.name} is {_brief(one)}"
    return f"{where}: {found}." if recommended else f"{where}: {found}. It is not recommended there."
