"""Faults as data, one file a room of the project."""

from mutants.faults import (
    belief,
    claims,
    engines,
    experiments,
    judges,
    limits,
    optimal,
    policies,
    proofs,
    replay,
)

FAULTS = (
    *policies.FAULTS,
    *replay.FAULTS,
    *optimal.FAULTS,
    *judges.FAULTS,
    *belief.FAULTS,
    *claims.FAULTS,
    *engines.FAULTS,
    *proofs.FAULTS,
    *experiments.FAULTS,
    *limits.FAULTS,
)
