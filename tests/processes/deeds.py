"""What spawned processes do in the tests; spawned, they import it from here."""

import os
import signal
import warnings
from pathlib import Path

from waiting import wait_for

from teltheory.errors import ForcedCachingError


def square_with_a_warning(number):
    warnings.warn("squares may overflow", stacklevel=2)
    return number * number


def square(number):
    return number * number


def square_without_interrupts(number):
    assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return square(number)


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def die_deciding(name, **options):
    die(name)


def die_on_odd(number):
    return die(number) if number % 2 else square(number)


def refuse(number):
    raise ForcedCachingError(number, 7, 5)


def square_once_let(item):
    """Note the process's id, then wait until the folder has a file `go`."""
    folder, number = item
    (Path(folder) / f"{number}.{os.getpid()}").touch()
    wait_for((Path(folder) / "go").exists)
    return square(number)
