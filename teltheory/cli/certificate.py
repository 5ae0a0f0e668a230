"""`teltheory check-certificate`, which needs no solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from teltheory.cli.output import console, show
from teltheory.cli.proof_files import read_certificates
from teltheory.cli.proofs import Proof
from teltheory.cli.traces import Reading, report_lines, trace_options
from teltheory.errors import CertificateError, TelTheoryError
from teltheory.model.trace import Trace


@click.command("check-certificate")
@click.argument("certificate_file", metavar="FILE")
@click.argument("trace_file", metavar="TRACE")
@trace_options()
def check(certificate_file: str, trace_file: str, reading: Reading) -> int:
    """Check the certificates in FILE, which `teltheory optimum --certificate` wrote, against TRACE.

    In exact whole numbers and without a solver. Ends with 2 where one proves nothing.
    """
    proofs = read_certificates(certificate_file)
    trace = reading.read(trace_file)
    out = console()
    show(out, *(report_lines(trace) if reading.assumes else ()))
    for proof in checked(certificate_file, proofs, trace):
        show(out, str(proof))
    return 0


def checked(file: str, proofs: Sequence[Proof], trace: Trace) -> Iterator[Proof]:
    """Yield the proofs, each after its check against a trace."""
    for i, proof in enumerate(proofs):
        try:
            proof.check(trace)
        except TelTheoryError as error:
            raise CertificateError(f"{file}, certificates[{i}], {error}") from None
        yield proof
