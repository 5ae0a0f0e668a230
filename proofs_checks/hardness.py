"""The old path of `proofs_checks/tail_optimized/hardness.py`."""

from proofs_checks.moved import forward

forward(globals(), "proofs_checks.tail_optimized.hardness")
