"""The hindsight problem: Appendix B of Zhang et al. 2025 (and Appendix E for forced caching).

The judge of the smaller cases is `teltheory.optimal.chains.brute_force`, which tries every full cache. Random
cases are larger; there the judge is the interval form's relaxation, whose certificate is checked in whole numbers.
The optimum of (1)-(5) is proved in fractions on the matrix of the Pyomo model. No solver's word counts.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from proofs_checks.tail_optimized.instances.bounds import judged, of_states
from proofs_checks.tail_optimized.lemmas.excess_calculus import capped_proof, counted_proof
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.origin import BOTH, OURS, PMLR, reading, repairs
from teltheory.claims.worlds import JUDGED_BY_BRUTE_FORCE, Reach, SmallWorlds
from teltheory.errors import SolverError
from teltheory.optimal import hindsight_optimum
from teltheory.optimal.chains.brute_force import all_reuses, smallest_rising_total
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem
from teltheory.optimal.exact import LinearProgram, ProvedOptimum, proved_optimum
from teltheory.policies import LRU, TailOptimizedBelady

OPTIONAL = judged(SmallWorlds({}, {}, conversations=3))
FORCED = replace(OPTIONAL, forced=True)
EVERY_REUSE = replace(OPTIONAL, samples=0, reach=JUDGED_BY_BRUTE_FORCE)
HITS = replace(OPTIONAL, thresholds=lambda world: range(1), reach=Reach(tokens=1000))
BY_SOLVER = SmallWorlds(
    quick={1: 3, 2: 2, 3: 1},
    full={1: 4, 2: 3, 3: 2},
    samples=40,
    most_turns=9,
    longest=6,
    reach=JUDGED_BY_BRUTE_FORCE,
)
WITH_STARTS = replace(BY_SOLVER, starts=1, start_tokens={"quick": 0, "full": 1})
INTERVALS = SmallWorlds(quick={1: 3, 2: 3, 3: 2}, full={1: 5, 2: 5, 3: 4, 4: 2}, samples=0, reach=Reach(turns=50))

MOST_FOR_BRUTE_FORCE = 40


def optimum(case: Case) -> int:
    """Return the least TEL: by brute force on small cases, by a certified linear program on larger ones."""
    if case.world.tokens <= MOST_FOR_BRUTE_FORCE:
        return smallest_rising_total(case.instance, lambda uncached: max(uncached - case.xi, 0))
    return interval_optimum(case)


def interval_optimum(case: Case) -> int:
    """Return the optimum of the interval form's relaxation, at a whole vertex that its certificate proves."""
    asked = (case.capacity, case.xi, case.forced, case.world.initial)
    return int(hindsight_optimum(case.world.trace, *asked, method="lp").lower)


def relaxation(case: Case, *, initial_state: bool = True) -> ProvedOptimum:
    """Return the optimum of the linear relaxation of (1)-(5), proved in fractions on the model's own matrix."""
    from teltheory.optimal.chains.formulation import hindsight_model

    model = hindsight_model(case.instance, case.xi, initial_state=initial_state, relaxed=True)
    return proved_optimum(LinearProgram.of_model(model))


def solved(case: Case, *, initial_state: bool = True) -> int:
    """Return the optimum of (1)-(5): a whole point is an optimum of the integer program too."""
    proved = relaxation(case, initial_state=initial_state)
    if any(value.denominator > 1 for value in proved.values.values()):
        raise SolverError("a vertex that is not whole", bound=float(proved.objective))
    return whole(proved.objective)


def whole(objective: Fraction) -> int:
    """Return an optimum as a whole number, -1 if it is none."""
    return objective.numerator if objective.denominator == 1 else -1


def all_equal(values: Values) -> bool:
    """Whether all values are the same."""
    first, *others = values.values()
    return all(other == first for other in others)


row = rows(source="Appendix B, (1)-(5)", relation=all_equal, space=EVERY_REUSE, origin=BOTH)


@row(
    "hindsight.initial-state",
    "Formulation (1)-(5) as printed, which leaves x at t = 1 free, has the optimum of the problem it describes.",
    space=BY_SOLVER,
    origin=PMLR,
)
def initial_state(case: Case) -> Values:
    """Compare the printed formulation with brute force."""
    return {"(1)-(5) as printed": solved(case, initial_state=False), "optimum": optimum(case)}


@row(
    "hindsight.initial-state.given",
    "With x at t = 1 bounded by the initial cache, formulation (1)-(5) has the optimum of the problem.",
    source="Appendix B, (1)-(5), repaired",
    space=WITH_STARTS,
    origin=repairs("hindsight.initial-state"),
)
def initial_state_given(case: Case) -> Values:
    """Compare the repaired formulation with brute force."""
    return {"(1)-(5) with x at t = 1 given": solved(case), "optimum": optimum(case)}


def gaps(problem: IntervalProblem) -> int:
    """Return in how many columns of the matrix, with a row for every step, the ones are not consecutive."""
    columns = problem.rows(np.arange(1, len(problem.room))).toarray().T
    return sum(not is_run(column) for column in columns.tolist())


