"""An advice in sentences and as tables of text, the same for Python, the command line and a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import TYPE_CHECKING

from teltheory.advice.alone import HeldAlone
from teltheory.advice.held_out import HeldOut
from teltheory.advice.in_queue import HeldInQueue
from teltheory.advice.sentences_alone import cost_alone, lines_alone, tables_alone
from teltheory.advice.sentences_in_queue import cost_in_queue, from_none, lines_in_queue, tables_in_queue
from teltheory.advice.sentences_of_band import band_lines, tables_of_band
from teltheory.advice.sentences_of_ends import ends_lines
from teltheory.advice.sentences_of_frontier import beside_limits, figures, step_lines, tables_of_frontier
from teltheory.advice.words import change, in_one_unit, memory, rounded, setting, size_of, times
from teltheory.cost.standing import DRAWS
from teltheory.model.clusters import named
from teltheory.model.display import Table, counted, percent
from teltheory.replay.engine_rules import STRICT

if TYPE_CHECKING:
    from teltheory.advice import Advice, EngineSetting, Goal
    from teltheory.advice.promise import Grounds
    from teltheory.advice.search import Candidate


NO_QUEUES = (
    "Engines: no queue is served under their rules. For an idle server advise has their arguments, and what those "
    "promise."
)

NO_ENGINE = "Engines: none is known that has T-LRU under these rules, and so no arguments."


def advice_lines(advice: Advice) -> Iterator[str]:
    """Yield what an advice says, a sentence or two a line; lines for a shell begin with two spaces."""
    yield asked(advice)
    yield headline(advice)
    yield from findings(advice)
    yield from (f"Mind: {warning}" for warning in advice.warnings)
    if advice.recommended and advice.kind == "T-LRU" and not advice.engines:
        yield NO_ENGINE if advice.serving is None else NO_QUEUES
    for one in advice.engines:
        yield engine_line(one, advice.goal)
        if one.recommended:
            yield f"  {one.arguments}"
    yield from ends_lines(advice)


def engine_line(one: EngineSetting, goal: Goal) -> str:
    """Return what the setting promises and gains under an engine's rules."""
    where = f"{one.engine} ({one.release}), under its rules ({one.rules}):"
    if one.gain is None:
        return f"{where} it has no room for a request, {one.unserved}."
    where += f" {goal.name} is {change(one.gain)} on the rest than with LRU, for {one.work:.3f} times the prefill"
    if not one.recommended:
        return f"{where}. It is not recommended there; with these rules advise chooses anew."
    if one.promise is None:
        return f"{where}; nothing is promised."
    return f"{where}; promised {percent(one.promise.low)} to {percent(one.promise.high)} lower."


def asked(advice: Advice) -> str:
    """Return what was asked for."""
    goal, serving = advice.goal, advice.serving
    slo = f"SLO {float(goal.slo):g} s = {goal.xi:,} tokens"
    if serving is None:
        rules = "" if advice.rules == STRICT else f" Rules: {advice.rules}."
        return f"Capacity {size_of(advice):,} tokens. Goal: {goal.name}; {slo}.{rules}"
    router = f", router {advice.held_out.rows[0].router}" if serving.replicas > 1 else ""
    replicas = f"{counted(serving.replicas, 'replica')} of {memory(advice)}{router}"
    return f"{replicas}. Goal: {goal.name}; {slo} without a wait."


def headline(advice: Advice) -> str:
    """Return the advice itself."""
    choice, held = advice.choice, advice.held_out
    which = f"{advice.policy} with {setting(advice, advice.tried.margin)} tokens"
    if advice.recommended:
        return f"ADVICE: {which}."
    stay = "ADVICE: stay with LRU."
    if not choice.helps:
        gain = "no gain" if choice.freely.allowed else "no gain within the limits"
        return f"{stay} On the first part {advice.kind} has {gain} that chance does not explain."
    had = f"{stay} The first part recommends {which},"
    if held.gain.above_zero:
        said = figures(advice.goal, advice.limits, *held.rows[:2])
        broken = " and ".join(said[name] for name in held.broken)
        return f"{had} but on the rest it does not keep its limits: {broken}."
    lasting = "may be chance on the rest" if held.gain.value > 0 else "did not last"
    return f"{had} but its gain {lasting}."


def findings(advice: Advice) -> Iterator[str]:
    """Yield what was found on the two parts of the trace, a subject a line."""
    yield _chosen(advice)
    yield from _freely(advice)
    yield judged(advice)
    yield sure(advice)
    yield cost(advice)
    yield from lines_beside(advice.held_out, advice)
    yield from step_lines(advice)
    yield from band_lines(advice)


def _with(advice: Advice, one: Candidate) -> str:
    """Return a candidate as what something is done with; in a queue its policies are named."""
    alone = setting(advice, one.margin)
    return alone if advice.serving is None else f"{advice.name(one)}, {alone},"


