"""`teltheory check-certificate`, which needs no solver."""

from __future__ import annotations

import click

from teltheory.cli.output import console
from teltheory.cli.proof_files import read_certificates
from teltheory.cli.traces import Reading, report_lines, trace_options
from teltheory.errors import CertificateError, TelTheoryError


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
    for line in report_lines(trace) if reading.assumes else ():
        out.print(line, highlight=False, markup=False)
    for i, proof in enumerate(proofs):
        try:
            proof.check(trace)
        except TelTheoryError as error:
            raise CertificateError(f"{certificate_file}, certificates[{i}], {error}") from None
        out.print(str(proof), highlight=False, markup=False)
    return 0
