"""The command line: everything that prints or writes files, but for traces and the files of sweeps and probes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from teltheory import __version__
from teltheory.cli.advise import advise as advise_command
from teltheory.cli.bench import bench as bench_command
from teltheory.cli.calibrate import calibrate as calibrate_command
from teltheory.cli.calibrate_file import calibrate_file as calibrate_file_command
from teltheory.cli.certificate import check as check_certificate_command
from teltheory.cli.convert import convert as convert_command
from teltheory.cli.curve import curve as curve_command
from teltheory.cli.figures import figures as figures_command
from teltheory.cli.ledger import ledger as ledger_command
from teltheory.cli.never_worse import never_worse as never_worse_command
from teltheory.cli.optimum import optimum as optimum_command
from teltheory.cli.output import complain
from teltheory.cli.replay import replay as replay_command
from teltheory.cli.reproduce import reproduce as reproduce_command
from teltheory.cli.sample import sample as sample_command
from teltheory.cli.streams import standard_streams
from teltheory.cli.verify import verify as verify_command
from teltheory.errors import SolverError, TelTheoryError, WorkerError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="teltheory")
def commands() -> None:
    """Decide what is true about tail-optimised prompt caching, and measure it on your own traces."""


for command in (
    reproduce_command,
    verify_command,
    ledger_command,
    convert_command,
    replay_command,
    optimum_command,
    check_certificate_command,
    curve_command,
    advise_command,
    never_worse_command,
    calibrate_file_command,
    figures_command,
    sample_command,
    bench_command,
    calibrate_command,
):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a verdict, solver or process failed, 2 bad usage or input."""
    with standard_streams():
        code = _done(lambda: commands.main(arguments, prog_name="teltheory", standalone_mode=False))
        sys.exit(_done(sys.stdout.flush) or code)


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
    except OSError as error:
        code = complain(f"{error.filename or 'a file'}: {error.strerror or error}, expected it to be usable", 2)
    return code if isinstance(code, int) else 0
