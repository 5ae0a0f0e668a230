"""Loops in C are given so much at once that an interrupt waits for a fraction of a second, and tallies stay."""

from collections.abc import Callable

import pytest
from claims.tiny_rows import COMPILED
from hypothesis import example, given
from hypothesis import strategies as st

from teltheory.claims.compiled import pace
from teltheory.claims.compiled.pace import Pace

pytestmark = pytest.mark.ledger


@example(7143, [14, 78])
@given(st.integers(1, 20_000), st.lists(st.integers(1, 200_000), max_size=8))
def test_two_calls_at_most_take_more_than_a_tenth_of_a_second(microseconds: int, pieces: list[int]) -> None:
    """Pieces of so many units each, of which one takes so many microseconds."""
    one, now, calls = Pace(), [0.0], list[float]()
    left = list(pieces)

    def step(much: int) -> bool:
        done = min(much, left[0])
        left[0] -= done
        calls.append(done * microseconds * 1e-6)
        now[0] += calls[-1]
        return left[0] > 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pace, "thread_time", lambda: now[0])
        while left:
            one.until_done(step)
            assert left.pop(0) == 0
    assert sum(seconds > Pace.LONG for seconds in calls) <= 2
    assert len(calls) <= len(pieces) + 10 + sum(calls) / (Pace.SOON / 4)


@pytest.mark.parametrize(
    ("name", "size", "natural"),
    [
        ("theorem-b1", (3, 2, 3, 2), False),
        ("trim.order-is-free.mean.any-order", (3, 2, 4, 1), False),
        ("trim.order-is-free.mean.any-order", (3, 2, 8, 0), True),
        ("forest.strict.belady.small", (4, 4), False),
        ("forest.strict.belady.small", (4, 4), True),
        ("forest.tlru.high-water", (3, 3), False),
        ("forest.stack.tlru.last", (3, 4), False),
    ],
)
def test_a_tally_in_small_parts_is_the_same(
    name: str, size: tuple[int, ...], natural: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = next(row.compiled for row in COMPILED if row.id == name)
    assert compiled is not None
    compiled = compiled.natural() if natural else compiled
    whole, calls = compiled.tally(*size), []
    assert whole.within > 0

    def one_by_one(self: Pace, step: Callable[[int], object]) -> None:
        while step(1):
            calls.append(step)

    monkeypatch.setattr(Pace, "until_done", one_by_one)
    assert compiled.tally(*size) == whole
    assert len(calls) > 10
