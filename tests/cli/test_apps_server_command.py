import signal
import subprocess
import sys

import httpx
import pytest

from teltheory.systems.apps.server.listening import bound


def test_it_serves_until_an_interrupt():
    command = [sys.executable, "-m", "teltheory", "apps", "server", "--port", "0", "--engine", "tiny"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            said = running.stdout.readline()
            url = said.split()[2].rstrip(":")
            assert said == f"Serving at {url}: tiny 0 (tiny)\n"
            answer = httpx.post(f"{url}/v1/completions", json={"prompt": "x", "max_tokens": 2}, timeout=30)
            assert len(answer.json()["choices"][0]["text"]) == 2
        finally:
            running.send_signal(signal.SIGINT)
            rest = running.communicate(timeout=30)
    complaints = [line for line in rest[1].splitlines() if "which takes more than a second" not in line]
    assert (running.returncode, rest[0], complaints) == (0, "", [])


WRONG = {
    "an address that is none": (["--engine", "nowhere", "--served-model", "m"], "url: found"),
    "an address without a model": (["--engine", "http://here"], "--served-model"),
    "a model of the tiny engine": (["--served-model", "m"], "--served-model: found 'm', expected none without"),
    "a key that is not there": (
        ["--engine", "http://h", "--served-model", "m", "--api-key-env", "NOT_THERE"],
        "NOT_THERE",
    ),
    "a time without a unit": (["--timeout", "10"], "--timeout"),
    "a time that is none": (["--timeout", "0s"], "--timeout"),
    "a port that is none": (["--port", "70000"], "--port"),
    "a host that is none": (["--host", "nowhere.invalid"], "address: found 'nowhere.invalid:8000'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_usage(run, capsys, case):
    arguments, told = WRONG[case]
    assert run("apps", "server", *arguments) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines()), told in err) == ("", 1, True), err


def test_a_port_that_is_taken(run, capsys):
    with bound("127.0.0.1", 0) as at:
        assert run("apps", "server", "--port", at.getsockname()[1]) == 2
    assert "expected one that is free" in capsys.readouterr().err
