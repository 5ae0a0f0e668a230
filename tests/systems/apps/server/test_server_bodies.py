import asyncio
import gzip
import json

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from systems.apps.server.app_server import fault_of

from teltheory.systems.apps import AppError
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.server import Limits, application
from teltheory.systems.apps.server.bodies import Fields, read
from teltheory.systems.apps.sessions import Manager

LIMITS = Limits(body=400, depth=4, values=12, name=5, reading=0.05)
BODIES = {
    b"": (400, "no JSON"),
    b"{": (400, "no JSON"),
    b"{} {}": (400, "no JSON"),
    b"\xff": (400, "no JSON"),
    b"\xef\xbb\xbf{}": (400, "no JSON"),
    '{"a": 1}'.encode("utf-16"): (400, "no JSON"),
    b'"x"': (400, "a text, expected an object"),
    b"[]": (400, "a list, expected an object"),
    b"null": (400, "null, expected an object"),
    b"3": (400, "a number, expected an object"),
    b'{"a": NaN}': (400, "found NaN"),
    b'{"a": -Infinity}': (400, "found -Infinity"),
    b'{"a": 1e999}': (400, "too large"),
    b'{"a": ' + b"1" * 5000 + b"}": (400, "no JSON"),
    b'{"a": 1, "b": {"c": 2, "c": 2}}': (400, "'c' twice"),
    b'{"a": "\\ud800"}': (400, "half of a character"),
    b'{"\\udfff": 1}': (400, "half of a character"),
    b'{"a": "\x00"}': (400, "no JSON"),
    b'{"a": [[[1]]]}': (413, "more than 4 levels"),
    b"[" * 100_000: (413, "levels"),
    b'{"a": ' * 100_000: (413, "levels"),
    b'{"a": [1,2,3,4,5,6,7,8,9,10]}': (413, "more than 12 values"),
}


def refused(action, *arguments):
    """Return code and message of the error of an action."""
    with pytest.raises(AppError) as error:
        action(*arguments)
    assert str(error.value).isprintable()
    return error.value.code, str(error.value)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:16]))
def test_what_a_body_must_not_be(body):
    code, message = refused(read, body, LIMITS)
    assert (code, BODIES[body][1]) == (BODIES[body][0], BODIES[body][1] if BODIES[body][1] in message else message)


def test_bodies_at_the_limits():
    assert read(b'{"a": [[1]]}', LIMITS).any("a") == [[1]]
    assert read(b'{"a": [1,2,3,4,5,6,7,8,9]}', LIMITS).any("a")[-1] == 9
    assert read('{"a": "\U0001f600 \\ud83d\\ude00"}'.encode(), LIMITS).text("a") == "\U0001f600 \U0001f600"


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\u0d8ea1e9-.', max_size=60).map(str.encode))
def test_any_bytes_are_an_object_or_an_error(data):
    assert outcome(data) in {"an object", 400, 413}


def outcome(data):
    """Return what comes of a body."""
    try:
        found = read(data, LIMITS)
    except AppError as error:
        return error.code if str(error).isprintable() else "several lines"
    return "an object" if isinstance(found, Fields) else found


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
READERS = {
    "text": lambda value: isinstance(value, str),
    "name": lambda value: isinstance(value, str) and 1 <= len(value) <= 5,
    "maybe_text": lambda value: value is None or isinstance(value, str),
    "maybe_name": lambda value: value is None or (isinstance(value, str) and 1 <= len(value) <= 5),
    "flag": lambda value: isinstance(value, bool),
    "maybe_flag": lambda value: value is None or isinstance(value, bool),
    "whole": lambda value: value is None or type(value) is int,
    "number": lambda value: value is None or (type(value) in {int, float} and abs(value) < 10**300),
    "texts": lambda value: (
        value is None or isinstance(value, str) or (isinstance(value, list) and all(type(v) is str for v in value))
    ),
    "object": lambda value: value is None or isinstance(value, dict),
}


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=20)
@given(VALUES)
@example(True)
@example(1)
@example(10**400)
@example(["x", 1])
@example("")
@example("x" * 6)
def test_a_field_is_read_if_and_only_if_it_is_of_its_kind(reader, value):
    fields = Fields({"field": value}, "body", LIMITS)
    if READERS[reader](value):
        getattr(fields, reader)("field")
        fields.done()
    else:
        code, message = refused(getattr(fields, reader), "field")
        assert code == 400
        assert "field" in message


def test_fields_that_nobody_reads():
    fields = Fields({"a": 1, "prmpt": "x", "null": None}, "body", LIMITS)
    fields.whole("a")
    assert refused(fields.done) == (400, "body: found field 'prmpt', expected a")
    fields.text("prmpt")
    fields.done()


def test_lists_of_objects():
    fields = Fields({"list": [{"a": 1}, {"a": 2}], "mixed": [{}, 3], "none": 1}, "body", LIMITS)
    assert [inner.whole("a") for inner in fields.objects("list")] == [1, 2]
    assert refused(list, fields.objects("mixed")) == (400, "body, mixed 1: found a number, expected an object")
    assert refused(list, fields.objects("none"))[0] == 400
    assert refused(list, fields.objects("missing")) == (400, "body: found no missing, expected missing, a list")


def asked(headers, content):
    """Return the answer to a body on its way to a small server."""

    async def answer():
        app = application(Manager([TinyEngine()]), LIMITS)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.post("/v1/session", headers=headers, content=content)

    return asyncio.run(answer())


KIND = {"content-type": "application/json"}


async def pieces(count, pause=0.0):
    """Send a body that does not say how long it is."""
    for _ in range(count):
        await asyncio.sleep(pause)
        yield b" " * 100


def test_headers():
    assert asked({"content-type": "Application/JSON; charset=utf-8"}, b"{}").status_code == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        code, message = fault_of(asked({"content-type": kind}, b"{}"))
        assert (code, message.partition(":")[0]) == (400, "content-type")
    code, message = fault_of(asked(KIND | {"content-encoding": "gzip"}, gzip.compress(b"{}")))
    assert (code, message.partition(":")[0]) == (400, "content-encoding")


@pytest.mark.parametrize("content", [b" " * 401, pieces(5)], ids=["said", "sent"])
def test_bodies_of_too_many_bytes(content):
    code, message = fault_of(asked(KIND, content))
    assert (code, message[-21:]) == (413, "expected at most 400 bytes"[-21:])


def test_a_length_is_not_believed_before_it_is_small_enough():
    for length in ("401", "9" * 30):
        assert fault_of(asked(KIND | {"content-length": length}, pieces(1)))[0] == 413


def test_a_body_of_just_as_many_bytes_as_it_may_have():
    assert asked(KIND, json.dumps({}).encode().ljust(400)).status_code == 200


def test_a_body_that_does_not_come():
    assert fault_of(asked(KIND, pieces(2, 0.1))) == (
        504,
        "body: found no end after 0.05 s, expected all of it by then",
    )
