"""Files of applications."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teltheory.systems.apps import AppError, Port, Request, Sampling
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.records import Application, as_data, read_applications, write_applications

TEXTS = st.text('ab {}\n"ü', min_size=1, max_size=8)
SPECS = st.sampled_from(["", "strip", "json:a.b|upper", "regex:(a||b)"])


@st.composite
def applications(draw: st.DrawFn, name: str = "app") -> Application:
    """An application whose requests consume what a client sets and what earlier requests produce."""
    there = ["task", "note"]
    requests = []
    for k in range(draw(st.integers(1, 4))):
        ports = [
            Port(f"in{j}", False, variable, draw(SPECS))
            for j, variable in enumerate(draw(st.lists(st.sampled_from(there), max_size=3)))
        ]
        own = f"v{k}"
        ports.append(Port(draw(st.sampled_from([own, "result"])), True, own, draw(SPECS)))
        parts = [part for port in ports for part in (draw(TEXTS), port)]
        sampling = Sampling(
            draw(st.integers(1, 9)), draw(st.sampled_from([0.0, 0.5])), draw(st.sampled_from([(), ("x",)]))
        )
        requests.append(Request(k, tuple(parts), draw(st.sampled_from([None, "tiny"])), sampling, f"request-{k}"))
        there.append(own)
    graph = Graph.of(requests)
    free = [variable for variable in graph.consumers if variable not in graph.producers]
    values = {variable: draw(TEXTS) for variable in free if draw(st.booleans())}
    gets = {variable: draw(st.sampled_from(["latency", "throughput", "ttft"])) for variable in graph.producers}
    return Application(name, graph, values, gets)


@settings(max_examples=40)
@given(st.lists(applications(), min_size=1, max_size=2))
def test_applications_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, found: list[Application]
) -> None:
    """One or several, whatever their texts hold."""
    named = tuple(Application(f"{one.name}/{k}", one.graph, one.values, one.gets) for k, one in enumerate(found))
    file = tmp_path_factory.mktemp("apps") / "apps.json"
    write_applications(named, file)
    assert read_applications(file) == named
    if len(named) > 1:
        assert [one["name"] for one in json.loads(file.read_text())] == [one.name for one in named]


def test_the_prompt_says_what_needs_no_entry(tmp_path: Path) -> None:
    """A placeholder's variable has its name, and the prompt says which way it goes."""
    file = tmp_path / "app.json"
    prompts = ["Write {{input:task}}. {{output:code}}", "Test {{code}}: {{output:test}}"]
    entry = {"name": "code", "in_out": False, "transforms": "strip"}
    again = {"prompt": prompts[1], "placeholders": [entry], "sampling": {"stop": "#", "temperature": None}}
    rows: list[dict[str, Any]] = [{"prompt": prompts[0]}, again]
    file.write_text(json.dumps({"requests": rows, "get": [{"semantic_var_id": "test"}]}))
    (one,) = read_applications(file)
    assert [request.ports for request in one.graph.requests.values()] == [
        (Port("task", False, "task"), Port("code", True, "code")),
        (Port("code", False, "code", "strip"), Port("test", True, "test")),
    ]
    found = one.name, one.gets, one.missing, one.graph.before
    assert found == ("0", {"test": "latency"}, ("task",), {0: (), 1: (0,)})
    assert one.graph.requests[1].sampling == Sampling(stop=("#",))
    assert as_data(one)["requests"][0] == {"prompt": prompts[0]}


def call(**fields: Any) -> dict[str, Any]:
    """A request that produces `a`."""
    return {"prompt": "x{{output:a}}", **fields}


def placed(**placeholder: Any) -> dict[str, Any]:
    """An application of one request with this placeholder."""
    return {"requests": [call(placeholders=[placeholder])]}


NAMES = """
requests prompt placeholders name in_out semantic_var_id transforms sampling get set criteria max_tokens
temperature stop model a x{{output:a}} {{input:b}}{{a}}
"""
WORDS = NAMES.split()
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=3)
)
SHAPES: dict[str, st.SearchStrategy[Any]] = {
    "requests": st.lists(st.deferred(lambda: OBJECTS), max_size=3),
    "placeholders": st.lists(st.deferred(lambda: OBJECTS), max_size=2),
    "get": st.lists(st.deferred(lambda: OBJECTS), max_size=2),
    "prompt": st.sampled_from(["x{{output:a}}", "{{input:b}}{{output:a}}", "{{a}}", "{{output:b}}", "{{"]),
}
OBJECTS = st.lists(st.sampled_from(WORDS), max_size=6, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: st.one_of(SHAPES.get(name, LEAVES), LEAVES) for name in names})
)


