import signal
import subprocess
import sys

import httpx
import pytest

from experiments.gateway_upstream import Upstream, upstreams
from teltheory.cli.apps.engines_file import engines_in
from teltheory.errors import ArgumentError
from teltheory.systems.apps.server.listening import bound


def test_it_serves_until_an_interrupt():
    command = [sys.executable, "-m", "teltheory", "apps", "server", "--port", "0", "--placing", "parrotserve"]
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
    "rules that nobody knows": (["--placing", "vllm"], "--placing"),
    "a port that is none": (["--port", "70000"], "--port"),
    "a host that is none": (
        ["--host", "nowhere.invalid", "--token-env", "PATH"],
        "address: found 'nowhere.invalid:8000'",
    ),
    "everybody without a token": (["--host", "0.0.0.0"], "--host: found '0.0.0.0'"),
    "a token that is not there": (["--token-env", "NOT_THERE"], "--token-env: found 'NOT_THERE'"),
    "a file that is not there": (["--engines", "none.toml"], "none.toml: found no such file"),
    "a file beside an engine": (
        ["--engines", "none.toml", "--engine", "http://h", "--served-model", "m"],
        "expected none beside --engines",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_usage(refused, case):
    arguments, told = WRONG[case]
    assert told in refused("apps", "server", *arguments)


def test_rules_are_those_of_the_server(refused, monkeypatch):
    def told(manager, *_):
        raise ArgumentError("rules", manager.executor.rules, "none")

    monkeypatch.setattr("teltheory.systems.apps.server.application", told)
    assert "rules: found ParrotServe()" in refused("apps", "server", "--placing", "parrotserve")


def test_a_port_that_is_taken(refused):
    with bound("127.0.0.1", 0) as at:
        assert "expected one that is free" in refused("apps", "server", "--port", at.getsockname()[1])


ENGINE = """[[engine]]
url = "http://127.0.0.1:9"
model = "m"
"""
WRONG_FILES = {
    "no TOML": ("[[engine", "found no TOML"),
    "no engine": ("", "found none"),
    "something else": (ENGINE + "[other]\n", "found 'other'"),
    "no model": ("[[engine]]\nurl = 'http://h'", "engine 0: found no model"),
    "a field that nobody knows": (ENGINE + "speed = 2", "engine 0: found 'speed'"),
    "a capacity of nothing": (ENGINE + "capacity = 0", "engine 0, capacity: found 0"),
    "a flag that is a number": (ENGINE + "chat = 1", "engine 0, chat: found 1"),
    "an address that is none": (ENGINE.replace("http://127.0.0.1:9", "here"), "engine 0, url"),
    "a key that is not there": (ENGINE + "api_key_env = 'NOT_THERE'", "engine 0, api_key_env: found 'NOT_THERE'"),
    "a tokenizer that is not there": (ENGINE + "tokenizer = 'none.json'", "engine 0"),
    "one name twice": ((ENGINE + "name = 'a'\n") * 2, "found 2 engines of the name 'a'"),
}


@pytest.mark.parametrize("case", WRONG_FILES)
def test_files_of_engines_that_are_none(refused, tmp_path, case):
    text, told = WRONG_FILES[case]
    (tmp_path / "engines.toml").write_text(text)
    assert told in refused("apps", "server", "--engines", tmp_path / "engines.toml")


def test_a_model_that_the_server_does_not_have(refused):
    with upstreams(Upstream("own")) as (url,):
        assert "found 'm', expected own" in refused("apps", "server", "--engine", url, "--served-model", "m")


def test_what_a_file_says_of_an_engine(tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "secret")
    more = "name = 'left'\napi_key_env = 'A_KEY'\ncapacity = 1000\nlatency_capacity = 100\nkeeps_contexts = true\n"
    (tmp_path / "engines.toml").write_text(ENGINE + more + ENGINE)
    left, other = engines_in(tmp_path / "engines.toml")
    assert (left.name, left.capacity, left.latency_capacity, left.count) == ("left", 4_000, 400, None)
    assert (other.name, other.capacity == other.latency_capacity) == ("remote 1", True)
