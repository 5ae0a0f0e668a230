"""A certificate of a forest or of module sets that is changed or forged proves the optimum, or nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from optimal.instances import proves
from optimal.sets import small_sets
from optimal.sets.test_set_optimum import judged
from optimal.small_forests import small_cases
from replay.instances import fewer

import teltheory as tt
from teltheory.optimal.trees.judge import least_tel

Kind = tuple[Callable[..., Iterator[Any]], Callable[[Any], int], int]
FORESTS: Kind = (small_cases, lambda case: least_tel(case.instance, case.xi, False), 2)
SETS: Kind = (small_sets.some_cases, judged, 12)
BY_KIND = pytest.mark.parametrize(("cases", "judge", "few"), [FORESTS, SETS], ids=["forests", "sets"])


def changed(certificate: tt.Certificate) -> Iterator[tt.Certificate]:
    """Yield the certificate with one number changed, or one left out."""
    for by in (-1, 1):
        yield replace(certificate, objective=certificate.objective + by)
        for name in ("kept", "steps"):
            values = getattr(certificate, name)
            for place in range(len(values)):
                other = values.copy()
                other[place] += by
                yield replace(certificate, **{name: other})
    for place in range(len(certificate.steps)):
        yield replace(certificate, steps=np.delete(certificate.steps, place))


@BY_KIND
def test_a_change_of_any_number_is_caught_or_leaves_it_true(cases, judge, few):
    """Other steps can prove the same; what still passes states the optimum that trying every cache finds."""
    caught = still = 0
    for case in cases(fewer(300, few), 34):
        certificate = case.optimum().certificate
        for other in changed(certificate):
            assert other != certificate
            if proves(case, other):
                still += 1
                assert other.objective == judge(case)
                assert other.kept.tolist() == certificate.kept.tolist()
            else:
                caught += 1
    assert 0 < still < caught / 4


@BY_KIND
def test_no_certificate_proves_less_than_the_optimum(cases, judge, few):
    rng, forged = np.random.default_rng(9), 0
    for case in cases(fewer(200, few + 3), 35):
        optimum, total = judge(case), case[0].total
        for _ in range(40):
            kept = rng.integers(0, 3, len(total))
            steps = np.flatnonzero(rng.random(len(total)) < 0.3) + 1
            forgery = tt.Certificate(int((np.maximum(total - case.xi, 0) - kept).sum()), kept, steps)
            if proves(case, forgery):
                forged += 1
                assert forgery.objective == optimum
    assert forged > 0
