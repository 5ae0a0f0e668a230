"""The command line: everything that prints or writes files, except traces and the files of sweeps and probes."""

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from teltheory.base.progress import LOADING
from teltheory.base.python_files import broken_by
from teltheory.cli.printed import streams
from teltheory.cli.printed.output import complain
from teltheory.cli.tree import commands
from teltheory.errors import SolverError, TelTheoryError, WorkerError

__all__ = ["commands", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a verdict, solver or process failed, 2 bad usage or input."""
    code = _done(streams.prepare)
    if code == 0:
        with _warnings_in_lines(), _loading_in_lines():
            code = _done(lambda: commands.main(arguments, prog_name="teltheory", standalone_mode=False))
        code = _done(sys.stdout.flush) or code
    sys.exit(code)


@contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Show each warning of the library in one line, as complaints are shown."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **rest: Any) -> None:
            if category is UserWarning:
                complain(str(message), 0)
            else:
                usual(message, category, *place, **rest)

        warnings.showwarning = show
        yield


@contextmanager
def _loading_in_lines() -> Iterator[None]:
    """Show in a line what loads for more than a second, with a terminal and without."""
    logger, handler = logging.getLogger(LOADING), logging.Handler()
    handler.emit = lambda record: complain(record.getMessage(), 0)  # type: ignore[method-assign,assignment]
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def _done(work: Callable[[], object]) -> int:
    """Do some work; return its exit code, after a line about what ended it."""
    code: object = 0
    try:
        code = work()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        code = 2
    except click.ClickException as error:
        code = complain(error.format_message(), 2)
    except TelTheoryError as error:
        code = complain(str(error), 2)
    except (SolverError, WorkerError) as error:
        code = complain(str(error), 1)
    except (KeyboardInterrupt, click.Abort):
        code = complain("interrupted", 130)
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        code = complain(f"out of memory{reason}, expected a smaller task or a larger machine", 2)
    except OSError as error:
        code = complain(f"{error.filename or 'a file'}: {error.strerror or error}, expected it to be usable", 2)
    except Exception as error:
        broken = broken_by(error)
        if broken is None:
            raise
        code = complain(str(broken), 2)
    return code if isinstance(code, int) else 0
