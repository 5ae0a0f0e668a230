"""What the columns of tables mean: each heading that any command prints, defined once.

A heading may mean something else in one command: then it stands with the command's name before it. `--explain`
prints the definitions below the tables that have the columns, and nothing else changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import click

from teltheory.cli.parts import option

ASKED, SAID = "teltheory.explain", "teltheory.explained"
ROW = "which row of a group it is: a policy, the optimum, what is proved"
DEFINITIONS = {
    "": ROW,
    "policy": "the policy in its short form",
    "capacity": "size of the cache, tokens",
    "threshold": "ξ, tokens that a turn may compute before it counts as slow; or the TTFT that stands for it",
    "tiers, threshold": "sizes of the tiers, fastest first, and ξ",
    "T-LRU's threshold": "the ξ with which T-LRU has the smallest percentile",
    "hit": "share of the input that was reused from the cache",
    r"hit \d+": "share of the input that was reused from the tier of this number",
    "prefill": "tokens that the server computed",
    "written": "tokens of inputs and outputs that were not in the cache before",
    r"to \d+": "tokens copied to the tier of this number",
    r"from \d+": "tokens loaded from the tier of this number",
    r"loaded \d+": "tokens loaded from the tier of this number",
    r"written \d+": "tokens written to the tier of this number",
    r"(mean|[Pp][\d.]+) s": "mean or percentile of TTFT, seconds; so many per cent of the turns have at most that",
    r"(mean|[Pp][\d.]+) tok": "mean or percentile of uncached tokens; so many per cent have at most that",
    "price": "change of the tokens computed, against LRU",
    "gain": "share of LRU's TEL that the policy is below it",
    "gain 95 %": "95 % interval of the gain; = where it contains 0: tied with LRU",
    "rank": "how many policies of the table are proved worse",
    "slow": "turns above the threshold",
    "tokens": "the percentile, in uncached tokens",
    r"TEL( blocks| s)?": "tail excess latency: what turns have above the threshold, together; tokens unless said",
    "efficiency": "share of a GPU's peak that an estimate counts on",
    "SLO tokens": "the threshold that stands for the SLO at that efficiency, tokens",
    "advice": "the setting that is advised at that efficiency",
    "LRU P95 s": "LRU's P95 of TTFT at that efficiency, seconds",
    "its P95 s": "that of the advised setting, seconds",
    "gain on the rest": "by how much less TEL it has than LRU on the turns that it was not chosen on",
    "vs LRU": "change against LRU at the same capacity and threshold",
    "vs no cache": "change of TEL against computing every input whole",
    "regret": "TEL above the hindsight optimum, or above a proved lower bound of it",
    "closed": "share of LRU's distance to the optimum that is closed; blank where LRU has none",
    r"busy|util": "busy seconds over the seconds of all replicas",
    "kept": "turns a second that keep the SLO",
    "tail s": "seconds above the SLO, all turns together",
    r"wait|load|compute": "the part of the tail that is charged to waiting, to loading or to computing",
    r"gap|of\navoidable": "how far the sides are apart, as a share; of avoidable, against avoidable violations",
    "status": "how the search ended",
    "method": "what found the plan",
    "time s": "seconds of the search",
    "router": "the rule that sends a turn to a replica",
    "gain %": "by how much the goal is below LRU's, with its 95 % interval",
    "setting": "the policy, or what the point is",
    "ξ": "the threshold of the setting, tokens",
    "Q̂": "the estimate of the next prompt in the setting, tokens",
    "of LRU's": "the prefill as a multiple of LRU's",
    "above the limit": "which limit the setting breaks",
    r"replicas|tier\d+ tokens": "the number or the size that was tried",
    "interval": "95 % interval of the percentile",
    "keeps the SLO": "whether the percentile keeps the SLO",
    "advise load": "the load that was tried; in the rest of a trace, seconds of loading above the SLO",
    r"advise (hit|written) \d+": "tokens reused from, or written to, the tier of this number",
    "advise TEL s": "seconds above the SLO, all turns together",
    r"advise wait|advise compute": "seconds above the SLO that are charged to waiting or to computing",
    r"reproduce C|figures C": "capacity, tokens",
    r"\d+ ms\n.*": "the measure of the paper's table at this threshold, ours beside the printed one",
    "system": "RAGCache, RAGCache without a part, or a server without reuse",
    "/s": "first tokens a second",
    "docs": "share of the retrieved documents that were in the cache",
    "host": "share of the retrieved documents that were in the host's memory",
    "rag serve tokens": "share of the input that was reused",
    "out": "copied to the host, GB of a model or tokens",
    "in": "loaded from the host, GB of a model or tokens",
    "wasted": "share of the GPU's time that went to speculation that was not used",
    "rag serve slow": "share of the requests with a TTFT above the SLO",
    "highest": "the rate up to which the mean TTFT is at most K times that of `none` without load",
    "prefill s": "seconds of all prefills",
    r"(mean|P50|P90|P95|P99|most)": "mean, percentile or greatest of the row's lengths or gaps",
    "read by": "how many conversations read the blocks",
    "blocks": "number of blocks",
    "of the input": "their share of the input",
    "prompt": "tokens of the prompt",
    "cached": "tokens that were cached",
    "measured": "number of measurements",
    r"(median|least|most) s": "median, least or greatest TTFT of them, seconds",
    "form": "form of the latency model",
    "R²": "share of the variance that the form explains",
    "error ms": "mean absolute error on cells left out, milliseconds",
    "± ms": "standard error of that mean, milliseconds",
    "worst ms": "largest error of a cell, milliseconds",
    "parameter": "parameter of the formula",
    r"value|from|to": "the value, and the ends of its 95 % interval",
    "unit": "unit of the value",
    "replay": "what is timed",
    r"ms|seconds": "median time of the whole call, milliseconds or seconds",
    "spread": "quickest and slowest of the timings, or of their ratios",
    "ns/turn": "nanoseconds a turn",
    r"M (turns|block requests)/s": "millions a second",
    r"this|as this": "how many times as long as the second the first takes",
    "turns": "turns of the trace",
    "times": "how many times as long",
    r"n = [\d,]+": "nanoseconds a turn on so many turns",
    "growth": "nanoseconds a turn on the longest trace against the shortest",
    "step": "what is measured",
    r"peak|bench kept": "bytes a turn or block, at most and at the end",
    "process": "the command of a whole process",
    "computed": "tokens that were computed",
    "reused": "share of the input that was reused",
    "above": "applications above the threshold",
    "largest": "the largest excess of an application, tokens",
    "excess": "tokens above the threshold, over all applications",
    "measure": "sum of all turns, or the heaviest path",
    "LRU": "LRU's excess, tokens",
    r"lower|upper|apps optimum gap": "no policy has less; the best plan found; their difference; tokens",
    "solver's bound": "the solver's word for the lower side",
    "found by": "what found the plan",
    r"apps explain (request|requests)": "the request, or the requests that share the prefix",
    r"apps explain from|gives": "variables that the request consumes, and that it produces",
    "label": "what the request is served for: latency or throughput",
    "stage": "most steps from the request to the end",
    "group": "number of its task group",
    "apps explain tokens": "tokens as far as they are known before it runs",
    "besides": "variables in the prefix whose values are not known yet",
    r"apps explain prompts": "prompts that begin with the prefix",
    "ends with": "the end of the prefix",
    "ahead": "which turns count",
    "saving": "excess that is saved against keeping nothing, tokens",
    "cost": "excess of the turns ahead, tokens",
    r"belief (solve|map) regret": "saving below the optimum's, tokens",
    "at most": "upper bound of the regret in the model without forgetting, proved",
    "of it %": "the regret in per cent of the optimum's saving",
    "loses": "states, or models, where a decision of the policy is worse than the best one",
    "at worst": "the largest loss by a decision, tokens",
    "belief decide value": "what is saved from here on, tokens",
    "loss": "what is saved less than by the best, tokens",
    "kept by": "the policies that keep this",
    r"belief decide \S+ \d+": "tokens kept of the conversation of this kind, silent for so many turns",
    r"belief map (kinds\..*|start\..*|[a-z]+_rate|gaps|xi|capacity|belief|caching)": "value of the field",
    r"belief search (belief|rates|prompts|caching)": "the class of the models",
    "models": "models that were solved",
    "application": "user and number of the application",
    "apps lift requests": "its requests",
    "joined": "earlier outputs that prompts hold",
    "held": "share of the prompts' characters that these outputs are",
    "several": "joined outputs that two or more earlier requests had",
    "continued": "prompts that begin with an earlier prompt and its output",
    "engine": "the engine that ran requests",
    "filled": "tokens of prompts that were computed",
    "generated": "tokens of outputs",
    "most held": "tokens of contexts at one time, at most",
    r"modules replay slow": "requests above the threshold",
    r"modules (bench|run) kept": "tokens of modules that were at hand",
    "encoded": "tokens of modules that were not at hand and were encoded",
    "fresh": "tokens of arguments and new text",
    "share": "share of the tokens that were kept",
    r"MiB( together| alone)?": "memory, MiB: of what is kept or copied, or of a batch together and one by one",
    r"full (ms|s)": "TTFT of full attention over the same tokens",
    r"modules bench (range|cached|cold|gaps)": "TTFT in ms: its ends, with a cache, an empty cache, gaps",
    r"ratio|CPU": "how many times as long full attention takes, by the clock and by CPU time",
    r"modules bench prompts": "prompts in the batch",
    r"tokens/s together|one by one": "tokens a second of the batch, and of its prompts one by one",
    r"modules run prompt": "file of the prompt",
    "gaps": "empty positions of the layout",
    r"TTFT s|CPU s": "seconds to the first token, by the clock and by CPU time",
    r"modules run slow": "items that were copied from the slow tier",
    "KL": "divergence of the first token's distribution from full attention's, nats",
    "reading": "how modules are encoded",
    "right": "share of tasks whose right answer is the likeliest",
    "95 %": "95 % interval of the column before it",
    "less": "share of right answers minus full attention's, per cent",
    "exact": "share of tasks in which greedy decoding begins with the right answer",
    "same": "share of tasks with the first token of full attention",
    r"key|persona|union|two-hop|code": "right answers of the tasks of this kind, and KL",
    "module": "name of the module",
    r"start|length": "where it begins in the layout, and how many positions it has",
    "own": "positions of its own text, without its parts",
    "parameters": "its parameters",
    r"modules pml \w+ (union|cached)": "its union, of which one module is chosen; whether it is cached",
    r"what|of": "what the stretch or the file is, and of what",
    r"compare (hint or policy|policy and hints)": "what is priced: a hint, a policy, or a policy that hears hints",
    r"compare (alone|last)": "share of LRU's distance to the optimum that it closes alone, or beside all others",
    r"compare (least|most)": "the least and the greatest share that it closes beside any of the others",
    r"compare mean": "the mean of what it closes over all orders in which hints and policy come (Shapley)",
    r"compare (mean|closed), draws": "the least and the greatest of these shares in one draw",
    "file": "the file",
    "trace fetch trace": "name of the trace, which stands for its file",
    "trace fetch format": "what its reader is called; arrivals: a file of times",
    "licence": "the licence, as its page says",
    "bytes": "its size",
    "digest": "whether its digest is listed; by hand: it has many files, or terms to accept",
    "here": "whether it is in the data folder",
    "found": "what was found in it",
}


@cache
def rules() -> list[tuple[re.Pattern[str], str]]:
    """Return patterns of headings and their meanings, the first that fits counts; made when `--explain` asks."""
    return [(re.compile(pattern), text) for pattern, text in DEFINITIONS.items()]


def _ask(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[ASKED] = value


explain_option = option(
    "--explain", is_flag=True, expose_value=False, callback=_ask, help="Define the columns of tables below them."
)


def definition(column: str, command: str = "") -> str | None:
    """Return what a column of a command's tables means, the command's own meaning first; None if nobody says."""
    headings = f"{command} {column}", column
    return next((text for one in headings for pattern, text in rules() if pattern.fullmatch(one)), None)


def command_of(context: click.Context) -> str:
    """Return the words that call a command, such as ``apps replay``."""
    return context.command_path.partition(" ")[2]


def explanations(parts: Iterable[Any]) -> Iterator[str]:
    """Yield a line for each meaning of the tables' columns that was not said before, if `--explain` asks."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(ASKED):
        return
    said, found = context.meta.setdefault(SAID, set()), dict[str, dict[str, None]]()
    for name in (name for part in parts for name in getattr(part, "plain", ("", ()))[1]):
        meaning = definition(name, command_of(context))
        if meaning is not None and name and name not in said:
            found.setdefault(meaning, {})[" ".join(name.split())] = None
            said.add(name)
    yield from (f"{', '.join(names)}: {meaning}." for meaning, names in found.items())
