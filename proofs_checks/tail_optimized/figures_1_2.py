"""Figures 1 and 2 of Zhang et al. 2025: the TEL-safe budget, and LRU beside T-LRU on three turns."""

from dataclasses import replace

from proofs_checks.tail_optimized.algorithm_1 import of_version_1
from proofs_checks.tail_optimized.lemmas.excess_calculus import figure_1_proof, long_threshold_proof, min_proof
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.origin import BOTH, PMLR, V1, reading, repairs
from teltheory.claims.worlds import Given, Reach, SmallWorlds
from teltheory.policies import LRU, TLRU, Belady

ONE_CONVERSATION = SmallWorlds(
    quick={2: 12},
    full={2: 30},
    capacities=lambda world: range(first_past(world), first_past(world) + 1),
    conversations=1,
    samples=0,
    reach=Reach(turns=2, tokens=500, conversations=1),
    natural_sizes=({2: 8}, {2: 20}),
)


def first_past(world: World) -> int:
    """Return L, the past after the first turn."""
    _, prompt, response = world.turns[0]
    return prompt + response


def second_turn(case: Case) -> Values | None:
    """Replay a second turn with 0, 1, ... L blocks of the first kept, and return its excess; None without one."""
    if len(case.world.turns) < 2:
        return None
    kept = range(first_past(case.world) + 1)
    excess = [replace(case, capacity=blocks).excesses(LRU())[1] for blocks in kept]
    return {"excess by blocks kept": excess, "L + Q - xi": kept[-1] + case.world.turns[1][1] - case.xi}


def falls_to_zero_at_the_budget(values: Values) -> bool:
    """Whether the excess is 0 exactly from the budget on, and one more for each block below it."""
    excess, budget = values["excess by blocks kept"], values["L + Q - xi"]
    return list(excess) == [max(budget - kept, 0) for kept in range(len(excess))]


row = rows(source="Figure 1 and Section 1", space=ONE_CONVERSATION)

figure_1 = row(
    "figure-1",
    "If L + Q <= xi no kept block changes the next turn's excess; otherwise keeping L + Q - xi blocks brings it "
    "to 0, fewer do not, and more change nothing (of the L blocks there are).",
    relation=falls_to_zero_at_the_budget,
    origin=BOTH,
    proof=figure_1_proof,
    compiled=CompiledWorlds("excess by blocks kept", ONE_CONVERSATION, capacities="first past"),
)(second_turn)


@row(
    "figure-1.min",
    "Of X only min(X, (L + Q - xi)+) matters to the next turn's excess.",
    relation=all_equal,
    proof=min_proof,
)
def only_the_budget_matters(case: Case) -> Values | None:
    """Replay the second turn with X and with min(X, (L + Q - xi)+) blocks kept."""
    values = second_turn(case)
    if values is None:
        return None
    excess, budget = values["excess by blocks kept"], max(values["L + Q - xi"], 0)
    return {"X": excess, "min(X, budget)": [excess[min(kept, budget)] for kept in range(len(excess))]}


@row(
    "figure-1.budget-exists",
    "Where L + Q > xi there are L + Q - xi blocks to keep, so that the next turn's excess can be brought to 0.",
    relation=lambda values: min(values["excess by blocks kept"]) == 0,
    origin=reading("the history has as many blocks as the budget asks for"),
    compiled=CompiledWorlds("budget exists", ONE_CONVERSATION, capacities="first past"),
)
def budget_exists(case: Case) -> Values | None:
    """Look for a number of kept blocks that brings the excess to 0."""
    values = second_turn(case)
    return values if values is not None and values["L + Q - xi"] > 0 else None


@row(
    "figure-1.budget-exists.long-threshold",
    "Where L + Q > xi >= Q there are L + Q - xi blocks to keep, and they bring the next turn's excess to 0.",
    source="Figure 1 and Section 1, repaired",
    relation=lambda values: min(values["excess by blocks kept"]) == 0,
    origin=repairs("figure-1.budget-exists"),
    proof=long_threshold_proof,
    compiled=CompiledWorlds("budget exists, xi >= Q", ONE_CONVERSATION, capacities="first past"),
)
def budget_exists_for_long_thresholds(case: Case) -> Values | None:
    """Look for such a number where the threshold is at least the prompt."""
    values = budget_exists.values(case)
    return values if values is not None and case.xi >= case.world.turns[1][1] else None


FIGURE_2 = Case(World(((0, 100, 0), (1, 100, 0), (0, 100, 0))), capacity=100, xi=160, q_hat=100)


@row(
    "figure-2",
    "Capacity 100, turns A(100), B(100), A(100), xi = 160: the largest uncached count is 200 under LRU, 150 under "
    "T-LRU (round-robin trim; 160 with least-recent), and 100 is the smallest that any policy reaches.",
    source="Figure 2",
    relation=lambda values: tuple(values.values()) == (200, 150, 160, 100, 100),
    space=Given((FIGURE_2,), "the figure's three turns"),
    origin=PMLR,
)
def figure_2(case: Case) -> Values:
    """Replay the figure; the first turn finds an empty cache, so no policy is below its prompt."""
    return {
        "LRU": max(case.uncached(LRU())),
        "T-LRU, round-robin": max(case.uncached(TLRU(case.xi, case.q_hat))),
        "T-LRU, least-recent": max(case.uncached(TLRU(case.xi, case.q_hat, "least-recent"))),
        "Belady": max(case.uncached(Belady())),
        "first prompt": case.world.turns[0][1],
    }


FIGURE_2_OF_V1 = replace(FIGURE_2, xi=150)


@row(
    "figure-2.v1",
    "Algorithm 1 in its `if` form brings the largest uncached count of the figure's three turns (C = 100, xi = "
    "150) to 150.",
    source="Figure 1 with Algorithm 1",
    relation=lambda values: values["Algorithm 1, `if`"] == 150,
    space=Given((FIGURE_2_OF_V1,), "the figure's three turns"),
    origin=V1,
)
def figure_1_of_version_1(case: Case) -> Values:
    """Replay the algorithm as version 1 prints it, and with rounds until the cache fits."""
    return {
        "Algorithm 1, `if`": max(case.uncached(of_version_1(case))),
        "trimmed until the cache fits": max(case.uncached(TLRU(case.xi, case.q_hat))),
    }


@row(
    "figure-2.v1.rounds",
    "T-LRU that trims until the cache fits, in rounds or least recent first, brings the largest uncached count "
    "of the figure's three turns (C = 100, xi = 150) to 150, and LRU to 200.",
    source="Figure 1, “This improvement is what our proposed policy, T-LRU, is designed to achieve”",
    relation=lambda values: tuple(values.values()) == (150, 150, 200),
    space=Given((FIGURE_2_OF_V1,), "the figure's three turns"),
    origin=repairs("figure-2.v1"),
)
def figure_1_of_version_1_in_rounds(case: Case) -> Values:
    """Replay both orders of trimming and LRU."""
    return {
        "round-robin": max(case.uncached(TLRU(case.xi, case.q_hat))),
        "least-recent": max(case.uncached(TLRU(case.xi, case.q_hat, "least-recent"))),
        "LRU": max(case.uncached(LRU())),
    }
