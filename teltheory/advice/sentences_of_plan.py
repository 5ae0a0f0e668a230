"""A capacity plan in sentences and as a table of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from teltheory.errors import listed
from teltheory.model.display import Table, counted

if TYPE_CHECKING:
    from teltheory.advice.planning import Plan


LOAD, REPLICAS = "load", "replicas"
ANSWER = "yes: the answer"
HEADER = ("P", "interval", "keeps the SLO", "util", "slow", "TEL s")


def headline(plan: Plan, policy: str = "", block_size: int = 1) -> str:
    """Return the answer, under a policy that may be named; capacities in units of `block_size`."""
    title = "PLAN"
    if policy:
        title = f"PLAN: {policy}, {_amount(plan, block_size)}"
    name, slo = f"P{float(100 * plan.level):g}", f"{float(plan.slo):g} s"
    tried = f"{len(plan.tried)} tried, {_text(plan, plan.tried[0].number, block_size)} to "
    tried += _text(plan, plan.tried[-1].number, block_size)
    less = "smaller" if plan.resource == LOAD else "larger"
    most = "largest" if plan.resource == LOAD else "smallest"
    wanted = f"such that it and every {less} one tried have a {name} of TTFT of {slo} at most"
    if plan.answer is None:
        last = plan.tried[-1]
        return (
            f"{title}: no {noun(plan)} of the {tried}, is enough: even at "
            f"{_text(plan, last.number, block_size)} {name} is {last.percentile.value:.3f} s, above {slo}."
        )
    answer = _text(plan, plan.answer, block_size)
    return f"{title}: {answer} is the {most} {noun(plan)} {wanted} ({tried})."


def plan_lines(plan: Plan, policy: str = "", block_size: int = 1) -> Iterator[str]:
    """Yield what a plan says, as `headline` has it."""
    yield headline(plan, policy, block_size)
    said = f"In {100 * plan.share:.0f} % of the draws of blocks of time the answer is the same"
    if plan.low != plan.high:
        ends = [_end(plan, end, block_size) for end in (plan.low, plan.high)]
        said += f", in 95 % from {ends[0]} to {ends[1]}"
    yield f"{said}."
    if plan.exceptions:
        numbers = listed([_text(plan, number, block_size) for number in plan.exceptions])
        yield f"Exceptions: {numbers} would do on this trace, although a number that is more generous does not."


def one_answer(plans: Mapping[str, Plan], best: str, goal: str, block_size: int = 1) -> Iterator[str]:
    """Yield the plan under the policy that needs least, then what the others need; the last one is advised."""
    first, *more = plan_lines(plans[best], best, block_size)
    yield first
    for name, plan in plans.items():
        if name == best:
            continue
        needs = "none of them is enough"
        if plan.answer is not None:
            needs = f"it is {_amount(plan, block_size)}"
        said = f"Under {name} {needs}."
        if best == "LRU":
            said += f" So this plan is one of LRU: {name} is advised for {goal}, not for this percentile."
        yield said
    yield from more


def _amount(plan: Plan, block_size: int) -> str:
    """Return the answer with what it counts."""
    if plan.answer is None:
        return f"no {noun(plan)}"
    number = _text(plan, plan.answer, block_size)
    if plan.resource == LOAD:
        return f"a load of {number}"
    if plan.resource == REPLICAS:
        return counted(int(plan.answer), "replica")
    return f"{number} tokens of tier {plan.resource.removeprefix('tier')}"


def noun(plan: Plan) -> str:
    """Return what is planned, in words."""
    if plan.resource in (LOAD, REPLICAS):
        return {LOAD: "load", REPLICAS: "number of replicas"}[plan.resource]
    return f"capacity of tier {plan.resource.removeprefix('tier')}"


def _text(plan: Plan, number: float, block_size: int) -> str:
    if plan.resource == LOAD:
        return f"{number:g}"
    return f"{number:,}" if plan.resource == REPLICAS else f"{number * block_size:,}"


def _end(plan: Plan, number: float | None, block_size: int) -> str:
    return "none of them" if number is None else _text(plan, number, block_size)


def plan_heads(plan: Plan, unit: str = "") -> tuple[str, ...]:
    """Return the columns of a plan; the unit is that of capacities."""
    what = plan.resource if plan.resource in (LOAD, REPLICAS) else f"{plan.resource}{unit}"
    return (what, f"P{float(100 * plan.level):g} s", *HEADER[1:])


def rows_of_all(plans: Mapping[str, Plan], best: str, block_size: int) -> Iterator[tuple[str, ...]]:
    """Yield the numbers tried under each policy, as text under its name and `plan_heads`; one is the answer."""
    for name, plan in plans.items():
        said = ANSWER if name == best else "yes, from here on"
        yield from ((name, *row) for row in plan_rows(plan, block_size, said))


def plan_rows(plan: Plan, block_size: int = 1, answer: str = ANSWER) -> Iterator[tuple[str, ...]]:
    """Yield the numbers tried as text under `plan_heads`, the answer with a remark."""
    for one in plan.tried:
        found = one.percentile
        keeps = "yes" if one.meets else "no"
        if one.number in plan.exceptions:
            keeps = "yes, an exception"
        if one.number == plan.answer:
            keeps = answer
        ends = f"[{max(found.low, 0.0):.3f}, {found.high:.3f}]"
        counts = (f"{one.utilisation:.3f}", f"{one.slow:,}", f"{one.tel:,.0f}")
        yield _text(plan, one.number, block_size), f"{found.value:.3f}", ends, keeps, *counts


def tried_of(plan: Plan) -> Table:
    """Return the numbers tried as a table, in the unit that they were given in: title, columns, rows."""
    return f"Plan of {noun(plan)}", plan_heads(plan), plan_rows(plan)
