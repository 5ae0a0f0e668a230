"""Ctrl-C while a command still loads its modules: it ends as it does at any later moment.

`teltheory` and `python -m teltheory` import the package before they can call anything in it, so it has this
module first, which imports little. Amid imports an exception may get lost: extension modules and callbacks turn
it into another one, or print it and go on. So the process ends where it is, with nothing to undo yet. A program
that imports the package keeps its own handler.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

EXIT_CODE = 130
STANDARD_ERROR = 2


def end(*_: object) -> None:
    """End the process with one line and exit code 130: a handler of interrupts."""
    with suppress(OSError):
        os.write(STANDARD_ERROR, b"\nteltheory: interrupted\n")
    os._exit(EXIT_CODE)


@contextmanager
def raised() -> Iterator[None]:
    """Let interrupts that would `end` the process raise `KeyboardInterrupt` in what has something to undo."""
    if signal.getsignal(signal.SIGINT) is not end:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, end)


def _is_command() -> bool:
    """Whether this process was started as `teltheory` or `python -m teltheory`."""
    program = next(iter(sys.orig_argv[-len(sys.argv) :]), "")
    return program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == "teltheory"


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, end)
