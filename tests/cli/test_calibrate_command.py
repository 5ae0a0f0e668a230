import json
import signal
import subprocess
import sys
import time

import pytest
from calibration.loopback import HANGS, Engine, Law, Reply, SocketServer, event, refusal
from calibration.test_faults import From

LAW = Law(1e-6, 1e-3, 0.0)
GRID = ["--lengths", "64,128", "--shares", "0,0.5", "--repeats", "2"]
KEY = 'sk-"secret"-0123456789'


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch):
    """No server here has a certificate, and to read those of all authorities takes longer than a probe."""
    monkeypatch.setattr("ssl.SSLContext.load_verify_locations", lambda *_, **__: None)


@pytest.fixture
def engine():
    return Engine(LAW)


@pytest.fixture
def url(engine):
    with SocketServer(engine) as server:
        yield server.url


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_probe_ends_with_a_table_and_asks_nothing_when_called_again(output, run, engine, url, tmp_path, capsys):
    out = tmp_path / "a $ and [b].jsonl"
    arguments = ["server", "probe", "--url", f"{url}/v1/", "--served-model", "tiny", "--record", out, *GRID]
    assert run(*arguments) == 0
    header, *measured = lines(out)
    assert header["plan"]["url"] == url
    assert header["prompts"] == "tokens"
    assert len(measured) == 8
    printed = capsys.readouterr().out
    assert "a $ and [b].jsonl" in printed
    assert "Not used" not in printed
    rows = [line.split() for line in printed.splitlines()]
    assert [row[:3] for row in rows if row and row[0] in ("64", "128")] == [
        ["64", "0", "2"],
        ["64", "32", "2"],
        ["128", "0", "2"],
        ["128", "64", "2"],
    ]
    asked, written = len(engine.requests), out.read_bytes()
    assert output(*arguments) == printed
    assert (len(engine.requests), out.read_bytes()) == (asked, written)


def test_what_is_sent(run, engine, url, tmp_path):
    assert run("server", "probe", "--url", url, "--served-model", "tiny", "--record", tmp_path / "p", *GRID) == 0
    for request in engine.requests:
        prompt = request.body.pop("prompt")
        assert all(type(token) is int and 300 <= token < 30_000 for token in prompt)
        assert request.body == {
            "model": "tiny",
            "max_tokens": 1,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        assert "authorization" not in request.headers


def test_json_has_the_measurements(run_json, url, tmp_path):
    out = tmp_path / "probe.jsonl"
    data = run_json("server", "probe", "--url", url, "--served-model", "tiny", "--record", out, *GRID)
    header, *measured = lines(out)
    assert data == {"plan": header["plan"], "measurements": measured}


def test_measurements_that_do_not_count_are_counted(output, engine, url, tmp_path):
    engine.block = 48
    printed = output("server", "probe", "--url", url, "--served-model", "tiny", "--record", tmp_path / "p", *GRID)
    assert "Not used: 2, where requested and reported cached tokens differ by more than 16" in printed
    assert sum(line["mismatch"] for line in lines(tmp_path / "p")[1:]) == 2


FAILING = {
    "status": (refusal(429, "busy"), "HTTP 429: .*busy"),
    "event": (Reply([(0, event({"error": "cuda"}))]), "failed while it answered"),
    "closed": (Reply([]), "closed the connection before the first token"),
    "slow": (Reply([], ending=HANGS), "no whole answer within 1 s"),
}


@pytest.mark.parametrize("fault", FAILING)
def test_a_failure_is_one_line_and_code_2(refused, engine, url, tmp_path, fault):
    reply, message = FAILING[fault]
    engine.fault = From(7, reply)
    asked = ("--url", url, "--served-model", "tiny", "--record", tmp_path / "p", "--timeout", "1s")
    told = refused("server", "probe", *asked, *GRID)
    kept = len(lines(tmp_path / "p")) - 1
    assert message.split(".*")[0] in told
    assert told.endswith(f"({kept} of 8 measurements are in {tmp_path / 'p'})")
    assert kept > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["--url", "localhost:8000"], "url: found 'localhost:8000', expected an address"),
        (["--url", "ftp://host"], "url: found 'ftp://host', expected an address"),
        (["--url", "http://"], "expected an address"),
        (["--url", "http://[::"], "expected an address"),
        (["--url", "http://me:secret@host"], "an address with credentials"),
        (["--url", "http://host/?key=secret"], "an address with a query"),
        (["--served-model", ""], "model: found ''"),
        (["--served-model", "a\nb"], "expected the printable name"),
        (["--lengths", "64,x"], "lengths: found 'x'"),
        (["--lengths", "0"], "lengths: found 0"),
        (["--shares", "0,1"], "shares: found 1.0"),
        (["--shares", "nan"], "shares: found nan"),
        (["--shares", "half"], "shares: found 'half'"),
        (["--api-key-env", "NOT_THERE"], "environment variable NOT_THERE: found 'nothing that can be a key'"),
        (["--record", "no/folder/p"], "found no folder"),
        (["--record", "."], "found a folder"),
    ],
)
def test_wrong_arguments_are_one_line_and_send_nothing(refused, engine, url, tmp_path, changes, message):
    error = refused(
        "server", "probe", "--url", url, "--served-model", "tiny", "--record", tmp_path / "p", *GRID, *changes
    )
    assert message in error
    assert "secret" not in error
    assert engine.requests == []


