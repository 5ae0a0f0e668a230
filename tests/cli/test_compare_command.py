"""`teltheory compare`: the rows of `tt.compare`, traces side by side, caches, and what is refused."""

import json

import pytest

import teltheory as tt
from teltheory.cli.replay import compare as command
from teltheory.sweep import compared_jobs, jobs

MINE = """
from dataclasses import dataclass
from teltheory import LeastRecentlyUsed

@dataclass(frozen=True)
class Mine(LeastRecentlyUsed):
    pass
"""
ASKED = ("--capacity", "1100,2500", "--xi", "600")


@pytest.fixture
def rows(output):
    def read(*arguments):
        return json.loads(output("compare", *arguments, "--json", "-"))["rows"]

    return read


def expected(file, trace, caches, policies, requests=None):
    asked = (policies, ["1100", "2500"])
    found = tt.compare({file.name: requests or trace.forest}, *asked, xi=["600"], caches=caches).as_dict()["rows"]
    return json.loads(json.dumps(found))


def test_the_rows_are_those_of_python_for_every_trace_and_cache(rows, shared_file, trace_file):
    trace, policies = tt.read_trace(str(shared_file)), ["lru", "tlru", "belady"]
    named = ("--policy", ",".join(policies))
    found = rows(shared_file, trace_file, *ASKED, *named)
    assert [row["trace"] for row in found] == [shared_file.name] * 6 + [trace_file.name] * 6
    assert {row["cache"] for row in found[:6]} == {"strict"}
    assert {row["cache"] for row in found[6:]} == {"conversations"}
    both = rows(shared_file, *ASKED, *named, "--cache", "holes,conversations")
    alone = expected(shared_file, trace, ["conversations"], policies, trace)
    keys = ("trace", "cache", "capacity", "xi", "policy", "tel", "prefilled", "lower", "upper", "regret", "price")
    assert [[row[key] for key in keys] for row in both[6:]] == [[row[key] for key in keys] for row in alone]
    strict, holes = (expected(shared_file, trace, [cache], policies) for cache in ("strict", "holes"))
    assert [[row[key] for key in keys] for row in found[:6]] == [[row[key] for key in keys] for row in strict]
    assert [[row[key] for key in keys] for row in both[:6]] == [[row[key] for key in keys] for row in holes]


def test_rules_are_caches_of_their_own(rows, shared_file):
    asked = ("--policy", "lru,tlru", "--capacity", "5200", "--xi", "600")
    found = rows(shared_file, *asked, "--rules", "sglang:chunk=1k,vllm")
    assert [row["cache"] for row in found] == ["sglang:chunk=1000"] * 2 + ["vllm"] * 2
    forest = tt.read_trace(str(shared_file)).forest
    both = tt.compare(
        {shared_file.name: forest}, ["lru", "tlru"], ["5200"], xi=["600"], rules=["sglang:chunk=1k", "vllm"]
    )
    assert found == json.loads(json.dumps(both.as_dict()["rows"]))


def test_each_cache_has_the_estimate_of_its_own_requests(in_words, shared_file, monkeypatch):
    given, swept = [], command.rows_of
    monkeypatch.setattr(command, "rows_of", lambda *asked, **how: given.append(asked[2]) or swept(*asked, **how))
    trace = tt.read_trace(str(shared_file))
    text = in_words("compare", shared_file, *ASKED, "--policy", "tlru", "--cache", "strict,conversations")
    assert f"conversations: Q̂ = {tt.default_estimate(trace):,} tokens" in text
    assert f"Q̂ = {tt.default_estimate(trace.forest):,} tokens" in text
    assert "conversations: trim = round-robin there" in text
    assert "Trim = least-recent where" in text
    assert tt.default_estimate(trace) != tt.default_estimate(trace.forest)
    in_words("compare", shared_file, *ASKED, "--policy", "tlru", "--cache", "strict", "--q-hat", 9)
    assert [grid.q_hat for grid in given] == [None, None, 9]


def test_tables_have_two_groups_a_blank_and_why_there_is_no_interval(in_words, shared_file):
    text = in_words("compare", shared_file, *ASKED, "--capacity", "5000", "--explain")
    assert text.count("600 tokens = 1 blocks, online policies") == 3
    assert text.count("600 tokens = 1 blocks, clairvoyant policies") == 3
    assert "strict: no intervals and ranks:" in text
    assert "fewer than 30." in text
    assert "rank: how many policies of the table are proved worse." in text


def test_a_policy_of_a_file_that_is_lru_is_tied_with_it(rows, tmp_path):
    own, trace = tmp_path / "mine.py", tmp_path / "t.csv"
    own.write_text(MINE)
    turns = "".join(f"{k % 41},{40 + 13 * k % 60},{7 * k % 50}\n" for k in range(400))
    trace.write_text("conversation,prompt,response\n" + turns)
    page = tmp_path / "board.html"
    lru, mine = rows(trace, "--capacity", 2000, "--xi", 200, "--policy", f"lru,{own}:Mine", "--html", page)
    assert (lru["tied"], mine["tied"], mine["gain_interval"]) == ([mine["policy"]], ["lru"], [0, 0])
    assert lru["tel"] > lru["lower"]
    assert f"{own}:Mine" in page.read_text()


def test_a_second_run_takes_all_from_the_store(rows, shared_file, tmp_path, monkeypatch):
    asked = (shared_file, *ASKED, "--policy", "lru,2q", "--store", tmp_path / "s")
    first = rows(*asked)
    monkeypatch.setattr(jobs, "replay", None)
    monkeypatch.setattr(compared_jobs, "hindsight_optimum", None)
    assert rows(*asked) == first


REFUSED = [
    (("--cache", "radix"), "expected strict, holes, vllm"),
    (("--rules", "sgl"), "expected strict, holes, vllm"),
    (("--cache", "conversations", "--block-size", "1024"), "none with --cache conversations"),
    (("--policy", "lru:rules=holes"), "the rules beside it"),
    (("--policy", "nobody.py:Mine"), "nobody.py"),
    (("--store", "x", "--html", "x"), "a file of its own"),
    (("TWICE",), "each file once"),
]


@pytest.mark.parametrize(("options", "told"), REFUSED)
def test_what_is_asked_wrongly_is_refused_in_one_line(run, capsys, shared_file, options, told):
    assert run("compare", shared_file, *ASKED, *(shared_file if one == "TWICE" else one for one in options)) == 2
    assert told in (line := capsys.readouterr().err)
    assert line.count("\n") == 1
