"""What the language refuses, each case by a line with file, line and element; docs/pml-refused.md has its rule."""

import re
from functools import cache
from pathlib import Path

import pytest
from systems.modules.pml.refused_pml import CASES, HOUSE

from teltheory.errors import FileError
from teltheory.systems.modules import BYTES, layout, read_prompt, read_schema, resolve
from teltheory.systems.modules.pml.reading import MOST_ROOM
from teltheory.systems.modules.pml.source import read_source

PAGE = Path(__file__).parents[4] / "docs" / "pml-refused.md"
PLACE = re.compile(r"(schema|other|prompt)\.xml, line \d+, <\S+>: found .+, expected .+")
WITHOUT_ELEMENT = re.compile(r"\w+\.(xml|txt)(, line \d+)?: found .+, expected (PML|text|well-formed).+")


@cache
def told():
    """Return the words of the page, as one line."""
    return " ".join(PAGE.read_text().split())


@pytest.fixture(scope="module")
def said_of(tmp_path_factory):
    """What is said of a case, which is read once."""
    return cache(lambda case: case.message(tmp_path_factory.mktemp("case")))


@pytest.mark.repository
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_page_has_what_is_expected_where_a_case_is_refused(case, said_of):
    assert f"expected {said_of(case).partition(', expected ')[2]}" in told()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_refused_by_one_line_with_file_line_and_element(case, said_of):
    said = said_of(case)
    assert PLACE.fullmatch(said) or WITHOUT_ELEMENT.fullmatch(said)
    assert said.isprintable()


def test_names_of_cases_are_told_apart():
    assert len({case.name for case in CASES}) == len(CASES)


def test_what_is_just_within_the_limits_is_read():
    assert read_source("<a>" * 64 + "</a>" * 64).tag == "a"
    assert read_source("<a>" + "<a/>" * 99_999 + "</a>").tag == "a"
    room = f'<schema name="s"><module name="a"><parameter name="p" length="{MOST_ROOM}"/></module></schema>'
    assert read_schema(room).modules()
    assert (
        read_schema(f'\ufeff<?xml version="1.0" encoding="UTF-8"?><schema name="{"n" * 200}"/>').name == "n" * 200
    )


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("a<!-- no -->b", "ab"),
        ("a<![CDATA[<b> & ]]>c", "a<b> & c"),
        ("a<?target nothing?>b", "ab"),
        ("a&amp;&#x62;&lt;", "a&b<"),
        ("<system><!-- no --></system>", "<|im_start|>system\n<|im_end|> "),
        ("caf\u00e9", "caf\u00e9"),
        ("a\r\nb", "a\nb"),
        ("a\u00a0\u2003", "a "),
    ],
)
def test_comments_and_instructions_leave_nothing_and_cdata_is_text(inside, text):
    found = layout(read_schema(f"<schema name='s'>{inside}</schema>"), BYTES)
    assert [bytes(piece.tokens).decode() for piece in found.pieces] == [text]


def test_white_space_and_comments_may_stand_where_nothing_else_may():
    parts = "<module name='m'><parameter name='p' length='1'>\n <!-- an argument -->\n</parameter></module>"
    union = "<union>\n  <!-- one of -->\n  <module name='x'/>\n</union>"
    made = layout(read_schema(f"<schema name='s'>{parts}{union}</schema>"), BYTES)
    asked = "<prompt schema='s'>\n <!-- first --> <m>\n</m>\n <x/>\n Hi</prompt>"
    assert resolve(read_prompt(asked), made).paths == ((), ("m",), ("x",))


def test_a_text_may_come_from_a_file_in_the_folder_or_below(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_bytes(b"\xef\xbb\xbf\r\n<user>\r\nA & B\n\n")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "link.txt").symlink_to("texts/a.txt")
    names = ("texts/a.txt", "empty.txt", "link.txt", f"{tmp_path}/texts/../texts/a.txt")
    modules = "".join(f'<module name="m{k}" src="{name}"> </module>' for k, name in enumerate(names))
    (tmp_path / "schema.xml").write_text(f'<schema name="s">{modules}</schema>')
    found = layout(read_schema(tmp_path / "schema.xml"), BYTES)
    text = " <user>\nA & B "
    assert [bytes(piece.tokens).decode() for piece in found.pieces] == [text] * 3
    with pytest.raises(FileError, match=r"line 1, <module>: found src='texts/a\.txt' in a text"):
        read_schema('<schema name="s"><module name="m" src="texts/a.txt"/></schema>')


def test_files_of_a_schema_together_are_bounded(tmp_path):
    (tmp_path / "a.txt").write_text("x" * (9 * 2**20))
    modules = "".join(f'<module name="m{k}" src="a.txt"/>' for k in range(2))
    (tmp_path / "schema.xml").write_text(f'<schema name="s">{modules}</schema>')
    with pytest.raises(FileError, match=r"<module>: found src='a\.txt' with 9,437,184 bytes, expected at most"):
        read_schema(tmp_path / "schema.xml")


def test_long_names_and_texts_are_cut_in_a_message():
    long = "n" * 5000
    inside = (f"<{long}/>", f"<module name='m' {long}=''/>", f"<module name='{long}'/>", f"<union>{long}</union>")
    for one in inside:
        with pytest.raises(FileError) as caught:
            read_schema(f"<schema name='s'>{one}</schema>")
        assert len(str(caught.value)) < 300
    made = layout(read_schema(HOUSE), BYTES)
    for one in (f"<{long}/>", f"<a {long}=''/>", f"<a>{long}</a>", f"<a p='{long}'/>", f"{long}<a/>"):
        with pytest.raises(FileError) as caught:
            resolve(read_prompt(f"<prompt schema='s'>{one}</prompt>"), made)
        assert len(str(caught.value)) < 300