def is_run(column: list[float]) -> bool:
    """Whether a column has nothing but zeros and at most one run of ones."""
    return (
        "".join("1" if entry == 1 else "0" if entry == 0 else "?" for entry in column).strip("0").strip("1") == ""
    )


def interval_values(case: Case) -> Values:
    """Look at the matrix, and hold the interval form's relaxation against brute force."""
    return {
        "columns with a gap": gaps(interval_problem(case.instance, case.xi)),
        "relaxation of the interval form": interval_optimum(case),
        "optimum": optimum(case),
    }


def is_integral(values: Values) -> bool:
    """Whether the matrix is an interval matrix and all optima are the same."""
    columns, *optima = values.values()
    return bool(columns == 0 and all(other == optima[0] for other in optima))


@row(
    "hindsight.integral",
    "The linear relaxation of (1)-(5), with the initial state given, has an integral optimum.",
    relation=is_integral,
    space=WITH_STARTS,
    origin=OURS,
)
def integral(case: Case) -> Values:
    """Solve the relaxation of (1)-(5), and show that the instance's matrix is an interval matrix.

    The second is enough on its own. Of x[i, t] between a turn and the next of i, (5) leaves what turn e finds, and
    y_e = min(x_e, h_e, max(0, total_e - xi)) is feasible for the interval form with u_e = max(0, total_e - xi) -
    y_e; the other way round, x = y_e over the interval of e and 0 elsewhere is feasible for (1)-(5). So both
    relaxations have one value. The interval form's matrix has the ones of each column consecutive, the rows in
    the order of the steps: an interval matrix, which is totally unimodular (Fulkerson and Gross 1965), and with
    whole bounds and a whole capacity every vertex is then whole (Schrijver 1986, section 19.4).
    """
    values = interval_values(case)
    return {**values, "relaxation of (1)-(5)": whole(relaxation(case).objective)}


interval_matrix = row(
    "hindsight.interval-matrix",
    "Over reuse intervals, with rows in the order of the steps, the ones of each column are consecutive, and the "
    "relaxation has the optimum of the problem.",
    relation=is_integral,
    space=INTERVALS,
    origin=OURS,
)(interval_values)

interval_matrix_forced = row(
    "hindsight.interval-matrix.forced",
    "Under forced caching too, over intervals that begin a step later and with less room.",
    source="Appendix E, (9)",
    relation=is_integral,
    space=replace(INTERVALS, forced=True),
    origin=OURS,
)(interval_values)


def beside_brute_force(case: Case) -> Values:
    """Compare Tail-Optimized Belady with brute force."""
    return {"Tail-Optimized Belady": case.tel(TailOptimizedBelady(case.xi)), "optimum": optimum(case)}


theorem_b1 = row(
    "theorem-b1",
    "Tail-Optimized Belady attains the optimum of (1)-(5) under optional caching.",
    source="Theorem B.1",
    space=OPTIONAL,
    compiled=CompiledWorlds("Tail-Optimized Belady is optimal", of_states(OPTIONAL)),
)(beside_brute_force)

theorem_b1_forced = row(
    "theorem-b1.forced",
    "Tail-Optimized Belady attains the optimum under forced caching.",
    source="Theorem B.1 with Appendix E, (9)",
    space=FORCED,
    compiled=CompiledWorlds("Tail-Optimized Belady is optimal", of_states(FORCED)),
)(beside_brute_force)


def caps(case: Case) -> list[int]:
    """Return (total - xi)+ of each turn."""
    return [max(total - case.xi, 0) for total in case.instance.total.tolist()]


def tel_of(case: Case, reuses: tuple[int, ...] | list[int]) -> int:
    """Return the TEL of a sequence of reuses."""
    totals = case.instance.total.tolist()
    return sum(max(total - x - case.xi, 0) for total, x in zip(totals, reuses, strict=True))


def above_caps(case: Case, reuses: tuple[int, ...] | list[int]) -> int:
    """Return how many blocks are reused above the caps."""
    return sum(max(x - cap, 0) for x, cap in zip(reuses, caps(case), strict=True))


def optimal_reuses(case: Case) -> list[tuple[int, ...]]:
    """Return every optimal sequence of reuses."""
    reuses = all_reuses(case.instance)
    least = min(tel_of(case, r) for r in reuses)
    return [r for r in reuses if tel_of(case, r) == least]


@row(
    "theorem-b1.cap-is-necessary",
    "Every optimal solution of (1) satisfies x <= (total - xi)+ at every arrival.",
    source="Theorem B.1, first step of the proof",
    relation=lambda values: values["most blocks above the caps in an optimum"] == 0,
    compiled=CompiledWorlds("caps in every optimum", of_states(EVERY_REUSE)),
)
def cap_is_necessary(case: Case) -> Values:
    """Look at every optimum for reuse above the caps; LRU's own reuse is there to be replayed."""
    optima = optimal_reuses(case)
    return {
        "optimum": tel_of(case, optima[0]),
        "most blocks above the caps in an optimum": max(above_caps(case, r) for r in optima),
        "LRU's TEL": case.tel(LRU()),
        "LRU's reuse": case.reuses(LRU()),
        "caps": caps(case),
    }


