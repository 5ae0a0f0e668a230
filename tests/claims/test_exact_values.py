"""No verdict on the conversation model rests on a float: what its rows compute is whole numbers and fractions."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain, islice

import pytest

from proofs_checks import all_claims

ROWS = all_claims(
    (
        "algorithm_2",
        "scores",
        "posterior",
        "theorem_d2",
        "theorem_d2_exchange",
        "theorem_d2_bayes",
        "corollaries_d2",
        "printed_index",
    )
)


def numbers_in(value):
    """Yield what plain data consists of."""
    if isinstance(value, Mapping):
        yield from numbers_in(value.values())
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from numbers_in(part)
    else:
        yield value


def inexact(row):
    """Return the types among the values of some cases that are neither exact nor words."""
    cases = islice(chain.from_iterable(row.space.classes("quick")), 400)
    found = list(islice((values for values in map(row.values, cases) if values is not None), 10))
    assert found
    return {type(part) for part in numbers_in(found) if type(part) not in (int, Fraction, str, bool)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_on_the_conversation_model_computes_no_float(row):
    assert inexact(row) == set()
