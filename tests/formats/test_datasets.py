"""Public traces by name: the list, what comes over HTTPS, and files that are known by their digests."""

import hashlib
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from refusals import refused

import teltheory as tt
from teltheory.cli import main
from teltheory.formats import FORMATS, datasets, fetching

NAME = "mooncake-toolagent"
[PART] = datasets.datasets()[NAME]
BODY = b'{"timestamp": 0, "input_length": 513, "output_length": 1, "hash_ids": [1, 2]}\n'
DIGEST = hashlib.sha256(BODY).hexdigest()
PARTS = [part for parts in datasets.datasets().values() for part in parts]


@pytest.fixture
def network(tmp_path, monkeypatch):
    """A data folder of its own; what answers a request in the place of the network."""
    answers = [lambda request: httpx.Response(200, content=BODY)]
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    monkeypatch.setattr(httpx, "HTTPTransport", lambda **_: httpx.MockTransport(answers[-1]))
    return answers


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    return stop.value.code


def test_the_list_says_all_of_each_file():
    assert len({part.file for part in PARTS}) == len(PARTS)
    for part in PARTS:
        assert {one.partition("//")[0] for one in (part.page, part.address) if one} == {"https:"}
        assert part.format in {*FORMATS, "arrivals"}
        assert (part.bytes is None, part.sha256 is None) in {(True, True), (False, False)}


@pytest.mark.repository
def test_addresses_of_data_stand_in_the_list_alone():
    folders = [Path(__file__).parents[2] / name for name in ("docs", "teltheory", "tests", "experiments")]
    texts = {file: file.read_text() for of in folders for file in (*of.rglob("*.md"), *of.rglob("*.py"))}
    pages = {part.page.partition("//")[2].partition("/")[2].removeprefix("datasets/") for part in PARTS}
    assert [(str(file), page) for file, text in texts.items() for page in pages if page in text] == []


def test_a_file_that_nobody_checked_keeps_the_digest_of_its_first_fetch(network, tmp_path, capsys):
    refused(tt.FileError, f"`teltheory trace fetch {NAME}` brings it", tt.read_trace, NAME)
    assert run("trace", "fetch", NAME) == 0
    assert "fetched; its digest is kept" in " ".join(capsys.readouterr().out.split())
    assert (PART.path.read_bytes(), PART.digest) == (BODY, DIGEST)
    assert tt.read_trace(NAME) == tt.read_trace(PART.path)
    assert run("trace", "describe", NAME) == run("trace", "fetch", NAME) == 0
    assert f"By its digest it is {NAME}; licence: Apache-2.0" in capsys.readouterr().out
    PART.path.rename(tmp_path / "before").write_bytes(b"x")
    assert datasets.known(tmp_path / "before") is None
    network.append(lambda request: httpx.Response(200, content=BODY + b"\n"))
    refused(tt.FileError, "as at the first fetch", fetching.fetch, PART)


def unreachable(request):
    raise httpx.ConnectError("no network")


def cut():
    yield BODY
    raise httpx.RemoteProtocolError("peer closed connection")


BROKEN = {
    f"found no network, expected the file over HTTPS; without a network, put what {PART.address} has": unreachable,
    "found peer closed connection, expected the file": lambda request: httpx.Response(200, content=cut()),
    "found an answer of more than 100 bytes": lambda request: httpx.Response(200, content=BODY * 3),
    "found status 404": lambda request: httpx.Response(404),
    "http://x/: found http, expected": lambda request: httpx.Response(302, headers={"location": "http://x/"}),
}


@pytest.mark.parametrize("said", BROKEN, ids=range(len(BROKEN)))
def test_what_breaks_leaves_nothing(said, network, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fetching, "MOST", 100)
    network.append(BROKEN[said])
    assert run("trace", "fetch", NAME) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_listed_digest_is_compared_before_the_file_is_there(network, tmp_path):
    listed, told = replace(PART, bytes=len(BODY), sha256=DIGEST), []
    refused(tt.FileError, "as listed; nothing was changed", fetching.fetch, replace(listed, sha256="0" * 64))
    assert list(tmp_path.iterdir()) == []
    assert fetching.fetch(listed, progress=lambda *done: told.append(done))
    assert (told[-1], [file.name for file in tmp_path.iterdir()]) == ((len(BODY), len(BODY)), [PART.file])
    PART.path.write_bytes(b"mine")
    refused(tt.FileError, "as listed; nothing was changed", fetching.fetch, listed)
    assert PART.path.read_bytes() == b"mine"


def test_other_names_are_refused_in_a_line(network, capsys):
    for name, said in (("mooncake", "trace fetch` lists"), ("lmsys-chat-1m", "see https://")):
        assert run("trace", "fetch", name) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted({part.name for part in PARTS if part.sha256}))
def test_files_at_hand_are_known_by_their_digests(name, shared):
    parts = datasets.datasets()[name]
    assert parts == tuple(datasets.known(shared(part.file)) for part in parts)
    assert datasets.known(datasets.placed(name)).name == name
