"""Applications lifted from logs."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.formats.request_logs import Logged
from teltheory.systems.apps.lift import Lifted, as_applications, as_trace, lift, windows
from teltheory.systems.apps.records import read_applications, write_applications

SHORT = st.text("ab {", max_size=4)


@st.composite
def logs(draw: st.DrawFn) -> list[Logged]:
    """Logs of few letters, so that much is alike, with prompts that hold earlier prompts and responses."""
    log: list[Logged] = []
    timed = draw(st.booleans())
    for k in range(draw(st.integers(1, 6))):
        pieces = [SHORT, *(st.just(text) for one in log for text in (one.response, one.prompt + one.response))]
        prompt = "".join(draw(st.lists(st.one_of(pieces), max_size=4)))
        end = k + draw(st.integers(0, 3)) if timed and draw(st.booleans()) else None
        log.append(Logged(f"r{k}", prompt, draw(SHORT), draw(st.sampled_from("uv")), k if timed else None, end))
    return log


def refilled(lifted: Lifted, k: int) -> str:
    """Return a prompt with what the log says in the place of its variables."""
    members = next(members for members in lifted.applications if k in members)
    one = as_applications(lifted, len)[lifted.applications.index(members)]
    text = ""
    for part in one.graph.requests[members.index(k)].parts:
        if isinstance(part, str):
            text += part
        elif not part.output:
            response = lifted.log[members[one.graph.producers[part.variable]]].response
            text += response.strip() if part.transforms == "strip" else response
    return text


@given(logs(), st.integers(1, 3))
def test_lifted_prompts_are_the_logged_ones(
    tmp_path_factory: pytest.TempPathFactory, log: list[Logged], least: int
) -> None:
    """Responses in the places of variables give the log again; producers are earlier ones that ended."""
    lifted = lift(log, least)
    assert [refilled(lifted, k) for k in range(len(log))] == [one.prompt for one in log]
    for one, found in zip(log, lifted.reuses, strict=True):
        for reuse in found:
            for j in (reuse.producer, *reuse.others):
                assert log[j].user == one.user
                assert j < log.index(one)
                assert log[j].end is None or (one.time is not None and log[j].end <= one.time)
    file = tmp_path_factory.mktemp("lifted") / "apps.json"
    found = as_applications(lifted, len)
    write_applications(found, file)
    assert read_applications(file) == found


@given(logs(), st.integers(1, 3))
def test_what_is_left_holds_no_response(log: list[Logged], least: int) -> None:
    """Behind what a prompt continues, no whole response of so many characters is left between what is found."""
    lifted = lift(log, least)
    for k, one in enumerate(log):
        earlier = lifted.continues[k]
        past = 0 if earlier is None else len(log[earlier].prompt) + len(log[earlier].response)
        later = [reuse for reuse in lifted.reuses[k] if reuse.begin >= past]
        ends = [past, *(reuse.begin + reuse.length for reuse in later)]
        begins = [*(reuse.begin for reuse in later), len(one.prompt)]
        rest = [one.prompt[end:begin] for end, begin in zip(ends, begins, strict=True)]
        known = [
            other.response
            for other in log[:k]
            if other.user == one.user and (other.end is None or one.time is None or other.end <= one.time)
        ]
        assert not [(text, known) for text, old in product(rest, known) if len(old) >= least and old in text]


@given(logs())
def test_the_trace_has_the_tokens_of_the_log(log: list[Logged]) -> None:
    """Inputs are as long as prompts, where a conversation goes on too; edges and applications are those lifted."""
    lifted = lift(log, 2)
    apps = as_trace(lifted, len)
    assert apps.trace.total.tolist() == [len(one.prompt) for one in log]
    assert apps.trace.response.tolist() == [len(one.response) for one in log]
    assert [set(after) for after in apps.after] == [{reuse.producer for reuse in found} for found in lifted.reuses]
    assert sorted(apps.turns) == sorted(lifted.applications)


@given(st.text("ab\ud800", max_size=12), st.integers(1, 4))
def test_equal_stretches_have_equal_numbers(text: str, length: int) -> None:
    """Wherever they stand; of a few letters no two others have the same."""
    stretches = [text[at : at + length] for at in range(len(text) - length + 1)]
    numbers = windows(text, length).tolist()
    assert len(numbers) == len(stretches)
    assert dict(zip(numbers, stretches, strict=True)) == {
        windows(stretch, length).item(): stretch for stretch in stretches
    }
    assert len(set(numbers)) == len(set(stretches))


PARTS = ("Rivers run to the sea, and that is all.", " Mountains are high, and lakes are deep.\n")
MAPS = [Logged(f"map{k}", f"Shorten: part {k}", text, "ann", 0.0, 2.0 + k) for k, text in enumerate(PARTS)]
JOINED = f"Join: {PARTS[0]} {PARTS[1].strip()}"


def test_map_reduce_and_a_question_about_it() -> None:
    """Whole, without the space around it, and as a conversation that goes on after a short answer."""
    reduce = Logged("reduce", JOINED, "Nature.", "ann", 5.0, 6.0)
    question = Logged("why", f"{JOINED}Nature. And why?", "No reason.", "ann", 7.0)
    again = Logged("how", f"{JOINED}Nature. And how?", "In a way.", "ann", 8.0)
    other = Logged("other", JOINED, "Nothing.", "bob", 9.0)
    lifted = lift([*MAPS, reduce, question, again, other])
    found = [[(reuse.producer, reuse.stripped) for reuse in reuses] for reuses in lifted.reuses]
    maps = [(0, False), (1, True)]
    assert found == [[], [], maps, [*maps, (2, False)], [*maps, (2, False)], []]
    assert lifted.continues == (None, None, None, 2, 2, None)
    assert (lifted.applications, lifted.names) == (((0, 1, 2, 3, 4), (5,)), ("ann/0", "bob/0"))
    trace = as_trace(lifted, len)
    assert trace.trace.conversation.tolist() == [0, 1, 2, 2, 3, 4]
    assert trace.trace.history.tolist() == [0, 0, 0, len(JOINED) + 7, 0, 0]
    (first, _) = as_applications(lifted, len)
    assert first.gets == {"out3": "latency", "out4": "latency"}
    assert first.graph.requests[3].sampling.max_tokens == len("No reason.")


def test_what_had_not_ended_is_not_held() -> None:
    """The second map ends at 3; a prompt that arrives at 2 can hold the first one alone."""
    lifted = lift([*MAPS, Logged("early", JOINED, "", "ann", 2.0)])
    assert [reuse.producer for reuse in lifted.reuses[2]] == [0]


def test_equal_responses_are_several_and_the_latest_is_taken() -> None:
    """The log does not tell which was meant."""
    log = [Logged(f"r{k}", f"Ask {k}", PARTS[0]) for k in range(3)]
    lifted = lift([*log, Logged("r3", PARTS[0], "")])
    (reuse,) = lifted.reuses[3]
    assert (reuse.producer, reuse.others, lifted.ambiguous) == (2, (0, 1), 1)


def test_the_longest_response_is_taken() -> None:
    """Of two that begin alike."""
    log = [
        Logged("long", "a", f"{PARTS[0]} Or not."),
        Logged("short", "b", PARTS[0]),
        Logged("c", f"{PARTS[0]} Or not.", ""),
    ]
    assert [reuse.producer for reuse in lift(log).reuses[2]] == [0]
    with pytest.raises(ArgumentError, match="least: found 0"):
        lift(log, 0)


def test_a_brace_may_stand_before_a_variable(tmp_path: Path) -> None:
    """In files too."""
    lifted = lift([Logged("a", "x{", PARTS[0]), Logged("b", f"{{{{{{{PARTS[0]}", "")])
    (one,) = as_applications(lifted, len)
    parts = one.graph.requests[1].parts
    assert [part if isinstance(part, str) else part.variable for part in parts] == ["{{{", "out0", "out1"]
    write_applications((one,), tmp_path / "a.json")
    assert read_applications(tmp_path / "a.json") == (one,)
