"""Templates, requests and graphs of applications."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems.apps.small_graphs import call, graphs

from teltheory.systems.apps import AppError, Graph, Placeholder, Port, Request, parse

NAMES = st.text("abz_-.09", min_size=1, max_size=5)
PLAIN = st.text("ab {}:\n", max_size=12).filter(lambda text: "{{" not in text)


@given(st.lists(st.tuples(PLAIN, NAMES, st.booleans()), max_size=5, unique_by=lambda part: part[1]), PLAIN)
def test_pieces_are_what_a_prompt_was_written_of(parts: list[tuple[str, str, bool]], end: str) -> None:
    """Texts come back as they were, placeholders with their ways, and four braces as two."""
    written = "".join(
        f"{text}{{{{{{{{{{{{{'output' if output else 'input'}:{name}}}}}" for text, name, output in parts
    )
    found = parse(written + end)
    holes = [piece for piece in found if isinstance(piece, Placeholder)]
    assert holes == [Placeholder(name, output) for _, name, output in parts]
    read = "".join(piece if isinstance(piece, str) else "\0" for piece in found)
    assert read == "".join(f"{text}{{{{\0" for text, _, _ in parts) + end


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("a {{input:x", "nothing closes"),
        ("{{inptu:x}}{{output:y}}", "inptu"),
        ("{{input:}}", "input:"),
        ("{{input:x}}{{output:x}}", "twice"),
    ],
)
def test_a_placeholder_that_is_none_is_named(prompt: str, found: str) -> None:
    """The message quotes it."""
    assert refused(AppError, found, parse, prompt).code == 400


def test_a_placeholder_may_have_space_around_its_words() -> None:
    """A lot of it is as quick: dividing it in two in every way takes a time that grows with its square."""
    space, begin = " \n" * 20_000, time.process_time()
    assert parse(f"{{{{{space}input {space}:{space}x{space}}}}}") == (Placeholder("x", False),)
    with pytest.raises(AppError):
        parse(f"{{{{{space}!}}}}")
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    ("ports", "found"),
    [
        ([Port("x", False, "v")], "'y' without an entry"),
        (
            [Port("x", False, "v"), Port("y", True, "w"), Port("z", False, "u")],
            "'z' that the prompt has no place for",
        ),
        ([Port("x", False, "v"), Port("y", True, "w"), Port("y", True, "w")], "two entries for placeholder 'y'"),
        ([Port("x", True, "v"), Port("y", True, "w")], "input placeholder 'x' with an entry for an output"),
        ([Port("x", False, "v"), Port("y", False, "w")], "output placeholder 'y' with an entry for an input"),
    ],
)
def test_entries_fit_the_placeholders(ports: list[Port], found: str) -> None:
    """Each placeholder has one entry of its own way."""
    refused(AppError, found, Request.of, 0, "a {{input:x}} b {{output:y}}", ports)


def test_a_prompt_without_an_output_is_refused() -> None:
    """There would be nothing to get."""
    refused(AppError, "without an output", lambda: Request.of(3, "a {{x}}", [Port("x", False, "v")]))


def test_two_producers_and_cycles_are_conflicts_that_are_named() -> None:
    """So are requests that consume what they produce."""
    with pytest.raises(AppError, match="two producers, request 0 and request 1") as two:
        Graph.of([call(0, (), ("a",)), call(1, (), ("a",))])
    with pytest.raises(AppError, match=r"request \d -> request \d") as cycle:
        Graph.of([call(0, ("c",), ("a",)), call(1, ("a",), ("b",)), call(2, ("b",), ("c",))])
    with pytest.raises(AppError, match="request 0 -> request 0"):
        Graph.of([Request.of(0, "{{x}}{{y}}", [Port("x", False, "v"), Port("y", True, "v")])])
    assert two.value.code == cycle.value.code == 409


@given(graphs())
def test_orders_and_stages_follow_the_edges(graph: Graph) -> None:
    """An edge goes up in the order and down in the stages; a stage is the longest way to an end."""
    place, stage = {k: n for n, k in enumerate(graph.order)}, graph.stages()
    assert sorted(graph.order) == sorted(graph.requests)
    for k, befores in graph.before.items():
        assert all(place[other] < place[k] and k in graph.after[other] for other in befores)
        assert stage[k] == max((stage[other] + 1 for other in graph.after[k]), default=0)
        assert set(graph.below(k)) == {b for a in graph.after[k] for b in (a, *graph.below(a))}
