"""Files of applications: a line a request; what is wrong is named by file, line and field."""

import json

from formats.files import lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems.apps.application_worlds import of_case, worlds

import teltheory as tt
from teltheory.errors import FileError
from teltheory.formats.applications import read_application_trace, write_application_trace
from teltheory.model.applications import ApplicationTrace

PLAN = {"request": "plan", "application": "essay", "prompt": 100, "response": 20}
PART = {
    "request": "part",
    "application": "essay",
    "after": ["plan"],
    "conversation": "x",
    "prompt": 7,
    "response": 8,
}


def test_a_file_is_read(tmp_path):
    end = {**PLAN, "request": "end", "prompt": 1}
    apps = read_application_trace(lines(tmp_path / "a.jsonl", [PLAN, PART, end]))
    assert apps.names == ("essay",)
    assert apps.requests == ("plan", "part", "end")
    assert apps.trace.labels == ["essay", "x", "essay"]
    assert apps.before == ((), (0,), (0,))
    assert apps.trace.total.tolist() == [100, 7, 121]


@given(worlds(), st.booleans(), st.booleans())
def test_what_is_written_is_read_as_the_same(tmp_path_factory, case, timed, given_histories):
    apps = of_case(case)
    trace, labels = apps.trace, [f"c{label}" for label in apps.trace.labels]
    times = [0.5 * k for k in range(len(trace))] if timed else None
    history = trace.history if given_histories else None
    named = tt.Trace.from_turns(labels, trace.prompt, trace.response, times, history)
    apps = ApplicationTrace.of(
        named, [f"a{k}" for k in apps.application], apps.after, [f"r{k}" for k in range(len(apps))]
    )
    file = tmp_path_factory.getbasetemp() / "applications.jsonl"
    write_application_trace(apps, file)
    assert read_application_trace(file) == apps


def test_a_conversation_with_its_application_s_name_needs_no_field(tmp_path):
    apps = read_application_trace(lines(tmp_path / "a.jsonl", [PLAN]))
    write_application_trace(apps, tmp_path / "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text()) == PLAN


test_what_is_wrong_is_named = wrong_files(
    "wrong.jsonl",
    ([{**PLAN, "promt": 1}], "line 1, promt: found 1, expected only request, application"),
    ([{"request": "a"}], "line 1, application: found nothing, expected a value in every line"),
    ([{**PLAN, "request": 3}], "line 1, request: found 3, expected a string"),
    ([{**PLAN, "after": "plan"}], "line 1, after: found 'plan', expected a list of names of requests"),
    ([PLAN, {**PART, "after": ["plans"]}], "line 2, after: found 'plans', expected a request of an earlier line"),
    ([{**PLAN, "after": ["plan"]}], "line 1, after: found 'plan', expected a request of an earlier line"),
    ([PLAN, PLAN], "line 2, request: found 'plan', expected a name that no earlier line has"),
    ([PLAN, {**PART, "application": "b"}], "line 2, after: found 'plan', expected turns of its application, 'b'"),
    ([PLAN, {**PART, "application": "b", "conversation": "essay", "after": []}], "line 2, application: found 'b'"),
    ([PLAN, {**PART, "prompt": -1}], "line 2, prompt: found -1, expected 0 tokens or more"),
    ([PLAN, {**PART, "prompt": "7"}], "line 2, prompt: found '7', expected a whole number"),
    ([PLAN, {**PART, "arrival": 1}], "line 1, arrival: found nothing"),
    ([{**PLAN, "arrival": 2}, {**PART, "arrival": 1}], "line 2, arrival: found 1.0, expected 2.0 or later"),
    ([{**PLAN, "history": 0}, {**PART, "history": 9}], "line 2, history: found 9"),
    ("{", "line 1, row: "),
    read=read_application_trace,
)


def test_no_file_is_named_and_an_empty_one_is_read(tmp_path):
    refused(FileError, "found no such file", read_application_trace, tmp_path / "none.jsonl")
    assert len(read_application_trace(lines(tmp_path / "a.jsonl", []))) == 0
