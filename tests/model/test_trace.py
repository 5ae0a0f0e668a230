from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from refusals import refused
from strategies import NAMES, Columns, given_columns, lengths, timed_columns, turn_columns

import teltheory as tt
from teltheory.errors import ArgumentError, TraceError

BIG = 2**63
MOST = BIG - 1
FIELDS = ("conversation", "prompt", "response", "history")
GOOD: Columns = {"conversation": [0, 1, 0], "prompt": [1, 2, 3], "response": [4, 5, 6]}


def made(**changes: Any) -> tt.Trace:
    return tt.Trace.from_turns(**{**GOOD, **changes})


def histories(columns: Columns) -> list[int]:
    past: dict[Any, int] = {}
    found = []
    for c, q, a in zip(columns["conversation"], columns["prompt"], columns["response"], strict=True):
        found.append(past.get(c, 0))
        past[c] = found[-1] + q + a
    return found


ANY_COLUMNS = st.one_of(
    turn_columns(length=lengths()),
    given_columns(length=lengths()),
    timed_columns(turn_columns(NAMES, lengths())),
    timed_columns(given_columns(NAMES, lengths())),
)


def test_columns_are_int64_copies_that_nobody_can_write_to() -> None:
    source = np.array([1, 2, 3], np.int64)
    seconds = np.array([0.0, 0.0, 1.0])
    trace = made(prompt=source, arrival=seconds)
    source[0], seconds[0] = 9, -9
    assert trace.prompt.tolist() == [1, 2, 3]
    assert trace.arrival is not None
    assert trace.arrival.tolist() == [0.0, 0.0, 1.0]
    assert trace.arrival.dtype == np.float64
    whole = (*FIELDS, "total", "past", "code", "next_turn", "previous_turn")
    assert {getattr(trace, name).dtype for name in whole} == {np.dtype(np.int64)}
    for name in (*whole, "arrival"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(trace, name)[0] = 7


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.int64, object])
def test_any_whole_dtype_is_taken(dtype: type) -> None:
    assert made(prompt=np.array([1, 2, 3], dtype)) == made()


@given(turn_columns(length=lengths()))
def test_a_history_left_out_is_everything_earlier_in_the_conversation(columns: Columns) -> None:
    trace = tt.Trace.from_turns(**columns)
    expected = histories(columns)
    assert trace.history.tolist() == expected
    assert trace.total.tolist() == [h + q for h, q in zip(expected, columns["prompt"], strict=True)]
    steps = zip(expected, columns["prompt"], columns["response"], strict=True)
    assert trace.past.tolist() == [h + q + a for h, q, a in steps]


@given(given_columns(length=lengths()))
def test_a_given_history_is_kept(columns: Columns) -> None:
    trace = tt.Trace.from_turns(**columns)
    assert not trace.cumulative
    steps = list(zip(columns["history"], columns["prompt"], columns["response"], strict=True))
    assert trace.history.tolist() == columns["history"]
    assert trace.total.tolist() == [h + q for h, q, _ in steps]
    assert trace.past.tolist() == [h + q + a for h, q, a in steps]


@given(ANY_COLUMNS)
def test_neighbours_and_codes(columns: Columns) -> None:
    trace = tt.Trace.from_turns(**columns)
    labels = columns["conversation"]
    n, order = len(labels), list(dict.fromkeys(labels))
    later = [next((j for j in range(k + 1, n) if labels[j] == labels[k]), n) for k in range(n)]
    earlier = [next((j for j in reversed(range(k)) if labels[j] == labels[k]), -1) for k in range(n)]
    assert trace.next_turn.tolist() == later
    assert trace.previous_turn.tolist() == earlier
    assert trace.continuing.tolist() == [labels[k] in labels[:k] for k in range(n)]
    assert trace.code.tolist() == [order.index(label) for label in labels]
    assert trace.conversations == len(order)


def test_conversations_may_have_any_int64_as_their_number() -> None:
    trace = made(conversation=[MOST, -BIG, MOST])
    assert trace.conversation.tolist() == [MOST, -BIG, MOST]
    assert trace.code.tolist() == [0, 1, 0]
    assert trace.history.tolist() == [0, 0, 5]


@given(given_columns(), st.data())
def test_a_history_beyond_the_past_is_an_error_at_its_turn(columns: Columns, data: st.DataObject) -> None:
    trace = tt.Trace.from_turns(**columns)
    later = np.flatnonzero(trace.continuing).tolist()
    assume(later)
    turn = data.draw(st.sampled_from(later))
    past = int(trace.past[trace.previous_turn[turn]])
    history = list(columns["history"])
    history[turn] = past + data.draw(st.integers(1, 3) | st.just(MOST - past))
    with pytest.raises(TraceError) as caught:
        tt.Trace.from_turns(**{**columns, "history": history})
    assert (caught.value.field, caught.value.turn, caught.value.found) == ("history", turn, history[turn])
    assert f"at most {past}" in caught.value.expected