def _chosen(advice: Advice) -> str:
    """Return how a setting was chosen on the first part."""
    choice, goal = advice.choice, advice.goal
    if choice.idle:
        return f"{_too_few(advice.start - choice.warm_up)} Nothing is promised."
    if choice.candidate.is_lru:
        limited = "" if choice.freely.allowed else " within the limits"
        none = f"no setting of {advice.kind}{limited}"
        return f"On the first part {none} makes {goal.name} smaller than LRU does. Nothing is promised."
    with_it = "it" if advice.recommended else _with(advice, choice.candidate)
    found = f"On the first part {goal.name} is {change(choice.here)} with {with_it} than with LRU"
    grounds = choice.grounds
    if not choice.helps or grounds is None:
        why = f", as {_carried(grounds, goal)}" if grounds is not None and grounds.few else ""
        if choice.unsure is not None:
            why = f", and there is no interval: {choice.unsure}"
        return f"{found}, which may be chance{why}. Nothing is promised."
    found = f"{found}; {by_quarters(grounds)}."
    if choice.promise is None:
        lost = "by how much gains moved, the rest may lose as much as is gained here"
        return f"{found} Nothing is promised: {_carried(grounds, goal) if grounds.few else lost}."
    low, high = percent(choice.promise.low), percent(choice.promise.high)
    return f"{found} Promised for the rest: {low} to {high} lower."


def by_quarters(grounds: Grounds) -> str:
    """Return the gains of the first part's quarters, and whether they have a trend."""
    *before, last = (f"{rounded(gain):.1f}" for gain in grounds.quarters)
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


def _freely(advice: Advice) -> Iterator[str]:
    """Yield what the best setting without limits would have gained on the first part, and cost."""
    freely, lru = advice.choice.freely, advice.choice.tried[0].cost
    if freely.allowed:
        return
    (before, after), unit = in_one_unit(lru.p50, freely.cost.p50)
    which = _with(advice, freely.candidate).removesuffix(",")
    yield (
        f"Without limits: {percent(freely.gain)} lower with {which}, for "
        f"{times(lru.prefilled, freely.cost.prefilled)} the prefill and a P50 of {after} {unit} in the place of "
        f"{before}."
    )


def judged(advice: Advice) -> str:
    """Return what the setting did on the rest."""
    held = advice.held_out
    lru, tried = held.rows[:2]
    none = from_none(advice, tried)
    if held.gain.above_zero:
        verdict = f"it helps, for {times(lru.prefilled, tried.prefilled)} the prefill"
    else:
        harm = held.gain.below_zero or none
        few = "no interval says whether it helps"
        unsure = few if held.unsure and not none else "it does not help, beyond what may be chance"
        verdict = "it does harm" if harm else unsure
    which = f" with {_with(advice, advice.tried)}" if advice.choice.candidate.is_lru else ""
    kept = {True: "inside", False: "outside", None: None}[advice.kept_promise]
    promise = "" if kept is None else f" The gain is {kept} what was promised."
    than = "above 0, and 0 with LRU" if none else f"{change(held.gain)} than with LRU"
    return f"On the rest{which} {advice.goal.name} is {than}: {verdict}.{promise}"


def sure(advice: Advice) -> str:
    """Return what intervals on the rest are of, or why there are none."""
    held = advice.held_out
    if held.unsure is not None:
        return f"No intervals on the rest: {held.unsure}."
    drawn = f"{named(held.clusters, held.called)}, in {DRAWS:,} paired draws of one replay"
    found = f"Intervals on the rest, 95 %, are of {drawn}; other days are not in them."
    return found if advice.serving is None else f"{found} Those that wait together are drawn apart."


def cost(advice: Advice) -> str:
    """Return what the setting cost on the rest."""
    lru, tried = advice.held_out.rows[:2]
    (before, after), unit = in_one_unit(lru.p50, tried.p50)
    by, more = cost_beside(advice.held_out)
    limits = beside_limits(advice.goal, advice.limits, lru, tried, advice.held_out.broken)
    return (
        f"Cost on the rest: P50 goes from {before} to {after} {unit}{by}, the hit rate from "
        f"{percent(lru.hit_rate)} to {percent(tried.hit_rate)}{more}. That is {limits}."
    )


@singledispatch
def cost_beside(held: HeldOut) -> tuple[str, str]:
    """Return what is said beside P50 and beside the hit rate."""
    return "", ""


@singledispatch
def lines_beside(held: HeldOut, advice: Advice) -> Iterator[str]:
    """Yield what stands beside the setting, a subject a line."""
    return iter(())


@singledispatch
def tables_of_rest(held: HeldOut, advice: Advice) -> Iterator[Table]:
    """Yield what was done on the rest as tables: title, columns, rows."""
    return iter(())


cost_beside.register(HeldAlone, cost_alone)
cost_beside.register(HeldInQueue, cost_in_queue)
lines_beside.register(HeldAlone, lines_alone)
lines_beside.register(HeldInQueue, lines_in_queue)
tables_of_rest.register(HeldAlone, tables_alone)
tables_of_rest.register(HeldInQueue, tables_in_queue)


def tables_of(advice: Advice) -> Iterator[Table]:
    """Yield what was done on the rest, and the frontier, as tables: title, columns, rows."""
    yield from tables_of_rest(advice.held_out, advice)
    yield from tables_of_frontier(advice)
    yield from tables_of_band(advice)


def card_of(advice: Advice) -> Table:
    """Return the policies on the rest as a table that says for what memory."""
    title, heads, rows = next(tables_of(advice))
    return f"{title}, at {memory(advice)}", heads, rows
