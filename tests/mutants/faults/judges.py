"""Faults in what judges: brute force, the checks of certificates and prices."""

from mutants.fault import Fault

BRUTE_FORCE = "teltheory/optimal/brute_force.py"
CERTIFICATE = "teltheory/optimal/certificate.py"
PRICES = "teltheory/optimal/prices.py"
EXHAUSTION = "teltheory/optimal/exhaustion.py"
CERTIFICATE_TESTS = "tests/optimal/test_certificate.py"
VIOLATIONS_TESTS = "tests/optimal/test_violations.py"
EXHAUSTION_TESTS = "tests/optimal/test_exhaustion.py"

FAULTS = (
    Fault(
        "brute-force-forgets-forced",
        BRUTE_FORCE,
        "least = [past if instance.forced and i == theta else 0 for i in range(len(state))]",
        "least = [0 for i in range(len(state))]",
        "the judge may cut the arriving conversation under forced caching",
        rows=("hindsight.interval-matrix.forced",),
        tests=("tests/optimal/test_brute_force.py",),
    ),
    Fault(
        "brute-force-reuses-beyond-the-history",
        BRUTE_FORCE,
        "return min(state[int(instance.trace.code[k])], int(instance.history[k]))",
        "return state[int(instance.trace.code[k])]",
        "the judge reuses more than a given history",
        tests=("tests/optimal/test_brute_force.py",),
    ),
    Fault(
        "brute-force-starts-empty",
        BRUTE_FORCE,
        "held = {start.code: start.cached for start in instance.initial}",
        "held = {start.code: 0 for start in instance.initial}",
        "the judge forgets the initial cache",
        tests=("tests/optimal/test_brute_force.py",),
    ),
    Fault(
        "loose-bound-passes",
        CERTIFICATE,
        "if kept != bound:",
        "if kept > bound:",
        "a certificate whose two sides do not meet passes for a proof",
        tests=(CERTIFICATE_TESTS,),
    ),
    Fault(
        "negative-amounts-pass",
        CERTIFICATE,
        "np.flatnonzero((kept < 0) | (kept > cap))[:1]",
        "np.flatnonzero(kept > cap)[:1]",
        "a certificate may keep less than nothing",
        tests=(CERTIFICATE_TESTS,),
    ),
    Fault(
        "steps-twice",
        CERTIFICATE,
        "(np.diff(steps, prepend=0) <= 0)",
        "(np.diff(steps, prepend=0) < 0)",
        "the set P may have a step twice",
        tests=(CERTIFICATE_TESTS,),
    ),
    Fault(
        "checker-forgets-exempt-room",
        CERTIFICATE,
        "room[1:] -= instance.past[:-1]",
        "room[1:] -= 0",
        "the checker's room is too large under forced caching",
        tests=(CERTIFICATE_TESTS,),
    ),
    Fault(
        "start-has-no-caps",
        CERTIFICATE,
        "cap[starting] = np.minimum(cap[starting], at_start)",
        "cap[starting] = cap[starting]",
        "a certificate may keep what the initial cache never held",
        tests=(CERTIFICATE_TESTS,),
    ),
    Fault(
        "priced-losers-lower-the-bound",
        PRICES,
        "sum(max(0, prices.denominator - turn.pays) for turn in priced.turns)",
        "sum(prices.denominator - turn.pays for turn in priced.turns)",
        "turns that pay more than they are worth make the bound too strong",
        tests=(VIOLATIONS_TESTS,),
    ),
    Fault(
        "what-just-fits-is-unavoidable",
        PRICES,
        "(first > last or need <= min(room[first : last + 1]))",
        "(first > last or need < min(room[first : last + 1]))",
        "a violation whose need fills the room counts as unavoidable",
        rows=("violations.fewest",),
        tests=(VIOLATIONS_TESTS,),
    ),
    Fault(
        "exhaustion-prunes-too-much",
        EXHAUSTION,
        "self._allowed = bound - wanted * self._unit",
        "self._allowed = bound - (wanted + 1) * self._unit",
        "the check proves one violation more than there must be",
        tests=(f"{EXHAUSTION_TESTS}::test_exhaustion_proves_what_brute_force_finds_and_no_more", EXHAUSTION_TESTS),
    ),
    Fault(
        "exhaustion-keeps-the-worse",
        EXHAUSTION,
        "order = np.lexsort((self._loss, *self._words))",
        "order = np.lexsort((-self._loss, *self._words))",
        "of equal sets the one of larger loss goes on, so that too much is proved",
        tests=(EXHAUSTION_TESTS,),
    ),
    Fault(
        "weighted-bound-below-zero",
        CERTIFICATE,
        "np.maximum(weights.whole - (up_to[1:] - up_to[first - 1]), 0)",
        "weights.whole - (up_to[1:] - up_to[first - 1])",
        "turns that pay more than they weigh make the weighted bound too strong",
        tests=(CERTIFICATE_TESTS,),
    ),
)
