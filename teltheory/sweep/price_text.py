"""A price list as text: what its columns mean, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from teltheory.model.display import percent
from teltheory.sweep.board_text import CHANGES, LEAST_DRAWS
from teltheory.sweep.marginals import Pair
from teltheory.sweep.prices import KINDS, MARGINALS, OPTIMUM, PERFECT, HintWorth, PricedRow, PricesAt

LEGEND = (
    "closed: share of LRU's distance to the hindsight optimum of this cache; two numbers where that is known "
    "between two sides. alone: closed by the hint or policy alone; last: by it beside all others; least, most: "
    "beside any of them; mean: over all orders (Shapley). prefill: tokens computed, as a multiple of LRU's. "
    "achieved: what was replayed as announced; family: the best constant in hindsight; misprediction: announced "
    "late, not, too early or with noise; perfect: what the future would say."
)
Text = tuple[str, Sequence[str], list[list[str]]]


def tables_of(place: PricesAt, unit: str) -> Iterator[Text]:
    """Yield the tables of a place: title, headings, rows; percentiles are in `unit`."""
    worths = place.worths
    drawn = ["mean, draws"] if place.draws > 1 else []
    if worths:
        heads = ["hint or policy", "alone", "last", "least", "most", "mean", *drawn]
        yield "what each closes", heads, [_worth(one, bool(drawn)) for one in worths]
    for kind in KINDS:
        of_kind = (one for one in place.priced if one.kind == kind and one.blank is None)
        rows = [_row(one, place.draws, unit, _sure(place)) for one in of_kind]
        if rows:
            more = [_optimum(place)] if kind == PERFECT else []
            yield kind, _headings(place, unit), [*rows, *(one + [""] * (len(rows[0]) - 3) for one in more)]


def notes_on(place: PricesAt) -> Iterator[str]:
    """Yield what holds for a place: draws, changes of sign, constants, blanks."""
    if place.draws > 1:
        few = "" if place.draws >= LEAST_DRAWS else f", fewer than {LEAST_DRAWS}"
        yield f"{place.draws} draws of what is assumed of the trace are pooled{few}; beside them least and most."
    if place.row.unsure is not None:
        yield f"No intervals: {place.row.unsure}."
    signs = [one.player for one in place.worths if one.changes_sign]
    if signs:
        yield f"The mean of {', '.join(signs)} changes its sign between draws."
    for one in place.priced:
        if one.blank is not None:
            yield f"{one.name} is blank: {one.blank}."
        elif one.settings:
            more = ", and others in other draws" if len({*one.settings}) > 1 else ""
            yield f"{one.name}: {one.settings[0]}{more}."


def _sure(place: PricesAt) -> bool:
    """Whether one replay has intervals over its sessions."""
    return place.row.gain_interval is not None and place.draws == 1


def _headings(place: PricesAt, unit: str) -> list[str]:
    tel = "TEL blocks" if place.row.unit > 1 else "TEL"
    sure = ["closed, draws"] if place.draws > 1 else []
    gain = ["gain 95 %"] * _sure(place)
    return ["policy and hints", tel, "closed", *sure, *gain, "prefill", f"P50 {unit}", f"P95 {unit}"]


def _row(one: PricedRow, draws: int, unit: str, sure_of_sessions: bool) -> list[str]:
    sure = [_between(one.over)] if draws > 1 else []
    first = one.rows[0]
    gain = [_between(first[0].gain_interval if len(first) == 1 else None)] * sure_of_sessions
    tel, prefill = sum(one.tels, Fraction(0)) / draws, "" if one.prefill is None else f"{one.prefill:.2f}"
    times = [shown(one.percentile(name), unit) for name in ("p50", "p95")]
    return [one.name, tel_text(tel), pair(one.closed), *sure, *gain, prefill, *times]


def _optimum(place: PricesAt) -> list[str]:
    each = ([getattr(one, side) for one in place.distances] for side in ("lower", "upper"))
    sides = [sum(values, Fraction(0)) / place.draws for values in each]
    low, high = map(tel_text, sides)
    return [OPTIMUM, low if low == high else f"{low} to {high}", percent(1)]


def _worth(one: HintWorth, drawn: bool) -> list[str]:
    over = [_between(one.over) + CHANGES * one.changes_sign] if drawn else []
    return [one.player, *(pair(getattr(one, name)) for name in MARGINALS), *over]


def tel_text(value: Fraction) -> str:
    """Return a TEL as text; a mean over draws or seeds with a decimal."""
    return f"{int(value):,}" if value.denominator == 1 else f"{float(value):,.1f}"


def shown(value: float | None, unit: str) -> str:
    """Return a percentile as a table shows it."""
    return "" if value is None else f"{value:.3f}" if unit == "s" else f"{value:,.0f}"


def pair(sides: Pair | None) -> str:
    """Return a share as text, both sides where they differ."""
    return "" if sides is None else _between((float(sides[0]), float(sides[1])))


def _between(sides: tuple[float, float] | None) -> str:
    if sides is None:
        return ""
    low, high = map(percent, sides)
    return low if low == high else f"{low} to {high}"
