"""What scripts have in common: cases that are done in order, on several processes, and errors in one line."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import NoReturn, TypeVar

from teltheory.base.processes import cores, on_processes
from teltheory.base.whole_files import write_whole
from teltheory.errors import TelTheoryError

T = TypeVar("T")
R = TypeVar("R")


def in_order(
    work: Callable[[T], R], cases: Sequence[T], workers: int | None = 1, name: Callable[[T], str] = str
) -> Iterator[R]:
    """Yield the result of each case, once it is there and those before it are."""
    if (processes := workers or cores()) == 1:
        yield from map(work, cases)
        return
    done: dict[int, R] = {}
    place = 0
    for i, result in on_processes(work, cases, processes, name):
        done[i] = result
        while place in done:
            yield done.pop(place)
            place += 1


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Write an error about what is read or written as one line on standard error, and end with exit code 2."""
    try:
        yield
    except TelTheoryError as error:
        end(" ".join(str(error).splitlines()))


def end(line: str) -> NoReturn:
    """Write a line on standard error and end with exit code 2."""
    sys.stderr.write(f"{line}\n")
    sys.exit(2)


def write_text(path: Path, text: str) -> None:
    """Write text to a file, whole or not at all; no name in it can stop that."""
    content = text.encode("utf-8", "backslashreplace")
    write_whole(path, lambda beside: beside.write_bytes(content))


def say(lines: Iterable[str]) -> None:
    """Print lines as they come; an error ends the script in one line."""
    with errors_in_one_line():
        for line in lines:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def run(work: Callable[..., Iterable[str]], doc: str | None, words: Sequence[str] | None = None) -> None:
    """Print what the work on a command line's words yields; told too few or too many, print the usage in `doc`.

    Asked for help, print `doc`.
    """
    given = sys.argv[1:] if words is None else words
    if {"-h", "--help"} & set(given):
        say([(doc or "").strip()])
        return
    if len(given) != len(signature(work).parameters):
        end(f"usage: {next(line for line in (doc or '').splitlines() if line.startswith('    ')).strip()}")
    with errors_in_one_line():
        say(work(*given))


def markdown(columns: Sequence[object], rows: Iterable[Sequence[object]], align: str = "") -> Iterator[str]:
    """Yield the lines of a table in Markdown; `align` has "l" or "r" for each column, left out all stand left."""
    yield f"| {' | '.join(map(str, columns))} |"
    yield f"|{''.join('---:|' if side == 'r' else '---|' for side in align or 'l' * len(columns))}"
    for cells in rows:
        yield f"| {' | '.join(map(str, cells))} |"
