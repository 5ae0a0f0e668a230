"""What the certificates of `teltheory optimum` claim, and their checks, which need no solver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from teltheory.cost.goals import Level
from teltheory.errors import CertificateError
from teltheory.model.numbers import IntArray
from teltheory.model.plan import check_plan
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.optimal.exhaustion import check_violations
from teltheory.optimal.prices import Prices


@dataclass(frozen=True)
class Certified:
    """An optimal TEL with its proof."""

    capacity: int
    xi: int
    forced: bool
    certificate: Certificate

    def check(self, trace: Trace) -> None:
        """Raise `CertificateError` where this proves nothing about a trace."""
        check_certificate(trace, self.capacity, self.xi, self.certificate, self.forced)

    def __str__(self) -> str:
        return (
            f"Capacity {self.capacity:,}, threshold {self.xi:,}{_mode(self.forced)}: no policy has less TEL than "
            f"{self.certificate.objective:,} (proved by {_counted(len(self.certificate.steps), 'step')})."
        )


@dataclass(frozen=True, eq=False)
class CertifiedViolations:
    """A plan with few violations, and prices that prove that no policy has many fewer.

    The plan `kept` has `violations` turns that compute more than xi; no policy has fewer than `proved`.
    """

    capacity: int
    xi: int
    forced: bool
    violations: int
    proved: int
    kept: IntArray
    prices: Prices

    def check(self, trace: Trace) -> None:
        """Raise `CertificateError` where this proves nothing about a trace."""
        uncached = check_plan(trace, self.capacity, self.kept, self.forced)
        violations = int(np.count_nonzero(uncached > self.xi))
        if violations != self.violations:
            raise CertificateError(
                f"objective: found {self.violations}, expected {violations}, the violations of what is kept"
            )
        with _named(self.proved, "what the prices prove"):
            check_violations(trace, self.capacity, self.xi, self.prices, self.proved, self.forced)

    def __str__(self) -> str:
        return (
            f"Capacity {self.capacity:,}, threshold {self.xi:,}{_mode(self.forced)}: no policy has fewer "
            f"violations than {self.proved:,} (proved by {_counted(_count(self.prices), 'price')}), and one has "
            f"{self.violations:,}."
        )


@dataclass(frozen=True, eq=False)
class CertifiedPercentile:
    """A plan with a small percentile of uncached lengths, and prices that prove that none is much smaller.

    `prices` prove that at the threshold ``proved - 1`` more turns violate than the percentile leaves above it;
    None if `proved` is 0.
    """

    capacity: int
    level: Level
    forced: bool
    value: int
    proved: int
    kept: IntArray
    prices: Prices | None

    def check(self, trace: Trace) -> None:
        """Raise `CertificateError` where this proves nothing about a trace."""
        uncached = check_plan(trace, self.capacity, self.kept, self.forced)
        if not len(trace):
            raise CertificateError("kept: found no turn, expected at least one, as a percentile is claimed")
        value = self.level.of(uncached)
        if value != self.value:
            raise CertificateError(
                f"objective: found {self.value}, expected {value}, the {self.level.text} of what is kept"
            )
        if self.proved:
            self._check_bound(trace)

    def _check_bound(self, trace: Trace) -> None:
        if self.prices is None:
            raise CertificateError(f"prices: found none, expected what proves {self.proved}")
        above = len(trace) - self.level.rank(len(trace)) + 1
        with _named(self.proved, f"{above} turns or more above {self.proved - 1}"):
            check_violations(trace, self.capacity, self.proved - 1, self.prices, above, self.forced)

    def __str__(self) -> str:
        count = _count(self.prices) if self.prices else 0
        return (
            f"Capacity {self.capacity:,}, {self.level.text}{_mode(self.forced)}: no policy has a smaller one than "
            f"{self.proved:,} (proved by {_counted(count, 'price')}), and one has {self.value:,}."
        )


Proof: TypeAlias = Certified | CertifiedViolations | CertifiedPercentile


@contextmanager
def _named(proved: int, expected: str) -> Iterator[None]:
    try:
        yield
    except CertificateError as error:
        raise CertificateError(f"proved: found {proved}, expected {expected}; {error}") from None


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _count(prices: Prices) -> int:
    return len(prices.steps) + len(prices.cuts)


def _mode(forced: bool) -> str:
    return ", forced caching" if forced else ""