@settings(max_examples=60)
@given(st.one_of(OBJECTS, st.lists(OBJECTS, max_size=2)))
def test_any_file_is_read_or_refused_in_a_line(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """What is read is written as the same again."""
    file = tmp_path_factory.mktemp("any") / "app.json"
    file.write_text(json.dumps(data))
    refusals = []
    try:
        found = read_applications(file)
    except AppError as error:
        refusals.append(error)
    else:
        write_applications(found, file)
        assert read_applications(file) == found
    assert all(error.code in {400, 404, 409} for error in refusals)
    assert all(str(error).startswith(f"{file}, ") for error in refusals)
    assert all(str(error).isprintable() for error in refusals)


GETS_TWICE = [{"semantic_var_id": "a"}, {"semantic_var_id": "a", "criteria": "throughput"}]


@pytest.mark.parametrize(
    ("data", "code", "place", "found"),
    [
        (3, 400, "application", "3"),
        ({}, 400, "application, requests", "nothing"),
        ({"requests": [], "sets": {}}, 400, "application", "field 'sets'"),
        ({"requests": [3]}, 400, "requests[0]", "3"),
        ({"requests": [{}]}, 400, "requests[0], prompt", "nothing"),
        ({"requests": [call(prompt="{{a}}")]}, 400, "request 0", "placeholder 'a' without an entry"),
        (placed(name="b"), 400, "requests[0], placeholders[0], in_out", "nothing"),
        (placed(name="a", in_out=1), 400, "requests[0], placeholders[0], in_out", "1"),
        (placed(name="a", transforms="jsn:x"), 400, "request 0, placeholder 'a'", "jsn"),
        ({"requests": [call(model=3)]}, 400, "requests[0], model", "3"),
        ({"requests": [call(sampling={"max_tokens": 0})]}, 400, "requests[0], sampling, max_tokens", "0"),
        ({"requests": [call(sampling={"max_tokens": True})]}, 400, "requests[0], sampling, max_tokens", "True"),
        ({"requests": [call(sampling={"temperature": -1})]}, 400, "requests[0], sampling, temperature", "-1"),
        ({"requests": [call(sampling={"stop": [""]})]}, 400, "requests[0], sampling, stop", "['']"),
        ({"requests": [call(sampling={"stop": 3})]}, 400, "requests[0], sampling, stop", "3"),
        ({"requests": [call(), call()]}, 409, "variable 'a'", "two producers"),
        ({"requests": [call(name="1"), {"prompt": "{{output:b}}"}]}, 409, "request '1'", "two requests"),
        ({"requests": [call()], "set": {"a": "x"}}, 409, "set of 'a'", "request 0 produces"),
        ({"requests": [call()], "set": {"b": "x"}}, 404, "set of 'b'", "no request"),
        ({"requests": [call(prompt="{{input:b}}{{output:a}}")], "set": {"b": 3}}, 400, "set of 'b'", "3"),
        ({"requests": [call()], "get": [{"semantic_var_id": "b"}]}, 404, "get of 'b'", "no request"),
        ({"requests": [call()], "get": [GETS_TWICE[0] | {"criteria": "fast"}]}, 400, "get of 'a'", "'fast'"),
        ({"requests": [call()], "get": GETS_TWICE}, 409, "get of 'a'", "'throughput' after 'latency'"),
        ({"requests": [call()], "get": [{"criteria": "latency"}]}, 400, "get[0], semantic_var_id", "nothing"),
        ([{"requests": []}, {"requests": [], "name": "0"}], 409, "application '0'", "two applications"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path: Path, data: Any, code: int, place: str, found: str) -> None:
    """File, place, found, expected, and the code that a server would answer."""
    file = tmp_path / "app.json"
    file.write_text(json.dumps(data))
    with pytest.raises(AppError) as raised:
        read_applications(file)
    said = str(raised.value)
    assert said.startswith(f"{file}, {place}: found ")
    assert found in said
    assert (raised.value.code, said.count("\n"), ", expected " in said) == (code, 0, True)
