"""Command lines that are almost right, and what may become of them: a table or a line, and exit code 0, 1 or 2.

Those that work for minutes (`LONG`) are looked at up to where their work begins: there they end, as done.
"""

import io
import os
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from fuzz.formats import PLAN, formats, path_for
from fuzz.mutations import mutated
from fuzz.oracle import LONGEST_LINE, FaultError, limited

from teltheory.cli import main
from teltheory.workloads import sample_conversations

TEXTS = (
    "",
    " ",
    "-",
    "--",
    "-1",
    "0",
    "1",
    "nan",
    "inf",
    "1e400",
    "1e-400",
    "0x10",
    "1_0",
    "٣",
    "²",
    "½",
    "1/0",
    "0/1",
)
TEXTS += (
    "9" * 30,
    "9" * 5000,
    "1e999999999",
    "\ud800",
    "\x1b[2J",
    "x" * 300,
    "p95",
    "p101",
    "p0",
    "p99.9",
    "100%",
)
TEXTS += (
    "1ms",
    "0s",
    "-1s",
    "1e30s",
    "5us",
    "1s1s",
    "40GiB",
    "1e3000GB",
    "-1GB",
    "0.3M",
    "0.00001M",
    "1kk",
    "1,5",
    "=",
)
TEXTS += (
    "lru",
    "tlru:xi=9",
    "tlru:xi=",
    "tlru:xi=1,xi=2",
    "tlru:trim=x",
    "slo-tlru",
    "adaptive-tlru",
    "belady:xi=1",
)
TEXTS += (
    "sharegpt",
    "exponential:mean=0,rate=1",
    "exponential:mean=1e308,rate=1e-300",
    "pareto:mean=9,shape=1.5,rate=1",
)
TEXTS += (
    "characters/4",
    "teltheory",
    "mooncake",
    "wildchat",
    "auto",
    "tel",
    "slo",
    "none.json",
    "vicuna-7b",
    "%s",
    "{}",
)
TEXTS += (
    "http://127.0.0.1:9/v1/",
    "HTTP://127.0.0.1:99999",
    "http://a:b@127.0.0.1:9",
    "http://127.0.0.1:9/?key=1#2",
    "http://[::1",
    "90s",
    "9d",
    "999999999d",
    ",",
    "0,1",
    "256,9999999999999",
    "0.5,nan",
    "deep",
    "hindsight",
    "theorem-b1",
    "figure-2",
)
TRACE = "hostile.csv"
PLACES = (
    "hostile.jsonl", TRACE, "folder", "closed", "loop", "pipe", "none/none", "trace.csv/below", ".", "..",
    os.devnull, "/dev/zero", "/proc/none",
)  # fmt: skip
"""What is another file, or no file, or no folder that anybody could write to; `make_places` makes some."""
COMMANDS = {
    "replay": ("--capacity", "5", "--xi", "2", "--slo", "1ms", "--policy", "tlru:xi=2,q_hat=1", "--q-hat", "1"),
    "optimum": ("--capacity", "5", "--xi", "2", "--goal", "tel", "--certificate", "made.json"),
    "curve": ("--capacity", "5", "--xi", "2"),
    "advise": (
        "--slo",
        "1ms",
        "--capacity",
        "5",
        "--first",
        "1/2",
        "--goal",
        "p95",
        "--work-cost",
        "1.2",
        "--median-cost",
        "none",
        "--html",
        "made.html",
    ),
    "convert": ("made.csv", "--format", "auto", "--seed", "1"),
    "check-certificate": (),
    "calibrate-file": ("--form", "linear", "--from-tokens", "5", "--save", "made.json"),
    "ledger": ("--markdown", "made.md", "--latex", "made.tex"),
}
LONG = {
    "verify": ("--claim", "theorem-b1", "--batches", "3", "--store", "made.jsonl", "--regressions", "folder"),
    "reproduce": ("--trace", TRACE, "--out", "made", "--effort", "quick", "--seed", "1", "--workers", "1"),
    "figures": ("--trace", TRACE, "--capacity", "5", "--slo", "1ms", "--above", "2ms", "--turns", "9",
        "--seeds", "1"),
    "bench": ("--trace", "long.csv", "--turns", "100", "--repeats", "1", "--capacity", "5", "--quick"),
    "calibrate": ("--url", PLAN.url, "--model", PLAN.model, "--out", "made.jsonl", "--lengths", "64,128",
        "--shares", "0,0.5", "--repeats", "3", "--timeout", "9s", "--block-size", "16", "--vocabulary", "99"),
}  # fmt: skip
WORK = (
    "teltheory.cli.verify.decide_all",
    "teltheory.cli.campaigns.run",
    "teltheory.cli.reproduce.decide_all",
    "experiments.paper.all.make",
    "benchmarks.run.run",
)
"""What takes minutes in these commands: nothing that reads an argument or a file of the user's."""
MOST_SAMPLED = 10**6
COMMANDS |= LONG
READS = {
    "calibrate-file": "runs.csv",
    "ledger": "ledger.json",
    "check-certificate": "certificates.json",
    "verify": "campaign.jsonl",
    "calibrate": "probe.jsonl",
}
INPUTS = {"check-certificate": ("trace.csv",), "figures": ("made",)}
OTHERS = (
    "--format",
    "--tokenizer",
    "--times",
    "--latency",
    "--model",
    "--config",
    "--kv-bytes",
    "--tensor-parallel",
    "--kv-dtype",
    "--accept-latency-of",
    "--forced",
    "--json",
    "--store",
    "--no-such",
    "--workers",
    "--budget",
    "--section",
    "--api-key-env",
    "--again",
)
OWN = {
    "--url": (
        "HTTP://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://a:b@127.0.0.1:9",
        "http://[::1",
        "127.0.0.1",
    ),
    "--timeout": ("nan", "inf", "0s", "-1s", "1e-300s"),
    "--lengths": ("9" * 15, "256,9999999999999", ",", "0", "nan"),
    "--shares": ("0.5,nan", "1", "-0.1", ",", "1e-400"),
    "--repeats": ("9" * 12, "0"),
    "--seeds": ("9" * 12, "0"),
    "--turns": ("9" * 18, "1" + "0" * 12, "0"),
    "--batches": ("9" * 12, "-1"),
    "--claim": ("theorem-3", "figure-2", "*"),
    "--slo": ("1e30s", "1us", "nan"),
    "--out": PLACES,
    "--trace": PLACES,
    "--store": PLACES,
}
"""Values that are hostile to an option above all."""
KEPT = ("replay", "optimum", "curve", "advise", "convert")


