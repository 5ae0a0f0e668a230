"""An advice in sentences and as a table of text, the same for Python, the command line and a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from teltheory.advice.sentences_of_frontier import beside_limits, figures, step_lines
from teltheory.cost.kv_cache import KVSize
from teltheory.model.display import Table, counted, percent, tokens_in_short
from teltheory.optimal.trees.hindsight import HOLES_LEGEND

if TYPE_CHECKING:
    from teltheory.advice import Advice, Estimate, Goal, QueueAdvice
    from teltheory.advice.promise import Grounds


HEADER = ("policy", "hit", "prefill", "written", "P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "regret")


def advice_lines(advice: Advice, shape: KVSize | None = None) -> Iterator[str]:
    """Yield what an advice says, a sentence or two a line; lines for a shell begin with two spaces."""
    yield asked(advice)
    yield headline(advice)
    yield from findings(advice, shape)
    yield from (f"Mind: {warning}" for warning in advice.warnings)
    for setting in advice.engines:
        yield f"{setting.engine} ({setting.release}):"
        yield f"  {setting.arguments}"


def asked(advice: Advice) -> str:
    """Return what was asked for."""
    goal = advice.goal
    slo = f"SLO {float(goal.slo):g} s = {goal.xi:,} tokens"
    return f"Capacity {advice.capacity:,} tokens. Goal: {goal.name}; {slo}."


def findings(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    """Yield what was found on the two parts of the trace, a subject a line."""
    which = _setting(advice, advice.choice.margin) if advice.choice.margin else None
    yield chosen(advice, advice.policy, which)
    yield from _others(advice)
    yield judged(advice)
    yield cost(advice)
    yield from _beside(advice, shape)
    yield from step_lines(advice)


def headline(advice: Advice) -> str:
    """Return the advice itself."""
    if advice.recommended:
        return f"ADVICE: {advice.policy} with {_setting(advice, advice.choice.margin)} tokens."
    stay = "ADVICE: stay with LRU."
    if not advice.choice.helps:
        gain = "no gain" if advice.choice.freely.allowed else "no gain within the limits"
        return f"{stay} On the first part {advice.policy} has {gain} that chance does not explain."
    had = f"{stay} The first part recommends {advice.policy} with {_setting(advice, advice.choice.margin)} tokens,"
    if advice.held_out.gain.above_zero:
        lru, tried, _ = advice.held_out.rows
        said = figures(advice.goal, advice.limits, lru, tried)
        broken = " and ".join(said[name] for name in advice.held_out.broken)
        return f"{had} but on the rest it does not keep its limits: {broken}."
    return f"{had} but its gain did not last."


def chosen(advice: Advice | QueueAdvice, kind: str, which: str | None) -> str:
    """Return how a setting was chosen on the first part: of a kind of policy, `which` in words, None for LRU."""
    choice, goal = advice.choice, advice.goal
    if choice.idle:
        return f"{_too_few(advice.start - choice.warm_up)} Nothing is promised."
    if which is None:
        limited = "" if choice.freely.allowed else " within the limits"
        none = f"no setting of {kind}{limited}"
        return f"On the first part {none} makes {goal.name} smaller than LRU does. Nothing is promised."
    with_it = "it" if advice.recommended else which
    found = f"On the first part {goal.name} is {change(choice.here)} with {with_it} than with LRU"
    grounds = choice.grounds
    if not choice.helps or grounds is None:
        why = f", as {_carried(grounds, goal)}" if grounds is not None and grounds.few else ""
        return f"{found}, which may be chance{why}. Nothing is promised."
    found = f"{found}; {by_quarters(grounds)}."
    if choice.promise is None:
        lost = "by how much gains moved, the rest may lose as much as is gained here"
        return f"{found} Nothing is promised: {_carried(grounds, goal) if grounds.few else lost}."
    low, high = percent(choice.promise.low), percent(choice.promise.high)
    return f"{found} Promised for the rest: {low} to {high} lower."


def by_quarters(grounds: Grounds) -> str:
    """Return the gains of the first part's quarters, and whether they have a trend."""
    *before, last = (f"{_rounded(gain):.1f}" for gain in grounds.quarters)
    way = "without a trend" if not grounds.trend else f"it {'rises' if grounds.trend > 0 else 'falls'}"
    return f"by quarters {', '.join(before)} and {last} %, {way}"


def _carried(grounds: Grounds, goal: Goal) -> str:
    """Return how few conversations carry the goal."""
    counts = f"the turns from {goal.name} on" if goal.level is not None else goal.name
    return f"half of {counts} is of {grounds.half} of {counted(grounds.conversations, 'conversation')}"


def _too_few(turns: int) -> str:
    """Return why nothing is chosen if so few turns of the first part come after an overflow."""
    if turns:
        few = f"{counted(turns, 'turn')} of the first part"
        return f"The cache overflows so late that {few} count: too few to choose on."
    return "The cache never overflows on the first part, where all policies do the same."


def _setting(advice: Advice, margin: int) -> str:
    xi, q_hat = advice.as_set(margin)
    return f"ξ = {xi:,} and Q̂ = {q_hat:,}"


