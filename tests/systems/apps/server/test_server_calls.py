import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from systems.apps.server.app_server import called, submission

from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.server import Limits

PATHS = ("session", "submit", "get", "set", "chat/completions", "completions")


def test_the_bodies_of_the_paper(server):
    session = server.session()
    placeholders = [
        {"name": "task", "in_out": False, "semantic_var_id": "T", "transforms": "upper"},
        {"name": "code", "in_out": True, "semantic_var_id": "C", "transforms": "strip"},
    ]
    body = {"prompt": "Do {{input:task}}: {{output:code}}", "placeholders": placeholders, "session_id": session}
    answer = server.post("submit", {**body, "sampling": {"max_tokens": 3}})
    assert answer == {"request_id": 0, "semantic_var_ids": {"task": "T", "code": "C"}}
    server.set(session, "T", "it")
    assert server.get(session, "C") == flat(server, "Do IT: ", 3).strip()
    assert server.get(session, "T") == "it"


def flat(server, prompt, tokens):
    """Return what the engine says to a text that is no application."""
    return server.post("completions", {"prompt": prompt, "max_tokens": tokens})["choices"][0]["text"]


def test_requests_that_follow_each_other(server):
    session = server.session()
    server.submit(session, "B {{input:x}} {{output:y}}", "x y*")
    server.submit(session, "A {{output:x}}", "x*")
    x = flat(server, "A ", 4)
    assert server.get(session, "y", "throughput") == flat(server, f"B {x} ", 4)
    assert server.get(session, "x", "throughput") == x


def test_a_placeholder_without_a_variable_has_a_new_one(server):
    session = server.session()
    ids = []
    for _ in range(2):
        body = submission(session, "A {{input:a}}{{output:b}}", "a b*")
        for port in body["placeholders"]:
            del port["semantic_var_id"]
        ids.append(server.post("submit", body)["semantic_var_ids"])
    assert len({*ids[0].values(), *ids[1].values()}) == 4
    server.set(session, ids[1]["a"], "x")
    assert len(server.get(session, ids[1]["b"])) == 4


def test_what_is_left_out_is_what_is_written_down(server):
    session = server.session()
    asked = submission(session, "x {{output:b}}", "b*")
    server.post("submit", {name: value for name, value in asked.items() if name != "sampling"})
    whole = server.post("get", {"session_id": session, "semantic_var_id": "b"})["value"]
    assert whole == flat(server, "x ", 256)
    assert fault_get(server, session, "b", "throughput")[0] == 409


def fault_get(server, session, variable, criteria="latency", **more):
    """Return code and message of a get that fails."""
    body = {"session_id": session, "semantic_var_id": variable, "criteria": criteria, **more}
    return server.fault("get", body)


