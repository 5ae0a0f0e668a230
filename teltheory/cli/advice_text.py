"""An advice in sentences, as a table, as plain data, and as a page to show to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.cli.output import write_text
from teltheory.cli.question import HOLES_LEGEND
from teltheory.cli.tables import in_short, plain_table
from teltheory.cost.kv_cache import KVSize
from teltheory.report.markdown import bullets, facts, paragraphs, plain_text, table
from teltheory.report.page import Card, Page, Section, digest, render, versions
from teltheory.report.words import percent

if TYPE_CHECKING:
    from altair import VConcatChart

    from teltheory.advice import Advice, Estimate, QueueAdvice


LEAD = (
    "A threshold for T-LRU, chosen on the first part of the trace and judged on the rest, in the order of time. "
    "Intervals are 95 %, of a paired block bootstrap."
)
METHOD = (
    "ξ - Q̂ is chosen on the first part alone, from replays of T-LRU, which trims the least recent surplus first, "
    "at up to 48 values; those that keep the limits on the prefill and on P50 are allowed.",
    "What is promised is an interval for the gain on the rest, as wide as chance and the changes from quarter to "
    "quarter of the first part ask for.",
    "The rest begins with the cache that each policy has by then. The hindsight optimum is the least TEL there of "
    "any plan for the whole trace.",
    "hit: share of the input that was cached. prefill: tokens that were computed. written: tokens that were "
    "written to the cache. slow: turns with a "
    "TTFT above the SLO. TEL: tokens above the SLO's threshold, summed over turns. regret: TEL above the "
    "hindsight optimum.",
)
HEADER = ("policy", "hit", "prefill", "written", "P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "regret")


def advice_lines(advice: Advice, shape: KVSize | None) -> Iterator[str]:
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
    yield _chosen(advice)
    yield from _others(advice)
    yield _judged(advice)
    yield _cost(advice)
    yield from _beside(advice, shape)


def headline(advice: Advice) -> str:
    """Return the advice itself."""
    if advice.recommended:
        return f"ADVICE: {advice.policy} with {_setting(advice, advice.choice.margin)} tokens."
    stay = "ADVICE: stay with LRU."
    if not advice.choice.helps:
        gain = "no gain" if advice.choice.freely.allowed else "no gain within the limits"
        return f"{stay} On the first part {advice.policy} has {gain} that chance does not explain."
    if advice.held_out.gain.above_zero:
        broken = " and ".join(advice.held_out.broken)
        return f"{stay} {advice.policy} keeps its limits on the first part, but not on the rest: {broken}."
    return f"{stay} The gain of {advice.policy} on the first part did not last."


def _chosen(advice: Advice) -> str:
    choice, goal = advice.choice, advice.goal
    limited = "" if choice.freely.allowed else " within the limits"
    if choice.idle:
        counted = advice.start - choice.warm_up
        if counted:
            return (
                f"The cache overflows so late that {counted} turns of the first part count: too few to choose on."
            )
        same = f"at {advice.capacity:,} tokens all policies do the same"
        return f"The cache never overflows on the first part: {same}. Nothing is promised."
    if not choice.margin:
        which = f"no setting of {advice.policy}{limited}"
        return f"On the first part {which} makes {goal.name} smaller than LRU does. Nothing is promised."
    which = "it" if advice.recommended else _setting(advice, choice.margin)
    found = f"On the first part {goal.name} is {change(choice.here)} with {which} than with LRU"
    if choice.promise is None:
        return f"{found}, which may be chance. Nothing is promised."
    low, high = percent(choice.promise.low), percent(choice.promise.high)
    return f"{found}. Promised for the rest: {low} to {high} lower."


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
        f"{times(before.prefilled, after.prefilled)} the prefill and a P50 of {1000 * after.median:.1f} ms in "
        f"the place of {1000 * before.median:.1f}."
    )


def _judged(advice: Advice) -> str:
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


def _cost(advice: Advice) -> str:
    held = advice.held_out
    lru, tried, _ = held.rows
    median = held.median
    broken = f"above the limit: {' and '.join(held.broken)}" if held.broken else "within the limits"
    return (
        f"Cost on the rest: P50 goes from {1000 * lru.p50:.1f} to {1000 * tried.p50:.1f} ms, by "
        f"{1000 * median.value:+.1f} ms [{1000 * median.low:+.1f}, {1000 * median.high:+.1f}], the hit rate from "
        f"{percent(lru.hit_rate)} to {percent(tried.hit_rate)}, the prefill to "
        f"{times(lru.prefilled, tried.prefilled)} LRU's: {broken}."
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
    size = "" if shape is None else f" ({shape.bytes(needed) / 2**30:,.1f} GiB of {shape.name})"
    times = f", {needed / capacity:.2f} times as much" if capacity else ""
    more = f"{needed:,} tokens{size} for the same{times}" if needed > capacity else "no more for the same"
    yield f"Memory: LRU needs {more}."


def change(estimate: Estimate) -> str:
    """Return a share in words: the number, its interval, and which way it goes."""
    low, high = sorted((_rounded(estimate.low), _rounded(estimate.high)))
    value = _rounded(estimate.value)
    if value < 0:
        return f"{-value:.1f} % [{-high:.1f}, {-low:.1f}] higher"
    return f"{value:.1f} % [{low:.1f}, {high:.1f}] lower"


def _rounded(share: float) -> float:
    return round(100 * share, 1) + 0.0


def advice_table(advice: Advice) -> Table:
    """Return the policies on the rest."""
    return plain_table("The rest", heads_of(advice), advice_rows(advice), HEADER[:1])


def heads_of(advice: Advice) -> tuple[str, ...]:
    """Return the columns: of shared prefixes TEL is in blocks."""
    if advice.block_size is None:
        return HEADER
    return tuple("TEL blocks" if name == "TEL" else name for name in HEADER)


def advice_rows(advice: Advice) -> Iterator[tuple[str, ...]]:
    """Yield the policies on the rest, as text under `heads_of`."""
    for row in advice.held_out.rows:
        percentiles = (f"{value:.3f}" for value in (row.p50, row.p90, row.p95, row.p99))
        work = (percent(row.hit_rate), in_short(row.prefilled), in_short(row.written))
        yield row.policy, *work, *percentiles, f"{row.slow:,}", f"{row.tel:,}", f"{row.regret:,}"


def advice_as_data(advice: Advice) -> dict[str, Any]:
    """Return an advice as plain data; shares and seconds are numbers, the SLO and the level too."""
    return {"capacity": advice.capacity, **judged_as_data(advice)}


def judged_as_data(advice: Advice | QueueAdvice) -> dict[str, Any]:
    """Return how a setting was chosen and what it did on the rest as plain data."""
    goal = advice.goal
    return {
        "goal": goal.name,
        "slo": float(goal.slo),
        "slo_tokens": goal.xi,
        "level": number(goal.level),
        "first_turns": advice.start,
        "rest_turns": advice.turns - advice.start,
        "work_cost": number(advice.limits.work),
        "median_cost": number(advice.limits.median),
        "recommended": advice.recommended,
        "xi": advice.xi,
        "q_hat": advice.q_hat,
        "kept_promise": advice.kept_promise,
        "choice": asdict(advice.choice),
        "held_out": asdict(advice.held_out),
        "warnings": list(advice.warnings),
        "engines": [asdict(setting) for setting in advice.engines],
    }


def number(value: Fraction | None) -> float | None:
    """Return a fraction as plain data."""
    return None if value is None else float(value)


def write_advice(
    target: str, file: str, about: Sequence[str], advices: Sequence[Advice], shape: KVSize | None, seed: int
) -> None:
    """Write a page with an advice for each capacity."""
    sections = [_section(f"capacity-{i}", advice, shape) for i, advice in enumerate(advices, start=1)]
    trace = Path(file)
    source = [(trace.name, f"SHA-256 {digest(trace)}")] if trace.is_file() else []
    made = facts([*versions(), ("Seed of the draws", str(seed)), *source])
    method = Section("method", "How it was found", bullets([*about, *METHOD]))
    cards = [_card(advice) for advice in advices]
    page = Page(
        f"T-LRU on {trace.name}",
        LEAD,
        cards,
        "",
        [*sections, method, Section("provenance", "Provenance", made)],
    )
    write_text(target, render(page))


def _card(advice: Advice) -> Card:
    where = f"at {advice.capacity:,} tokens"
    if not advice.recommended:
        return Card("LRU", f"stay with it {where}")
    gain = f"{100 * advice.held_out.gain.value:.1f} %"
    return Card(gain, f"{advice.goal.name}, lower than LRU's {where}", "good")


def _section(anchor: str, advice: Advice, shape: KVSize | None) -> Section:
    charts = [_tried(advice)] if len(advice.choice.tried) > 1 else []
    return Section(anchor, f"Capacity {advice.capacity:,} tokens", paragraphs(_parts(advice, shape)), charts)


def advice_in_short(advice: Advice) -> Iterator[str]:
    """Yield an advice as Markdown: the setting, what it gains on the rest and costs there, and what to mind."""
    yield from _advised(advice)
    yield bullets([_judged(advice), _cost(advice), *(f"Mind: {warning}" for warning in advice.warnings)])


def _advised(advice: Advice) -> Iterator[str]:
    yield plain_text(asked(advice))
    yield f"**{plain_text(headline(advice))}**"
    for setting in advice.engines:
        yield f"{plain_text(setting.engine)} ({plain_text(setting.release)}):\n\n    {setting.arguments}"


def _parts(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    yield from _advised(advice)
    yield bullets(list(findings(advice, shape)))
    yield from (f"> **Warning.** {plain_text(warning)}" for warning in advice.warnings)
    yield table(heads_of(advice), (map(plain_text, row) for row in advice_rows(advice)), "---:")


def _tried(advice: Advice) -> VConcatChart:
    """Return what every setting did on the first part; the dotted line is what was tried on the rest."""
    import altair as alt

    rows = [{"margin": t.margin, "gain": t.gain, "median": t.cost.median} for t in advice.choice.tried]
    x = alt.X("margin:Q", title="ξ - Q̂ (tokens)")
    tips = [
        alt.Tooltip(f"{name}:Q", format=form)
        for name, form in (("margin", ","), ("gain", ".1%"), ("median", ".3f"))
    ]
    lines = alt.Chart(alt.InlineData(values=rows), width=600, height=170).mark_line(point=True)
    chosen = alt.Chart(alt.InlineData(values=[{"margin": advice.held_out.margin}])).mark_rule(strokeDash=[2, 3])
    panels = [
        alt.layer(lines.encode(x=x, y=y, tooltip=tips), chosen.encode(x="margin:Q"))
        for y in (
            alt.Y("gain:Q", title=f"{advice.goal.name}, below LRU", axis=alt.Axis(format="%")),
            alt.Y("median:Q", title="median of TTFT, s"),
        )
    ]
    return alt.vconcat(
        *panels, title=f"Settings at {advice.capacity:,} tokens, on the first part; dotted: the one tried"
    )
