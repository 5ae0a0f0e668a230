"""The loops in C: their prototypes, calls that are wrong, and a library that is not that of the sources."""

import ast
import ctypes
import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.random._common
import pytest

import proofs_checks
from teltheory.base import loops
from teltheory.base.c_sources import PACKAGE, digest_of, prototypes, sources
from teltheory.base.loops import Argument, call, has_machine_code
from teltheory.errors import MachineCodeError

FILES = [*PACKAGE.rglob("*.c"), *PACKAGE.rglob("*.h")]
TEXTS = {file.relative_to(PACKAGE).as_posix(): file.read_text() for file in FILES}
OUTSIDE = re.compile(r"^(?!static|INLINED|#|typedef|struct|enum)\w[\w ]*?[ *](\w+)\(", re.MULTILINE)


def ints(n, *, kind=np.int64, closed=False, step=1):
    made = np.zeros(n * step, kind)[::step]
    made.flags.writeable = not closed
    return made


def lru(**other):
    """Call `replay_lru` on an empty cache and two turns, with some arguments that are other ones."""
    given = {"n": 2, "m": 0, "history": ints(2), "prompt": ints(2), "full": ints(2), "previous": ints(2) - 1}
    given |= {"following": ints(2) + 2, "capacity": 9, "cached": ints(2), "uncached": ints(2), "exempt": None}
    return call("replay_lru", *(given | other).values())


def unaligned():
    return np.zeros(17, np.uint8)[1:].view(np.int64)