@row(
    "theorem-b1.cap-is-enough",
    "Some optimal solution of (1) satisfies x <= (total - xi)+ at every arrival, and under these caps the largest "
    "sum of x is optimal for (1).",
    source="Theorem B.1, first step of the proof, repaired",
    relation=lambda values: (
        values["fewest blocks above the caps in an optimum"] == 0
        and values["TEL of the largest capped sum"] == values["optimum"]
    ),
    origin=repairs("theorem-b1.cap-is-necessary"),
    compiled=CompiledWorlds("caps in some optimum", of_states(EVERY_REUSE)),
)
def cap_is_enough(case: Case) -> Values:
    """Look for an optimum within the caps, and solve the capped problem of the theorem."""
    reuses = all_reuses(case.instance)
    capped = [r for r in reuses if above_caps(case, r) == 0]
    optima = optimal_reuses(case)
    return {
        "optimum": tel_of(case, optima[0]),
        "fewest blocks above the caps in an optimum": min(above_caps(case, r) for r in optima),
        "TEL of the largest capped sum": tel_of(case, max(capped, key=sum)),
    }


def capped_reuses(case: Case) -> list[tuple[int, ...]]:
    """Return every sequence of reuses within the caps."""
    return [r for r in all_reuses(case.instance) if above_caps(case, r) == 0]


def tels_of_the_best(
    case: Case, reuses: list[tuple[int, ...]], weight: Callable[[tuple[int, ...]], int]
) -> Values:
    """Return the optimum, and the least and the largest TEL of the sequences of the largest weight."""
    most = max(map(weight, reuses))
    tels = [tel_of(case, r) for r in reuses if weight(r) == most]
    return {"optimum": optimum(case), "least TEL of a solution": min(tels), "largest TEL of a solution": max(tels)}


@row(
    "theorem-b1.capped",
    "Every solution of the capped problem, which maximises the sum of x under (3)-(5) and x <= (total - xi)+ at "
    "each arrival, is optimal for (1).",
    source="Theorem B.1, “Then x* is an optimal solution to the TEL problem (1)”",
    proof=capped_proof,
)
def capped(case: Case) -> Values:
    """Solve the capped problem by trying every cache, and look at all its solutions."""
    return tels_of_the_best(case, capped_reuses(case), sum)


@row(
    "theorem-b1.capped.forced",
    "With (9) in the place of (4) the capped problem has a solution.",
    source="Appendix E, (9), “Theorem B.1 continues to hold under forced caching”",
    relation=lambda values: values["sequences within the caps"] > 0,
    space=replace(EVERY_REUSE, forced=True),
    origin=reading("the theorem's own formal statement, with the caps at every arrival"),
)
def capped_forced(case: Case) -> Values:
    """Count what is feasible."""
    return {"sequences within the caps": len(capped_reuses(case)), "sequences": len(all_reuses(case.instance))}


@row(
    "theorem-b1.capped.forced.counted",
    "With (9) in the place of (4) every x of the largest sum of min(x, (total - xi)+) over the arrivals is "
    "optimal for (1).",
    source="Appendix E, (9), with the caps in the objective",
    space=replace(EVERY_REUSE, forced=True),
    origin=repairs("theorem-b1.capped.forced"),
    proof=counted_proof,
)
def capped_forced_counted(case: Case) -> Values:
    """Count of each reuse what lies within the cap."""
    limits = caps(case)
    return tels_of_the_best(case, list(all_reuses(case.instance)), lambda r: sum(map(min, r, limits)))


def furthest_in_future(world: World, capacity: int) -> list[int]:
    """Return what each turn reuses under Belady's rule, block by block: evict what is needed furthest ahead."""
    past: dict[int, int] = {}
    kept: dict[int, int] = {}
    reused = []
    for k, (theta, prompt, response) in enumerate(world.turns):
        reused.append(kept.get(theta, 0))
        past[theta] = kept[theta] = past.get(theta, 0) + prompt + response
        following = [c for c, _, _ in world.turns[k + 1 :]]
        while sum(kept.values()) > capacity:
            holding = [c for c in kept if kept[c] > 0]
            last = max(holding, key=lambda c: following.index(c) if c in following else len(following))
            kept[last] -= 1
    return reused


@row(
    "theorem-b1.belady",
    "With xi = 0 Tail-Optimized Belady is Belady's policy, and it maximises the hits.",
    source="Theorem B.1, remark on xi = 0",
    relation=lambda values: (
        values["Tail-Optimized Belady's hits"] == values["furthest in future's hits"]
        and values["their sum"] == values["most hits"]
    ),
    space=HITS,
    compiled=CompiledWorlds("most hits", of_states(HITS), thresholds="zero"),
)
def belady(case: Case) -> Values:
    """Compare with a furthest-in-future rule written on its own, and with brute force."""
    hits = case.reuses(TailOptimizedBelady(0))
    totals = sum(case.instance.total.tolist())
    return {
        "Tail-Optimized Belady's hits": hits,
        "furthest in future's hits": furthest_in_future(case.world, case.capacity),
        "their sum": sum(hits),
        "most hits": totals - optimum(case),
    }
