"""Certificates of lower sides in tiers: what is changed proves no more than the optimum, or nothing."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from optimal.instances import proves
from optimal.tiers.small_tiers import TieredCase, small_cases
from refusals import refused
from replay.instances import fewer

import teltheory as tt
from teltheory.optimal import TieredCertificate
from teltheory.optimal.tiers.brute_force import least_tel
from teltheory.optimal.tiers.certificate import bound_of

COLUMNS = "steps", "tiers", "numerators", "shares", "loading_shares"
TIGHT = TieredCase(
    tt.Trace.from_turns([0, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0, 0]), tt.Tiers((1, 1), (0, Fraction(1, 2))), 1
)


def changed(certificate: TieredCertificate) -> Iterator[TieredCertificate]:
    """Yield the certificate with any number more or less, without any row, with any two numbers swapped."""
    columns = {name: column for name in COLUMNS if (column := getattr(certificate, name)) is not None}
    for name, column in columns.items():
        for place in range(len(column)):
            for by in (-certificate.denominator, -1, 1, certificate.denominator):
                other = column.copy()
                other[place] += by
                yield replace(certificate, **{name: other})
        for one, two in combinations(range(len(column)), 2):
            other = column.copy()
            other[[one, two]] = other[[two, one]]
            yield replace(certificate, **{name: other})
    for row in range(len(certificate.steps)):
        rows = {name: np.delete(columns[name], row) for name in COLUMNS[:3]}
        yield replace(certificate, **rows)
    for by in (-1, 1):
        yield replace(certificate, denominator=certificate.denominator + by)


def test_a_certificate_that_is_changed_proves_no_more_than_the_optimum():
    still = tried = 0
    for case in small_cases(fewer(400, 40), 61):
        least, best = least_tel(case.trace, case.tiers, case.xi, case.forced), case.optimum()
        assert proves(case, best.certificate)
        part = Fraction(1, case.tiers.denominator)
        assert not proves(case, replace(best.certificate, lower=best.lower + part))
        for other in changed(best.certificate):
            tried += 1
            if proves(case, other):
                still += 1
                assert bound_of(case.instance, case.tiers, case.xi, other) <= least
    assert 0 < still < tried


def test_no_prices_prove_more_than_the_optimum():
    """Whatever they are: refused are those alone that give a turn more than one share in all."""
    rng, seen = np.random.default_rng(62), 0
    for case in small_cases(fewer(400, 10), 63):
        least, n, tiers = least_tel(case.trace, case.tiers, case.xi, case.forced), len(case.trace), len(case.tiers)
        for _ in range(20):
            rows = np.flatnonzero(rng.random(n * tiers) < 0.5)
            shares = rng.integers(0, 11, (2, n))
            most = int(rng.choice([10, 10, 11])) - shares[0]
            loading = np.minimum(shares[1], most) if case.tiers.loading == "overlapped" else None
            rooms = (rows // tiers + 1, rows % tiers, rng.integers(0, 15, len(rows)))
            forged = TieredCertificate(Fraction(0), *rooms, shares[0], loading, 10)
            if loading is not None and (shares[0] + loading > 10).any():
                seen += 1
                refused(tt.CertificateError, r"shares\[\d\]: found 11, expected 10 at most", case.check, forged)
            else:
                assert bound_of(case.instance, case.tiers, case.xi, forged) <= least
    assert seen > 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"lower": Fraction(3)}, "lower: found 3, expected 5/2 at most, as the prices prove"),
        ({"lower": float("nan")}, "lower: found nan, expected a fraction"),
        ({"steps": np.array(3)}, "steps: found ndarray, expected an array of int64"),
        ({"steps": np.array([0, 3])}, r"steps\[0\]: found 0, expected 1 to 4"),
        ({"steps": np.array([3, 2])}, "expected steps, then tiers, to rise"),
        ({"tiers": np.array([0, 2])}, r"tiers\[1\]: found 2, expected 0 to 1"),
        ({"tiers": np.array([0, 0])}, r"steps\[1\]: found 3, expected steps, then tiers, to rise"),
        ({"numerators": np.array([-1, 1])}, r"numerators\[0\]: found -1, expected 0 or more"),
        ({"numerators": np.array([1])}, "numerators: found 1 values, expected 2"),
        ({"numerators": [1, 1]}, "numerators: found list"),
        ({"shares": np.zeros(3, np.int64)}, "shares: found 3 values, expected 4"),
        ({"shares": np.array([0, 0, 2, 0])}, r"shares\[2\]: found 2, expected 1 at most"),
        ({"loading_shares": np.zeros(4, np.int64)}, "loading_shares: found some, expected them if loading is"),
        ({"denominator": 0}, "denominator: found 0"),
    ],
)
def test_the_error_says_what_fails(change, told):
    columns = ([3, 3], [0, 1], [1, 1], [0, 0, 1, 1])
    by_hand = TieredCertificate(Fraction(5, 2), *(np.array(column) for column in columns), None, 1)
    TIGHT.check(by_hand)
    assert TIGHT.optimum().lower == by_hand.lower
    refused(tt.CertificateError, told, lambda: TIGHT.check(replace(by_hand, **change)))


@pytest.mark.parametrize("change", [{"initial": [(0, 1, 1)]}, {"weights": [1] * 4}, {"running": 2}])
def test_tiers_have_no_weights_and_no_start(change):
    with pytest.raises(tt.ArgumentError, match="capacity: found"):
        tt.check_certificate(TIGHT.trace, TIGHT.tiers, 1, TIGHT.optimum().certificate, **change)


def test_a_certificate_of_one_cache_is_none_of_tiers():
    plain = tt.hindsight_optimum(TIGHT.trace, 2, 1).certificate
    with pytest.raises(tt.ArgumentError, match="certificate: found 'Certificate', expected a TieredCertificate"):
        tt.check_certificate(TIGHT.trace, TIGHT.tiers, 1, plain)
    again = TIGHT.optimum().certificate
    assert again == TIGHT.optimum().certificate != replace(again, denominator=1)
    assert again != plain
