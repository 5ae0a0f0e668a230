"""What proves an optimum (ours): of TEL, of TEL with weights of turns, and of the number of SLO violations.

Every hindsight optimum has a set P of steps whose rooms and uncovered caps are what is kept. The bound is
counted here from the turns, interval by interval, in whole numbers; how P is found, and why it always closes the
gap, stands in `teltheory.optimal.chains.greedy`. The paper stops at TEL, as "solving for the optimal policy for
tail latency is computationally hard"; the judge of what lies beyond is `teltheory.optimal.chains.brute_force`,
which tries every cache state.
"""

from dataclasses import replace
from fractions import Fraction

from proofs_checks.tail_optimized.instances.bounds import judged, of_states
from proofs_checks.tail_optimized.theorem_b1 import all_equal, whole
from teltheory.claims.case import Case
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.worlds import JUDGED_BY_BRUTE_FORCE, SmallWorlds
from teltheory.errors import CertificateError
from teltheory.optimal import check_certificate, weighted_optimum
from teltheory.optimal.chains.brute_force import smallest_cost, smallest_total
from teltheory.optimal.chains.greedy import certified_greedy
from teltheory.optimal.costs.prices import Prices
from teltheory.optimal.slo.exhaustion import check_violations
from teltheory.optimal.slo.violations import fewest_violations
from teltheory.policies import TailOptimizedBelady

WITH_STARTS = judged(SmallWorlds({}, {}, conversations=3, starts=1))
FORCED = replace(WITH_STARTS, forced=True)


def kept_upper_bound(case: Case, steps: list[int]) -> int:
    """Return the room at the steps and the caps of the reuse intervals that cover none of them; an upper bound."""
    past = {conversation: length for conversation, length, _ in case.world.initial}
    held = {conversation: cached for conversation, _, cached in case.world.initial}
    last_turn = dict.fromkeys(past, 0)
    room = [case.capacity] * (len(case.world.turns) + 2)
    caps = 0
    for turn, (conversation, prompt, response) in enumerate(case.world.turns, start=1):
        history = past.get(conversation, 0)
        cap = min(history, max(0, history + prompt - case.xi), held.pop(conversation, history))
        begin = last_turn.get(conversation, turn) + 1 + (case.forced and last_turn.get(conversation, 0) > 0)
        if not any(begin <= step <= turn for step in steps):
            caps += cap
        past[conversation], last_turn[conversation] = history + prompt + response, turn
        room[turn + 1] -= past[conversation] if case.forced else 0
    return sum(room[step] for step in steps) + caps


def closed(case: Case) -> Values:
    """Count what Tail-Optimized Belady keeps, and the bound of its set of steps."""
    totals = case.instance.total.tolist()
    without = sum(max(total - case.xi, 0) for total in totals)
    _, steps = certified_greedy(case.instance, case.xi)
    return {
        "kept": without - case.tel(TailOptimizedBelady(case.xi)),
        "room at P and caps that cover none": kept_upper_bound(case, steps.tolist()),
    }


row = rows(relation=lambda values: values["kept"] == values["room at P and caps that cover none"], certified=True)

certificate = row(
    "theorem-b1.certificate",
    "A set P of steps proves every optimum: what is kept is the room at P and the caps of the reuse intervals "
    "that cover no step of P.",
    source="Theorem B.1",
    space=WITH_STARTS,
    compiled=CompiledWorlds("least bound", of_states(WITH_STARTS)),
)(closed)

certificate_forced = row(
    "theorem-b1.certificate.forced",
    "The same under forced caching, with the room that exempt conversations leave.",
    source="Theorem B.1 and Appendix E, (9)",
    space=FORCED,
    compiled=CompiledWorlds("least bound", of_states(FORCED)),
)(closed)

SMALL = SmallWorlds(
    quick={1: 3, 2: 2, 3: 2, 4: 2}, full={1: 5, 2: 5, 3: 4, 4: 3, 5: 2}, samples=0, reach=JUDGED_BY_BRUTE_FORCE
)
WEIGHTS = (2, 0, 3, 1)
"""Of the turns, in this order and again from the beginning."""


def most_proved(case: Case, prices: Prices, most: int) -> int:
    """Return the largest number of violations, up to one more than `most`, that the check accepts as a bound."""
    for least in range(most + 1, 0, -1):
        try:
            check_violations(
                case.world.trace, case.capacity, case.xi, prices, least, case.forced, case.world.initial
            )
        except CertificateError:
            continue
        return least
    return 0


def violations(case: Case) -> Values:
    """Hold the fewest violations that were found, and those that are proved, against brute force."""
    best = fewest_violations(case.world.trace, case.capacity, case.xi, case.forced, case.world.initial)
    return {
        "found": best.upper,
        "proved": most_proved(case, best.certificate, best.upper),
        "optimum": smallest_total(case.instance, lambda uncached: uncached > case.xi),
    }


beyond = rows(relation=all_equal, space=SMALL, certified=True)

fewest = beyond(
    "violations.fewest",
    "The fewest SLO violations that any policy reaches are those of a choice of reuse intervals, each kept whole "
    "or not at all; prices and exhaustion prove them, and nothing more.",
    source="Section 2, beyond TEL",
)(violations)

fewest_forced = replace(
    fewest,
    id="violations.fewest.forced",
    source="Section 2 and Appendix E, (9), beyond TEL",
    statement="The same under forced caching.",
    space=replace(SMALL, forced=True),
)


def weighted(case: Case) -> Values:
    """Hold the weighted optimum, whose certificate is checked, against brute force."""
    trace, start = case.world.trace, case.world.initial
    weights = [WEIGHTS[turn % len(WEIGHTS)] for turn in range(len(trace))]
    best = weighted_optimum(trace, case.capacity, case.xi, weights, case.forced, start)
    check_certificate(trace, case.capacity, case.xi, best.certificate, case.forced, start, weights)
    total = case.instance.total.tolist()
    return {
        "proved": whole(Fraction(best.objective)),
        "optimum": smallest_cost(
            case.instance, lambda turn, reused: weights[turn] * max(total[turn] - reused - case.xi, 0)
        ),
    }


weighted_certificate = beyond(
    "weighted.certificate",
    "With whole weights of turns the relaxation still has a whole optimum, and whole prices of steps prove it.",
    source="Appendix B, (1)-(5), with weights",
)(weighted)

weighted_certificate_forced = replace(
    weighted_certificate,
    id="weighted.certificate.forced",
    source="Appendix E, (9), with weights",
    statement="The same under forced caching.",
    space=replace(SMALL, forced=True),
)