def _others(advice: Advice) -> Iterator[str]:
    """Yield what the best setting without limits would have gained, and cost."""
    freely, lru = advice.choice.freely, advice.choice.tried[0]
    if freely.allowed:
        return
    before, after = lru.cost, freely.cost
    yield (
        f"Without limits: {percent(freely.gain)} lower with {_setting(advice, freely.margin)}, for "
        f"{times(before.prefilled, after.prefilled)} the prefill and a P50 of {1000 * after.p50:.1f} ms in "
        f"the place of {1000 * before.p50:.1f}."
    )


def judged(advice: Advice) -> str:
    """Return what the setting did on the rest."""
    gain, held = advice.held_out.gain, advice.held_out
    lru, tried, _ = held.rows
    chosen = advice.choice.margin > 0
    if gain.above_zero:
        verdict = f"it helps, for {times(lru.prefilled, tried.prefilled)} the prefill"
    else:
        verdict = "it does harm" if gain.below_zero else "it does not help, beyond what may be chance"
    which = "" if chosen else f" with {_setting(advice, held.margin)}"
    kept = {True: "inside", False: "outside", None: None}[advice.kept_promise]
    promise = "" if kept is None else f" The gain is {kept} what was promised."
    return f"On the rest{which} {advice.goal.name} is {change(gain)} than with LRU: {verdict}.{promise}"


def cost(advice: Advice) -> str:
    """Return what the setting cost on the rest."""
    held = advice.held_out
    lru, tried, _ = held.rows
    median = held.median
    limits = beside_limits(advice.goal, advice.limits, lru, tried, held.broken)
    return (
        f"Cost on the rest: P50 goes from {1000 * lru.p50:.1f} to {1000 * tried.p50:.1f} ms, by "
        f"{1000 * median.value:+.1f} ms [{1000 * median.low:+.1f}, {1000 * median.high:+.1f}], the hit rate from "
        f"{percent(lru.hit_rate)} to {percent(tried.hit_rate)}. That is {limits}."
    )


def times(before: int, after: int) -> str:
    """Return how many times as much as before it is, as text."""
    return f"{after / before if before else 1:.3f} times"


def _beside(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    """Yield how far the optimum is, what knowing last turns would gain, and what LRU needs for the same."""
    held = advice.held_out
    lru, tlru, _ = held.rows
    closed = f"; it closes {percent((lru.tel - tlru.tel) / lru.regret)} of LRU's distance" if lru.regret else ""
    unit, which = ("", "") if advice.block_size is None else (" blocks", f" {HOLES_LEGEND}")
    regret = f"{advice.policy}'s regret is {tlru.regret:,}{closed}."
    yield f"Hindsight: the least TEL on the rest is {held.optimum:,}{unit}. {regret}{which}"
    further = f"{advice.goal.name} {change(held.end_aware)} than {advice.policy}"
    yield f"End-awareness: T-LRU that knew which turns are last would have {further}."
    needed, capacity = held.lru_capacity, advice.capacity
    times = f", {needed / capacity:.2f} times as much" if capacity else ""
    more = f"{in_memory([needed], shape)} for the same{times}" if needed > capacity else "no more for the same"
    yield f"Memory: LRU needs {more}."


def in_memory(tokens: Sequence[int], shape: KVSize | None) -> str:
    """Return numbers of tokens, and in brackets their bytes if the size of a token is known."""
    text = " + ".join(f"{n:,}" for n in tokens) + " tokens"
    if shape is None:
        return text
    return f"{text} ({' + '.join(f'{shape.bytes(n) / 2**30:,.1f}' for n in tokens)} GiB of {shape.name})"


def change(estimate: Estimate) -> str:
    """Return a share in words: the number, its interval, and which way it goes."""
    low, high = sorted((_rounded(estimate.low), _rounded(estimate.high)))
    value = _rounded(estimate.value)
    if value < 0:
        return f"{-value:,.1f} % [{-high:,.1f}, {-low:,.1f}] higher"
    return f"{value:.1f} % [{low:.1f}, {high:.1f}] lower"


def _rounded(share: float) -> float:
    return round(100 * share, 1) + 0.0


def heads_of(advice: Advice) -> tuple[str, ...]:
    """Return the columns: of shared prefixes TEL is in blocks."""
    if advice.block_size is None:
        return HEADER
    return tuple("TEL blocks" if name == "TEL" else name for name in HEADER)


def advice_rows(advice: Advice) -> Iterator[tuple[str, ...]]:
    """Yield the policies on the rest, as text under `heads_of`."""
    for row in advice.held_out.rows:
        percentiles = (f"{value:.3f}" for value in (row.p50, row.p90, row.p95, row.p99))
        work = (percent(row.hit_rate), tokens_in_short(row.prefilled), tokens_in_short(row.written))
        yield row.policy, *work, *percentiles, f"{row.slow:,}", f"{row.tel:,}", f"{row.regret:,}"


def card_of(advice: Advice) -> Table:
    """Return the policies on the rest as a table that says for what capacity."""
    title, heads, rows = rest_of(advice)
    return f"{title}, at {in_memory([advice.capacity], advice.shape)}", heads, rows


def rest_of(advice: Advice) -> Table:
    """Return the policies on the rest as a table: title, columns, rows."""
    return "The rest", heads_of(advice), advice_rows(advice)
