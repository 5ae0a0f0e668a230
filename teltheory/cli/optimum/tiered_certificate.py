"""An entry of a file of certificates that is about tiers of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.cli.asked.prefixes import PRIVATE, Prefixes
from teltheory.model.display import counted
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.check import check_certificate
from teltheory.optimal.tiers.certificate import COLUMNS, TieredCertificate

TIERS = "tiers"
"""What the entry says that it is about."""


@dataclass(frozen=True, eq=False)
class TieredCertified:
    """What an entry claims: in these tiers no policy has less than the certificate's lower side.

    `prefixes` says how the trace is read; lengths of shared prefixes are in their blocks.
    """

    tiers: Tiers
    xi: int
    forced: bool
    certificate: TieredCertificate
    prefixes: Prefixes = PRIVATE

    def check(self, requests: Trace | Forest) -> None:
        """Raise `CertificateError` if this proves nothing about these requests."""
        check_certificate(requests, self.tiers, self.xi, self.certificate, self.forced)

    def fields(self) -> dict[str, Any]:
        """Return all but `prefixes` as plain data; fractions are texts."""
        found = self.certificate
        columns = {name: getattr(found, name) for name in COLUMNS}
        return {
            "capacities": list(self.tiers.capacities),
            "loads": [str(load) for load in self.tiers.loads],
            "mode": self.tiers.mode,
            "loading": self.tiers.loading,
            "xi": self.xi,
            "forced": self.forced,
            "lower": str(found.lower),
            **{
                name: column.tolist() if isinstance(column, np.ndarray) else None
                for name, column in columns.items()
            },
            "denominator": found.denominator,
        }

    def __str__(self) -> str:
        sizes = zip(self.tiers.capacities, self.tiers.loads, strict=True)
        tiers = ", ".join(f"{size:,} at {float(load):g}" for size, load in sizes)
        blocks = "" if self.prefixes.chains else f", in blocks of {self.prefixes.block_size:,} tokens"
        mode = ", forced caching" if self.forced else ""
        least = f"less TEL than {float(self.certificate.lower):,.10g}"
        proof = f"proved by {counted(len(self.certificate.steps), 'price')}"
        return f"Tiers of {tiers}, threshold {self.xi:,}{blocks}{mode}: no policy has {least} ({proof})."
