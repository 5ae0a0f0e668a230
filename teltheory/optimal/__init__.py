"""The hindsight optimum: the least TEL that any policy reaches on a trace that is known in advance.

No solver is believed. What turns reuse is checked and counted in whole numbers, and a certificate, checked by code
that made neither, proves that nothing is better.
"""

from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.optimal.hindsight import (
    HindsightOptimum,
    Method,
    WeightedOptimum,
    hindsight_optimum,
    weighted_optimum,
)
from teltheory.optimal.sets.certificate import WholeCertificate
from teltheory.optimal.sets.optimum import ModuleOptimum
from teltheory.optimal.tiers.certificate import TieredCertificate
from teltheory.optimal.tiers.optimum import TieredOptimum
from teltheory.optimal.trees.hindsight import ForestOptimum

__all__ = [
    "Certificate",
    "ForestOptimum",
    "HindsightOptimum",
    "Method",
    "ModuleOptimum",
    "TieredCertificate",
    "TieredOptimum",
    "WeightedOptimum",
    "WholeCertificate",
    "check_certificate",
    "hindsight_optimum",
    "weighted_optimum",
]