FAULTS = {
    "a cycle": (409, "B {{input:x}}{{output:y}}", "x y*", "a cycle: request"),
    "two producers": (409, "P {{output:x}}", "x*", "two producers"),
    "an unknown placeholder": (400, "P {{output:z}}{{input:w}}", "z*", "placeholder 'w' without an entry"),
    "an open brace": (400, "P {{output:z", "z*", "nothing closes"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_submits_that_are_refused(server, case):
    code, prompt, ports, told = FAULTS[case]
    session = server.session()
    server.submit(session, "A {{input:y}}{{output:x}}", "y x*")
    found, message = server.fault("submit", submission(session, prompt, ports, name="the second"))
    assert (found, told in message) == (code, True), message
    assert "the second" in message or code == 409


BODIES = {
    "no prompt": ("submit", "prompt", None, 400),
    "a prompt that is a number": ("submit", "prompt", 3, 400),
    "a field that nobody knows": ("submit", "promt", "x", 400),
    "in_out as a text": ("submit", "placeholders", [{"name": "c", "in_out": "true"}], 400),
    "in_out as a number": ("submit", "placeholders", [{"name": "c", "in_out": 1}], 400),
    "a placeholder's other field": ("submit", "placeholders", [{"name": "c", "in_out": True, "x": 1}], 400),
    "an unknown transform": ("submit", "placeholders", [{"name": "c", "in_out": True, "transforms": "x"}], 400),
    "an empty id": ("submit", "placeholders", [{"name": "c", "in_out": True, "semantic_var_id": ""}], 400),
    "a long id": ("submit", "placeholders", [{"name": "c", "in_out": True, "semantic_var_id": "x" * 201}], 400),
    "an unknown model": ("submit", "model", "large", 404),
    "no tokens": ("submit", "sampling", {"max_tokens": 0}, 400),
    "half a token": ("submit", "sampling", {"max_tokens": 1.5}, 400),
    "true tokens": ("submit", "sampling", {"max_tokens": True}, 400),
    "too many tokens": ("submit", "sampling", {"max_tokens": 64_000}, 413),
    "a cold temperature": ("submit", "sampling", {"temperature": -1}, 400),
    "another field of sampling": ("submit", "sampling", {"top_p": 1}, 400),
    "a stop of numbers": ("submit", "sampling", {"stop": [1]}, 400),
    "another session": ("submit", "session_id", "guessed", 404),
    "a session that is a list": ("submit", "session_id", [], 400),
    "a criterion that nobody knows": ("get", "criteria", "speed", 400),
    "an empty criterion": ("get", "criteria", "", 400),
    "a variable that nobody produces": ("get", "semantic_var_id", "other", 404),
    "a negative time": ("get", "timeout", -1, 400),
    "no time": ("get", "timeout", 0, 504),
    "a value that is no text": ("set", "value", 7, 400),
    "no value": ("set", "value", None, 400),
    "a value of a produced variable": ("set", "semantic_var_id", "b", 409),
    "a field of another path": ("set", "criteria", "latency", 400),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies_with_one_fault(server, case):
    path, field, value, code = BODIES[case]
    session = server.session()
    server.submit(session, "x {{input:a}}{{output:b}}", "a b*")
    bodies = {
        "submit": submission(session, "P {{output:c}}", "c*"),
        "get": {"semantic_var_id": "b", "criteria": "latency", "session_id": session, "timeout": 5},
        "set": {"semantic_var_id": "a", "value": "v", "session_id": session},
    }
    assert server.fault(path, bodies[path] | {field: value})[0] == code


def test_a_failure_reaches_what_is_below_it_and_nothing_else(server):
    session = server.session()
    body = submission(session, "A {{output:x}}", "x*", name="first")
    body["placeholders"][0]["transforms"] = "json:field"
    server.post("submit", body)
    server.submit(session, "B {{input:x}}{{output:y}}", "x y*")
    server.submit(session, "C {{output:z}}", "z*")
    for variable in "xy":
        code, message = fault_get(server, session, variable)
        assert code == 422
        assert all(named in message for named in ("request first", "'x'", "json:field"))
    assert server.get(session, "z") == flat(server, "C ", 4)


def test_two_criteria_for_a_variable(server):
    session = server.session()
    server.submit(session, "A {{output:x}}", "x*")
    server.get(session, "x", "throughput")
    code, message = fault_get(server, session, "x", "ttft")
    assert (code, "'ttft' after 'throughput'" in message) == (409, True)


def test_an_engine_that_fails_and_a_get_that_is_late():
    class Broken(TinyEngine):
        async def generate(self, sampling, context_id, parent=None):
            raise OSError("no such luck")

    with called(Limits(waiting=0.05), [Broken()]) as caller:
        session = caller.session()
        caller.submit(session, "A {{output:x}}", "x*", name="asked")
        code, message = fault_get(caller, session, "x")
        assert (code, "request asked" in message) == (502, True)
        caller.submit(session, "P {{input:never}}{{output:y}}", "never y*")
        for more in ({}, {"timeout": 0.01}, {"timeout": 1e300}):
            code, message = fault_get(caller, session, "y", **more)
            assert (code, "no value was set for 'never'" in message) == (504, True)


def test_gets_wait_as_long_as_the_server_lets_them():
    with called(Limits(waiting=0.05)) as caller:
        session = caller.session()
        caller.submit(session, "P {{input:never}}{{output:y}}", "never y*")
        for timeout, least in ((None, "0.05"), (3, "0.05"), (0.01, "0.01"), (0, "0")):
            code, message = fault_get(caller, session, "y", timeout=timeout)
            assert (code, f"none after {least} s" in message) == (504, True), message


def test_paths_and_methods_that_are_not_there(server):
    assert server.fault("nothing", {})[0] == 404
    assert server.fault("submit/", {})[0] == 404
    assert server.fault("submit", method="GET")[0] == 405
    assert server.fault("models", {})[0] == 405


IDS = st.sampled_from(["a", "b", "c", ""])
TEXTS = st.text(max_size=4) | st.sampled_from(
    ["{{", "{{output:b}}", "x {{input:a}} {{output:b}}", "strip|lower", "(("]
)
LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(IDS | TEXTS, inner, max_size=2),
    max_leaves=4,
)


def near(**fields):
    """Draw bodies near one that is right: a few fields are of any kind, missing, or additional."""
    right = st.fixed_dictionaries({}, optional=fields)
    return st.tuples(right, st.dictionaries(st.sampled_from([*fields, "other"]), LOOSE, max_size=2)).map(
        lambda both: both[0] | both[1]
    )


PORTS = near(name=IDS, in_out=st.booleans(), semantic_var_id=IDS, transforms=TEXTS)
SAMPLING = near(max_tokens=st.integers(1, 3), temperature=st.floats(0, 2), stop=st.lists(TEXTS, max_size=2))
MESSAGES = near(role=st.sampled_from(["user", "system"]), content=TEXTS)
HOSTILE = {
    "session": near(),
    "submit": near(prompt=TEXTS, placeholders=st.lists(PORTS, max_size=3), sampling=SAMPLING, name=TEXTS),
    "get": near(semantic_var_id=IDS, criteria=st.sampled_from(["latency", "tpot"]), timeout=st.just(0.001)),
    "set": near(semantic_var_id=IDS, value=TEXTS),
    "chat/completions": near(messages=st.lists(MESSAGES, max_size=2), max_tokens=st.just(1), stream=st.booleans()),
    "completions": near(prompt=TEXTS, max_tokens=st.just(1), stop=TEXTS, n=st.just(1)),
}


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_hostile_bodies_have_a_code_and_one_line(server, data):
    session = server.session()
    for path in data.draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6)):
        body = data.draw(HOSTILE[path])
        if path in {"submit", "get", "set"}:
            body = {"session_id": session} | body
        body = {k: v for k, v in body.items() if k != "max_tokens"} | (
            {"max_tokens": 1} if "compl" in path else {}
        )
        answer = server.client.post(f"/v1/{path}", json=body)
        if answer.status_code != 200:
            assert server.fault(path, body)[0] in {400, 404, 409, 413, 422, 502, 504}
    server.post("session", {"session_id": session}, "DELETE")


def test_a_pattern_that_is_slow_to_compile_is_refused_while_the_server_goes_on(server):
    """Each set of all characters, with ignored case, takes some 15 ms."""
    body = submission(server.session(), "A {{output:x}}", "x*")
    body["placeholders"][0]["transforms"] = "regex:(?i)" + "[\\0-\U0010ffff]" * 120
    begin = time.process_time()
    code, message = server.fault("submit", body)
    assert time.process_time() - begin < 0.5
    assert (code, "patterns that are not compiled within 0.1 s" in message) == (400, True)
    body["placeholders"][0]["transforms"] = "regex:(?i)[a-z]+"
    server.post("submit", body)
