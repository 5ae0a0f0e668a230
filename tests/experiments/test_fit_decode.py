"""Decoding on an A100, fitted to the timings of its operators."""

import numpy as np
import pytest

from experiments.fit_decode import attention, fitted, linear, lines
from teltheory.cost.decoding import A100_DECODE


@pytest.fixture
def folder(shared):
    return shared("a100_decode_attention.csv").parent


def test_a_law_is_found_again():
    n, tokens = np.array([1.0, 4, 30, 100]), np.array([10.0, 1e3, 1e5, 1e6])
    found = fitted(n, 0.008 + 2e-5 * n, tokens, 0.001 + 3e-7 * tokens)
    assert found == {"step": 0.009, "per_request": 2e-5, "per_token": 3e-7}


def test_the_embedded_numbers_are_those_of_the_timings(folder):
    requests, seconds = linear(folder)
    few = requests <= 128
    assert fitted(requests[few], seconds[few], *attention(folder)) == vars(A100_DECODE)


def test_errors_are_said(folder):
    assert list(lines(str(folder)))[-2:] == [
        "linear operators: mean error 2.9%, largest 9.0%, 19 timings",
        "attention: mean error 27.8%, largest 96.3%, 130 timings",
    ]
