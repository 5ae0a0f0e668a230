"""What may become of any input: it is read, or it is refused with one clear line. Everything else is a fault."""

import signal
import warnings
from contextlib import contextmanager

from teltheory.errors import ArgumentError, CertificateError, FileError, TelTheoryError

LONGEST_LINE = 700
"""Characters of an error, its file's name not counted."""

SECONDS = 20


class FaultError(Exception):
    """Something that no input may do."""


@contextmanager
def limited(seconds=SECONDS):
    """Raise a `FaultError` where it takes longer; a hang is a fault too."""

    def late(*_):
        raise FaultError(f"no answer after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judged(read, path):
    """Read a file; return "read", or "refused" where a clear error says why. Raise whatever is a fault.

    An error about a file names it, or another one of its folder; one about an argument that the file calls for,
    such as a tokenizer, need not.
    """
    with limited(), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            read(path)
        except (FileError, CertificateError) as error:
            _check(str(error), str(path.parent))
            return "refused"
        except ArgumentError as error:
            _check(str(error), "")
            return "refused"
        except TelTheoryError as error:
            raise FaultError(f"{type(error).__name__} without its file: {error}") from error
    return "read"


def _check(message, path):
    rest = message.replace(path, "")
    if path not in message:
        raise FaultError(f"an error without its file: {message[:300]}")
    if len(rest) > LONGEST_LINE:
        raise FaultError(f"an error of {len(rest)} characters: {message[:300]}")
    if not rest.isprintable():
        raise FaultError(f"an error that is no printable line: {message[:300]!r}")
