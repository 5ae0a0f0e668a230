"""A second encoding of claims is a C file, which shares nothing with what it judges nor with another encoding."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from teltheory.base.c_sources import PACKAGE

ROOM = "claims/compiled/"
OF_C = {"stdbool.h", "stddef.h", "stdint.h"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\s*(\S+)", re.MULTILINE)
FUNCTION = re.compile(r"^[ \t]*(?!static|typedef|return|else)(?:\w+[ *]+)+(\w+)\([^;{}]*\)\s*[{;]", re.MULTILINE)
functions_of, words_of = cache(FUNCTION.findall), cache(re.compile(r"\w+").findall)

SOURCES = {
    file.relative_to(PACKAGE).as_posix(): COMMENT.sub("", file.read_text(encoding="utf-8"))
    for suffix in ("c", "h")
    for file in sorted(PACKAGE.rglob(f"*.{suffix}"))
}


def includes(text: str) -> list[str]:
    """Return what a source includes, without its quotes or brackets."""
    return [name[1:-1] for name in INCLUDE.findall(text)]


def parts(sources: Mapping[str, str], name: str) -> set[str]:
    """Return a source and all headers of the package that it includes, theirs included."""
    found, left = set(), [name]
    while left:
        one = left.pop()
        if one in sources and one not in found:
            found.add(one)
            left += includes(sources[one])
    return found


def shared(sources: Mapping[str, str]) -> Iterator[str]:
    """Yield what the encodings share with other sources: headers, and functions that are not static."""
    units = {name: parts(sources, name) for name in sources if name.endswith(".c")}
    words = {unit: {word for part in parts for word in words_of(sources[part])} for unit, parts in units.items()}
    for one, headers in units.items():
        for other, theirs in units.items():
            if one.startswith(ROOM) and other != one:
                yield from (f"{one} and {other}: {header}" for header in headers & theirs)
                names = {name for part in headers for name in functions_of(sources[part])}
                yield from (f"{one} and {other}: {name}" for name in sorted(names & words[other]))
    for name, text in sources.items():
        if name.startswith(ROOM):
            known = OF_C | {header for header in sources if header.startswith(ROOM)}
            yield from (f"{name}: {header}" for header in includes(text) if header not in known)


def test_the_second_encodings_share_nothing() -> None:
    assert sum(name.startswith(ROOM) and name.endswith(".c") for name in SOURCES) == 5
    assert any(name.startswith("replay/") for name in SOURCES)
    assert not list(shared(SOURCES))


@pytest.mark.parametrize(
    ("file", "planted", "found"),
    [
        ("simulator.h", '#include "base/numbers.h"', "simulator.h: base/numbers.h"),
        ("optimum.h", '#  include "replay/rounds.h"', "worlds.c and replay/chains/tlru.c: replay/rounds.h"),
        ("forests.c", '#include "claims/compiled/layout.h"', "forests.c and claims/compiled/worlds.c: "),
        ("forests.c", "#include <math.h>", "forests.c: math.h"),
        ("checks.h", '#include "../../replay/rounds.h"', "checks.h: ../../replay/rounds.h"),
        ("worlds.c", "void replay_lru(int64_t n);", "worlds.c and replay/chains/tlru.c: replay_lru"),
        ("orders.h", "  void replay_lru(int64_t n);", "worlds.c and replay/chains/tlru.c: replay_lru"),
        ("worlds.c", "extern int64_t tally_replays(void);", "replays/replays.c: tally_replays"),
        ("../../replay/chains/tlru.c", "int64_t judge_world(void);", "replay/chains/tlru.c: judge_world"),
        ("../../replay/rounds.h", '#include "claims/compiled/layout.h"', "tlru.c: claims/compiled/layout.h"),
    ],
)
def test_what_is_shared_is_found(file: str, planted: str, found: str) -> None:
    name = (ROOM + file).removeprefix(ROOM + "../../")
    assert any(found in one for one in shared({**SOURCES, name: f"{planted}\n{SOURCES[name]}"}))
