"""Policies by name: those that learn, and those of another package, found by their entry points."""

import sys
import textwrap
from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies import AdaptiveTLRU
from teltheory.policies.future import looks_ahead
from teltheory.policies.spec import CLAIRVOYANT, NAMED, ONLINE, default_estimate, others, parse_policy

MODULE = """
from dataclasses import dataclass, field
from fractions import Fraction
from teltheory.policies import LeastRecentlyUsed, on_arrays

@dataclass(frozen=True)
class LongestFirst(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, conversation):
        return -conversation.past

@dataclass(frozen=True)
class Share(LeastRecentlyUsed):
    xi: int
    share: Fraction = Fraction(1, 2)
    trim: str = "least-recent"
    def budget(self, conversation):
        return max(0, conversation.past - self.xi) * self.share.numerator // self.share.denominator

@dataclass(frozen=True)
class TTL:
    seconds: float
    scale: "fractions.Fraction" = Fraction(1)
    slo: int = 1
    made: int = field(init=False)
    many: tuple = field(default_factory=tuple)
    def __post_init__(self):
        object.__setattr__(self, "made", 7)
        if self.seconds <= 0:
            raise ValueError("seconds: expected more than 0")
    def bound_to(self, instance):
        least = self.seconds * self.scale.numerator / self.scale.denominator / self.slo
        return lambda turn: SilentSince(instance.requests.arrival, instance.requests.arrival[turn] - least)

@dataclass(frozen=True, eq=False)
class SilentSince(LeastRecentlyUsed):
    arrival: object
    least: float
    def drops(self, conversation):
        return conversation.last >= 0 and self.arrival[conversation.last] < self.least

class NoDataclass(LeastRecentlyUsed):
    pass

no_policy = 3
a_value = TTL(1.0)
"""
POINTS = """
[teltheory.policies]
longest-first = own_policies_of_a_test:LongestFirst
share = own_policies_of_a_test:Share
number = own_policies_of_a_test:no_policy
missing = own_policies_of_a_test:Nothing
gone = own_policies_that_are_gone:Nothing
value = own_policies_of_a_test:a_value
no-dataclass = own_policies_of_a_test:NoDataclass
idle = own_policies_of_a_test:TTL
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    info = folder / "own_policies_of_a_test-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "own_policies_of_a_test.py").write_text(textwrap.dedent(MODULE))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-policies-of-a-test\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(folder)


def test_a_policy_of_another_package_is_replayed(package, run_json, trace_file):
    asked = ("--capacity", 100, "--xi", 60, "--policy", "longest-first,share:share=1/4,lru")
    rows = run_json("replay", trace_file, *asked)["rows"]
    import own_policies_of_a_test as own

    trace = tt.read_trace(trace_file)
    expected = [own.LongestFirst(), own.Share(60, own.Fraction(1, 4)), tt.LRU()]
    tels = [tt.tail_excess_latency(tt.replay(trace, policy, 100), 60) for policy in expected]
    assert [row["tel"] for row in rows] == tels
    assert [row["policy"] for row in rows] == ["longest-first", "share:share=1/4", "lru"]


def test_notes_name_the_policies_that_the_reference_replays(in_words, package, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["teltheory.replay"], "KERNEL_FROM", 20)
    file = tmp_path / "long.csv"
    file.write_text("conversation,prompt,response,arrival\n" + "".join(f"{k % 7},2,1,{k}\n" for k in range(20)))
    policies = ("--policy", "idle:seconds=5", "--policy", "longest-first", "--policy", "tlru")
    said = in_words("replay", file, "--capacity", 100, "--xi", 60, *policies)
    assert "Replayed by the slow reference, as no compiled loop is known to fit: idle:seconds=5.0." in said


def test_fields_are_read_by_their_types(package):
    import own_policies_of_a_test as own

    def built(text):
        return parse_policy(text).build(5, 6)

    assert built("idle:seconds=2.5,scale=1/2,slo=3") == own.TTL(2.5, own.Fraction(1, 2), 3)
    assert built("share:share=0.25,trim=eager") == own.Share(5, own.Fraction(1, 4), "eager")
    assert built("share:xi=7") == own.Share(7)
    assert built("longest-first") == own.LongestFirst()
    assert built("lru") == tt.LRU()


def test_a_policy_that_looks_at_the_clock(package, tmp_path, run_json):
    file = tmp_path / "timed.csv"
    tt.write_trace(tt.Trace.from_turns([0, 1, 0], [10] * 3, [0] * 3, arrival=[0, 5, 20]), file)
    asked = ("--capacity", 100, "--xi", 0, "--policy", "idle:seconds=4", "--policy", "idle:seconds=4,scale=3/2")
    assert [row["tel"] for row in run_json("replay", file, *asked)["rows"]] == [40, 30]


def test_arrival_times_reach_processes_and_tell_traces_apart_in_a_store(package, tmp_path, run_json):
    asked = ("--capacity", 100, "--xi", 0, "--policy", "idle:seconds=4", "--store", tmp_path / "store.jsonl")
    tels = []
    for times in ([0, 1, 2], [0, 5, 20]):
        file = tmp_path / "timed.csv"
        tt.write_trace(tt.Trace.from_turns([0, 1, 0], [10] * 3, [0] * 3, arrival=times), file)
        tels += [run_json("replay", file, *asked)["rows"][0]["tel"]]
    assert tels == [30, 40]
    assert run_json("replay", file, *asked[:-2], "--workers", 2)["rows"][0]["tel"] == 40


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("number", "a dataclass as own_policies_of_a_test:no_policy"),
        ("missing", "an entry point that can be loaded"),
        ("gone", "an entry point that can be loaded"),
        ("value", "a dataclass as own_policies_of_a_test:a_value"),
        ("no-dataclass", "a dataclass as own_policies_of_a_test:NoDataclass"),
        ("idle", "seconds=... with it"),
        ("idle:seconds=nan", "a number such as 2.5"),
        ("idle:seconds=x", "a number such as 2.5"),
        ("idle:seconds=-1", "seconds: expected more than 0"),
        ("idle:seconds=1,seconds=2", "seconds=..., scale=..., slo=..., many=..., each at most once"),
        ("idle:seconds=1,made=2", "seconds=..., scale=..., slo=..., many=..., each at most once"),
        ("other", "one of lru, threshold-lru"),
        ("share:share=x", "a share such as 0.95"),
        ("share:xi=-1", "expected tokens"),
        ("share:other=1", "share=..., trim=..."),
    ],
)
def test_what_is_wrong_with_a_policy_is_one_line(package, refused, trace_file, policy, message):
    assert message in refused("replay", trace_file, "--capacity", 100, "--xi", 60, "--policy", policy)


def test_the_names_of_other_packages_are_among_the_choices(package, refused, trace_file):
    choices = refused("replay", trace_file, "--policy", "none")
    assert "longest-first" in choices
    assert choices.count(" lru,") == 1


def test_the_smallest_trace_on_which_one_is_worse(in_words, package, run_json):
    text = in_words("policy", "never-worse", "longest-first")
    assert "longest-first is worse than lru on A(0+1) B(0+2) B(0+0); C=1 xi=0 Q=0: policy 2, other 1." in text
    found = run_json("policy", "never-worse", "longest-first")
    assert found["verdict"] == "refuted"
    assert found["counterexample"]["values"] == {"policy": 2, "other": 1}


def test_a_policy_of_another_package_has_a_curve(package, refused, run_json, trace_file):
    """In any case of its name, as the toolkit's own; the error for any other name lists it and hindsight."""
    asked = ("curve", trace_file, "--capacity", "100,200", "--xi", 60, "--policy")
    rows = run_json(*asked, "Longest-First")["rows"]
    replayed = run_json("replay", trace_file, *asked[2:], "longest-first")["rows"]
    assert [(row["policy"], row["tel"]) for row in rows] == [("longest-first", row["tel"]) for row in replayed]
    error = refused(*asked, "shortest-first")
    assert "longest-first" in error
    assert "hindsight" in error


