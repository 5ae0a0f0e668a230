"""The old path of `proofs_checks/tail_optimized/algorithm_1.py`."""

from proofs_checks.moved import forward

forward(globals(), "proofs_checks.tail_optimized.algorithm_1")
