"""The standard output and error of a process that runs the command line: without a reader, and closed."""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from teltheory.errors import FileError


class UntilGone(FileIO):
    """Standard output that is written to until its reader goes away or it is full; what comes later is dropped.

    That it is full is an error once: Python would say it again when it ends.
    """

    _ended = False

    def write(self, data: Any) -> int:
        """Write bytes, or drop them; return how many they are."""
        if self._ended:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self._ended = True
            return memoryview(data).nbytes
        except OSError as error:
            self._ended, error.filename = True, "standard output"
            raise


def prepare() -> None:
    """Let the process's output take any text, and its reader go away; without a standard error be silent there.

    Raises
    ------
    FileError
        If the standard output is closed: what is written would go to whatever file is opened first.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        raise FileError("standard output: found it closed, expected it open; > /dev/null drops what is printed")
    given = sys.stdout
    if not isinstance(given, TextIOWrapper):
        return
    if given is not sys.__stdout__:
        given.reconfigure(errors="backslashreplace")
        return
    binary = BufferedWriter(UntilGone(given.fileno(), "w", closefd=False))
    sys.stdout = TextIOWrapper(binary, given.encoding, "backslashreplace", line_buffering=given.isatty())
