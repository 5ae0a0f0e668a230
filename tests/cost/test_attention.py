"""The attention term: counted in FLOPs, held against measured prefill, and in agreement with the linear model."""

from __future__ import annotations

import csv
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import teltheory as tt
from teltheory.cost.latency import FITTED_FROM, FITTED_TO, LAYERS, WEIGHTS, WIDTH, with_attention

MODEL = tt.A100_LLAMA2_7B_ATTENTION


def test_both_models_agree_where_the_line_was_fitted():
    for tokens in (FITTED_FROM, FITTED_TO):
        linear = tt.A100_LLAMA2_7B.seconds_per_token * tokens
        pairs = MODEL.per_pair * tokens**2
        assert MODEL.per_token * tokens + pairs + MODEL.constant == linear


def test_the_share_is_that_of_the_flops_of_every_token():
    """A prompt of n tokens: 2 FLOPs for each weight and token, and 4 a layer and unit of width for each pair."""
    n = 3000
    linear = sum(2 * WEIGHTS for _ in range(n))
    attention = sum(4 * LAYERS * WIDTH * place for place in range(1, n + 1))
    share = MODEL.per_pair * n**2 / (MODEL.per_token * n)
    assert share == pytest.approx(attention / linear, rel=1 / n)
    assert WEIGHTS == LAYERS * (4 * WIDTH**2 + 3 * 11008 * WIDTH)


def test_without_attention_the_model_is_the_linear_one():
    model = with_attention(tt.A100_LLAMA2_7B, Fraction(0), 256, 4096)
    assert (model.per_token, model.per_pair, model.constant) == (tt.A100_LLAMA2_7B.seconds_per_token, 0, 0)


def prefill() -> Path:
    return Path(os.environ.get("TELTHEORY_DATA") or "../shared/data") / "a100_llama2_7b_prefill.csv"


@pytest.mark.skipif(not prefill().is_file(), reason="the A100 timings are not in the data folder")
def test_measured_attention_has_the_same_quadratic_term_within_ten_per_cent():
    with prefill().open() as file:
        rows = [(int(row["prompt_tokens"]), float(row["attention_ms"]) / 1000) for row in csv.DictReader(file)]
    tokens, seconds = np.array([row for row in rows if row[0] >= FITTED_FROM]).T
    per_pair, _, _ = np.polyfit(tokens, seconds, 2)
    assert per_pair == pytest.approx(float(MODEL.per_pair), rel=0.1)
