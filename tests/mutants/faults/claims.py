"""Faults in the claims machinery and in the checks themselves."""

from mutants.fault import Fault

WORLDS = "teltheory/claims/worlds.py"
CASE = "teltheory/claims/case.py"
THEOREM_31 = "proofs_checks/theorem_31.py"
DOMINANCE = "teltheory/claims/dominance.py"
DOMINANCE_TESTS = "tests/claims/test_dominance.py"
RELATIONS = "tests/claims/test_relations.py"

FAULTS = (
    Fault(
        "splits-miss-the-last",
        WORLDS,
        "    for first in range(total + 1):\n",
        "    for first in range(max(total, 1)):\n",
        "worlds in which one length has all the tokens are left out",
        rows=("theorem-b1.cap-is-necessary",),
        tests=("tests/claims/test_worlds.py",),
    ),
    Fault(
        "estimates-stop-short",
        WORLDS,
        "return range(least, max(least, xi) + 1)",
        "return range(least, max(least + 1, xi))",
        "an estimate of just the threshold is not tried",
        rows=("theorem-31.threshold-lru.second",),
        tests=("tests/claims/test_worlds.py",),
    ),
    Fault(
        "any-refuting-case-is-smallest",
        "teltheory/claims/search.py",
        "smallest = min(refuting, key=lambda case: case.size())",
        "smallest = max(refuting, key=lambda case: case.size())",
        "the counterexample is the largest of its class",
        rows=("theorem-b1.cap-is-necessary", "algorithm-1.terminates"),
        tests=("tests/claims/test_search.py",),
    ),
    Fault(
        "shrinking-gives-up",
        CASE,
        "            if case.admissible:\n",
        "            if case.admissible and case.world.initial:\n",
        "a random counterexample without an initial cache is not shrunk",
        tests=("tests/claims/test_search.py",),
    ),
    Fault(
        "forced-needs-the-last-past",
        CASE,
        "return int(past[:-1].max(initial=0))",
        "return int(past.max(initial=0))",
        "instances are left out whose last turn alone exceeds the capacity",
        rows=("hindsight.interval-matrix.forced",),
        tests=(RELATIONS,),
    ),
    Fault(
        "start-continues-nothing",
        CASE,
        "seen = {conversation for conversation, _, _ in self.initial}",
        "seen: set[int] = set()",
        "a prompt that continues a conversation of the initial cache is no bound on the estimate",
        tests=(RELATIONS,),
    ),
    Fault(
        "excess-forgets-the-threshold",
        CASE,
        "return [max(uncached - self.xi, 0) for uncached in self.uncached(policy)]",
        "return [max(uncached, 0) for uncached in self.uncached(policy)]",
        "claims compare uncached lengths in place of excesses",
        rows=("trim.order-is-free.mean",),
        tests=("tests/claims/test_search.py",),
    ),
    Fault(
        "cutoff-of-zero-left-out",
        THEOREM_31,
        "return is_upper_bound(case) and case.xi >= case.q_hat",
        "return is_upper_bound(case) and case.xi > case.q_hat",
        "a cutoff of 0 is outside the hypotheses",
        rows=("theorem-31.threshold-lru.second",),
        tests=(RELATIONS,),
    ),
    Fault(
        "dominated-somewhere",
        THEOREM_31,
        "return all(a <= b for a, b in zip(first, second, strict=True))",
        "return any(a <= b for a, b in zip(first, second, strict=True))",
        "request by request: one turn that is no worse is enough",
        tests=(RELATIONS,),
    ),
    Fault(
        "rows-of-ours-may-fail",
        "teltheory/claims/verdict.py",
        'return claim.origin.whose != "ours"',
        "return True",
        "a refuted row of ours passes for a sound ledger",
        tests=("tests/claims/test_search.py",),
    ),
    Fault(
        "gap-in-a-column-unseen",
        "proofs_checks/hindsight.py",
        "return sum(not is_run(column) for column in columns.tolist())",
        "return sum(not any(column) for column in columns.tolist())",
        "columns of the matrix are looked at for ones only, not for gaps",
        tests=(RELATIONS,),
    ),
    Fault(
        "never-worse-forgets-forced",
        DOMINANCE,
        "forced=forced, conversations",
        "forced=False, conversations",
        "a policy's dominance under forced caching is searched under optional caching",
        tests=(DOMINANCE_TESTS,),
    ),
    Fault(
        "estimates-for-the-first-alone",
        DOMINANCE,
        "upper_bounds if ours.takes_estimate or other.takes_estimate else",
        "upper_bounds if ours.takes_estimate else",
        "a policy without an estimate is compared with T-LRU at Q-hat = 0 alone",
        tests=(DOMINANCE_TESTS,),
    ),
    Fault(
        "worst-turn-for-the-sum",
        DOMINANCE,
        "    return case.tel(policy)\n",
        "    return max(case.excesses(policy))\n",
        "policies are compared by their worst turn in place of TEL",
        tests=(DOMINANCE_TESTS,),
    ),
)
