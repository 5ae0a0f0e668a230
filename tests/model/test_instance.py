from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import NAMES, Columns, given_columns, lengths, turn_columns

import teltheory as tt
from teltheory.errors import ArgumentError, ForcedCachingError, TraceError
from teltheory.model.initial import Start
from teltheory.model.instance import Instance

MOST = 2**63 - 1
LAST_LABEL = 4
LABELS = st.integers(0, LAST_LABEL)
TRACE = tt.Trace.from_turns(conversation=[5, 1, 5], prompt=[1, 2, 3], response=[4, 5, 6])
NAMED = tt.Trace.from_turns(conversation=["x", "a", "x"], prompt=[1, 2, 3], response=[4, 5, 6])
Pasts = dict[Any, int]


def initial_pasts(labels: st.SearchStrategy[Any] = LABELS) -> st.SearchStrategy[Pasts]:
    return st.dictionaries(labels, lengths())


def stepped(columns: Columns, past: Pasts) -> tuple[list[int], list[int]]:
    """History of each turn and past after it, for a cumulative trace that starts with `past`."""
    past = dict(past)
    history, after = [], []
    for c, q, a in zip(columns["conversation"], columns["prompt"], columns["response"], strict=True):
        history.append(past.get(c, 0))
        past[c] = history[-1] + q + a
        after.append(past[c])
    return history, after


@given(st.one_of(turn_columns(LABELS, lengths()), turn_columns(NAMES, lengths())), st.data())
def test_an_initial_past_comes_before_all_turns(columns: Columns, data: st.DataObject) -> None:
    labels = NAMES if isinstance(next(iter(columns["conversation"]), 0), str) else LABELS
    pasts = data.draw(initial_pasts(labels))
    instance = Instance.of(tt.Trace.from_turns(**columns), 0, initial=[(c, past, 0) for c, past in pasts.items()])
    history, after = stepped(columns, pasts)
    assert instance.history.tolist() == history
    assert instance.total.tolist() == [h + q for h, q in zip(history, columns["prompt"], strict=True)]
    assert instance.past.tolist() == after


@given(given_columns(LABELS), initial_pasts(), st.integers(1, 5))
def test_given_histories_are_kept_and_first_ones_need_the_initial_past(
    columns: Columns, pasts: Pasts, missing: int
) -> None:
    history = list(columns["history"])
    firsts = {c: columns["conversation"].index(c) for c in columns["conversation"]}
    for c, turn in firsts.items():
        history[turn] = pasts.get(c, 0)
    trace = tt.Trace.from_turns(**{**columns, "history": history})
    initial = [(c, past, 0) for c, past in pasts.items()]
    assert Instance.of(trace, 0, initial=initial).history.tolist() == history
    for turn in firsts.values():
        beyond = [h + missing * (k == turn) for k, h in enumerate(history)]
        trace = tt.Trace.from_turns(**{**columns, "history": beyond})
        caught = refused(TraceError, f"at most {history[turn]}", Instance.of, trace, 0, initial=initial)
        assert (caught.field, caught.turn, caught.found) == ("history", turn, beyond[turn])


@pytest.mark.parametrize("capacity", [-1, 1.0, True, np.True_, "1", None, 2**63])
def test_a_wrong_capacity_is_an_error(capacity: Any) -> None:
    caught = refused(ArgumentError, "capacity: found .*, expected a whole number", Instance.of, TRACE, capacity)
    assert repr(capacity) in str(caught)


@pytest.mark.parametrize(
    ("initial", "argument", "expected"),
    [
        ([(5, 1)], "initial[0]", "(conversation, past, cached)"),
        ([(5, 2, 1), (1, 2, 1, 0)], "initial[1]", "(conversation, past, cached)"),
        ([5], "initial[0]", "(conversation, past, cached)"),
        ([(5, 3, 4)], "initial[0]", "at most 3"),
        ([(5, 1, -1)], "initial[0]", "a whole number"),
        ([(5, 1.0, 1)], "initial[0]", "a whole number"),
        ([(5, 2**63, 0)], "initial[0]", "a whole number"),
        ([(5, 1, 1), (1, 1, 1), (5, 1, 1)], "initial[2]", "once"),
        ([(np.int64(5), 1, 1), (5, 1, 1)], "initial[1]", "once"),
        ([(5, 6, 6), (1, 5, 5)], "initial", "the capacity 10"),
        ([("5", 1, 1)], "initial[0]", "a whole number"),
        ([(True, 1, 1)], "initial[0]", "a whole number"),
        ([(5, MOST, 0)], "initial", "2**63"),
        ([(9, 2**62, 0), (8, 2**62, 0)], "initial", "2**63"),
    ],
)
def test_a_wrong_initial_cache_is_an_error(initial: Any, argument: str, expected: str) -> None:
    caught = refused(ArgumentError, f"{argument}: found ", Instance.of, TRACE, 10, initial=initial)
    assert caught.argument == argument
    assert expected in caught.expected


@pytest.mark.parametrize("label", [0, 1, np.int64(0), None, b"x"])
def test_a_trace_with_names_wants_names(label: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^initial\[0\]: found .*, expected a string"):
        Instance.of(NAMED, 10, initial=[(label, 1, 1)])


def test_initial_conversations_are_found_by_name_and_strangers_come_after_them() -> None:
    initial = [("q", 3, 1), ("a", 4, 4), ("0", 2, 0), ("x", 9, 5)]
    instance = Instance.of(NAMED, 10, initial=initial)
    assert instance.initial == (Start(2, 3, 1), Start(1, 4, 4), Start(3, 2, 0), Start(0, 9, 5))
    assert instance.history.tolist() == [9, 4, 14]


def test_the_cache_may_start_full_but_not_fuller() -> None:
    assert Instance.of(TRACE, 10, initial=[(5, 6, 6), (1, 9, 4)]).initial[1].cached == 4
    refused(ArgumentError, "the capacity 10", Instance.of, TRACE, 10, initial=[(5, 6, 6), (1, 9, 5)])


@given(turn_columns(LABELS), initial_pasts(), st.integers(0, 40))
def test_forced_caching_names_the_first_past_beyond_the_capacity(
    columns: Columns, pasts: Pasts, capacity: int
) -> None:
    small = {c: past % 20 for c, past in pasts.items()}
    trace, initial = tt.Trace.from_turns(**columns), [(c, past, 0) for c, past in small.items()]
    _, after = stepped(columns, small)
    bad = [turn for turn, length in enumerate(after[:-1]) if length > capacity]
    assert not Instance.of(trace, capacity, initial=initial).forced
    if not bad:
        assert Instance.of(trace, capacity, forced=True, initial=initial).forced
        return
    with pytest.raises(ForcedCachingError) as caught:
        Instance.of(trace, capacity, forced=True, initial=initial)
    error = caught.value
    assert (error.turn, error.length, error.capacity) == (bad[0], after[bad[0]], capacity)
