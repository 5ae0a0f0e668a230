"""What is deduced of an application, the prefixes that its prompts share, and its drawing."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.apps.small_graphs import call, graphs

from teltheory.systems.apps import Graph, Port, Request
from teltheory.systems.apps.explain import JOINTS, drawing, explain, known_tokens, shared_prefixes
from teltheory.systems.apps.records import Application


@given(graphs())
def test_a_drawing_tells_the_graph(graph: Graph) -> None:
    """Who follows whom can be read from it again, and a column is free once nobody needs it."""
    here: dict[int, int] = {}
    stay = {mark for (stays, _, _), mark in JOINTS.items() if stays}
    for k, row in zip(graph.order, drawing(graph), strict=True):
        cells = dict(enumerate(row[::2]))
        at = next(x for x, mark in cells.items() if mark == "●")
        assert at not in here
        joined = {x for x, mark in cells.items() if mark in JOINTS.values()}
        assert {here[x] for x in joined} == set(graph.before[k])
        first, last = min({at, *joined}), max({at, *joined})
        assert set(row[2 * first + 1 : 2 * last : 2]) <= {"─"}
        assert all(cells[x] == "│" for x in here.keys() - joined)
        here = {x: j for x, j in here.items() if x not in joined or cells[x] in stay}
        if graph.after[k]:
            here[at] = k
    assert not here


def test_the_drawing_of_map_and_reduce() -> None:
    """Maps stand side by side; the first column is free again for what comes later."""
    maps = [call(k, [f"chunk{k}"], [f"part{k}"]) for k in range(3)]
    reduce, again, last = (
        call(3, ["part0", "part1", "part2"], ["all"]),
        call(4, ["all", "part0"], ["more"]),
        call(5, [], ["z"]),
    )
    assert drawing(Graph.of([*maps, reduce, again, last])) == ["●", "│ ●", "│ │ ●", "├─┴─┴─●", "└─●───┘", "●"]


TEXTS = ["a", "ab", "b", "aba"]


@st.composite
def prompts(draw: st.DrawFn, k: int, earlier: list[Request]) -> Request:
    """A prompt that may begin as an earlier one of a request with a smaller number does, output included."""
    parts: list[str | Port] = []
    if earlier and draw(st.booleans()):
        whole = draw(st.sampled_from(earlier)).parts
        for j, part in enumerate(whole[: draw(st.integers(1, len(whole)))]):
            spec = draw(st.sampled_from(["", "upper"]))
            parts.append(part if isinstance(part, str) else Port(f"same{j}", False, part.variable, spec))
    names = ["set", "other", *(f"v{j}" for j in range(k))]
    for j in range(draw(st.integers(0, 2))):
        parts += [draw(st.sampled_from(TEXTS))] if draw(st.booleans()) else []
        parts.append(Port(f"in{j}", False, draw(st.sampled_from(names)), draw(st.sampled_from(["", "upper"]))))
    parts += [draw(st.sampled_from(TEXTS)), Port("out", True, f"v{k}", draw(st.sampled_from(["", "upper"])))]
    return Request(k, tuple(parts))


@st.composite
def lists(draw: st.DrawFn) -> list[Application]:
    """Applications whose prompts begin alike in some ways: by texts, by set values, by the same variables."""
    found: list[Application] = []
    for number in range(draw(st.integers(1, 2))):
        requests: list[Request] = []
        for k in range(draw(st.integers(1, 4))):
            others = [one for other in found for one in other.graph.requests.values() if one.id < k]
            requests.append(draw(prompts(k, [*requests, *others])))
        values = {"set": draw(st.sampled_from(TEXTS))}
        found.append(Application(str(number), Graph.of(requests), values, {}))
    return found


def borders(application: Application, number: int, k: int) -> list[tuple[str, ...]]:
    """What stands before each border of a prompt, character by character; variables are one each."""
    so_far: tuple[str, ...] = ()
    found = []
    for part in application.graph.requests[k].parts:
        if isinstance(part, str):
            so_far += tuple(part)
        elif part.variable in application.values:
            text = application.values[part.variable]
            so_far += tuple(text.upper() if part.transforms else text)
        elif part.output and part.transforms:
            so_far += (f"raw output of {number} {k}",)
        else:
            so_far += (f"{part.variable} of {number} by {part.transforms!r}",)
        found.append(so_far)
    return found


@given(lists())
def test_two_prompts_share_what_they_both_begin_with(found: list[Application]) -> None:
    """Of any two the longest common border is told, with all that have it."""
    told = {one.requests: one for one in shared_prefixes(found, lambda text: list(text.encode()))}
    own = {(n, k): borders(one, n, k) for n, one in enumerate(found) for k in one.graph.order}
    for one, other in combinations(own, 2):
        common = max((border for border in own[one] if border in own[other]), key=len, default=None)
        sharers = [prefix for members, prefix in told.items() if {one, other} <= set(members)]
        longest = max(sharers, key=lambda prefix: prefix.tokens + len(prefix.variables), default=None)
        assert (longest is None) == (common is None)
        if longest is not None and common is not None:
            assert set(longest.requests) == {place for place, all_of in own.items() if common in all_of}
            assert longest.tokens + len(longest.variables) == len(common)
            assert longest.tokens == sum(len(letter) == 1 for letter in common)


def test_texts_divided_in_other_ways_are_the_same() -> None:
    """Of one prompt a text is the beginning, of the other a text and a value."""
    one = Request(0, ("ab", Port("out", True, "v0")))
    other = Request(1, ("a", Port("in", False, "set"), Port("out", True, "v1")))
    (shared,) = shared_prefixes(
        [Application("two", Graph.of([one, other]), {"set": "b"}, {})], lambda text: list(text.encode())
    )
    assert (shared.requests, shared.tokens, shared.text) == (((0, 0), (0, 1)), 2, "ab")


def test_labels_stages_and_groups_of_map_and_reduce() -> None:
    """The maps are one group; a request that no get reaches is for throughput; tokens are those that are known."""
    maps = [
        Request(k, ("Shorten ", Port("in", False, f"chunk{k}"), Port("out", True, f"part{k}"))) for k in range(2)
    ]
    reduce = call(2, ["part0", "part1"], ["all"])
    beside = call(3, ["chunk0"], ["other"])
    graph = Graph.of([*maps, reduce, beside])
    one = Application("mr", graph, {"chunk0": "long text"}, {"all": "latency", "chunk0": "latency"})
    found = explain(one)
    assert found.labels == {0: "latency", 1: "latency", 2: "latency", 3: "throughput"}
    assert (found.stages[0], found.stages[2], found.groups) == (1, 0, ((0, 1),))
    assert [found.group(k) for k in range(4)] == [0, 0, None, None]
    assert [known_tokens(one, k, lambda text: list(map(ord, text))) for k in range(4)] == [17, 8, 0, 9]


@pytest.mark.parametrize("reading", ["stage", "consumer"])
def test_readings_are_handed_on(reading: str) -> None:
    """A chain beside one request: of one stage, but of different consumers."""
    graph = Graph.of([call(0, [], ["a"]), call(1, ["a"], ["b"]), call(2, [], ["c"]), call(3, ["c"], ["d"])])
    found = explain(Application("two", graph, {}, {"b": "latency", "d": "latency"}), reading=reading)
    assert found.groups == (((0, 2), (1, 3)) if reading == "stage" else ())
