"""The tree of commands. Their modules are imported when they are called."""

import click

from teltheory.cli.on_demand import Front, OnDemand


def group(name: str, summary: str, *listed: click.Command) -> click.Group:
    """Return a group of commands."""
    return click.Group(name, {str(command.name): command for command in listed}, help=summary)


TRACE = group(
    "trace",
    "Describe a trace, convert it, make one, or fetch one.",
    OnDemand("describe", "Show lengths, turns and reuse in TRACE, and what it shares.", "trace.describe:describe"),
    OnDemand("convert", "Write TRACE to OUT in the toolkit's own format.", "trace.convert:convert"),
    OnDemand("sample", "Draw a trace like those of the paper, and write it to OUT.", "trace.convert:sample"),
    OnDemand("fetch", "Bring the public trace NAME into the data folder.", "trace.fetch:fetch_command"),
)
POLICY = group(
    "policy",
    "Look for traces on which a policy does badly.",
    OnDemand(
        "never-worse",
        "Look for a trace on which POLICY is worse than another.",
        "policy.counterexamples:never_worse",
    ),
    OnDemand(
        "adversary",
        "Find a trace on which POLICY pays and the optimum nothing.",
        "policy.counterexamples:adversary",
    ),
)
BELIEF = group(
    "belief",
    "Solve the belief MDP: policies beside the optimum.",
    OnDemand("solve", "Show policies beside the optimum of MODEL, a belief MDP.", "belief.solve:solve"),
    OnDemand("decide", "Show what may be kept at the start of MODEL, and its worth.", "belief.solve:decide"),
    OnDemand("map", "Show regrets on MODEL for all values of some fields.", "belief.vary:map_command"),
    OnDemand("search", "Try policies on random models, and show where each loses.", "belief.vary:search"),
)
SERVER = group(
    "server",
    "Measure a live server.",
    OnDemand("probe", "Measure a server's time to first token.", "server.probe:probe_command"),
)
SIMULATE = group(
    "simulate",
    "Serve a trace by replicas with queues and caches.",
    OnDemand("replicas", "Serve TRACE by replicas, each with a queue and a cache.", "simulate.replicas:replicas"),
)
RAG = group(
    "rag",
    "RAGCache: documents that requests share.",
    OnDemand("serve", "Serve questions about CORPUS with RAGCache.", "rag.serve:serve_command"),
)
PML = group(
    "pml",
    "Prompt Cache's language: schemas and prompts.",
    OnDemand(
        "layout", "Show where each module of SCHEMA begins, and how long it is.", "modules.pml:layout_command"
    ),
    OnDemand("check", "Say what is wrong with schemas and with their prompts.", "modules.pml:check"),
    OnDemand("resolve", "Show what PROMPT imports from SCHEMA, and where.", "modules.pml:resolve_command"),
)
MODULES = group(
    "modules",
    "Prompt Cache: prompts made of modules that are reused.",
    PML,
    OnDemand("replay", "Replay requests for sets of modules under policies.", "modules.replay:replay"),
    OnDemand("sample", "Draw requests for modules and write them to OUT.", "modules.sample:sample"),
    OnDemand("run", "Answer prompts with a model that reuses their modules.", "modules.run:run"),
    OnDemand("bench", "Time the first token with kept modules and without.", "modules.bench:bench"),
    OnDemand("quality", "Compare answers with kept modules to full attention.", "modules.quality:quality"),
)
APPS = group(
    "apps",
    "Parrot: applications made of many requests.",
    OnDemand("explain", "Show the graph of applications, and what they share.", "apps.explain:explain_command"),
    OnDemand("run", "Run the applications of FILE and show the answers.", "apps.run:run"),
    OnDemand("lift", "Find the applications in LOG, a log of requests.", "apps.lift:lift_command"),
    OnDemand("server", "Serve applications over HTTP.", "apps.server:server"),
    OnDemand("replay", "Replay the applications of FILE under policies.", "apps.replay:replay"),
    OnDemand("optimum", "Print the least excess that any policy reaches on FILE.", "apps.optimum:optimum"),
)
SECTIONS = {
    "Main job": (
        OnDemand("demo", "Show T-LRU, LRU and the optimum on a sampled trace."),
        OnDemand(
            "reproduce", "Decide the claims, replay a trace, and report both.", "reproduce.command:reproduce"
        ),
        OnDemand("figures", "Make the paper's tables and figures in FOLDER.", "reproduce.figures:figures"),
    ),
    "One trace": (
        TRACE,
        OnDemand("replay", "Replay TRACE under policies, next to LRU and the optimum.", "replay.command:replay"),
        OnDemand("optimum", "Print the least that any policy can reach on TRACE.", "optimum.command:optimum"),
        OnDemand(
            "check-certificate", "Check proofs of an optimum against TRACE.", "optimum.check:check_certificate"
        ),
        OnDemand("compare", "Rank policies on each TRACE, beside LRU and the optimum.", "replay.compare:compare"),
        OnDemand("curve", "Show TRACE under policies as a function of the capacity.", "replay.curve:curve"),
        OnDemand("advise", "Choose T-LRU's threshold for TRACE and an SLO.", "advise.command:advise"),
    ),
    "Latency": (
        OnDemand("calibrate", "Fit a latency model to the result file of a benchmark."),
        SERVER,
    ),
    "Theory": (
        OnDemand("verify", "Decide every claim of the paper and print the ledger.", "verify.command:verify"),
        OnDemand("check", "Decide a statement, such as 'TEL(tlru) <= TEL(lru)'.", "verify.check:check"),
        POLICY,
        BELIEF,
    ),
    "Systems": (
        SIMULATE,
        RAG,
        MODULES,
        APPS,
        OnDemand("bench", "Measure how fast our replays are, as ratios."),
        OnDemand("vectors", "Write small traces with exact answers to FILE.", "vectors.command:vectors"),
    ),
}


@click.group(cls=Front, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="teltheory", prog_name="teltheory")
def commands() -> None:
    """Decide what is true about tail-optimised prompt caching, and measure it on your own traces."""


commands.add_sections(SECTIONS)
