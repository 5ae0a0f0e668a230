"""What is measured of what replicas did."""

from fractions import Fraction

import numpy as np
import pytest
from refusals import refused

import teltheory as tt

TIERS = tt.Tiers((4, 4), (0, Fraction(1, 4)))
TURNS = tt.Trace.from_turns([0, 1, 0, 1], [4, 4, 2, 1], [0, 0, 0, 0], [0, 0, 10, 11])
SERVED = tt.serve(TURNS, tt.LRU(), TIERS, latency=tt.LatencyModel(Fraction(1)))


def test_the_turns_by_hand():
    assert SERVED.wait.tolist() == [0, 4, 0, 2]
    assert SERVED.load.tolist() == [0, 0, 1, 0.5]
    assert SERVED.compute.tolist() == [4, 4, 2, 3]
    assert SERVED.ttft.tolist() == [4, 8, 3, 5.5]


def test_quantiles_are_values_that_occur():
    assert SERVED.quantiles([0.25, 0.5, 0.75, 0.76, 1]).tolist() == [3, 4, 5.5, 8, 8]
    refused(tt.ArgumentError, "levels", SERVED.quantiles, [0])


def test_goodput_counts_who_keeps_the_slo():
    assert SERVED.slow(4) == 2
    assert SERVED.is_slow(3).tolist() == [True, True, False, True]
    assert SERVED.goodput(4) == 2 / 11


TAILS = {0: (6, 1.5, 13), 1: (6, 1.5, 9), 3: (6, 0.5, 2), Fraction(7, 2): (6, 0, 1), 5: (3.5, 0, 0), 9: (0, 0, 0)}


@pytest.mark.parametrize("slo", TAILS)
def test_the_tail_is_charged_to_the_wait_first(slo):
    assert SERVED.tail(slo) == TAILS[slo]
    assert SERVED.tail(slo).seconds == SERVED.tail_seconds(slo)


def test_what_computing_is_charged_is_the_tail_of_an_idle_server_without_loads():
    for slo in (0, 0.5, 1, 2, 3.25):
        tail = SERVED.tail(slo)
        assert tail.compute == np.maximum(SERVED.compute - slo, 0).sum()
        assert tail.compute + tail.load == np.maximum(SERVED.service - slo, 0).sum()
        assert tail.seconds == np.maximum(SERVED.ttft - slo, 0).sum()


def test_an_slo_is_a_number_of_seconds():
    for wrong in (-1, "1", None, float("nan")):
        refused(tt.ArgumentError, "slo", SERVED.slow, wrong)
