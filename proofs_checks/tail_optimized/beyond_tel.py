"""Other objectives than TEL (ours): the fewest SLO violations, and TEL with weights of turns.

The paper stops at TEL, as "solving for the optimal policy for tail latency is computationally hard". The judge is
`teltheory.optimal.brute_force`, which tries every cache state.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs_checks.tail_optimized.hindsight import all_equal, whole
from teltheory.claims.case import Case
from teltheory.claims.claim import Values, claim
from teltheory.claims.origin import OURS
from teltheory.claims.registry import run
from teltheory.claims.worlds import JUDGED_BY_BRUTE_FORCE, SmallWorlds
from teltheory.errors import CertificateError
from teltheory.optimal import check_certificate, weighted_optimum
from teltheory.optimal.brute_force import smallest_cost, smallest_total
from teltheory.optimal.exhaustion import check_violations
from teltheory.optimal.prices import Prices
from teltheory.optimal.violations import fewest_violations

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
        "found": best.violations,
        "proved": most_proved(case, best.prices, best.violations),
        "optimum": smallest_total(case.instance, lambda uncached: uncached > case.xi),
    }


fewest = claim(
    "violations.fewest",
    "Section 2, beyond TEL",
    "The fewest SLO violations that any policy reaches are those of a choice of reuse intervals, each kept whole "
    "or not at all; prices and exhaustion prove them, and nothing more.",
    relation=all_equal,
    space=SMALL,
    origin=OURS,
    certified=True,
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


certificate = claim(
    "weighted.certificate",
    "Appendix B, (1)-(5), with weights",
    "With whole weights of turns the relaxation still has a whole optimum, and whole prices of steps prove it.",
    relation=all_equal,
    space=SMALL,
    origin=OURS,
    certified=True,
)(weighted)

certificate_forced = replace(
    certificate,
    id="weighted.certificate.forced",
    source="Appendix E, (9), with weights",
    statement="The same under forced caching.",
    space=replace(SMALL, forced=True),
)


if __name__ == "__main__":
    run(__file__)
