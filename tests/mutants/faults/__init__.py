"""Faults as data, one file a room of the project."""

from mutants.faults import (
    advice,
    belief,
    claims,
    datasets,
    documents,
    experiments,
    hostile,
    inputs,
    judges,
    limits,
    optimal,
    options,
    policies,
    proofs,
    replay,
    report,
)

FAULTS = (
    *policies.FAULTS,
    *replay.FAULTS,
    *optimal.FAULTS,
    *judges.FAULTS,
    *belief.FAULTS,
    *claims.FAULTS,
    *proofs.FAULTS,
    *inputs.FAULTS,
    *options.FAULTS,
    *experiments.FAULTS,
    *datasets.FAULTS,
    *report.FAULTS,
    *advice.FAULTS,
    *hostile.FAULTS,
    *documents.FAULTS,
    *limits.FAULTS,
)
