"""A field name or a text of 70,000 characters, anywhere in a file: read, or refused in a line that is short."""

import json
from copy import deepcopy

import pytest
from fuzz.test_hostile_files import judged
from fuzz.valid_files import formats, path_for

import teltheory as tt
from teltheory.formats.applications import read_application_trace

LONG = "x" * 70_000


def places(value, at=()):
    """Yield where the names of fields and the texts in a value are, and whether each is a name."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*at, name), True
            yield from places(inner, (*at, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value[:3]):
            yield from places(inner, (*at, i))
    elif isinstance(value, str):
        yield at, False


def changed(value, at, is_name):
    """Return a value with a long name, or a long text, at a place."""
    if not at:
        return LONG
    whole = deepcopy(value)
    holder = whole
    for step in at[:-1]:
        holder = holder[step]
    if is_name:
        renamed = {LONG if name == at[-1] else name: inner for name, inner in holder.items()}
        holder.clear()
        holder.update(renamed)
    else:
        holder[at[-1]] = LONG
    return whole


def made_long():
    """Yield a format and what one file of it holds after each change."""
    for one in formats().values():
        if one.kind == "csv":
            header, _, rest = one.valid.decode().partition("\n")
            names = header.split(",")
            for i in range(len(names)):
                yield (
                    one,
                    lambda i=i, names=names, rest=rest: (
                        ",".join([*names[:i], LONG, *names[i + 1 :]]) + "\n" + rest
                    ),
                )
        elif one.kind in ("json", "jsonl"):
            lines = one.valid.decode().splitlines() if one.kind == "jsonl" else [one.valid.decode()]
            for row, line in enumerate(lines[:2]):
                for at, is_name in places(json.loads(line)):
                    yield (
                        one,
                        lambda at=at, is_name=is_name, lines=lines, row=row: "\n".join(
                            json.dumps(changed(json.loads(text), at, is_name)) if i == row else text
                            for i, text in enumerate(lines)
                        ),
                    )


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.long)])
def test_a_long_name_is_cut_in_the_line_that_refuses_it(step, tmp_path):
    cases = list(made_long())
    assert len(cases) > 900
    for one, text in cases[::step]:
        path = path_for(one, tmp_path)
        path.write_text(text())
        judged(one.read, path)


EVENTS = [{"type": "BlockStored", "block_hashes": hashes, "block_size": 2} for hashes in ([LONG, "b"], ["b"])]
OWN = {"conversation": "a", "prompt": 1, "response": 1}
APPLIED = [
    {"request": name, "application": app, "after": after, "prompt": 1, "response": 1}
    for name, app, after in (("p", "a", []), ("q", LONG, ["p"]))
]
FOUND = {
    "a block before another": (tt.read_trace, [{"ts": 1, "events": EVENTS}]),
    "a field that is named": (lambda path: tt.read_trace(path, columns={"arrival": LONG}), [OWN]),
    "the nearest field": (lambda path: tt.read_trace(path, columns={"arrival": LONG}), [OWN | {LONG + "y": 1}]),
    "a field of a role": (lambda path: tt.read_trace(path, columns={"arrival": LONG}), [OWN | {LONG: "never"}]),
    "an application": (read_application_trace, APPLIED),
    "a field of arrivals": (lambda path: tt.read_arrivals(path, LONG), [OWN]),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_line_that_quotes_what_is_long_is_short(name, tmp_path):
    read, rows = FOUND[name]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judged(read, path) == "refused"


def test_a_report_says_long_names_in_short(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"conversation": "a", "prompt": 1, LONG: 1}))
    trace = tt.read_trace(tmp_path / "a.jsonl", columns={"response": LONG})
    assert max(map(len, trace.report.sentences())) < 300


@pytest.mark.parametrize("form", ["applications.json", "made.json"])
def test_names_in_other_files_are_cut(form, tmp_path):
    one, path = formats()[form], path_for(formats()[form], tmp_path)
    for at, is_name in places(json.loads(one.valid)):
        path.write_text(json.dumps(changed(json.loads(one.valid), at, is_name)))
        judged(one.read, path)
