import numpy as np
import pytest

import teltheory as tt
from experiments.fit_prefill import fitted, lines, timings

NUMBERS = ("per_token", "per_pair", "constant", "floor")


@pytest.fixture
def file(shared):
    return shared("a100_llama2_7b_prefill.csv")


def test_a_law_is_found_again():
    tokens = np.array([1, 8, 20, 40, 60, 100, 200, 400, 800, 1600, 3200], float)
    linear, attention = np.maximum(0.01, 0.004 + 1e-4 * tokens), 0.0005 + 2e-9 * tokens**2
    model = fitted(tokens, linear, attention)
    found = [float(getattr(model, name)) for name in NUMBERS]
    on_the_floor = np.median(attention[tokens < 60])
    assert found == pytest.approx([1e-4, 2e-9, 0.0045, 0.01 + on_the_floor], rel=1e-4)


def test_the_embedded_model_is_that_of_the_timings(file):
    tokens, linear, attention = timings(file)
    model = fitted(tokens, linear, attention)
    for name in NUMBERS:
        assert getattr(model, name) == getattr(tt.A100_LLAMA2_7B_PREFILL, name)
    off = np.abs(tt.A100_LLAMA2_7B_PREFILL.ttft(tokens) / (linear + attention) - 1)
    assert off.mean() < 0.04
    assert off.max() < 0.3


def test_each_model_has_its_errors_per_range(file):
    *_, last = lines(str(file))
    assert last.startswith("| 1-4,096 |")
    assert last.count("%") == 6
