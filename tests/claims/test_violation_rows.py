"""Rows beyond TEL take what is proved as it stands."""

from dataclasses import replace
from fractions import Fraction

from proofs_checks.tail_optimized import certificates
from teltheory.claims.case import Case, World
from teltheory.claims.search import refutes

CASE = Case(World(((0, 2, 1), (0, 1, 0))), capacity=1, xi=1)


def test_an_optimum_that_is_half_a_token_off_is_not_the_optimum(monkeypatch):
    exact = certificates.weighted_optimum

    def half_a_token_off(*arguments):
        best = exact(*arguments)
        return replace(best, objective=best.objective + Fraction(1, 2))

    assert refutes(certificates.weighted_certificate, CASE) is False
    monkeypatch.setattr(certificates, "weighted_optimum", half_a_token_off)
    assert refutes(certificates.weighted_certificate, CASE) is True
