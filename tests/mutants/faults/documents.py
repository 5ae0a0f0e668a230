"""Faults in what holds the documents against what they speak of."""

from mutants.fault import Fault

READING = "documents/reading.py"
PRINTED = "documents/printed.py"
CHECK = "documents/check.py"
TRANSCRIPTS = "documents/transcripts.py"
BLOCKS = "tests/documents/test_blocks_of_documents.py"
COMPARED = "tests/documents/test_printed_blocks.py"
COMMANDS = "tests/documents/test_commands_of_documents.py"
SESSIONS = "tests/documents/test_transcripts.py"

FAULTS = (
    Fault(
        "block-without-its-last-line",
        READING,
        'body = "\\n".join(lines[at + 1 : end - 1])',
        'body = "\\n".join(lines[at + 1 : end - 2])',
        "the last line of a fence is not compared",
        tests=(BLOCKS,),
    ),
    Fault(
        "mark-on-a-later-block",
        READING,
        "if kind or _parts(lines[at]):",
        "if kind:",
        "a comment marks a block that stands far below it",
        tests=(BLOCKS,),
    ),
    Fault(
        "commands-of-indented-blocks-unread",
        READING,
        'elif block.kind != "indented":',
        'elif block.kind != "fence":',
        "commands of the documents are not looked at",
        tests=(BLOCKS, COMMANDS),
    ),
    Fault(
        "first-line-compared-alone",
        PRINTED,
        "        if printed != line:",
        "        if printed != line and number == 0:",
        "a stale number below the first line is not seen",
        tests=(COMPARED,),
    ),
    Fault(
        "shorter-output-unseen",
        PRINTED,
        'printed = said[number] if number < len(said) else "nothing"',
        "printed = said[number] if number < len(said) else line",
        "lines that a command no longer prints are not seen",
        tests=(COMPARED,),
    ),
    Fault(
        "mark-beyond-the-next-one",
        PRINTED,
        '        if text.startswith(f"<!-- {PRINTED_BY}"):\n            break\n',
        "",
        "a block is held against another block's command",
        tests=(BLOCKS,),
    ),
    Fault(
        "failed-command-as-printed",
        CHECK,
        "return shown.fault(output) if code == 0 else",
        "return None if code else shown.fault(output) if True else",
        "a command that fails counts as up to date",
        tests=(COMPARED,),
    ),
    Fault(
        "stale-without-exit-code",
        CHECK,
        'return int(counts["STALE"] > 0)',
        "return 0",
        "CI passes with stale documents",
        tests=(COMPARED,),
    ),
    Fault(
        "pipe-that-breaks-unseen",
        CHECK,
        "set -euo pipefail; ",
        "",
        "of several commands only the last one's failure is seen",
        tests=(COMPARED,),
    ),
    Fault(
        "transcript-compared-at-its-beginning",
        TRANSCRIPTS,
        "return re.fullmatch(",
        "return re.match(",
        "lines after what a document shows are not seen",
        tests=(SESSIONS,),
    ),
    Fault(
        "numbers-taken-for-times",
        TRANSCRIPTS,
        'r"(?<= in )\\d+\\.\\d+s\\b"',
        'r"\\d+\\.\\d+"',
        "numbers of a transcript are not compared",
        tests=(SESSIONS,),
    ),
    Fault(
        "document-written-from-the-top",
        TRANSCRIPTS,
        "for step, said in reversed(found):",
        "for step, said in found:",
        "outputs are written into lines that have moved",
        tests=(SESSIONS,),
    ),
    Fault(
        "site-that-fetches",
        "documents/self_contained.py",
        'if address.startswith(("http:", "https:", "//")):',
        'if address.startswith(("http:", "//")):',
        "a page that loads from elsewhere is not seen",
        tests=("tests/documents/test_site.py",),
    ),
    Fault(
        "links-of-the-readme-as-they-are",
        "documents/site.py",
        'return re.sub(r"\\]\\(docs/", "](", text)',
        "return text",
        "links of the first page lead nowhere",
        tests=("tests/documents/test_site.py",),
    ),
)
