"""The check of every certificate of a TEL: by the memory, by the kind of requests, by the certificate.

This module uses nothing of what makes certificates. A strict cache has no certificate of its own: that of the
cache with holes bounds it from below, and `teltheory.optimal.trees.judge` checks that a strict plan is closed.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import ModuleInstance, instance_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.tiers import Tiers, several
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate, Weights, check_against, turn_weights
from teltheory.optimal.sets.certificate import WholeCertificate, check_set_certificate
from teltheory.optimal.tiers.certificate import TieredCertificate, check_tiered_certificate


def check_certificate(
    trace: Trace | Forest | ModuleTrace,
    capacity: Size | Tiers,
    xi: Size,
    certificate: Certificate | TieredCertificate | WholeCertificate,
    forced: bool = False,
    initial: Initial = (),
    weights: Weights | None = None,
    *,
    running: int = 1,
    model: Model | None = None,
) -> None:
    """Check a certificate in exact numbers; O(n), no solver.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, running, model : as in `Problem`
    certificate : Certificate, TieredCertificate or WholeCertificate
        What claims to prove an optimum, or in tiers, or of items that go whole, a lower bound.
    weights : as for `weighted_optimum`, optional
        1 if left out.

    Raises
    ------
    CertificateError
        If it proves nothing; the error says what fails, and where.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    units = Units.of(trace, model)
    memory: Any = units.memory(capacity)
    tiers, xi = several(memory), units.xi(xi)
    if tiers is not None:
        if tuple(initial) or weights is not None or running != 1:
            raise ArgumentError("capacity", tiers, "one cache with an initial cache, weights or running requests")
        return check_tiered_certificate(trace, tiers, xi, certificate, forced)
    instance = instance_of(trace, memory, forced=forced, initial=initial, running=running)
    return check_of(instance, xi, certificate, weights)


@singledispatch
def check_of(instance: Any, xi: int, certificate: object, weights: Weights | None) -> None:
    """Check a certificate by checked arguments; a kind of requests with other certificates registers it here."""
    if not isinstance(certificate, Certificate):
        raise ArgumentError("certificate", type(certificate).__name__, "a Certificate")
    check_against(instance, xi, certificate, turn_weights(instance.requests, weights))


@check_of.register(ModuleInstance)
def _of_sets(instance: ModuleInstance, xi: int, certificate: object, weights: Weights | None) -> None:
    if weights is not None:
        raise ArgumentError("trace", "a ModuleTrace", "no weights with it")
    check_set_certificate(instance, xi, certificate)
