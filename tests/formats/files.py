"""Files of rows as tests write them, what is read of them, and what is wrong with them."""

import json

import pytest
from refusals import refused

import teltheory as tt

SLOW = tt.Times(tt.ExponentialGaps(60), rate=0.1, seed=3)


def lines(path, rows):
    """Write rows as JSON lines, and a text as it is; return the path."""
    text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text)
    return path


def columns(trace):
    return [c.tolist() for c in (trace.conversation, trace.prompt, trace.response, trace.history)]


def wrong_files(name, *rows, read=tt.read_trace, write=lines, **options):
    """Return a test of a table: content that a file has, and what is said of it behind the name of the file."""

    @pytest.mark.parametrize(("content", "said"), rows, ids=[said[:50] for _, said in rows])
    def test(content, said, tmp_path):
        file = write(tmp_path / name, content)
        refused(tt.FileError, f"{file}{said if said[0] == ':' else ', ' + said}", read, file, **options)

    return test
