"""The old path of `proofs_checks/tail_optimized/printed_index.py`."""

from proofs_checks.moved import forward

forward(globals(), "proofs_checks.tail_optimized.printed_index")
