"""Attention merged from parts against attention over all keys at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.systems.apps.engines.attention import attend, merge


def at_once(queries, keys, values):
    """The judge: one softmax over all keys, in numbers of more digits."""
    queries, keys, values = (x.astype(np.longdouble) for x in (queries, keys, values))
    out = np.zeros(queries.shape, np.longdouble)
    for q, h in np.ndindex(queries.shape[:2]):
        scores = np.array([queries[q, h] @ key[h] for key in keys])
        weights = np.exp(scores - scores.max())
        out[q, h] = sum(w * value[h] for w, value in zip(weights, values, strict=True)) / weights.sum()
    return out


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any),
    st.sampled_from([0.01, 1.0, 300.0]),
)
def test_parts_merge_to_attention_over_all_keys(seed: int, sizes: list[int], scale: float) -> None:
    """Whatever the split, empty parts included, and whatever the size of scores."""
    rng = np.random.default_rng(seed)
    queries = rng.normal(size=(3, 2, 4)) * scale
    keys, values = rng.normal(size=(2, sum(sizes), 2, 4))
    ends = np.cumsum(sizes)[:-1]
    parts = [attend(queries, k, v) for k, v in zip(np.split(keys, ends), np.split(values, ends), strict=True)]
    np.testing.assert_allclose(merge(parts), at_once(queries, keys, values).astype(float), rtol=0, atol=1e-11)


def test_large_scores_do_not_overflow() -> None:
    """Scores of 10,000 in one part, and of -10,000 in another."""
    queries = np.full((1, 1, 1), 100.0)
    far, near = np.full((1, 1, 1), -100.0), np.full((1, 1, 1), 100.0)
    merged = merge([attend(queries, far, np.ones((1, 1, 1))), attend(queries, near, 2 * np.ones((1, 1, 1)))])
    assert merged.item() == 2.0


def test_a_query_sees_no_hidden_key() -> None:
    """A mask is as a shorter part; a part that a query sees nothing of weighs nothing."""
    rng = np.random.default_rng(0)
    queries, keys, values = rng.normal(size=(3, 2, 2, 4))
    first = attend(queries, keys[:1], values[:1])
    hidden = attend(queries, keys, values, np.array([[True, False], [False, False]]))
    assert hidden.total[1] == pytest.approx(0, abs=0)
    np.testing.assert_allclose(merge([hidden, first]), merge([first]), rtol=1e-13)