def echoes(kind):
    """Replies that carry the key, at every distance from where a message is cut off."""
    for before in (0, 190, 795):
        text = "x" * before + KEY
        yield {
            "refusal": lambda text=text: Reply([(0, text.encode())], 401, {}),
            "refusal as JSON": lambda text=text: refusal(401, text),
            "event": lambda text=text: Reply([(0, event({"error": text}))]),
            "line": lambda text=text: Reply([(0, text.encode() + b"\n")]),
            "usage": lambda text=text: Reply(
                [(0, event({"choices": [{"text": "a"}], "usage": {"prompt": text}}))]
            ),
            "location": lambda text=text: refusal(302, "", {"location": f"http://[{text}"}),
        }[kind]()


@pytest.mark.parametrize("kind", ["refusal", "refusal as JSON", "event", "line", "usage", "location"])
def test_the_key_is_sent_and_never_shown(run, engine, url, tmp_path, capsys, monkeypatch, kind):
    monkeypatch.setenv("PROBE_KEY", KEY + "\n")
    arguments = ["server", "probe", "--url", url, "--served-model", "tiny", *GRID, "--api-key-env", "PROBE_KEY"]
    for number, reply in enumerate(echoes(kind)):
        engine.requests.clear()
        engine.fault = From(4, reply)
        out = tmp_path / f"{number}.jsonl"
        assert run(*arguments, "--record", out) == 2
        captured = capsys.readouterr()
        assert {request.headers["authorization"] for request in engine.requests} == {f"Bearer {KEY}"}
        for part in (KEY, KEY[:6], KEY[-6:], json.dumps(KEY)[1:9]):
            assert part not in captured.out + captured.err + out.read_text()


@pytest.mark.parametrize("key", ["", "  ", "ключ", "two\nlines", "sk-secret-\x00"])
def test_what_can_be_no_key_is_not_shown(run, url, tmp_path, capsys, monkeypatch, key):
    monkeypatch.setattr("os.environ", {"PROBE_KEY": key})
    arguments = ["--url", url, "--served-model", "tiny", "--api-key-env", "PROBE_KEY", "--record", tmp_path / "p"]
    assert run("server", "probe", *arguments) == 2
    error = capsys.readouterr().err
    assert "environment variable PROBE_KEY: found 'nothing that can be a key'" in error
    assert not key.strip() or key not in error


def test_httpx_that_is_missing_is_named(run, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "teltheory.server.client", raising=False)
    assert run("server", "probe", "--url", "http://host", "--served-model", "m", "--record", tmp_path / "p") == 2
    assert capsys.readouterr().err.startswith("teltheory: httpx is needed for `calibrate`: pip install ")


def start(url, out):
    arguments = ["server", "probe", "--url", url, "--served-model", "tiny", "--record", str(out), *GRID]
    return subprocess.Popen([sys.executable, "-m", "teltheory", *arguments], stdout=subprocess.PIPE)


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.long
def test_a_killed_probe_goes_on_where_it_was(engine, url, tmp_path):
    out = tmp_path / "probe.jsonl"
    engine.fault = From(8, Reply([], ending=HANGS))
    victim = start(url, out)
    wait_until(lambda: len(engine.requests) > 8)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    before = out.read_bytes()
    _, *measured = lines(out)
    assert 0 < len(measured) < 8
    out.write_bytes(before + before.splitlines()[-1][:-20])

    engine.fault.number = None
    asked = len(engine.requests)
    survivor = start(url, out)
    survivor.communicate()
    assert survivor.returncode == 0
    assert out.read_bytes().startswith(before)
    _, *measured_now = lines(out)
    assert sorted((line["cell"], line["repeat"]) for line in measured_now) == [
        (cell, repeat) for cell in range(4) for repeat in range(2)
    ]
    assert not any(line["mismatch"] for line in measured_now)
    rest = measured_now[len(measured) :]
    rehearsal = 2
    expected = rehearsal + len(rest) + sum(line["requested_cached_tokens"] > 0 for line in rest)
    assert len(engine.requests) - asked == expected