def test_the_command_replays_policies_that_learn(tmp_path, run_json):
    trace = tt.Trace.from_turns([0, 1, 0, 1], [40] * 4, [10] * 4, arrival=[0, 5, 20, 70])
    file = tmp_path / "timed.csv"
    tt.write_trace(trace, file)
    model = tmp_path / "model.json"
    model.write_text('{"death_rate": 0.01, "turn_rate": 0.1}')
    names = (f"et-lru:model={model}", "return-aware:lead=0.5", "adaptive")
    asked = [part for name in names for part in ("--policy", name)]
    rows = run_json("replay", file, "--capacity", 60, "--xi", 20, *asked)["rows"]
    q_hat = 40
    policies = (
        tt.ETLRU(20, "learnt", 0.01, 0.1),
        tt.ReturnAwareTLRU(20, q_hat, lead=0.5),
        AdaptiveTLRU(20, q_hat),
    )
    expected = [tt.tail_excess_latency(tt.replay(trace, policy, 60), 20) for policy in policies]
    assert [row["tel"] for row in rows] == expected


def test_default_estimate_is_rounded_up():
    trace = tt.Trace.from_turns([0, 0, 0], [9, 1, 2], [0, 0, 0])
    assert default_estimate(trace) == 2
    assert default_estimate(tt.Trace.from_turns([0], [9], [0])) == 0


