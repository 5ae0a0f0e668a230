"""What is added is one file: a policy, a claim, a reader, a router and a figure of a package that is not ours.

A kind of requests is added in `tests/test_toy_kind.py`.
"""

import sys
from importlib import import_module

import pytest

import teltheory as tt
from teltheory.claims.registry import claims_of_file
from teltheory.claims.search import decide
from teltheory.paper.drawing import draw_all

POLICY = '''
"""Evicts the longest conversation first."""
from dataclasses import dataclass
from teltheory.policies import LeastRecentlyUsed

@dataclass(frozen=True)
class LongestFirst(LeastRecentlyUsed):
    def eviction_key(self, conversation):
        return -conversation.past
'''
CLAIM = '''
"""No policy has more than the whole input to compute."""
from teltheory.claims.claim import claim
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import LRU

WORLDS = SmallWorlds({1: 2, 2: 2}, {2: 2}, thresholds=lambda _: range(1), samples=5)

@claim("mine.bounded", "mine", "TEL(LRU) <= inputs.", lambda of: of["LRU"] <= of["all"], WORLDS)
def bounded(case):
    """Replay it."""
    return {"LRU": case.tel(LRU()), "all": int(case.instance.total.sum())}
'''
READER = '''
"""Records with `in` and `out`: each is a conversation of its own."""
import teltheory as tt
from teltheory.formats import Format
from teltheory.formats.format import has

def read(source):
    lengths = [(record.whole("in"), record.whole("out")) for record in source.records()]
    return tt.Trace.from_turns(range(len(lengths)), *zip(*lengths))

MINE = Format("mine", ("in", "out"), has("in", "out"), read, "nowhere")
'''
ROUTER = '''
"""Sends everything to the last replica."""

class Last:
    def choose(self, view):
        return view.replicas - 1
'''
FIGURE = '''
"""The squares, and the file that is drawn from them."""
from teltheory.paper.drawing import TableFigure

def write(table, out):
    (out / "squares.txt").write_text(table.read_text().upper())
    yield "squares: text"

FIGURES = (TableFigure("squares", write),)
'''
POINTS = """
[teltheory.policies]
longest = mine_policy:LongestFirst
[teltheory.figures]
mine = mine_figure:FIGURES
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A package that is not ours: a file for each extension, and the entry points that name them."""
    names = ("policy", "claim", "reader", "router", "figure")
    for name, text in zip(names, (POLICY, CLAIM, READER, ROUTER, FIGURE), strict=True):
        (tmp_path / f"mine_{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, f"mine_{name}", raising=False)
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


TRACE = tt.Trace.from_turns([0, 1, 0, 1, 0], [50, 10, 10, 10, 10], [0] * 5, [0, 1, 2, 3, 4])


def test_a_policy_is_one_file(site):
    assert tt.replay(TRACE, "longest", 60).uncached.tolist() == [50, 10, 10, 10, 30]


def test_a_claim_is_one_file(site):
    (claim,) = claims_of_file(str(site / "mine_claim.py"))
    assert decide(claim).verdict == "holds"


def test_a_reader_is_one_file(site):
    (site / "log.csv").write_text("in,out\n7,2\n3,1\n")
    trace = tt.read_trace(site / "log.csv", import_module("mine_reader").MINE)
    assert (trace.prompt.tolist(), trace.response.tolist()) == ([7, 3], [2, 1])


def test_a_router_is_one_file(site):
    latency, router = tt.LatencyModel(1, 0), import_module("mine_router").Last()
    served = tt.serve(TRACE, tt.LRU(), 60, replicas=3, router=router, latency=latency)
    assert served.replica.tolist() == [2] * 5


def test_a_figure_is_one_file(site):
    (site / "squares.csv").write_text("a,b\n")
    assert list(draw_all(site, site / "out")) == ["squares: text"]
    assert (site / "out" / "squares.txt").read_text() == "A,B\n"
