"""`teltheory modules pml`: layouts, checks and resolved prompts, and what is said of bad input."""

import json

import pytest
from click.testing import CliRunner

from teltheory.cli import commands

SCHEMA = (
    "<schema name='s'>Hi<module name='a'>for <parameter name='p' length='4'/>.</module><union>"
    "<module name='x'>x</module><module name='y' cache='false'>yes</module></union></schema>"
)
PROMPT = "<prompt schema='s'><y/><a p='3 d'/>Go</prompt>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a schema and a prompt, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "s.xml").write_text(SCHEMA)
    (tmp_path / "p.xml").write_text(PROMPT)
    return tmp_path


def test_a_layout_has_a_row_for_each_module(run_json, folder):
    found = run_json("modules", "pml", "layout", "schemas/s.xml")
    assert (found["schema"], found["length"], found["tokenizer"], found["roles"]) == ("s", 14, "bytes", "chatml")
    rows = [(row["path"], row["start"], row["length"], row["own"], row["cached"]) for row in found["modules"]]
    assert rows == [
        ([], 0, 14, 2, True),
        (["a"], 2, 9, 5, True),
        (["x"], 11, 1, 1, True),
        (["y"], 11, 3, 3, False),
    ]
    assert found["modules"][1]["parameters"] == {"p": [6, 4]}
    assert [row["union"] for row in found["modules"][2:]] == [
        {"number": 0, "default": True},
        {"number": 0, "default": False},
    ]
    estimated = run_json("modules", "pml", "layout", "schemas/s.xml", "--tokenizer", "characters/4")
    assert estimated["length"] == 1 + (1 + 4 + 1) + 1


def test_roles_are_what_the_option_says(run_json, folder):
    (folder / "r.xml").write_text("<schema name='r'><user>Hi</user></schema>")
    lengths = {"chatml": 30, "llama2": 10, "none": 2}
    for roles, length in lengths.items():
        assert run_json("modules", "pml", "layout", "r.xml", "--roles", roles)["length"] == length


@pytest.mark.parametrize("schema", ["schemas/s.xml", "schemas"])
def test_a_prompt_is_shown_by_its_positions(run_json, folder, schema):
    found = run_json("modules", "pml", "resolve", schema, "p.xml")
    assert found["imports"] == [["a"], ["y"]]
    assert found["kept"] == {"(schema)": 2, "a": 5}
    assert (found["fresh"], found["total"], found["new_text_from"], found["decoding_from"]) == (8, 15, 14, 16)
    kinds = [(one["start"], one["length"], one["kind"]) for one in found["stretches"]]
    assert kinds == [
        (0, 2, "kept"), (2, 4, "kept"), (6, 3, "argument"), (9, 1, "gap"), (10, 1, "kept"), (11, 3, "text"),
        (14, 2, "new"),
    ]  # fmt: skip


def test_what_is_well_is_said_of_each_file(run_json, folder):
    files = run_json("modules", "pml", "check", "p.xml", "schemas")["files"]
    assert [(row["file"], row["kind"], row["found"], row["error"]) for row in files] == [
        ("p.xml", "prompt", "of s: 7 tokens kept, 8 new", None),
        ("schemas/s.xml", "schema", "s: 3 modules, 14 positions", None),
    ]


BROKEN = {
    "again.xml": "<schema name='s'/>",
    "broken.xml": "<schema name='t'>",
    "long.xml": "<prompt schema='s'><a p='12345'/></prompt>",
    "other.xml": "<question/>",
    "scaffold.xml": (
        "<schema name='u'><module name='m'><parameter name='p' length='1' scaffold='ab'/></module></schema>"
    ),
    "strange.xml": "<prompt schema='t'>Hi</prompt>",
}


def test_each_file_has_its_first_error(run, folder, capsys):
    for name, source in BROKEN.items():
        (folder / name).write_text(source)
    assert run("modules", "pml", "check", "schemas/s.xml", *BROKEN, "none.xml", "p.xml", "--json", "-") == 2
    printed = capsys.readouterr()
    assert printed.err == "teltheory: found errors in 7 of 9 files, expected none\n"
    rows = {row["file"]: row["error"] for row in json.loads(printed.out)["files"]}
    assert list(rows) == ["schemas/s.xml", *BROKEN, "none.xml", "p.xml"]
    assert {name for name, error in rows.items() if error is None} == {"schemas/s.xml", "p.xml"}
    assert all(error.startswith(f"{name}") for name, error in rows.items() if error)
    assert rows["again.xml"].endswith("each name once; the first is in schemas/s.xml, line 1")
    assert rows["strange.xml"].endswith("found schema='t', expected a schema that is there: s")


def test_tables_are_printed(folder):
    for words, shown in (
        (("layout", "schemas/s.xml"), "s: 14 positions"),
        (("resolve", "schemas", "p.xml"), "New text begins at 14; decoding goes on at 16."),
        (("check", "schemas", "p.xml"), "2 files without errors"),
    ):
        assert shown in CliRunner().invoke(commands, ["modules", "pml", *words]).output


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("layout", "p.xml"), "p.xml, line 1, <prompt>: found <prompt> as the root, expected <schema name=...>"),
        (("layout", "none.xml"), "none.xml: found no such file, expected PML, at most 16,777,216 bytes"),
        (("layout", "schemas/s.xml", "--tokenizer", "none"), "tokenizer: found 'none', expected 'bytes',"),
        (("layout", "schemas/s.xml", "--roles", "none "), "Invalid value for '--roles'"),
        (("resolve", "schemas", "schemas/s.xml"), "schemas/s.xml, line 1, <schema>: found <schema> as the root"),
        (("resolve", ".", "p.xml"), "p.xml, line 1, <prompt>: found <prompt> as the root, expected <schema name"),
        (("check", "empty"), "empty: found no file, expected some that end in .xml"),
        (("check",), "Missing argument 'FILE...'"),
    ],
)
def test_bad_input_is_one_line(refused, folder, given, told):
    (folder / "empty").mkdir()
    assert refused("modules", "pml", *given).startswith(told)
