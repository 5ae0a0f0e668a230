"""The documents, and what the tests ask of each."""

from functools import cache
from pathlib import Path

from documents.reading import commands, documents, read_blocks

ROOT = Path(__file__).parents[2]
DOCUMENTS = {str(file.relative_to(ROOT)): file for file in documents(ROOT)}
TRANSCRIPT = "console"


@cache
def every_command():
    return [command for name, file in DOCUMENTS.items() for command in commands(file, name)]


@cache
def block_commands():
    """Return the commands that stand in blocks, but those of transcripts, whose output is compared elsewhere."""
    shown = {
        (block.document, number)
        for block in every_block()
        if block.language == TRANSCRIPT
        for number in range(block.line, block.line + len(block.text.splitlines()))
    }
    return [c for c in every_command() if not c.inline and (c.document, c.line) not in shown]


@cache
def inline_commands():
    return [command for command in every_command() if command.inline]


@cache
def every_block():
    return [block for name, file in DOCUMENTS.items() for block in read_blocks(file, name)]
