"""The hindsight optimum by every method on many small instances: `python long_all_methods.py INSTANCES SEED`.

Naive Pyomo MILP, interval MILP, interval LP, greedy and brute force must agree on each instance, optional and
forced, with and without initial cache and given histories, and every certificate must prove what it claims.
"""

import sys
from collections import Counter

from optimal.test_hindsight import METHODS, SMALL, brute_force, check
from replay.instances import seeded

import teltheory as tt


def main(instances, seed):
    seen = Counter()
    for case in seeded(instances, seed, **SMALL):
        expected = brute_force(case)
        for method in METHODS:
            check(case, method, expected)
            certificate = case.optimum(method).certificate if method in ("greedy", "lp") else None
            if certificate is not None:
                asked = (case.trace, case.capacity, case.xi, certificate)
                tt.check_certificate(*asked, forced=case.forced, initial=case.initial)
                seen["certificates"] += 1
        kinds = {
            "forced": case.forced,
            "initial caches": case.initial,
            "given histories": case.history is not None,
        }
        seen += Counter(kind for kind, is_so in kinds.items() if is_so)
        seen["instances"] += 1
        if seen["instances"] % 500 == 0:
            sys.stderr.write(f"{seen['instances']:,} instances\n")
    counts = ", ".join(f"{seen[kind]:,} {kind}" for kind in ("forced", "initial caches", "given histories"))
    sys.stdout.write(
        f"{seen['instances']:,} instances ({counts}): {', '.join(METHODS)} and brute force agree, "
        f"{seen['certificates']:,} certificates hold\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
