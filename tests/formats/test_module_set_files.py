"""Files of module sets: what is written is read again; every mistake names file, line and field."""

from formats.files import wrong_files
from hypothesis import given
from hypothesis import strategies as st
from strategies import module_traces

import teltheory as tt
from teltheory.formats.module_sets import read_module_trace, write_module_trace


@given(module_traces(), st.booleans(), st.booleans())
def test_what_is_written_is_read_again(tmp_path_factory, trace, timed, named):
    arrival = [k / 7 for k in range(len(trace))] if timed else None
    names = [f"é {i}" for i in range(len(trace.sizes))] if named else None
    again = tt.ModuleTrace.from_requests(
        [trace.items(k) for k in range(len(trace))], trace.sizes, trace.fresh, arrival, names
    )
    file = tmp_path_factory.mktemp("sets") / "sets.jsonl"
    write_module_trace(again, file)
    found = read_module_trace(file)
    assert found == again or (not len(trace) and timed)


test_mistakes_are_named = wrong_files(
    "sets.jsonl",
    ("", ": found no line, expected one with sizes first"),
    ("{", "line 1, row: "),
    ([{"items": [0]}], "line 1, items: found it, expected only names, sizes"),
    ([{}], "line 1, sizes: found nothing, expected a list of whole numbers"),
    ([{"sizes": [1, 0]}], "line 1, sizes: found 0, expected 1 token or more"),
    ([{"sizes": [1.5]}], "line 1, sizes: found [1.5], expected a list of whole numbers"),
    ([{"sizes": [1], "names": ["a", "b"]}], "line 1, names: found 2, expected 1, one for each item"),
    ([{"sizes": [1]}, {"items": [1]}], "line 2, items: found 1, expected an item, 0 to 0"),
    ([{"sizes": [1]}, {"items": [0, 0]}], "line 2, items: found [0, 0], expected each item once"),
    ([{"sizes": [1]}, {"items": [0], "new": 1}], "line 2, new: found it, expected only arrival, fresh, items"),
    ([{"sizes": [1]}, {"items": [], "fresh": -1}], "line 2, fresh: found -1, expected 0 tokens or more"),
    ([{"sizes": [1]}, {"items": [], "fresh": 1}, {"items": []}], "line 3, fresh: found nothing"),
    ([{"sizes": [1]}, {"items": [], "arrival": 2}, {"items": [], "arrival": 1}], "line 3, arrival: found 1"),
    read=read_module_trace,
)
