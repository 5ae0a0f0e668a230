"""Command lines that are almost right, and what may become of them: a table or a line, and exit code 0, 1 or 2."""

import io
import os
from contextlib import redirect_stderr, redirect_stdout

from fuzz.formats import formats, path_for
from fuzz.mutations import mutated
from fuzz.oracle import LONGEST_LINE, FaultError, limited

from teltheory.cli import main

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
COMMANDS = {
    "replay": ("--capacity", "5", "--xi", "2", "--slo", "1ms", "--policy", "tlru:xi=2,q_hat=1", "--q-hat", "1"),
    "optimum": ("--capacity", "5", "--xi", "2", "--objective", "tel", "--certificate", "made.json"),
    "curve": ("--capacity", "5", "--xi", "2"),
    "advise": ("--slo", "1ms", "--capacity", "5", "--first", "1/2", "--quantile", "p95", "--html", "made.html"),
    "convert": ("made.csv", "--format", "auto", "--seed", "1"),
    "check-certificate": (),
    "calibrate-file": ("--form", "linear", "--from-tokens", "5", "--save", "made.json"),
    "ledger": ("--markdown", "made.md", "--latex", "made.tex"),
}
READS = {"calibrate-file": "runs.csv", "ledger": "ledger.json", "check-certificate": "certificates.json"}
OTHERS = (
    "--format",
    "--tokenizer",
    "--times",
    "--latency",
    "--model",
    "--forced",
    "--json",
    "--store",
    "--no-such",
)
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
    match random.randrange(4):
        case 0 | 1 if options:
            options[random.randrange(len(options))] = random.choice(TEXTS)
        case 2:
            options += [random.choice(OTHERS), random.choice(TEXTS)]
        case _:
            options = options[: random.randrange(len(options) + 1)]
    inputs = [path.name] if command != "check-certificate" else [path.name, "trace.csv"]
    (folder / "trace.csv").write_bytes(formats()["own.csv"].valid)
    if random.random() < 0.1:
        inputs[0] = random.choice((*TEXTS, ".", os.devnull, "/dev/zero"))
    return [command, *inputs, *options]


def judged_command(given, seconds=60):
    """Run a command line in the present folder; return its exit code, or raise what is a fault."""
    out, err = io.StringIO(), io.StringIO()
    with limited(seconds), redirect_stdout(out), redirect_stderr(err):
        try:
            main(given)
        except SystemExit as ended:
            code = ended.code
    said = err.getvalue()
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
