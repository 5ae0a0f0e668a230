"""What is no file, can't be read or can't be written; output that closes, is full, or has another encoding."""

import io
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_FSIZE, setrlimit
from tempfile import TemporaryDirectory

import pytest
from fuzz.commands import judged_command
from fuzz.formats import formats, path_for
from fuzz.oracle import judged

import teltheory as tt
from teltheory.cli.output import make_folder
from teltheory.cli.streams import Output, standard_streams
from teltheory.errors import FileError, TelTheoryError
from teltheory.records import Records
from teltheory.whole_files import write_whole

NOBODY = 65534
TURNS = "conversation,prompt,response\n" + "A,100,0\n" * 400


def link(target):
    return lambda path: path.symlink_to(target)


PLACES = {
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": link("nothing"),
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a device": link("/dev/zero"),
}
MADE_WHERE_MISSING = ("store.jsonl", "campaign.jsonl", "probe.jsonl")
NOTES = "made.json"
"""Notes that are no file are no notes: then every table is made."""


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_file_is_refused_by_every_reader(place, tmp_path):
    for one in formats().values():
        path = path_for(one, tmp_path)
        PLACES[place](path)
        answer = judged(one.read, path)
        if one.name != NOTES and not (place == "a link to nothing" and one.name in MADE_WHERE_MISSING):
            assert answer == "refused", one
        for left in tmp_path.iterdir():
            left.rmdir() if left.is_dir() and not left.is_symlink() else left.unlink()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\ud800"], ids=["too long", "a zero byte", "a surrogate"])
def test_names_that_no_file_has_are_refused(name, tmp_path):
    for one in formats().values():
        if one.name != NOTES:
            with pytest.raises(TelTheoryError):
                one.read(tmp_path / f"{name}.{one.kind}")


def test_a_link_is_followed_to_a_file_and_to_a_folder_of_shards(tmp_path):
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "b.csv").write_text("conversation,prompt,response\n0,1,2\n")
    link("shards/b.csv")(tmp_path / "a.csv")
    assert tt.read_trace(tmp_path / "a.csv").past.tolist() == [3]
    one = formats()["burstgpt.csv"]
    (tmp_path / "shards" / "b.csv").write_bytes(one.valid)
    link("shards")(tmp_path / "linked")
    whole = tt.read_trace(tmp_path / "linked")
    assert whole == tt.read_trace(tmp_path / "a.csv")
    link("gone.csv")(tmp_path / "shards" / "c.csv")
    with pytest.raises(FileError, match=r"c\.csv: found no such file"):
        tt.read_trace(tmp_path / "linked")