WRONG = {
    "another kind": {"history": ints(2, kind=np.int32)},
    "another kind of the same size": {"history": ints(2, kind=np.uint64)},
    "the other order of bytes": {"history": ints(2, kind=">i8")},
    "no array": {"prompt": [0, 0]},
    "too short": {"full": ints(1)},
    "too short for a number before it": {"m": 1},
    "with gaps": {"previous": ints(2, step=2)},
    "not where numbers of its size begin": {"history": unaligned()},
    "closed for writing": {"cached": ints(2, closed=True)},
    "nothing where something is asked for": {"uncached": None},
    "too short where nothing would do": {"exempt": ints(1)},
    "a number that is not whole": {"capacity": 2.5},
    "a number of more than 64 bits": {"capacity": 2**63},
    "a number far below 0": {"capacity": -(2**63) - 1},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_argument_is_an_error_before_the_loop(wrong):
    cached = WRONG[wrong].get("cached", ints(2) if "uncached" in WRONG[wrong] else ints(2) + 7)
    before = cached.copy()
    with pytest.raises(TypeError) as error:
        lru(**({"cached": cached} | WRONG[wrong]))
    assert "\n" not in str(error.value)
    assert (cached == before).all()


def test_what_is_longer_or_only_read_is_none():
    lru(history=ints(5), full=ints(2, closed=True), exempt=ints(2, closed=True), capacity=np.int64(3), m=False)


def test_a_number_of_arguments_that_is_wrong_is_said():
    with pytest.raises(TypeError, match="found 2 arguments, expected 11"):
        call("replay_lru", 1, 0)
    with pytest.raises(TypeError, match="found 12 arguments, expected 11"):
        lru(more=0)
    with pytest.raises(KeyError):
        call("replay_nothing")


def test_arrays_lie_in_memory_as_entries_read_them_and_elsewhere_python_checks_every_call(monkeypatch):
    given = [2, 0, *(ints(2) for _ in range(5)), 9, ints(2), ints(2), None]
    arrays, numbers = [one for one in given if not isinstance(one, int)], [2, 0, 9]
    entry = loops.loop("replay_lru").entry
    assert entry(ctypes.addressof(loops._OBJECTS), tuple(arrays), *numbers) == 0
    other = ints(2).view(type("Other", (np.ndarray,), {}))
    for refused in (ints(1), other):
        assert entry(ctypes.addressof(loops._OBJECTS), (refused, *arrays[1:]), *numbers) == loops._REFUSED
    assert not loops._lie_as_said(other)
    monkeypatch.setattr(loops, "_LIE_AS_SAID", False)
    loops.loop.cache_clear()
    try:
        assert loops.loop("replay_lru").entry() == loops._REFUSED
        call("replay_lru", *given)
    finally:
        loops.loop.cache_clear()


UNSAID = ["int64_t *log", "int n", "bool forced", "int32_t n", "char *name", "int64_t a[2][2]"]


@pytest.mark.parametrize("text", UNSAID)
def test_a_parameter_that_says_too_little_is_none(text):
    with pytest.raises(SyntaxError, match=r"expected int64_t, double, or an array with its length"):
        Argument.of(text)


def test_lengths_are_said_in_numbers_that_stand_before_them():
    for name, (_, asked) in prototypes().items():
        parameters = [Argument.of(one) for one in asked]
        known = set()
        for parameter in parameters:
            assert {*(parameter.length.co_names if parameter.length else ())} <= known, (name, parameter.name)
            if parameter.length is None and parameter.kind is np.int64:
                known.add(parameter.name)


def test_whatever_is_seen_from_outside_is_a_loop_and_its_name_stands_once():
    seen = [name for text in TEXTS.values() for name in OUTSIDE.findall(text)]
    assert Counter(seen) == Counter([*prototypes()])
    assert [name for name, times in Counter(seen).items() if times > 1] == []


def of_python():
    """Yield the files of the package, and those of the claims, of which some have their second encoding in C."""
    yield from PACKAGE.rglob("*.py")
    yield from Path(proofs_checks.__file__).parent.rglob("*.py")


def called():
    """Yield files and the names of loops that they say to `call` or `loop`."""
    for file in of_python():
        text = file.read_text()
        if "teltheory.base.loops" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("call", "loop"):
                said = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                yield from ((file.name, one) for one in said if isinstance(one, str))


def test_loops_that_are_called_are_there_and_those_that_are_there_are_named():
    found = [*called()]
    assert [(file, name) for file, name in found if name not in prototypes()] == []
    words = "\n".join(file.read_text() for file in of_python())
    assert [name for name in prototypes() if f'"{name}"' not in words] == []
    assert found


WITH_POOLS = "replay/chains/remembering.c"
"""How many runs of units there are at a time is known when they are made: the only file with memory of its own."""


@pytest.mark.parametrize("file", TEXTS)
def test_a_file_is_short_its_lines_too_and_it_begins_with_what_it_is(file):
    lines = TEXTS[file].splitlines()
    assert len(lines) < 400
    assert max(map(len, lines)) <= 115
    assert lines[0].startswith("/* ")
    assert TEXTS[file].endswith("\n")
    assert not re.search(r"\t| $|Python\.h|\balloca\b", TEXTS[file], re.MULTILINE)
    assert file == WITH_POOLS or not re.search(r"\b(malloc|calloc|realloc)\b", TEXTS[file])


@pytest.fixture
def library(monkeypatch, tmp_path):
    """Let the library be another file, none yet."""
    clear()
    monkeypatch.setattr(loops, "PACKAGE", tmp_path)
    monkeypatch.setattr(loops, "LIBRARY", "library.so")
    yield tmp_path / "library.so"
    clear()


def clear():
    loops._library.cache_clear()
    loops.loop.cache_clear()


def refused(words):
    assert not has_machine_code()
    with pytest.raises(MachineCodeError, match=words):
        lru()
    return True


def test_a_library_that_is_missing_or_no_library_is_refused(library, monkeypatch):
    assert refused("found none for this machine; python -m pip install .* makes it$")
    library.write_bytes(b"\x7fELF, but of no machine")
    assert refused("found that of another machine; python -m pip install .* makes it$")
    (library.parent / "package").mkdir()
    (library.parent / "release").mkdir()
    (library.parent / "release" / "loops.py").touch()
    monkeypatch.setattr(loops, "PACKAGE", library.parent / "package")
    assert refused("found none for this machine; python release/loops.py makes it$")


def test_a_library_of_other_sources_is_refused(library, monkeypatch):
    shutil.copy(PACKAGE / "base" / "compiled_loops.so", library)
    assert has_machine_code()
    lru()
    clear()
    monkeypatch.setattr(loops, "digest_of", lambda: "another")
    assert refused("found that of other sources")


def test_a_library_that_does_not_say_its_sources_is_refused(library):
    shutil.copy(Path(numpy.random._common.__file__), library)
    assert refused("found that of other sources")


def test_the_digest_is_of_names_and_texts_and_headers(tmp_path):
    found = set()
    for name, text in [("a.c", "1"), ("a.c", "2"), ("a.h", "2"), ("b.c", "2"), ("b.c", "")]:
        (tmp_path / name).write_text(text)
        found.add(digest_of(tmp_path))
    assert len(found) == 5
    (tmp_path / "b.c").rename(tmp_path / "c.c")
    assert digest_of(tmp_path) not in found
    assert [file.name for file in sources(tmp_path)] == ["a.c", "c.c"]
