import json
import tomllib

import pytest
from documents_tested import DOCUMENTS, TRANSCRIPT, every_block, every_command

import teltheory as tt
from documents.printed import PRINTED_BY, printed_blocks
from documents.reading import plain, read_blocks
from documents.sentences import sentences

LEFT_TO_MAKE_LEDGER = ("docs/ledger.md", "docs/errata.md")


def judged(block):
    """Whether something holds a block of code against what it speaks of."""
    if block.kind == "indented":
        here = {(command.document, command.line) for command in every_command()}
        lines = range(block.line, block.line + len(block.text.splitlines()))
        return "formula" in block.marks or all((block.document, line) in here for line in lines)
    return (
        block.language in ("python", "json", "toml", "bibtex", TRANSCRIPT)
        or (block.document, block.line) in compared()
    )


def compared():
    return {
        (found.block.document, found.block.line)
        for name, file in DOCUMENTS.items()
        for found in printed_blocks(file, name)
    }


def test_every_block_of_code_is_run_or_compared():
    blocks = [block for block in every_block() if block.kind != "table"]
    assert [block.place for block in blocks if not judged(block)] == []
    assert len(blocks) > 60


def test_every_mark_with_a_command_has_a_block_or_a_sentence():
    for name, file in DOCUMENTS.items():
        marks = file.read_text().count(f"<!-- {PRINTED_BY}")
        said = [sentence for sentence in sentences(file, name) if sentence.command]
        assert len(printed_blocks(file, name)) + len(said) >= marks
    assert len(compared()) > 10


def blocks_of(language):
    return [block for block in every_block() if block.language == language]


def test_json_in_the_documents_is_a_latency_model_and_toml_is_toml():
    assert all(tt.latency_from_json(json.loads(block.text)) for block in blocks_of("json"))
    assert all(tomllib.loads(block.text) for block in blocks_of("toml"))
    assert blocks_of("json")


@pytest.fixture
def page(tmp_path):
    def write(text):
        file = tmp_path / "page.md"
        file.write_text(text)
        return file

    return write


def test_blocks_are_found_with_their_marks(page):
    file = page(
        "text\n\n<!-- printed by: one -->\n<!-- slow -->\n\n```\na\n    b\n```\n\n    make it  # so\n\n- item\n"
        "    continued\n\n<!-- lost -->\ntext\n\n| a |\n|---|\n| 1 |\n"
    )
    fence, indented, table = read_blocks(file)
    assert (fence.line, fence.text, fence.marks) == (7, "a\n    b", ("printed by: one", "slow"))
    assert (indented.line, indented.kind, indented.text, indented.marks) == (11, "indented", "make it  # so", ())
    assert (table.kind, table.marks, table.text) == ("table", (), "| a |\n|---|\n| 1 |")
    assert plain("PYTHONPATH=tests .venv/bin/python -m it  # so") == "PYTHONPATH=tests python -m it"


def test_a_mark_reaches_to_its_end_or_over_one_block(page):
    two = "```\na\n```\n\ntext\n\n```\nb\n```\n"
    assert len(printed_blocks(page("<!-- printed by: one -->\n" + two), "p")) == 1
    assert len(printed_blocks(page(f"<!-- printed by: one -->\n{two}<!-- printed until here -->\n"), "p")) == 2
    both = f"<!-- printed by: one -->\n{two}<!-- printed by: two -->\n{two}<!-- printed until here -->\n"
    assert [found.command for found in printed_blocks(page(both), "p")] == ["one", "two", "two"]
