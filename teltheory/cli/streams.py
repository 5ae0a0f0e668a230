"""Standard output that may be closed, full or of another encoding.

A reader that closes its end, as ``head`` does, has seen enough: what else is printed is dropped, while files that
were asked for are still written and the exit code is that of the work. Output that can't be written, as on a full
disk, is an error. What an encoding lacks is printed as an escape.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import BinaryIO, TextIO

from teltheory.errors import FileError


class Output(io.TextIOBase):
    """Text that goes to a stream, until its reader closes it.

    Parameters
    ----------
    stream : TextIO
        Standard output.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the stream."""
        return self._stream.encoding

    @property
    def buffer(self) -> BinaryIO:
        """The stream of bytes below, to which click writes what a shell reads to complete words."""
        return self._stream.buffer

    @property
    def closed(self) -> bool:
        """Whether the stream is closed."""
        return self._stream.closed

    def fileno(self) -> int:
        """Return the stream's number."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream.isatty()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Write text.

        Raises
        ------
        FileError
            Where it can't be written; a reader that went away is no error.
        TypeError
            Where it is no text, were it empty: by that, click tells streams of text from streams of bytes.
        """
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if not text:
            return 0
        with self._reported():
            try:
                self._stream.write(text)
            except UnicodeEncodeError:
                coding = self._stream.encoding
                self._stream.write(text.encode(coding, "backslashreplace").decode(coding))
        return len(text)

    def flush(self) -> None:
        """Hand over what was written; errors are those of `write`."""
        with self._reported():
            self._stream.flush()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._drop_the_rest()
        except OSError as error:
            self._drop_the_rest()
            reason = error.strerror or error
            raise FileError(f"standard output: {reason}, expected one that can be written to") from None

    def _drop_the_rest(self) -> None:
        """Let everything from now on, and what the stream still holds, go nowhere."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Print to an `Output`; a stream that was closed before the program began goes nowhere."""
    nowhere = Path(os.devnull)
    with (
        nowhere.open("w", encoding="utf-8") as out,
        nowhere.open("w", encoding="utf-8") as err,
        redirect_stdout(Output(sys.stdout or out)),
        redirect_stderr(sys.stderr or err),
    ):
        yield
