"""The hindsight optimum: the least TEL that any policy reaches on a trace that is known in advance.

No solver is believed. What turns reuse is checked and counted in whole numbers, and a certificate, checked by code
that made neither, proves that nothing is better.
"""

from teltheory.optimal.certificate import Certificate
from teltheory.optimal.check import check_certificate
from teltheory.optimal.hindsight import (
    Method,
    hindsight_optimum,
    weighted_optimum,
)
from teltheory.optimal.sets.certificate import WholeCertificate
from teltheory.optimal.sides import Optimum
from teltheory.optimal.tiers.certificate import TieredCertificate

__all__ = [
    "Certificate",
    "Method",
    "Optimum",
    "TieredCertificate",
    "WholeCertificate",
    "check_certificate",
    "hindsight_optimum",
    "weighted_optimum",
]
