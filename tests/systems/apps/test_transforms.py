"""Transforms: steps against what Python says, faults with their places, and searches that end."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from teltheory.systems.apps import AppError
from teltheory.systems.apps.transforms import STEPS, apply, check, takes_time

FIELDS = st.text("abc", min_size=1, max_size=2)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=3)
)


def paths(value: object) -> list[tuple[list[str], object]]:
    """Return each path into a value with what stands there."""
    inside = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        inside = list(enumerate(value))
    return [([], value)] + [([str(key), *rest], found) for key, part in inside for rest, found in paths(part)]


@given(VALUES)
def test_a_path_leads_to_what_stands_there(value: object) -> None:
    """Texts come as they are, everything else as JSON."""
    for path, found in paths(value):
        got = apply(f"json:{'.'.join(path)}" if path else "json", json.dumps(value))
        assert got == found if isinstance(found, str) else json.loads(got) == found


@pytest.mark.parametrize(
    ("spec", "value", "result"),
    [
        ("", " a ", " a "),
        ("strip", " a\n", "a"),
        (" strip | upper ", " a\n", "A"),
        ("upper|lower", "aB", "ab"),
        ("json:code", '{"code": "x = 1\\n"}', "x = 1\n"),
        ("json:a.-1", '{"a": [1, {"b": "é"}]}', '{"b": "é"}'),
        ("regex:b+", "abbbc", "bbb"),
        ("regex:Score: (\\d+)", "Score: 17 of 20", "17"),
        ("regex:(a||b)+$", "xab", "b"),
        ("regex:[[a]+", "x[a", "[a"),
        ("lines", "1. one\n\n2) two\n- three\n10 men\n", "one\ntwo\nthree\n10 men"),
        ("lines:1", "* one\n+ two", "two"),
        ("lines", "take 2. step\nwell - known", "take 2. step\nwell - known"),
        ("list", "a, b,, c", "a\nb\nc"),
        ("list:-1", "a, b,, c ", "c"),
        ("choice:yes, no", " no\n", "no"),
        ("fence", "Here:\n```python\nx = 1\n```\nEnd", "x = 1\n"),
        ("fence:json|json:a", '```\nx\n```\n```json\n{"a": 1}\n```', "1"),
        ("tag:code", "<code>a<b></code></code>", "a<b>"),
    ],
)
def test_steps_do_what_they_say(spec: str, value: str, result: str) -> None:
    """One case a step, and some of what else a spec can have."""
    assert apply(spec, value) == result


def test_every_step_has_a_case() -> None:
    """So that a new one gets one."""
    (cases,) = (mark.args[1] for mark in test_steps_do_what_they_say.pytestmark)
    assert set(STEPS) <= {name.strip() for spec, *_ in cases for name in re.findall(r"\w+", spec)}


@pytest.mark.parametrize(
    ("spec", "value", "said"),
    [
        ("json:b", '{"a": 1}', r"'json:b': found fields 'a', expected field 'b'"),
        ("json:a.b", '{"a": 1}', "found 1, expected an object with field 'b'"),
        ("json:a", "[1]", "found a list"),
        ("json:1", "[1]", "found 1 items, expected item 1, from 0"),
        ("json", "{'a': 1}", "expected JSON"),
        ("json", "NaN", "expected JSON"),
        ("json", "1e999", "expected JSON"),
        ("json", "[" * 100_000, "expected JSON"),
        ("json", "1" * 5000, "expected JSON"),
        ("strip|regex:b", "a", "'regex:b': found 'a', expected a match"),
        ("lines:0", " \n", "found 0 items"),
        ("list:-3", "a,b", "found 2 items, expected item -3"),
        ("choice:yes,no", "maybe", "found 'maybe', expected one of yes, no"),
        ("fence:python", "```json\n1\n```", "expected a fenced block of python"),
        ("tag:a", "</a><a>", "expected <a> and </a>"),
        ("own", "x", "KeyError: \"'lost'\""),
        ("number", "x", "found a result of type int, expected a text"),
    ],
)
def test_a_value_that_does_not_fit_names_place_and_step(spec: str, value: str, said: str) -> None:
    """The code is 422, the message one line."""

    def lost(value: str, argument: str) -> str:
        raise KeyError("lost")

    own = {"own": lost, "number": lambda value, argument: 1}
    with pytest.raises(AppError) as raised:
        apply(spec, value, own, "request r, variable 'v'")
    assert raised.value.code == 422
    assert str(raised.value).startswith("request r, variable 'v', transform '")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("stirp", "'stirp', expected one of strip,"),
        ("strip|", "transform ''"),
        ("strip||upper", "'strip|upper'"),
        ("strip:x", "strip without an argument"),
        ("regex", "regex:ARGUMENT"),
        ("regex:(", "unterminated subpattern"),
        ("regex:" + "a" * 1001, "1,000 at most"),
        ("regex:a{99999999999}", "a regular expression of Python"),
        ("lines:one", "the number of an item"),
        ("json:\0", "a character of code 0"),
    ],
)
def test_a_spec_that_is_none_is_refused_before_there_is_a_value(spec: str, said: str) -> None:
    """The code is 400."""
    assert refused(AppError, said, check, spec).code == 400


@given(st.text("sripjonegx:|(a)*\\0", max_size=12), st.text(max_size=6))
def test_any_spec_is_done_or_is_an_error_of_one_line(spec: str, value: str) -> None:
    """Whatever the spec, no other exception leaves."""
    error = None
    try:
        result = "" if takes_time(spec) else apply(spec, value)
    except AppError as raised:
        error = raised
    assert error.code in {400, 422} and "\n" not in str(error) if error else isinstance(result, str)


def test_a_search_that_does_not_end_is_ended() -> None:
    """A pattern of nested repeats takes 2^40 steps."""
    begin = time.monotonic()
    raised = refused(AppError, "a search that takes over 1 s", lambda: apply("regex:(a+)+$", "a" * 40 + "b"))
    assert raised.code == 422
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("value", [" " * 100_000 + "x", "1" * 100_000])
def test_lines_take_no_longer_than_their_text(value: str) -> None:
    """Looking for a marker at every place of them takes minutes."""
    begin = time.process_time()
    assert apply("lines", value) == value.strip()
    assert time.process_time() - begin < 5


def test_functions_of_your_own_get_their_argument() -> None:
    """They are steps like the others, by name."""
    own = {"repeat": lambda value, argument: value * int(argument or 1)}
    assert apply("strip|repeat:2|upper|repeat", " a ", own) == "AA"
    refused(AppError, "tag, repeat", check, "again", own)
