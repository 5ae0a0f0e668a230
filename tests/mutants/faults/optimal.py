"""Faults in what finds the hindsight optimum."""

from mutants.fault import Fault

INTERVALS = "teltheory/optimal/intervals.py"
FORMULATION = "teltheory/optimal/formulation.py"
HINDSIGHT_TESTS = "tests/optimal/test_hindsight.py"
FORMULATION_TESTS = "tests/optimal/test_formulation.py"

FAULTS = (
    Fault(
        "interval-begins-early",
        INTERVALS,
        "first = trace.previous_turn[turn] + 2",
        "first = trace.previous_turn[turn] + 1",
        "a reuse interval covers the step of the turn that fills it",
        rows=("hindsight.interval-matrix",),
        tests=(HINDSIGHT_TESTS,),
    ),
    Fault(
        "forced-room-taken-twice",
        INTERVALS,
        "first += trace.continuing[turn]",
        "first += 0",
        "an exempt conversation takes room for its past and for what is kept of it",
        rows=("hindsight.interval-matrix.forced",),
        tests=(HINDSIGHT_TESTS,),
    ),
    Fault(
        "start-keeps-more-than-helps",
        INTERVALS,
        "most[first_turn] = np.minimum(most[first_turn], from_start)",
        "most[first_turn] = from_start",
        "reuse below the threshold counts; only of the initial cache",
        tests=(f"{HINDSIGHT_TESTS}::test_greedy_lp_and_milp_find_what_brute_force_finds", HINDSIGHT_TESTS),
    ),
    Fault(
        "needed-rows-by-equal-room-only",
        INTERVALS,
        "np.append(self.room[2:] <= self.room[1:-1], False)",
        "np.append(self.room[2:] >= 0, False)",
        "rows are left out for a next step with more room; only under forced caching",
        tests=("tests/optimal/test_costs.py::test_convex_costs_are_proved_to_be_what_brute_force_finds",),
    ),
    Fault(
        "certificate-step-too-many",
        "teltheory/optimal/greedy.py",
        "        if turn < s:\n",
        "        if turn <= s:\n",
        "the set P gets a step that a positive interval shares with the next",
        tests=("tests/optimal/test_certificate.py",),
    ),
    Fault(
        "response-is-not-cached",
        FORMULATION,
        "return model.x[i, t + 1] <= model.past[t]",
        "return model.x[i, t + 1] <= model.total[t]",
        "(4) without the response",
        rows=("hindsight.initial-state.given",),
        tests=(FORMULATION_TESTS,),
    ),
    Fault(
        "forced-history-cut-on-the-cache",
        FORMULATION,
        "if model.forced and t > 1 and model.theta[t - 1] == i:",
        "if False:",
        "(9) and a shortened history contradict each other; only for turns in a row",
        tests=(FORMULATION_TESTS,),
    ),
    Fault(
        "unavoidable-reuse-forgotten",
        "teltheory/optimal/certificate.py",
        "        least[in_a_row] = instance.history[in_a_row]\n",
        "        least[in_a_row] = 0\n",
        "an outcome under forced caching reuses less than any policy must",
        tests=("tests/optimal/test_hindsight.py::test_solver_outcomes_count_the_reuse_that_no_policy_avoids",),
    ),
    Fault(
        "percentile-of-a-lower-rank",
        "teltheory/optimal/percentile.py",
        "self.allowed = len(instance.trace) - rank",
        "self.allowed = len(instance.trace) - rank + 1",
        "the best percentile allows a turn too many above it",
        tests=("tests/optimal/test_percentile.py",),
    ),
    Fault(
        "light-turns-weigh-nothing",
        INTERVALS,
        "turn = np.flatnonzero((most > 0) & (weight > 0))",
        "turn = np.flatnonzero((most > 0) & ((weight > 1) | (weight.max(initial=1) == 1)))",
        "turns of the smallest weight are left out of the weighted optimum",
        rows=("weighted.certificate",),
        tests=("tests/optimal/test_weighted.py",),
    ),
)
