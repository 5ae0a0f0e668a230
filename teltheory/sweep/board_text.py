"""A board as text: what its columns mean, what holds for its rows, and a row as cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from teltheory.cost.standing import DRAWS
from teltheory.model.clusters import named
from teltheory.model.display import percent, tokens_in_short
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.sweep.compared import CACHES, GROUPS, LEARNED, BoardRow

MEASURES = ("hit", "prefill", "price", "slow", "TEL", "gain", "gain 95 %", "rank", "regret", "closed")
LEGEND = (
    "price: change of the tokens computed against LRU. gain: share of LRU's TEL that the policy is below it, with "
    "its 95 % interval, each by itself; = is tied with LRU. rank: policies of the table that are proved worse, "
    "then those proved better. regret: TEL above the hindsight optimum of this cache. closed: share of LRU's "
    "distance to it. Both have two numbers where the optimum is known between two sides."
)
TIED = " ="
LEAST_DRAWS = 20
OVER = "gain, draws"
"""The column of gains over draws, where there are some; one that changes its sign is marked."""
CHANGES = " ±"


def notes_of(rows: Sequence[BoardRow]) -> list[str]:
    """Return what holds for the rows of each trace and cache: what is drawn, the sides, the blanks."""
    found: dict[str, None] = {}
    for row in rows:
        where = f"{row.trace}, {row.cache}"
        if row.blank is not None:
            found[f"{where}: {row.policy} is blank: {row.blank}."] = None
            continue
        found |= {f"{where}: {note}.": None for note in _notes(row)}
    return list(found)


def _notes(row: BoardRow) -> Iterator[str]:
    if row.unsure is not None:
        yield f"no intervals and ranks: {row.unsure}"
    else:
        drawn = f"{named(row.clusters, row.cluster)}, in {DRAWS:,} paired draws of one replay"
        yield f"intervals are of {drawn}; other days are not in them"
    rules = STRICT if row.cache in CACHES else Rules.of(row.cache)
    if rules.references:
        yield "caching is forced, as running requests hold their paths"
    if rules.nodes is not None:
        yield "of whole nodes no optimum is known; no cache has less than one with holes"
    if row.queued:
        yield "TEL is in seconds above the SLO, waits included; no optimum is known in a queue"
        yield "those that wait together are drawn apart, so that intervals may be too short"
    elif row.unit > 1:
        yield f"TEL and regret are in blocks of {row.unit:,} tokens"
    if row.draws > 1:
        few = "" if row.draws >= LEAST_DRAWS else f", fewer than {LEAST_DRAWS}"
        yield f"{OVER}: the least and greatest gain in {row.draws} draws of what is assumed of the trace{few}"
    if row.changes_sign:
        yield f"the gain of {row.policy} changes its sign between draws at {place_of(row)}, {row.xi:,}"


def places(rows: Sequence[BoardRow]) -> Iterator[list[BoardRow]]:
    """Yield the rows of each trace, cache, memory and threshold: online policies, then clairvoyant ones."""
    for _, some in groupby(
        rows, key=lambda row: (row.trace, row.cache, row.capacity, row.tiers, row.loads, row.xi)
    ):
        at = [*some]
        found = ([row for row in at if row.group == group] for group in GROUPS)
        yield from filter(None, found)


def place_of(row: BoardRow) -> str:
    """Return a row's memory as text; of tiers with what loading costs."""
    if row.tiers is None or row.loads is None:
        return f"{row.capacity:,}"
    pairs = zip(row.tiers, row.loads, strict=True)
    return " + ".join(f"{size:,}" + (f" at {load:g}" if load else "") for size, load in pairs)


def headings(rows: Sequence[BoardRow], unit: str, with_blocks: bool = False) -> list[str]:
    """Return the headings of `row_cells` for rows of one table, with the unit of percentiles."""
    tel = "TEL s" if rows[0].queued else "TEL blocks" if with_blocks and rows[0].unit > 1 else "TEL"
    measures = [tel if name == "TEL" else name for name in MEASURES]
    if rows[0].draws > 1:
        measures.insert(MEASURES.index("gain 95 %") + 1, OVER)
    return ["policy", *(f"{name} {unit}" for name in ("P50", "P95", "P99")), *measures]


def row_cells(row: BoardRow, rows: Sequence[BoardRow], unit: str) -> list[str]:
    """Return a row as text, in the columns of `headings`; one without numbers is blank."""
    name = f"{row.policy} ({LEARNED})" if row.learned else row.policy
    if row.blank is not None or row.tel is None:
        return [name, *[""] * (len(headings(rows, unit)) - 1)]
    digits = ".3f" if unit == "s" else ",.0f"
    times = ["" if value is None else f"{value:{digits}}" for value in (row.p50, row.p95, row.p99)]
    work = [percent(row.hit_rate), tokens_in_short(row.prefilled), percent(row.price), f"{row.violations:,}"]
    rank = "" if row.rank is None else f"{row.rank} : {row.beaten_by}"
    closed = "" if row.share_closed is None else _pair(*map(percent, row.share_closed))
    distance = ["" if row.regret is None else _pair(*map(_tel, row.regret)), closed]
    return [name, *times, *work, _tel(row.tel), percent(row.gain), *_sure(row), rank, *distance]


def _sure(row: BoardRow) -> Iterator[str]:
    """Yield the interval of the gain, and the gains over draws if there are some."""
    ends = row.gain_interval
    tied = TIED if row.proved is False else ""
    yield "" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}{tied}"
    if row.draws > 1:
        between = "" if row.gains is None else _pair(*map(percent, row.gains))
        yield between + CHANGES * row.changes_sign


def _tel(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _pair(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
