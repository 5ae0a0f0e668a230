"""A log of several models is warned of in one line, and the filter that it names keeps the rows of one."""

import json
import shlex
import subprocess
import warnings

import pytest

import teltheory as tt
from teltheory.cli import main

COLUMNS = {"conversation": "session_id", "total": "input_tokens", "response": "output_tokens"}
NAMES = ("m", "m-mini", "org/m.1", "org/mx1")
ROWS = [(f"c{k % 5}", NAMES[min(k % 7, 3)], 100 + 10 * k, 5) for k in range(40)]
HEAD = ("session_id", "model", "input_tokens", "output_tokens")


def spans(rows):
    """The rows as OpenTelemetry spans, all on one line."""
    keys = (
        "gen_ai.conversation.id",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
    )
    made = [
        {
            "startTimeUnixNano": str(10**18 + k * 10**9),
            "attributes": [
                {"key": key, "value": {"stringValue" if isinstance(v, str) else "intValue": v}}
                for key, v in zip(keys, row, strict=True)
            ],
        }
        for k, row in enumerate(rows)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}) + "\n"


WRITTEN = {
    "csv": lambda rows: "".join(",".join(map(str, row)) + "\n" for row in [HEAD, *rows]),
    "jsonl": lambda rows: "".join(json.dumps(dict(zip(HEAD, row, strict=True))) + "\n" for row in rows),
}


def warned(file, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        trace = tt.read_trace(file, **options)
    return trace, [str(one.message) for one in told]


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("most", NAMES)
def test_the_filter_keeps_the_rows_of_the_model_that_most_are_of(tmp_path, kind, most):
    rows = [*ROWS, *(("own", most, 50 + k, 5) for k in range(40))]
    file, kept = tmp_path / f"log.{kind}", tmp_path / f"kept.{kind}"
    file.write_text(WRITTEN[kind](rows))
    trace, (said,) = warned(file, columns=COLUMNS)
    assert len(trace) == len(rows)
    assert f"log.{kind}: found rows of 4 models, which share no cache: {most} (" in said
    with file.open() as stream:
        command = shlex.split(said.partition("one: ")[2])
        found = subprocess.run(command, stdin=stream, capture_output=True, check=True)
    kept.write_bytes(found.stdout)
    trace, told = warned(kept, columns=COLUMNS)
    assert (len(trace), told) == (sum(row[1] == most for row in rows), [])


def test_spans_of_several_models_and_parquet_are_warned_of(tmp_path):
    file = tmp_path / "spans.jsonl"
    for rows, count in ((ROWS, 1), ([row for row in ROWS if row[1] == "m"], 0)):
        file.write_text(spans(rows))
        assert len(warned(file)[1]) == count
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table(dict(zip(HEAD, zip(*ROWS, strict=True), strict=True))), tmp_path / "log.parquet")
    (said,) = warned(tmp_path / "log.parquet", columns=COLUMNS)[1]
    assert said.endswith("Keep those of one")


def test_the_command_line_says_it_on_standard_error_and_calls_standard_input_so(tmp_path, monkeypatch, capsys):
    file, columns = tmp_path / "log.csv", ",".join(f"{ours}={theirs}" for ours, theirs in COLUMNS.items())
    file.write_text(WRITTEN["csv"](ROWS))
    for trace, begins in (
        (str(file), f"teltheory: {file}: found rows"),
        ("-", "teltheory: standard input: found"),
    ):
        with file.open() as stream:
            monkeypatch.setattr("sys.stdin", stream)
            with pytest.raises(SystemExit, match="0"):
                main(["trace", "describe", trace, "--columns", columns])
        printed = capsys.readouterr()
        assert "found rows" not in printed.out
        assert printed.err.startswith(begins)
        assert printed.err.count("\n") == 1
