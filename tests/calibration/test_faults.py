"""Each fault of a server is one clear message, and what was measured before it is kept."""

import json

import pytest
from calibration.loopback import BREAKS, HANGS, Engine, Law, Reply, event, refusal, token
from calibration.probing import run_probe, serving, small_plan

from teltheory.errors import ProbeError
from teltheory.server.record import ProbeRecord

LAW = Law(1e-6, 1e-3, 0.0)
SOUND = 9
DONE = b"data: [DONE]\n\n"


def streamed(*pieces, ending="closes"):
    return Reply([(0.0, piece) for piece in pieces], ending=ending)


def counted(**usage):
    return event({"choices": [], "usage": usage})


FAULTS = {
    "401": (refusal(401, "Incorrect API key"), "HTTP 401: .*Incorrect API key.*--api-key-env"),
    "404": (refusal(404, "The model does not exist"), "HTTP 404: .*does not exist.*'tiny'.*/v1/models"),
    "400": (refusal(400, "maximum context length is 64"), "HTTP 400: .*maximum context.*--lengths.*--vocabulary"),
    "500": (
        Reply([(0.0, b"<html>\n\x1b[31mBoom\r\n")], 500, {}),
        "HTTP 500: <html> .31mBoom; see the server's log",
    ),
    "503, silent": (Reply([], 503, {}), "HTTP 503: no reason given; see the server's log"),
    "redirect": (
        refusal(307, "", {"location": "http://elsewhere/"}),
        "HTTP 307: .*sends only to the address given",
    ),
    "no address": (refusal(302, "", {"location": "http://[::"}), "connection broke"),
    "broken at once": (streamed(ending=BREAKS), "connection broke"),
    "closed before usage": (streamed(token()), "closed the connection before the usage"),
    "broken before usage": (streamed(token(), ending=BREAKS), "connection broke"),
    "no usage": (streamed(token(), DONE), "no usage: .*include_usage"),
    "no token": (streamed(counted(prompt_tokens=64), DONE), "without a token"),
    "no stream": (streamed(b'{"choices": []}'), "closed the connection before the first token"),
    "no stream, ended": (
        Reply([(0.0, b'{"choices": []}')], 200, {"content-type": "application/json"}),
        "'application/json', expected a stream of server-sent events",
    ),
    "no JSON": (streamed(b"data: {oops\n\n"), "'{oops', expected JSON"),
    "deep JSON": (streamed(b"data: " + b"[" * 10**5 + b"\n\n"), "expected JSON"),
    "an error": (streamed(event({"error": {"message": "out of memory"}})), "failed .*out of memory.*log"),
    "usage 3": (streamed(token(), event({"usage": 3}), DONE), "'3', expected a usage"),
    "-1 cached": (
        streamed(token(), counted(prompt_tokens=64, prompt_tokens_details={"cached_tokens": -1}), DONE),
        "expected cached_tokens between",
    ),
    "more cached": (
        streamed(token(), counted(prompt_tokens=64, prompt_tokens_details={"cached_tokens": 65}), DONE),
        "expected cached_tokens between",
    ),
    "cut off": (streamed(token(), counted(prompt_tokens=7), DONE), "counted 7 tokens in a prompt of"),
    "hangs": (streamed(ending=HANGS), r"no whole answer within [\d.]+ s.*--timeout"),
    "hangs later": (streamed(token(), ending=HANGS), r"no whole answer within [\d.]+ s.*--timeout"),
}


def patience(fault, front):
    """Seconds for a request: few only where the server hangs, as sound ones take long on a busy machine."""
    if not fault.startswith("hangs"):
        return 60.0
    return 0.2 if front == "virtual" else 1.0


class From:
    """A fault from one request on, until the server is mended."""

    def __init__(self, number, reply):
        self.number, self.reply = number, reply

    def __call__(self, reply, request):
        return reply if self.number is None or request.number < self.number else self.reply


FRONTS = [("virtual", fault) for fault in FAULTS] + [("socket", "500"), ("socket", "hangs")]


@pytest.mark.parametrize(("front", "fault"), FRONTS)
def test_a_fault_is_one_clear_line_and_loses_nothing(tmp_path, front, fault):
    reply, message = FAULTS[fault]
    engine = Engine(LAW, fault=From(SOUND, reply))
    file = tmp_path / "probe.jsonl"
    with serving(engine, front) as (url, client):
        plan = small_plan(url)
        with pytest.raises(ProbeError, match=message) as caught:
            run_probe(client(timeout=patience(fault, front)), plan, file)
        assert str(caught.value).startswith(f"{url}: ")
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 500
        kept = file.read_bytes()
        assert 2 < kept.count(b"\n") < SOUND
        assert kept.endswith(b"\n")
        engine.fault.number = None
        measured = run_probe(client(), plan, file, seed=1)
    assert file.read_bytes().startswith(kept)
    assert sorted((line.cell, line.repeat) for line in measured) == [(c, r) for c in range(4) for r in range(3)]
    assert not any(line.mismatch for line in measured)


