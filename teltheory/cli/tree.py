"""The tree of commands, and the names and forms that they had. Their modules are imported when they are called."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from teltheory import __version__
from teltheory.cli.on_demand import Former, Front, OnDemand


def group(name: str, summary: str, *listed: click.Command) -> click.Group:
    """Return a group of commands."""
    return click.Group(name, {str(command.name): command for command in listed}, help=summary)


TRACE = group(
    "trace",
    "Describe a trace, convert it, or make one.",
    OnDemand("describe", "Show lengths, turns and reuse in TRACE, and what it shares."),
    OnDemand("convert", "Write TRACE to OUT in the toolkit's own format."),
    OnDemand("sample", "Draw a trace like those of the paper, and write it to OUT.", "convert:sample"),
)
POLICY = group(
    "policy",
    "Look for traces on which a policy does badly.",
    OnDemand(
        "never-worse", "Look for a trace on which POLICY is worse than another.", "counterexamples:never_worse"
    ),
    OnDemand(
        "adversary", "Find a trace on which POLICY pays and the optimum nothing.", "counterexamples:adversary"
    ),
)
SERVER = group(
    "server",
    "Measure a live server.",
    OnDemand("probe", "Measure a server's time to first token.", "probe:probe_command"),
)
SIMULATE = group(
    "simulate",
    "Serve a trace by replicas with queues and caches.",
    OnDemand("replicas", "Serve TRACE by replicas, each with a queue and a cache.", "simulate:replicas"),
)
RAG = group(
    "rag",
    "RAGCache: documents that requests share.",
    OnDemand("serve", "Serve questions about CORPUS with RAGCache.", "rag:serve_command"),
)
PML = group(
    "pml",
    "Prompt Cache's language: schemas and prompts.",
    OnDemand(
        "layout", "Show where each module of SCHEMA begins, and how long it is.", "modules_pml:layout_command"
    ),
    OnDemand("check", "Say what is wrong with schemas and with their prompts.", "modules_pml:check"),
    OnDemand("resolve", "Show what PROMPT imports from SCHEMA, and where.", "modules_pml:resolve_command"),
)
MODULES = group(
    "modules",
    "Prompt Cache: prompts made of modules that are reused.",
    PML,
    OnDemand("replay", "Replay requests for sets of modules under policies.", "modules_replay:replay"),
    OnDemand("sample", "Draw requests for modules and write them to OUT.", "modules_sample:sample"),
    OnDemand("run", "Answer prompts with a model that reuses their modules.", "modules_run:run"),
    OnDemand("bench", "Time the first token with kept modules and without.", "modules_bench:bench"),
    OnDemand("quality", "Compare answers with kept modules to full attention.", "modules_quality:quality"),
)
APPS = group(
    "apps",
    "Parrot: applications made of many requests.",
    OnDemand("explain", "Show the graph of applications, and what they share.", "apps_explain:explain_command"),
    OnDemand("run", "Run the applications of FILE and show the answers.", "apps_run:run"),
    OnDemand("lift", "Find the applications in LOG, a log of requests.", "apps_lift:lift_command"),
    OnDemand("server", "Serve applications over HTTP.", "apps_server:server"),
    OnDemand("replay", "Replay the applications of FILE under policies.", "apps_replay:replay"),
    OnDemand("optimum", "Print the least excess that any policy reaches on FILE.", "apps_optimum:optimum"),
)
SECTIONS = {
    "Main job": (
        OnDemand("reproduce", "Decide the claims, replay a trace, and report both."),
        OnDemand("figures", "Make the paper's tables and figures in FOLDER."),
    ),
    "One trace": (
        TRACE,
        OnDemand("replay", "Replay TRACE under policies, next to LRU and the optimum."),
        OnDemand("optimum", "Print the least that any policy can reach on TRACE."),
        OnDemand("curve", "Show TRACE under policies as a function of the capacity."),
        OnDemand("advise", "Choose T-LRU's threshold for TRACE and an SLO."),
    ),
    "Latency": (
        OnDemand("calibrate", "Fit a latency model to the result file of a benchmark."),
        SERVER,
    ),
    "Theory": (OnDemand("verify", "Decide every claim of the paper and print the ledger."), POLICY),
    "Systems": (
        SIMULATE,
        RAG,
        MODULES,
        APPS,
        OnDemand("bench", "Measure how fast our replays are, as ratios."),
    ),
}


def _no_command_of(listed: click.Group) -> Callable[[Sequence[str]], bool]:
    """Return what says whether arguments name no command of a group, nor what may be meant as one."""

    def meant(rest: Sequence[str]) -> bool:
        if not rest or rest[0] in (*listed.commands, "-h", "--help"):
            return False
        return Path(rest[0]).exists() or not get_close_matches(rest[0], listed.commands)

    return meant


def _with_url(rest: Sequence[str]) -> bool:
    return any(argument.partition("=")[0] == "--url" for argument in rest)


FORMER = (
    Former("convert", "trace convert", "convert:convert"),
    Former("sample", "trace sample", "convert:sample"),
    Former("ledger", "verify --from FILE", "verify:verify", ["ledger_file"]),
    Former("check-certificate", "optimum TRACE --check FILE", "optimum:optimum", ["checked_file", "trace_file"]),
    Former("never-worse", "policy never-worse", "counterexamples:never_worse"),
    Former("adversary", "policy adversary", "counterexamples:adversary"),
    Former("calibrate-file", "calibrate", "calibrate:calibrate"),
    Former("calibrate", "server probe", "probe:probe_command", meant=_with_url),
    Former("simulate", "simulate replicas", "simulate:replicas", meant=_no_command_of(SIMULATE)),
    Former("rag", "rag serve", "rag:serve_command", meant=_no_command_of(RAG)),
)


@click.group(cls=Front, former=FORMER, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="teltheory")
def commands() -> None:
    """Decide what is true about tail-optimised prompt caching, and measure it on your own traces."""


commands.add_sections(SECTIONS)
