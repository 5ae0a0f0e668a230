"""Every reader and command on changed input: a result, or one line of what is wrong, and code 2."""

import io
import warnings
from contextlib import redirect_stderr, redirect_stdout
from random import Random

import pytest
from fuzz.mutations import mutated
from fuzz.valid_files import formats, path_for
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import teltheory as tt
from teltheory.base.whole_files import write_whole
from teltheory.cli import main
from teltheory.errors import ArgumentError, CertificateError, FileError
from teltheory.systems.apps import AppError

LONGEST_LINE = 700
QUICK = settings(derandomize=True, suppress_health_check=list(HealthCheck), deadline=None)
SEEDS = st.integers(0, 2**32)


def judged(read, path):
    """Read a file; return "read", or "refused" if a clear error says why. Anything else is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            read(path)
        except (FileError, CertificateError, ArgumentError, AppError) as error:
            found = error
        else:
            return "read"
    rest = str(found).replace(str(path.parent), "")
    assert isinstance(found, ArgumentError) or len(rest) < len(str(found)), found
    assert len(rest) <= LONGEST_LINE, rest
    assert rest.isprintable(), repr(rest)
    return "refused"


def test_what_is_valid_is_read(tmp_path):
    for one in formats().values():
        path = path_for(one, tmp_path)
        path.write_bytes(one.valid)
        assert judged(one.read, path) == "read", one


@pytest.mark.parametrize("examples", [100, pytest.param(20_000, marks=pytest.mark.long)])
def test_a_changed_file_is_read_or_refused(examples, tmp_path):
    @settings(QUICK, max_examples=examples)
    @given(st.sampled_from(list(formats().values())), SEEDS)
    def tried(one, seed):
        path = path_for(one, tmp_path)
        path.write_bytes(mutated(Random(seed), one.kind, one.valid))
        judged(one.read, path)

    tried()


COMMANDS = {
    "replay": ("--capacity", "5", "--xi", "2", "--slo", "1ms", "--policy", "tlru:xi=2,q_hat=1", "--q-hat", "1"),
    "optimum": ("--capacity", "5", "--xi", "2", "--goal", "tel", "--certificate", "made.json"),
    "curve": ("--capacity", "5", "--xi", "2"),
    "trace convert": ("made.csv", "--format", "auto", "--seed", "1"),
    "trace describe": ("--kv-bytes", "1024", "--blocks", "16"),
    "calibrate": ("--form", "linear", "--from-tokens", "5", "--save", "made.json"),
    "verify --from": ("--markdown", "made.md"),
    "modules pml layout": ("--tokenizer", "bytes", "--roles", "chatml", "--json", "made.json"),
    "apps explain": ("--tokenizer", "bytes", "--rule", "join", "--json", "made.json"),
    "apps lift": ("--least", "2", "--tokenizer", "bytes", "--apps", "made.json", "--trace-out", "made.jsonl"),
    "advise": ("--slo", "1ms", "--capacity", "5", "--first", "1/2", "--goal", "p95", "--html", "made.html"),
}
READS = {"calibrate": "runs.csv", "verify --from": "ledger.json", "modules pml layout": "schema.xml"}
READS |= {"apps explain": "applications.json", "apps lift": "log.jsonl"}
TEXTS = (
    "", " ", "-1", "0", "nan", "1e400", "٣", "½", "1/0", "9" * 5000, "1e999999999", "\x1b[2J", "x" * 300,
    "p101", "1ms", "-1s", "1e30s", "40GiB", "1e3000GB", "0.3M", "1,5", "lru", "tlru:xi=1,xi=2", "tlru:trim=x",
    "none.json", "pareto:mean=9,shape=1.5,rate=1", "auto", "mooncake", "%s", "none/none", ".", "hostile.csv",
)  # fmt: skip
OTHERS = (
    "--format", "--tokenizer", "--times", "--latency", "--model", "--config", "--kv-bytes", "--store",
    "--json",
)  # fmt: skip


def arguments(random, folder):
    """Write what a command reads, now and then changed, and return its arguments, one of them hostile."""
    command = random.choice(tuple(COMMANDS))
    one = formats()[READS.get(command, "own.csv")]
    path = path_for(one, folder)
    path.write_bytes(mutated(random, one.kind, one.valid) if random.random() < 0.4 else one.valid)
    options = list(COMMANDS[command])
    if random.random() < 0.6:
        options[random.randrange(len(options))] = random.choice(TEXTS)
    else:
        options += [random.choice(OTHERS), random.choice(TEXTS)]
    return [*command.split(), path.name, *options]


@pytest.mark.parametrize("examples", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_a_command_line_ends_in_a_result_or_a_line(examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    @settings(QUICK, max_examples=examples)
    @given(SEEDS)
    def tried(seed):
        given_line = arguments(Random(seed), tmp_path)
        code, said = answer(given_line)
        assert code in (0, 2), (given_line, said)
        assert not said if code == 0 else said.count("\n") == 1, (given_line, said)
        assert said.replace("\n", "").isprintable(), repr(said)
        assert len(said) <= LONGEST_LINE + 2 * max(map(len, given_line))

    tried()


def answer(given_line):
    """Return exit code and standard error of a command line."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(given_line)
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
    return code, err.getvalue()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_whatever_ends_the_writing_nothing_half_written_stays(error, tmp_path):
    def write(path):
        path.write_text("half")
        raise error

    (tmp_path / "a.txt").write_text("before")
    with pytest.raises(error):
        write_whole(tmp_path / "a.txt", write)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


@pytest.mark.parametrize("target", ["x" * 300, "file.txt/below", "none/below"])
def test_what_cannot_be_written_is_one_line(target, tmp_path):
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(FileError, match="expected a file that can be written"):
        tt.write_trace(tt.Trace.from_turns([0], [1], [1]), tmp_path / f"{target}.csv")
    assert len(list(tmp_path.iterdir())) == 1