@pytest.mark.parametrize("fault", ["404", "no usage", "hangs", "cut off"])
def test_a_fault_from_the_first_request_on_writes_nothing(tmp_path, fault):
    reply, message = FAULTS[fault]
    if fault == "cut off":
        message = "tokens in a prompt|none of it cached"
    file = tmp_path / "probe.jsonl"
    engine = Engine(LAW, fault=From(0, reply))
    with serving(engine, "virtual") as (url, client), pytest.raises(ProbeError, match=message):
        run_probe(client(timeout=0.05), small_plan(url), file)
    assert (len(engine.requests) == 1) == (fault != "cut off")
    assert file.read_bytes() == b""


def test_a_stream_that_only_drips_comments_times_out(tmp_path):
    drip = Reply([(0.01, b": ping\n\n")] * 1000)
    with (
        serving(Engine(LAW, fault=From(0, drip)), "socket") as (url, client),
        pytest.raises(ProbeError, match=r"no whole answer within 0\.2 s"),
    ):
        run_probe(client(timeout=0.2), small_plan(url), tmp_path / "probe.jsonl")


def test_nobody_listens(tmp_path):
    with serving(Engine(LAW), "socket") as (url, client):
        server = client()
    with pytest.raises(ProbeError, match=r"no connection .*is a server running"):
        run_probe(server, small_plan(url), tmp_path / "probe.jsonl")


def test_a_redirect_is_not_followed(tmp_path):
    elsewhere = Engine(LAW)
    with serving(elsewhere, "socket") as (other, _):
        away = refusal(307, "", {"location": f"{other}/v1/completions"})
        with (
            serving(Engine(LAW, fault=From(0, away)), "socket") as (url, client),
            pytest.raises(ProbeError, match="HTTP 307"),
        ):
            run_probe(client(), small_plan(url), tmp_path / "probe.jsonl")
    assert elsewhere.requests == []


def test_a_proxy_in_the_environment_is_not_used(tmp_path, monkeypatch):
    elsewhere = Engine(LAW)
    with serving(elsewhere, "socket") as (proxy, _), serving(Engine(LAW), "socket") as (url, client):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        run_probe(client(), small_plan(url, repeats=1), tmp_path / "probe.jsonl")
    assert elsewhere.requests == []


class Cacheless(Engine):
    def lookup(self, units):
        return 0


@pytest.mark.parametrize("counts_none", [False, True])
def test_a_server_that_reports_nothing_cached_is_refused_unless_nothing_is_to_be(tmp_path, counts_none):
    """Without usage details, or with a cache that is off."""
    engine = Cacheless(LAW, counts_none=counts_none)
    with serving(engine, "virtual") as (url, client):
        with pytest.raises(ProbeError, match=r"none of it cached; start vLLM with --enable-prefix-caching"):
            run_probe(client(), small_plan(url), tmp_path / "probe.jsonl")
        measured = run_probe(client(), small_plan(url, shares=(0,)), tmp_path / "cold.jsonl")
    assert [line.cached_tokens for line in measured] == [0] * 6
    assert {line.reported_cached_tokens for line in measured} == {0 if counts_none else None}


class Forgetful(Engine):
    """Has no room: after the first measurement it forgets all it cached before each third request."""

    def lookup(self, units):
        if len(self.requests) > 4 and len(self.requests) % 3 == 0:
            self.blocks.clear()
        return super().lookup(units)


@pytest.mark.parametrize("counts_none", [False, True])
def test_a_prefix_that_was_not_reported_is_never_called_cached(tmp_path, counts_none):
    engine = Forgetful(LAW, counts_none=counts_none)
    with serving(engine, "virtual") as (url, client):
        measured = run_probe(client(), small_plan(url), tmp_path / "probe.jsonl")
    lost = [line for line in measured if line.mismatch]
    assert lost
    assert {line.cached_tokens for line in lost} == {0 if counts_none else None}
    assert all(line.requested_cached_tokens > 0 for line in lost)
    kept = [line for line in measured if not line.mismatch]
    assert all(line.cached_tokens == line.requested_cached_tokens for line in kept)
    with ProbeRecord(tmp_path / "probe.jsonl", small_plan(url)) as record:
        assert record.measured == measured


def test_a_prefix_that_was_cached_beforehand_is_marked(tmp_path):
    """Two runs with the same random prompts: everything is cached the second time."""
    with serving(Engine(LAW), "virtual") as (url, client):
        run_probe(client(), small_plan(url), tmp_path / "first.jsonl", seed=1)
        again = run_probe(client(), small_plan(url), tmp_path / "second.jsonl", seed=1)
        fresh = run_probe(client(), small_plan(url), tmp_path / "third.jsonl", seed=2)
    assert all(line.mismatch for line in again if line.requested_cached_tokens == 0)
    assert all(line.cached_tokens == line.reported_cached_tokens > line.requested_cached_tokens for line in again)
    assert not any(line.mismatch for line in fresh)


def test_words_where_token_ids_are_not_taken(tmp_path):
    engine = Engine(LAW, takes_ids=False)
    with serving(engine, "virtual") as (url, client):
        measured = run_probe(client(), small_plan(url), tmp_path / "probe.jsonl")
    assert json.loads((tmp_path / "probe.jsonl").read_text().splitlines()[0])["prompts"] == "text"
    assert {type(request.body["prompt"]) for request in engine.requests[1:]} == {str}
    assert sorted({(line.prompt_tokens, line.cached_tokens) for line in measured}) == list(small_plan(url).cells)
