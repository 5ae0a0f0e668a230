"""Ask both provers about every obligation, cvc5 up to the size that the first argument says (4)."""

import sys

from test_inductive import EVERYTHING

from proofs_checks.tail_optimized.lemmas import exchange_proof, induction_threshold, induction_trim
from teltheory.claims.smt import prove

STATEMENTS = EVERYTHING | {
    "Threshold-LRU <= LRU, optional": lambda: induction_threshold.against_lru(forced=False),
    "T-LRU <= Threshold-LRU, optional": lambda: induction_threshold.against_threshold(forced=False),
    "order of trimming, forced": lambda: induction_trim.obligations(forced=True),
    "exchange lemma, up to 8 tokens": lambda: exchange_proof.obligations(range(2, 9)),
}

if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    failed = False
    for statement, obligations in STATEMENTS.items():
        proof = prove(obligations(), statement, second_up_to=most)
        failed |= bool(proof.unproved)
        told = f"{statement}: {proof.obligations} obligations, unproved: {list(proof.unproved)}; {proof.by}\n"
        sys.stdout.write(told)
        sys.stdout.flush()
    sys.exit(failed)
