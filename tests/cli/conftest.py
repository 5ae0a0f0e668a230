import json

import pytest

from teltheory.cli import main

FIGURE_2 = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\n"


@pytest.fixture
def trace_file(tmp_path):
    """Figure 2 of the paper, in a file whose name no output may read as markup."""
    file = tmp_path / "a $ and [b].csv"
    file.write_text(FIGURE_2)
    return file


@pytest.fixture
def run():
    """A call of the command line that returns the exit code."""

    def code(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        return stop.value.code

    return code


@pytest.fixture
def run_json(run, capsys):
    """A call of the command line that returns the JSON that it prints."""

    def data(*arguments):
        assert run(*arguments, "--json", "-") == 0
        return json.loads(capsys.readouterr().out)

    return data
