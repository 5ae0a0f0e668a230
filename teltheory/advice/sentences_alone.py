"""What an advice for an idle server says beside the setting: the optimum, end-awareness, and what LRU needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.alone import HeldAlone
from teltheory.advice.words import change, ends_of, in_memory, size_of
from teltheory.model.display import Table, percent, tokens_in_short
from teltheory.optimal.trees.hindsight import HOLES_LEGEND

if TYPE_CHECKING:
    from teltheory.advice import Advice

HEADER = ("policy", "hit", "prefill", "written", "P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "regret")


def cost_alone(held: HeldAlone) -> tuple[str, str]:
    """Return by how much P50 is longer, and nothing beside the hit rate."""
    median = held.median
    return f", by {1000 * median.value:+.1f} ms{ends_of(median, 1000, '+.1f')}", ""


def lines_alone(held: HeldAlone, advice: Advice) -> Iterator[str]:
    """Yield how far the optimum is, what knowing last turns would gain, and what LRU needs for the same."""
    lru, tried = held.rows[:2]
    regret = lru.tel - held.optimum
    closed = f"; it closes {percent((lru.tel - tried.tel) / regret)} of LRU's distance" if regret else ""
    unit, which = ("", "") if advice.block_size is None else (" blocks", f" {HOLES_LEGEND}")
    own = f"{advice.policy}'s regret is {tried.tel - held.optimum:,}{closed}."
    yield f"Hindsight: the least TEL on the rest is {held.optimum:,}{unit}. {own}{which}"
    further = f"{advice.goal.name} {change(held.end_aware)} than {advice.policy}"
    yield f"End-awareness: T-LRU that knew which turns are last would have {further}."
    yield f"Memory: LRU needs {_memory(held, advice)}."


def _memory(held: HeldAlone, advice: Advice) -> str:
    needed, capacity = held.lru_capacity, size_of(advice)
    if needed <= capacity:
        return "no more for the same"
    times = f", {needed / capacity:.2f} times as much" if capacity else ""
    return f"{in_memory([needed], advice.shape)} for the same{times}"


def tables_alone(held: HeldAlone, advice: Advice) -> Iterator[Table]:
    """Yield the policies on the rest; of shared prefixes TEL is in blocks."""
    tel = "TEL" if advice.block_size is None else "TEL blocks"
    rows = []
    for row in (*held.rows, held.aware):
        percentiles = (f"{value:.3f}" for value in (row.p50, row.p90, row.p95, row.p99))
        work = (percent(row.hit_rate), tokens_in_short(row.prefilled), tokens_in_short(sum(row.written)))
        tail = (f"{row.slow:,}", f"{row.tel:,}", f"{row.tel - held.optimum:,}")
        rows.append((row.policy, *work, *percentiles, *tail))
    yield "The rest", tuple(tel if name == "TEL" else name for name in HEADER), rows
