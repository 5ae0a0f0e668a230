"""Schemas and prompts made by calls: what is written is read as it was meant."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.systems.modules import BYTES, NO_ROLES, layout, read_prompt, read_schema, resolve
from teltheory.systems.modules.pml.programs import choose, parameter, program, prompt, role, use, when

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: text.strip() == text)
XML = re.compile("[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def test_a_program_is_what_its_pml_says():
    made = program(
        "trip",
        role("system", "You plan trips."),
        when("plan", "For ", parameter("days", 4, scaffold="a 'few'"), cache=False),
        choose(when("sea", "swim & dive"), when("hills", "climb < 3 km"), default="hills"),
    )
    assert made.to_pml() == (
        '<schema name="trip"><system>You plan trips.</system><module name="plan" cache="false">For '
        '<parameter name="days" length="4" scaffold="a \'few\'"/></module><union scaffold="hills">'
        '<module name="sea">swim &amp; dive</module><module name="hills">climb &lt; 3 km</module></union></schema>'
    )
    asked = prompt("trip", use("plan", days="3 d"), use("sea"), "Go!")
    assert asked.to_pml() == '<prompt schema="trip"><plan days="3 d"/><sea/>Go!</prompt>'


@given(TEXTS.filter(lambda text: XML.fullmatch(text) is not None))  # Hypothesis takes a bare fullmatch apart: 4 s
def test_a_text_is_read_as_it_was_written_wherever_it_stands(text):
    size = max(len(text.encode()), 1)
    made = program("s", text, when("m", text, parameter("p", size, scaffold=text)))
    found = layout(read_schema(made.to_pml(), NO_ROLES), BYTES)
    assert [bytes(piece.tokens) for piece in found.pieces] == [text.encode()] * 3
    asked = resolve(read_prompt(prompt("s", use("m", p=text), text).to_pml()), found)
    assert [bytes(piece.tokens) for piece in asked.fresh] == [text.encode()] * 2


@given(st.sampled_from([character for character in map(chr, range(0x10000)) if not XML.fullmatch(character)]))
def test_a_character_that_no_xml_has_is_refused(character):
    for made in (program("s", f"a{character}"), use("m", p=character)):
        with pytest.raises(ArgumentError, match=r"text: found .* expected characters that XML has"):
            made.to_pml()
