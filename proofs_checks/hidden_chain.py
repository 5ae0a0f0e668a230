"""The old path of `proofs_checks/tail_optimized/lemmas/hidden_chain.py`."""

from proofs_checks.moved import forward

forward(globals(), "proofs_checks.tail_optimized.lemmas.hidden_chain")
