import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from command_line import accept, run
from documents_tested import ROOT, block_commands, inline_commands

import teltheory as tt
from teltheory.workloads import wildchat_like

PARSED_ONLY = {
    r"^make ": "installs, or takes minutes; .ci/run calls check, docs, docs-check and test",
    r"^pip ": "installs",
    r"^dask |--scheduler": "needs a cluster; tests/sweep has one of its own",
    r"teltheory (bench|reproduce|figures)": "takes minutes; each has tests of its own, on less",
    r"teltheory verify": "takes minutes; tests/claims decides the rows",
    r"teltheory ledger": "reads what `teltheory verify` wrote",
    r"teltheory calibrate ": "needs a server; tests/calibration has one",
    r"teltheory calibrate-file": "reads the results of a benchmark; `make docs-check` runs it on real ones",
    r"--tokenizer|qwen_trace|BurstGPT": "reads a data set; tests/workloads reads each format",
    r"--workers": "starts processes; tests/sweep does",
    r"python -m (experiments|paper_figs)": "takes minutes, or reads the table of one that does",
    r"python (experiments|paper_figs|tests)/": "takes minutes, or reads the table of one that does",
    r"mutants.plant": "plants faults for minutes",
}


def reason(command):
    return next((why for pattern, why in PARSED_ONLY.items() if re.search(pattern, command.text)), None)


@pytest.mark.parametrize(
    "command", [*block_commands(), *inline_commands()], ids=lambda command: f"{command.place} {command.text[:40]}"
)
def test_every_command_would_be_accepted(command):
    accept(command)


@pytest.mark.parametrize(
    "wrong",
    [
        "teltheory replay trace.jsonl --capacities 3",
        "teltheory replay",
        "teltheory repeat trace.jsonl",
        "teltheory verify --effort some",
        "python -m experiments.nothing",
        "python -m experiments.paper.all",
        "python -m experiments.paper.all out --traces my.jsonl",
        "python -m experiments.beyond_tel --limit 3 TRACE TABLE",
        "python proofs_checks/theorem_99.py",
        "make everything",
        "pip install 'teltheory[all]'",
        "dask worker --nothing",
    ],
)
def test_a_wrong_command_would_not_be_accepted(wrong, capsys):
    command = replace(block_commands()[0], text=wrong)
    with pytest.raises((Exception, SystemExit)):
        accept(command)


@pytest.mark.parametrize(
    "wrong", ["teltheory replay --capacities 3", "teltheory repeat", "teltheory verify --claim theorem-99"]
)
def test_neither_would_a_wrong_one_in_the_midst_of_a_line(wrong):
    command = replace(block_commands()[0], text=wrong, inline=True)
    with pytest.raises((Exception, SystemExit)):
        accept(command)


def test_every_reason_to_run_nothing_has_a_command():
    for pattern in PARSED_ONLY:
        assert any(re.search(pattern, command.text) for command in block_commands()), pattern


def mooncake_like(file, requests=60):
    """Write requests of ten conversations in Mooncake's format, each with all blocks of the one before."""
    rng = np.random.default_rng(1)
    blocks, fresh = [[0] for _ in range(10)], iter(range(1, 10**6))
    with file.open("w") as out:
        for k in range(requests):
            mine = blocks[k % 10]
            mine += [next(fresh) for _ in range(int(rng.integers(20, 400)))]
            record = {"timestamp": 3000 * k, "input_length": 512 * len(mine) - 5, "output_length": 100}
            out.write(json.dumps({**record, "hash_ids": mine}) + "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with small traces under the names that the documents use, beside a data folder."""
    base = tmp_path_factory.mktemp("reader")
    here, data = base / "project", base / "shared" / "data"
    here.mkdir()
    data.mkdir(parents=True)
    mooncake_like(data / "mooncake_conversation.jsonl")
    trace = wildchat_like().sample(300, np.random.default_rng(0))
    tt.write_trace(trace, here / "trace.jsonl")
    shutil.copy(data / "mooncake_conversation.jsonl", here / "my.jsonl")
    (here / "model.json").write_text(json.dumps(tt.latency_to_json(tt.A100_LLAMA2_7B)))
    return here


def test_the_quick_ones_do_what_they_say_in_a_folder_of_their_own(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TELTHEORY_DATA", str(folder.parent / "shared" / "data"))
    quick = [command for command in block_commands() if reason(command) is None]
    for command in quick:
        assert run(command.text) == 0, f"{command.place}: {command.text}: {capsys.readouterr().err}"
    assert len(quick) > 9
    assert (folder / "curves.svg").is_file()
    assert ROOT not in folder.parents
