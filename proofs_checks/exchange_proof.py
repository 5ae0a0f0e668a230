"""The old path of `proofs_checks/tail_optimized/lemmas/exchange_proof.py`."""

from proofs_checks.moved import forward

forward(globals(), "proofs_checks.tail_optimized.lemmas.exchange_proof")