def test_a_first_turn_may_have_a_history_and_later_ones_build_on_it() -> None:
    trace = made(history=[50, 7, 55])
    assert trace.past.tolist() == [55, 14, 64]
    refused(TraceError, "turn 2, history: found 56, expected at most 55", made, history=[50, 7, 56])


WRONG: list[tuple[str, object, int | None, object]] = [
    *((field, [0, -3, 0], 1, -3) for field in FIELDS[1:]),
    *((field, [0, 0, 2.5], 2, 2.5) for field in FIELDS),
    *((field, np.array([0, 0, 2.0**63]), 2, 2.0**63) for field in FIELDS),
    *((field, np.array([0, np.nan, 0]), 1, None) for field in FIELDS),
    *((field, np.array([0.5, 0, 0]), 0, 0.5) for field in FIELDS),
    *((field, [0, True, 0], 1, True) for field in FIELDS),
    *((field, np.array([True, False, True]), 0, True) for field in FIELDS),
    *((field, [0, np.True_, 0], 1, np.True_) for field in FIELDS),
    *((field, [0, 0, BIG], 2, BIG) for field in FIELDS),
    *((field, [0, -BIG - 1, 0], 1, -BIG - 1) for field in FIELDS),
    *((field, np.array([0, BIG, 0], np.uint64), 1, BIG) for field in FIELDS),
    *((field, [0, None, 0], 1, None) for field in FIELDS),
    *((field, [0, "1", 0], 1, "1") for field in FIELDS),
    *((field, ["1", 0, 0], 0, "1") for field in FIELDS[1:]),
    *((field, [0, float("nan"), 0], 1, None) for field in FIELDS),
    ("conversation", ["a", "b", 2], 2, 2),
    ("conversation", ["a", None, "b"], 1, None),
    *((field, [1, 2], None, "2 values") for field in FIELDS[1:]),
    *((field, [1, 1, 1, 1], None, "4 values") for field in FIELDS[1:]),
    *((field, np.zeros((3, 1), np.int64), None, "(3, 1)") for field in FIELDS),
    *((field, np.int64(3), None, None) for field in FIELDS[1:]),
    ("arrival", [0.0, 2.0, 1.5], 2, 1.5),
    ("arrival", [0, 2, 1], 2, 1.0),
    ("arrival", np.array([5, 4, 6]), 1, 4.0),
    ("arrival", [0.0, float("nan"), 1.0], 1, None),
    ("arrival", [float("nan"), 0.0, 1.0], 0, None),
    ("arrival", [0.0, 1.0, float("inf")], 2, float("inf")),
    ("arrival", [float("-inf"), 1.0, 2.0], 0, float("-inf")),
    ("arrival", np.array([0.0, 1.0, np.inf]), 2, float("inf")),
    ("arrival", [0.0, "1", 2.0], 1, "1"),
    ("arrival", [0.0, False, 2.0], 1, False),
    ("arrival", [None, 1.0, 2.0], 0, None),
    ("arrival", np.array([True, True, True]), 0, True),
    ("arrival", [0.0, 1.0], None, "2 values"),
    ("arrival", [0.0, 1.0, 2.0, 3.0], None, "4 values"),
    ("arrival", np.zeros((3, 1)), None, None),
]


@pytest.mark.parametrize(("field", "values", "turn", "found"), WRONG)
def test_a_wrong_value_is_named_with_column_turn_and_expectation(
    field: str, values: object, turn: int | None, found: object
) -> None:
    with pytest.raises(TraceError) as caught:
        made(**{field: values})
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.field, error.turn) == (field, turn)
    place = field if turn is None else f"turn {turn}, {field}"
    assert str(error).startswith(f"{place}: found ")
    assert error.expected
    assert str(error).endswith(f"expected {error.expected}")
    if found is not None:
        shown = found if isinstance(found, str) and turn is None else repr(found)
        assert str(shown) in str(error)


def test_the_first_of_several_wrong_turns_is_named() -> None:
    refused(TraceError, "turn 1, prompt: found -1, ", made, prompt=[0, -1, -2])
    refused(TraceError, "turn 1, arrival: found 2.0, expected 3.0 or later", made, arrival=[3, 2, 1])
    refused(TraceError, "turn 1, history: found 9, ", made, conversation=[0, 0, 0], history=[0, 9, 99])


@pytest.mark.parametrize(
    "columns",
    [
        {"prompt": [2**62, 0, 2**62], "response": [0, 0, 0]},
        {"prompt": [0, 0, 0], "response": [2**62, 2**62, 0]},
        {"prompt": [MOST, 0, 0], "response": [0, 0, 1]},
        {"prompt": [MOST, MOST, 2], "response": [0, 0, 0]},
        {"prompt": [1, 0, 0], "response": [0, 0, 0], "history": [MOST, 0, 0]},
        {"prompt": [0, 0, 0], "response": [0, 0, 0], "history": [2**62, 2**62, 0]},
    ],
)
def test_lengths_that_overflow_in_all_are_an_error(columns: Columns) -> None:
    field = "history" if "history" in columns else "prompt"
    refused(TraceError, rf"^{field}: .*2\*\*63 - 1", made, **columns)