def arguments(random, folder):
    """Write what a command reads, now and then changed, and return its arguments, one of them hostile."""
    command = random.choice(tuple(COMMANDS))
    one = formats()[READS.get(command, "own.csv")]
    if command in KEPT and random.random() < 0.2:
        one = random.choice([o for o in formats().values() if o.kind in ("csv", "jsonl", "parquet")])
    path = path_for(one, folder)
    path.write_bytes(mutated(random, one.kind, one.valid) if random.random() < 0.3 else one.valid)
    options = list(COMMANDS[command])
    own = [i for i, option in enumerate(options[:-1], 1) if option in OWN]
    match random.randrange(4):
        case 0 if own:
            place = random.choice(own)
            options[place] = random.choice(OWN[options[place - 1]])
        case 0 | 1 if options:
            options[random.randrange(len(options))] = random.choice((*TEXTS, *PLACES))
        case 2:
            options += [random.choice(OTHERS), random.choice((*TEXTS, *PLACES))]
        case _:
            options = options[: random.randrange(len(options) + 1)]
    inputs = list(INPUTS.get(command, ())) if command in LONG else [path.name, *INPUTS.get(command, ())]
    (folder / "trace.csv").write_bytes(formats()["own.csv"].valid)
    (folder / "long.csv").write_text("conversation,prompt,response\n" + "A,99,0\nB,50,9\n" * 50)
    make_places(folder)
    if inputs and random.random() < 0.1:
        inputs[0] = random.choice((*TEXTS, *PLACES))
    return [command, *inputs, *options]


def make_places(folder):
    """Make what is no file to be read, and folders that nothing can be written to."""
    (folder / "folder" / "report.html").mkdir(parents=True, exist_ok=True)
    (folder / "closed").mkdir(mode=0o555, exist_ok=True)
    if not (folder / "loop").is_symlink():
        (folder / "loop").symlink_to("loop")
        os.mkfifo(folder / "pipe")


class WorkBegan(BaseException):
    """A command has read and checked what it was given, and would now work for long."""


def begin(*_, **__):
    raise WorkBegan


def sampled(model, turns, rng):
    """Sample a trace; one that takes long is work."""
    return begin() if turns > MOST_SAMPLED else sample_conversations(model, turns, rng)


@contextmanager
def read_pipe():
    """Let the pipe of this folder have a reader, as whoever writes to one without waits for ever."""
    if not Path("pipe").exists():
        yield
        return
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield
    finally:
        os.close(reader)


def answer(given, seconds=60):
    """Run a command line in this folder, up to long work; return its exit code and its standard error."""
    out, err = io.StringIO(), io.StringIO()
    with ExitStack() as stack:
        for place in WORK:
            import_module(
                place.rpartition(".")[0]
            )  # one that is imported amid patches would keep what they put there
        for place in WORK:
            stack.enter_context(patch(place, begin))
        stack.enter_context(patch("benchmarks.workload.sample_conversations", sampled))
        stack.enter_context(read_pipe())
        stack.enter_context(limited(seconds))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            main(given)
        except WorkBegan:
            code = 0
        except SystemExit as ended:
            code = ended.code
    return code, err.getvalue()


def judged_command(given):
    """Run a command line in this folder, up to long work; return its exit code, or raise what is a fault."""
    code, said = answer(given)
    if code not in (0, 1, 2):
        raise FaultError(f"exit code {code}: {said[:300]}")
    if code == 0 and said:
        raise FaultError(f"done, and something on standard error: {said[:300]}")
    if code and (said.count("\n") != 1 or not said.rstrip("\n").isprintable()):
        raise FaultError(f"not one line that can be printed: {said[:300]!r}")
    longest = max((len(text) for text in given), default=0)
    if len(said) > LONGEST_LINE + 2 * longest:
        raise FaultError(f"an error of {len(said)} characters: {said[:300]}")
    return code
