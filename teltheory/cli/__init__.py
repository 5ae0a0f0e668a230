"""The command line: everything that prints or writes files, except traces and the files of sweeps and probes."""

import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

import click

from teltheory import __version__
from teltheory.cli.apps import apps
from teltheory.cli.on_demand import OnDemand, Renamed
from teltheory.cli.output import complain
from teltheory.errors import SolverError, TelTheoryError, WorkerError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="teltheory")
def commands() -> None:
    """Decide what is true about tail-optimised prompt caching, and measure it on your own traces."""


CONVERT = "Write TRACE to OUT in the toolkit's own format: a .csv, .jsonl or .parquet file."
SAMPLE = (
    "Write the first turns of WORKLOAD (wildchat-like or sharegpt-like) to OUT, a .csv, .jsonl or .parquet file."
)
trace = click.Group("trace", help="Describe a trace, convert it, or make one.")
for command in (
    OnDemand("describe", "Show what TRACE is like: lengths, turns, reuse, what is shared, and what can be hit."),
    OnDemand("convert", CONVERT),
    OnDemand("sample", SAMPLE, "convert:sample"),
):
    trace.add_command(command)

pml = click.Group("pml", help="Prompt Cache's language: lay schemas out, check them, resolve prompts.")
for command in (
    OnDemand(
        "layout", "Show where each module of SCHEMA begins, and how long it is.", "modules_pml:layout_command"
    ),
    OnDemand("check", "Say what is wrong with schemas and with prompts made from them.", "modules_pml:check"),
    OnDemand(
        "resolve", "Show what PROMPT imports from SCHEMA, and at which positions.", "modules_pml:resolve_command"
    ),
):
    pml.add_command(command)
modules = click.Group("modules", help="Prompt Cache: prompts made of modules whose attention is reused.")
modules.add_command(pml)
for command in (
    OnDemand(
        "replay",
        "Replay requests for module sets under policies, next to LRU and the hindsight optimum.",
        "modules_replay:replay",
    ),
    OnDemand(
        "sample",
        "Write drawn requests to OUT, JSON lines: module sets by laws, or with --schema a log of prompts.",
        "modules_sample:sample",
    ),
    OnDemand("run", "Answer each PROMPT in turn with a model, keeping the modules of SCHEMA.", "modules_run:run"),
    OnDemand(
        "bench",
        "Time the first token with modules kept, in full, and at the positions of a schema, on random tokens.",
        "modules_bench:bench",
    ),
    OnDemand(
        "quality",
        "Score answers to seeded tasks by how modules were encoded, against full attention on the same tokens.",
        "modules_quality:quality",
    ),
):
    modules.add_command(command)

commands.add_command(trace)
commands.add_command(modules)
commands.add_command(apps)
for command in (
    OnDemand("reproduce", "Decide the claims, replay a trace under every policy, and print both."),
    OnDemand("verify", "Decide every claim of the paper and print the ledger."),
    OnDemand(
        "ledger",
        "Make documents of LEDGER, the file that `teltheory verify --json` wrote (- for standard input).",
        "verify:ledger",
    ),
    Renamed("convert", "trace convert", CONVERT),
    OnDemand("replay", "Replay TRACE under policies, next to LRU and the hindsight optimum."),
    OnDemand("optimum", "Print the least that any policy reaches on TRACE, known in advance."),
    OnDemand(
        "check-certificate",
        "Check the certificates in FILE, which `teltheory optimum --certificate` wrote, against TRACE.",
        "certificate:check",
    ),
    OnDemand("curve", "Show TRACE under policies as a function of the capacity; optional caching."),
    OnDemand(
        "advise",
        "Choose T-LRU's threshold for TRACE on its first part, judge it on the rest, and print engines' settings.",
    ),
    OnDemand(
        "never-worse",
        "Search for a trace on which POLICY has a larger TEL than another policy; print the smallest.",
        "counterexamples:never_worse",
    ),
    OnDemand(
        "adversary",
        "Find a trace on which POLICY, an online one, pays, and the optimum nothing.",
        "counterexamples:adversary",
    ),
    OnDemand(
        "calibrate-file",
        "Fit a latency model to the result file of a benchmark: vLLM, SGLang, AIPerf, CSV or the probe.",
        "calibrate:calibrate_file",
    ),
    OnDemand(
        "figures", "Make the paper's tables and figures in FOLDER, and print Tables 1 to 6 beside the paper's."
    ),
    OnDemand("simulate", "Serve TRACE by replicas, each with a queue and a cache or tiers of memory."),
    OnDemand("rag", "Serve questions about CORPUS with RAGCache, without each of its parts, and without reuse."),
    Renamed("sample", "trace sample", SAMPLE, "convert:sample"),
    OnDemand(
        "bench",
        "Measure our replays against libcachesim and our own reference, as ratios within one run.",
    ),
    OnDemand("calibrate", "Measure a server's time to first token over prompt length and cached share."),
):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a verdict, solver or process failed, 2 bad usage or input."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
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
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        code = complain(f"out of memory{reason}, expected a smaller task or a larger machine", 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        code = complain(f"{error.filename or 'a file'}: {error.strerror or error}, expected it to be usable", 2)
    return code if isinstance(code, int) else 0