def test_policy_specs_round_trip():
    for text in ("lru", "tlru:xi=2800,q_hat=200,trim=eager", "threshold-lru:cutoff=5", "belady"):
        assert parse_policy(text).text == text
    assert parse_policy("end-aware:q_hat=2").build(7, 9) == tt.EndAwareTLRU(7, 2)
    assert parse_policy("adaptive").build(7, 9) == AdaptiveTLRU(7, 9)
    adaptive = parse_policy("adaptive:xi=0,quantile=0.9,share=3/4,window=10,every=2,hysteresis=0,trim=eager")
    assert adaptive.text == "adaptive:xi=0,quantile=9/10,share=3/4,window=10,every=2,hysteresis=0,trim=eager"
    quantile, share = Fraction(9, 10), Fraction(3, 4)
    assert adaptive.build(7, 9) == AdaptiveTLRU(0, 9, quantile, share, 10, 2, Fraction(0), "eager")
    for wrong in ("share=x", "share=1/0", "quantile=2", "share=-1", "window=0", "window=1.5", "hysteresis=nan"):
        with pytest.raises(ArgumentError, match=wrong.partition("=")[0]):
            parse_policy(f"adaptive:{wrong}")
    with pytest.raises(ArgumentError):
        parse_policy("")


def test_a_name_that_the_toolkit_has_too_is_an_error(package, tmp_path, refused, trace_file):
    points = tmp_path / "site" / "own_policies_of_a_test-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"{POINTS}lru = own_policies_of_a_test:LongestFirst\n")
    assert "lru" not in others()
    for policy in ("lru", "LRU", "longest-first,lru"):
        told = refused("replay", trace_file, "--capacity", 100, "--xi", 60, "--policy", policy)
        assert "entry point lru = own_policies_of_a_test:LongestFirst of own-policies-of-a-test" in told
    with pytest.raises(tt.ArgumentError, match="the toolkit has a policy of this name"):
        tt.replay(tt.read_trace(trace_file), "lru", 100)


def test_without_policies_the_online_and_the_clairvoyant_ones_stand_apart(output, run_json, trace_file):
    rows = run_json("replay", trace_file, "--capacity", 100, "--xi", 60)["rows"]
    assert [row["policy"] for row in rows] == [*ONLINE, *CLAIRVOYANT]
    out = output("replay", trace_file, "--capacity", 100, "--xi", 60)
    online, ahead = out.split(", online policies")[1].split(", clairvoyant policies")
    first = [line.split()[0] for line in online.splitlines() if line.strip()]
    assert [name for name in first if name in ONLINE] == [*ONLINE]
    assert all(name in ahead and name not in online for name in CLAIRVOYANT)


def test_the_policies_of_a_bare_command_are_all_that_need_no_file_and_no_fit():
    left_out = {
        "ttl": "needs seconds", "priority": "needs kinds", "et-lru": "needs a model", "slo-tlru": "needs an SLO",
        "return-aware": "fits", "adaptive": "no forest", "shared-tlru": "is tlru", "pgdsf": "is gdsf",
        "work-aware": "no forest",
    }  # fmt: skip
    assert {*NAMED} == {*ONLINE, *CLAIRVOYANT, *left_out}
    for name in (*ONLINE, *CLAIRVOYANT):
        assert looks_ahead(parse_policy(name).build(1, 1)) is (name in CLAIRVOYANT)
