"""The hindsight optimum by every method on many small instances: `python long_all_methods.py INSTANCES SEED`.

Naive Pyomo MILP, interval MILP, interval LP and greedy against brute force, on instances of up to nine turns,
optional and forced, with and without initial cache and given histories. A *false optimum* is a wrong number that
is returned; a method *differs* too where its point does not fit or is refused by a `SolverError`. The exit code is
1 if any does.
"""

import sys
from collections import Counter

from optimal.test_hindsight import METHODS, NINE, brute_force, check
from replay.instances import seeded

import teltheory as tt

EVERY = 500


def kinds(case):
    of_case = {"forced": case.forced, "initial caches": case.initial, "given histories": case.history is not None}
    return Counter(kind for kind, is_so in of_case.items() if is_so)


def failure(case, method, expected):
    """Return what is wrong with a method's answer, None where nothing is."""
    try:
        best = case.optimum(method)
        if best.objective != expected:
            return "false optima"
        check(best, case, method, expected)
    except (tt.SolverError, tt.CertificateError, AssertionError) as error:
        return type(error).__name__
    return None


def main(instances, seed):
    seen, failed = Counter(), Counter()
    for case in seeded(instances, seed, **NINE):
        expected = brute_force(case)
        for method in METHODS:
            found = failure(case, method, expected)
            if found is not None:
                failed[f"{method}, {found}"] += 1
                sys.stdout.write(f"{method}, {found}, expected {expected}: {case}\n")
        seen += kinds(case) + Counter({"instances": 1})
        if seen["instances"] % EVERY == 0:
            sys.stderr.write(f"{seen['instances']:,} instances\n")
    counts = ", ".join(f"{seen[kind]:,} {kind}" for kind in ("forced", "initial caches", "given histories"))
    false = sum(count for kind, count in failed.items() if "false" in kind)
    sys.stdout.write(
        f"{seen['instances']:,} instances ({counts}): {', '.join(METHODS)} and brute force: "
        f"{sum(failed.values()):,} differ, {false:,} false optima {dict(failed) or ''}\n"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