def test_a_link_that_is_written_to_stays_and_its_file_is_whole(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    link("real.txt")(tmp_path / "link.txt")
    write_whole(tmp_path / "link.txt", lambda path: path.write_text("after"))
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"
    PLACES["a link to itself"](tmp_path / "loop")
    with pytest.raises(FileError, match="loop: Too many levels of symbolic links"):
        write_whole(tmp_path / "loop", lambda path: path.write_text("x"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.txt", "loop", "real.txt"]


def test_a_pipe_that_is_written_to_stays_a_pipe(tmp_path):
    """A device that was named as output, /dev/null above all, must never be replaced by a file."""
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, lambda path: path.write_text("told"))
    reader.join()
    assert read == ["told"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_whatever_ends_the_writing_nothing_half_written_stays(error, tmp_path):
    def write(path):
        path.write_text("half")
        raise error

    (tmp_path / "a.txt").write_text("before")
    with pytest.raises(error):
        write_whole(tmp_path / "a.txt", write)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


@pytest.mark.parametrize("target", ["x" * 300, "file.txt/below"])
def test_what_cannot_be_written_is_one_line(target, tmp_path):
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(FileError, match="expected a file that can be written"):
        write_whole(tmp_path / target, lambda path: path.write_text("x"))
    assert len(list(tmp_path.iterdir())) == 1


@contextmanager
def unprivileged():
    """Go on as nobody where the tests run as root, whom no folder is closed to."""
    if os.geteuid():
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_folder_that_is_closed_for_writing_is_one_line():
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.csv").write_text(TURNS)
        trace = tt.read_trace(folder / "t.csv")
        tt.write_trace(trace, folder / "there.parquet")
        before = (folder / "there.parquet").read_bytes()
        folder.chmod(0o555)
        with unprivileged():
            for target in ("new.csv", "new.jsonl", "new.parquet", "there.parquet"):
                with pytest.raises(FileError, match=f"{target}: Permission denied"):
                    tt.write_trace(trace, folder / target)
            with pytest.raises(FileError, match="Permission denied"):
                Records(folder / "store.jsonl", "v", "a record").check_place()
            for results in (folder, folder / "new"):
                with pytest.raises(FileError, match="Permission denied, expected a folder to write to"):
                    make_folder(results)
        assert (folder / "there.parquet").read_bytes() == before
        assert sorted(file.name for file in folder.iterdir()) == ["t.csv", "there.parquet"]
        folder.chmod(0o755)


def test_a_folder_that_is_closed_for_reading_is_one_line():
    with TemporaryDirectory() as name:
        closed = Path(name, "closed")
        closed.mkdir()
        (closed / "t.csv").write_text(TURNS)
        Path(name).chmod(0o755)
        closed.chmod(0)
        with unprivileged():
            for path in (closed, closed / "t.csv"):
                assert judged(tt.read_trace, path) == "refused"
        closed.chmod(0o755)


def no_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    setrlimit(RLIMIT_FSIZE, (1000, 1000))


def teltheory(*given, **options):
    command = [sys.executable, "-m", "teltheory", *map(str, given)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_a_full_disk_leaves_what_was_there_and_nothing_else(tmp_path):
    (tmp_path / "t.csv").write_text(TURNS)
    (tmp_path / "out.csv").write_text("before")
    ended = teltheory("convert", tmp_path / "t.csv", tmp_path / "out.csv", preexec_fn=no_room)
    assert ended.returncode == 2
    assert (
        ended.stderr == f"teltheory: {tmp_path / 'out.csv'}: File too large, expected a file that can be written\n"
    )
    assert (tmp_path / "out.csv").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_store_on_a_full_disk_keeps_whole_records(tmp_path):
    """A record that does not fit is taken back, so that the next one stands on a line of its own."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom teltheory.errors import FileError\n"
        "from teltheory.records import Records\nrecords = Records(Path(sys.argv[1]), 'v', 'a record')\n"
        "for size in (400, 900, 100):\n    try:\n        records.append([{'v': 1, 'x': 'y' * size}])\n"
        "    except FileError as error:\n        print(str(error).split(': ')[1])\n"
        "print([len(record['x']) for _, record in records.read()])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "store.jsonl")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=no_room)
    assert (ended.stderr, ended.stdout.splitlines()[-1]) == ("", "[400, 100]")
    assert "expected a file that can be written" in ended.stdout


def test_a_reader_that_goes_away_takes_no_file_with_it(tmp_path):
    """`teltheory ... | head -1`: what else is printed is dropped, the files are written, and the code is 0."""
    (tmp_path / "t.csv").write_text(TURNS)
    read, write = os.pipe()
    os.close(read)
    given = ["replay", tmp_path / "t.csv", "--capacity", "50", "--xi", "5", "--json", tmp_path / "out.json"]
    command = [sys.executable, "-m", "teltheory", *map(str, given)]
    ended = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "out.json").read_text().endswith("}\n")


@contextmanager
def closed_pipe():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stream:
        yield stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def test_output_to_a_closed_pipe_is_dropped():
    with closed_pipe() as stream:
        out = Output(stream)
        assert out.write("x" * 100_000) == 100_000
        out.flush()
        out.write("more")
        out.flush()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_output_that_is_full_is_an_error_once():
    with Path("/dev/full").open("w") as stream:
        out = Output(stream)
        with pytest.raises(FileError, match="standard output: No space left on device"):
            out.write("x" * 100_000)
        out.write("more")
        out.flush()


def test_output_is_closed_when_its_stream_is():
    """Others look at it once the program is over: colorama does, at exit."""
    stream = io.StringIO()
    out = Output(stream)
    assert not out.closed
    stream.close()
    assert out.closed


def test_what_an_encoding_lacks_is_escaped():
    raw = io.BytesIO()
    out = Output(io.TextIOWrapper(raw, encoding="ascii"))
    out.write("Q\u0302 \ud800")
    out.flush()
    assert raw.getvalue() == b"Q\\u0302 \\ud800"


def test_without_standard_streams_there_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    with standard_streams():
        assert sys.stdout.write("nobody reads this") == 17
        assert sys.stderr.write("nor this") == 8


@pytest.mark.parametrize("seed", range(3))
def test_command_lines_end_in_a_table_or_a_line(seed, tmp_path, monkeypatch):
    from random import Random

    from fuzz.commands import arguments

    monkeypatch.chdir(tmp_path)
    for number in range(20):
        judged_command(arguments(Random(f"{seed} {number}"), tmp_path))
