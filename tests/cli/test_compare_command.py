"""`teltheory compare`: the rows of `tt.compare`, traces side by side, caches, and what is refused."""

import json
from fractions import Fraction

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
HINT = """
from dataclasses import dataclass
from teltheory import Hint

@dataclass(frozen=True)
class Mine(Hint):
    def holds(self, request, now):
        return request.latest
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


def test_hints_are_rows_of_their_own_in_compare_and_replay(rows, output, in_words, shared_file):
    asked = (shared_file, *ASKED, "--policy", "lru,tlru", "--hints", "none", "--hints", "close,superseded")
    hints, texts = ["none", "close,superseded"], ["1100", "2500"]
    forest = tt.read_trace(str(shared_file)).forest
    board = tt.compare({shared_file.name: forest}, ["lru", "tlru"], texts, xi=["600"], hints=hints)
    found = rows(*asked)
    assert found == json.loads(json.dumps(board.as_dict()["rows"]))
    replayed = json.loads(output("replay", *asked, "--json", "-"))
    assert [row["tel"] for row in replayed["rows"]] == [row["tel"] for row in found]
    assert [row["policy"] for row in replayed["rows"][:2]] == ["lru", "lru + close + superseded"]
    assert any("agents are closed 60 s after" in one for one in _said(output, asked, "--close-delay", "60s"))
    assert "each conversation is taken for an agent" in in_words("replay", *asked)
    assert "assumed: 8 agents are closed 0 s after their last response" in in_words("compare", *asked)


def test_in_tiers_replay_hears_hints_by_the_reference(output, in_words, shared_file):
    tiers = (
        "--tier",
        "1600",
        "--tier",
        "2600:0.1",
        "--xi",
        "600",
        "--policy",
        "lru,tlru:q_hat=0,lru+tlru:q_hat=0",
    )
    asked = ("replay", shared_file, *tiers, "--hints", "none", "--hints", "close,superseded")
    data, read = json.loads(output(*asked, "--json", "-")), tt.read_trace(str(shared_file)).forest
    told, lru, tlru = read.with_hints(tt.Hints.announce(read)), tt.LRU(), tt.TLRU(1, 0)
    expected = {}
    for name, each in {"lru": (lru, lru), "tlru:q_hat=0": (tlru, tlru), "lru+tlru:q_hat=0": (lru, tlru)}.items():
        hearing = tuple(tt.Hinted(one, ("close", "superseded")) for one in each)
        for called, trace, policy in ((name, read, each), (f"{name} + close + superseded", told, hearing)):
            expected[called] = tt.replay(trace, policy, tt.Tiers((3, 5), (0, Fraction(1, 10)))).tel(1)
    assert {row["policy"]: row["tel"] for row in data["rows"]} == pytest.approx(expected)
    assert len({*expected.values()}) > 3
    assert "assumed: 8 agents are closed 0 s after their last response" in in_words(*asked)
    assert any("8 agents are closed" in one for one in data["hints"])


WORDS = {"close": "closed 0 s", "resume": "come back", "retain": "kept after", "noise": "log-normal"}


@pytest.mark.parametrize(
    ("hints", "heard"),
    [
        ("close", ["close"]),
        ("superseded", []),
        ("retain, priority", ["retain"]),
        ("resume", ["close", "resume", "noise"]),
        ("mine.py:Mine", [*WORDS]),
    ],
)
def test_what_is_assumed_is_said_of_what_is_heard_alone(output, shared_file, tmp_path, monkeypatch, hints, heard):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(HINT)
    asked = (shared_file, *ASKED, "--policy", "lru", "--hints", hints, "--resume-error", "1")
    text = " ".join(_said(output, asked))
    assert [name for name, words in WORDS.items() if words in text] == heard
    assert "taken for an agent" in text


def _said(output, asked, *more):
    return json.loads(output("compare", *asked, *more, "--json", "-"))["traces"]["shared.jsonl"]["hints"]


@pytest.mark.parametrize("own", ["", ",mine.py:Mine"])
def test_the_price_list_is_that_of_python(in_words, shared_file, tmp_path, monkeypatch, own):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(HINT)
    asked = ("compare", shared_file, "--capacity", "1100", "--xi", "600", "--hints", f"all{own}", "--retain", "2s")
    text, data = in_words(*asked, "--json", "found.json"), json.loads((tmp_path / "found.json").read_text())
    forest = tt.read_trace(str(shared_file)).forest
    how = {"xi": ["600"], "hints": f"all{own}", "announced": tt.Announcement(retain="2s")}
    expected = tt.price_of_hints({shared_file.name: forest}, "tlru", ["1100"], **how)
    assert data["places"] == json.loads(json.dumps(expected.as_dict()["places"]))
    players = [one["player"] for one in data["places"][0]["worths"]]
    assert players == ["close", "superseded", "resume", "retain", *["Mine"] * bool(own), "tlru"]
    assert "what each closes" in text
    assert "the optimum" in text
    assert "blocks kept after responses: 2s" in text


REFUSED = [
    (("--close-delay", "60s"), "--hints with it"),
    (("--hints", "close", "--close-if", "end_turn"), "stop=REASON"),
    (("--hints", "close", "--close-delay", "60"), "--close-delay: found"),
    (("--hints", "retain", "--retain", "tool_use"), "REASON=TIME"),
    (("--hints", "all", "--policy", "tlru,lfu"), "one beside lru"),
    (("--hints", "all", "--html", "x"), "none with --hints all"),
    (("--hints", "close", "--policy", "belady"), "does not know the future"),
    (("--hints", "ends"), "close, superseded"),
    (("--hints", "close", "--tier", "600", "--tier", "900"), "one cache that nobody waits for"),
    (("--cache", "radix"), "expected strict, holes, vllm"),
    (("--rules", "sgl"), "expected strict, holes, vllm"),
    (("--cache", "conversations", "--block-size", "1024"), "none with --cache conversations"),
    (("--policy", "lru:rules=holes"), "the rules beside it"),
    (("--policy", "nobody.py:Mine"), "nobody.py"),
    (("--store", "x", "--html", "x"), "a file of its own"),
    (("TWICE",), "each file once"),
]


@pytest.mark.parametrize(("options", "told"), REFUSED)
def test_what_is_asked_wrongly_is_refused_in_one_line(refused, shared_file, options, told):
    given = (shared_file if one == "TWICE" else one for one in options)
    assert told in refused("compare", shared_file, *ASKED, *given)
