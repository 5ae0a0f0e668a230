"""Links: bandwidths, seconds and ratios say the same, and a link that is no quicker than computing is refused."""

from fractions import Fraction

import pytest
from refusals import refusals

import teltheory as tt
from teltheory.cost.links import load_seconds, marginal_seconds

LLAMA = tt.ARCHITECTURES["llama-2-7b"].stored()
A100 = tt.A100_LLAMA2_7B


def test_pcie_4_loads_a_token_of_llama_2_7b_in_18_and_a_half_microseconds():
    seconds = load_seconds("--tier", "pcie4", LLAMA, A100)
    assert seconds == load_seconds("--tier", " PCIe4 ", LLAMA, A100)
    assert float(seconds) == pytest.approx(18.5e-6, rel=0.005)
    assert float(seconds / marginal_seconds(A100)) == pytest.approx(0.26, abs=0.005)


def test_bandwidth_time_and_ratio_are_the_same_link():
    seconds = Fraction(524_288, 25 * 10**9)
    ratio = seconds / A100.per_token
    assert load_seconds("--tier", "25GB/s", LLAMA, A100) == seconds
    assert load_seconds("--tier", f"{ratio.numerator}/{ratio.denominator}", None, A100) == seconds
    for text in ("20us", "20us per token", "20 us per token", "20us a token"):
        assert load_seconds("--tier", text, None, A100) == Fraction(20, 10**6)


def test_a_table_has_the_slope_of_long_prompts():
    table = tt.TableLatency((1024, 2048, 4096), (Fraction(0),), ((Fraction(1),), (Fraction(2),), (Fraction(5),)))
    assert marginal_seconds(table) == Fraction(3, 2048)


test_what_is_no_link_is_refused = refusals(
    tt.ArgumentError,
    ("a model with it", lambda: load_seconds("--tier", "pcie4", None, A100)),
    ("less than 7.17e-05 s", lambda: load_seconds("--tier", "nvme4", LLAMA, A100)),
    ("pcie4, pcie5", lambda: load_seconds("--tier", "fast", LLAMA, A100)),
    ("less than", lambda: load_seconds("--tier", "-0.1", LLAMA, A100)),
    ("less than", lambda: load_seconds("--tier", "1", None, A100)),
    ("a ratio such as 0.26", lambda: load_seconds("--tier", "1/0", LLAMA, A100)),
)