def test_named_conversations_are_numbered_in_order_of_first_arrival() -> None:
    named = made(conversation=["z", "a", "z"])
    assert named.names == ("z", "a")
    assert named.conversation.tolist() == [0, 1, 0]
    assert named.history.tolist() == made().history.tolist()
    assert made(conversation=np.array(["z", "a", "z"])) == named


def test_equality_sees_every_column() -> None:
    timed = made(arrival=[0, 0, 1], history=[0, 0, 5])
    assert timed == made(arrival=[0.0, 0.0, 1.0], history=[0, 0, 5])
    different = [
        made(arrival=[0, 0, 2], history=[0, 0, 5]),
        made(history=[0, 0, 5]),
        made(arrival=[0, 0, 1]),
        made(arrival=[0, 0, 1], history=[0, 0, 4]),
        made(arrival=[0, 0, 1], history=[0, 0, 5], prompt=[1, 2, 4]),
        made(arrival=[0, 0, 1], history=[0, 0, 5], response=[4, 5, 7]),
        made(arrival=[0, 0, 1], history=[0, 0, 5], conversation=[0, 2, 0]),
        made(arrival=[0, 0, 1], history=[0, 0, 5], conversation=["0", "1", "0"]),
        made(arrival=[0, 0, 1], history=[0, 0, 5], block_size=2),
    ]
    assert all(timed != other and other != timed for other in different)
    assert made(conversation=["a", "b", "a"]) != made(conversation=["b", "a", "b"])
    assert timed != "a trace"
    refused(TypeError, "unhashable", hash, timed)


def test_the_report_is_kept_and_no_part_of_equality() -> None:
    assert made(report="chained").report == "chained"
    assert made(report="chained").to_blocks(2).report == "chained"
    assert made(report="chained") == made()


@pytest.mark.parametrize("optional", [{}, {"arrival": []}, {"history": []}, {"arrival": [], "history": []}])
def test_the_empty_trace(optional: Columns) -> None:
    trace = tt.Trace.from_turns([], [], [], **optional)
    assert (len(trace), trace.conversations) == (0, 0)
    derived = (trace.total, trace.past, trace.code, trace.next_turn, trace.previous_turn)
    assert [values.tolist() for values in derived] == [[]] * 5
    assert trace.to_blocks(5).to_blocks(1).block_size == 5
    assert trace == tt.Trace.from_turns(np.array([], np.int64), [], [], **optional)


@pytest.mark.parametrize("arrival", [[5, 5, 5], np.array([5, 5, 5]), (5.0, 5, 5.0)])
def test_ties_in_arrival_keep_the_order_given(arrival: Any) -> None:
    trace = made(conversation=[2, 0, 1], prompt=[9, 8, 7], arrival=arrival)
    assert trace.conversation.tolist() == [2, 0, 1]
    assert trace.prompt.tolist() == [9, 8, 7]
    assert trace.code.tolist() == [0, 1, 2]
    assert trace.arrival is not None
    assert trace.arrival.tolist() == [5.0, 5.0, 5.0]


@given(ANY_COLUMNS, st.integers(1, 12) | st.integers(1, 2**45))
def test_in_blocks_every_prefix_is_its_number_of_full_blocks(columns: Columns, size: int) -> None:
    trace = tt.Trace.from_turns(**columns)
    blocks = trace.to_blocks(size)
    for name in ("history", "total", "past"):
        in_tokens = getattr(trace, name).tolist()
        assert getattr(blocks, name).tolist() == [length // size for length in in_tokens], name
    assert (blocks.block_size, blocks.cumulative, blocks.names) == (size, trace.cumulative, trace.names)
    assert blocks.conversation.tolist() == trace.conversation.tolist()
    assert blocks.prompt.min(initial=0) == blocks.response.min(initial=0) == 0
    if trace.arrival is None:
        assert blocks.arrival is None
    else:
        assert np.array_equal(blocks.arrival, trace.arrival)


@given(ANY_COLUMNS, st.integers(1, 6), st.integers(1, 6))
def test_block_sizes_multiply(columns: Columns, inner: int, outer: int) -> None:
    trace = tt.Trace.from_turns(**columns)
    assert trace.to_blocks(1) == trace
    assert trace.to_blocks(inner).to_blocks(outer) == trace.to_blocks(inner * outer)


@pytest.mark.parametrize("size", [0, -1, 1.0, True, "2", None, 2**63])
def test_a_wrong_block_size_is_an_error(size: Any) -> None:
    caught = refused(ArgumentError, "block_size: found ", lambda: made().to_blocks(size))
    assert repr(size) in str(caught)


@given(turn_columns() | turn_columns(NAMES) | given_columns() | timed_columns(given_columns()), st.integers(0, 20))
def test_the_first_turns_are_the_trace_of_those_rows(columns, turns):
    trace = tt.Trace.from_turns(**columns)
    shown = trace[:turns]
    assert shown == tt.Trace.from_turns(**{name: values[:turns] for name, values in columns.items()})
    assert shown.cumulative == trace.cumulative
    assert trace.to_blocks(2)[:turns].block_size == 2
