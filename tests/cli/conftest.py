import functools
import json

import click
import pytest

from teltheory.cli import main
from teltheory.cli.asked import traces
from teltheory.cli.printed.columns import command_of, definition
from teltheory.cli.printed.tables import FittingTable

FIGURE_2 = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\n"


@pytest.fixture
def trace_file(tmp_path):
    """Figure 2 of the paper, in a file whose name no output may read as markup."""
    file = tmp_path / "a $ and [b].csv"
    file.write_text(FIGURE_2)
    return file


@pytest.fixture
def shared_file(tmp_path):
    """Requests that share their first block, some also a document; every last block is partial."""
    paths = [[0, 1, 2], [0, 3, 4], [0, 1, 2, 5], [0, 6], [0, 3, 4, 7, 8], [0, 1, 2, 5], [0, 6, 9], [0, 3, 4]]
    rows = [
        {"timestamp": 1000 * k, "input_length": 512 * len(ids) + 10 * k + 5, "hash_ids": [*ids, 100 + k]}
        for k, ids in enumerate(paths)
    ]
    file = tmp_path / "shared.jsonl"
    file.write_text("".join(json.dumps(row | {"output_length": 5}) + "\n" for row in rows))
    return file


@pytest.fixture(scope="session", autouse=True)
def the_mooncake_trace_is_read_once():
    """To read its three megabytes takes longer than most commands; traces do not change."""
    kept = functools.cache(read := traces.read_trace)
    with pytest.MonkeyPatch.context() as patch:
        which = lambda file: kept if "mooncake_conversation" in file else read  # noqa: E731
        patch.setattr(traces, "read_trace", lambda file, *how, **asked: which(file)(file, *how, **asked))
        yield


@pytest.fixture
def decided_here(monkeypatch):
    """Claims are decided in this process: that others can is for the tests of processes."""
    from claims.small_campaign import here

    monkeypatch.setattr("teltheory.cli.verify.command.on_processes", here)


@pytest.fixture
def run():
    """A call of the command line that returns the exit code."""

    def code(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        return stop.value.code

    return code


@pytest.fixture
def output(run, capsys):
    """A call of the command line that ends well and returns what it prints."""

    def text(*arguments):
        capsys.readouterr()
        assert run(*arguments) == 0
        return capsys.readouterr().out

    return text


@pytest.fixture
def in_words(output):
    """A call of the command line that returns the words that it prints, with a blank between each two."""
    return lambda *arguments: " ".join(output(*arguments).split())


@pytest.fixture
def run_json(output):
    """A call of the command line that returns the JSON that it prints."""
    return lambda *arguments: json.loads(output(*arguments, "--json", "-"))


@pytest.fixture
def refused(run, capsys):
    """A call of the command line that ends with 2, prints nothing, and returns its one line of complaint."""

    def complaint(*arguments):
        capsys.readouterr()
        assert run(*arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        return printed.err.removeprefix("teltheory: ").rstrip("\n")

    return complaint


@pytest.fixture
def others(tmp_path):
    """Ways to name a model that has no latency of its own."""
    config = tmp_path / "config.json"
    shape = {"hidden_size": 8192, "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8}
    config.write_text(json.dumps({**shape, "torch_dtype": "bfloat16"}))
    return {"--model": "llama-3-70b", "--config": str(config), "--kv-bytes": "327680"}


@pytest.fixture(autouse=True)
def every_column_is_defined(monkeypatch):
    """What `--explain` prints has a definition of every column of every table that a test of commands makes."""
    undefined, add = set(), FittingTable.add_column

    def added(self, name="", *given, **settings):
        context = click.get_current_context(silent=True)
        if context is not None and definition(name, command_of(context)) is None:
            undefined.add((command_of(context), name))
        return add(self, name, *given, **settings)

    monkeypatch.setattr(FittingTable, "add_column", added)
    yield
    assert not undefined
