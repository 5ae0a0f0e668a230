"""The standard output and error of a process that runs the command line: without a reader, and closed."""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from teltheory.errors import FileError


class UntilGone(FileIO):
    """A file that is written to until its reader goes away; what comes later is dropped."""

    def write(self, data: Any) -> int:
        """Write bytes, or drop them; return how many they are."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


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
