"""`teltheory optimum`: the least TEL, the fewest violations or the smallest percentile of any policy."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import click

from teltheory.cli.asked.options import (
    block_cache_option,
    duration,
    forced_option,
    goal_option,
    grid_options,
    prefix_options,
    running_option,
    trace_options,
)
from teltheory.cli.asked.prefixes import PRIVATE, Prefixes
from teltheory.cli.asked.question import Asked
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.optimum.certificate import certificates_as_data
from teltheory.cli.optimum.forest import ForestSearch
from teltheory.cli.optimum.searches import CertifiedRow, Search
from teltheory.cli.optimum.tiered import TieredSearch
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import complain, console, progress_bar, show, write_json
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.cli.replay.served_runs import question_in_tiers
from teltheory.cost.goals import SLO, TEL, Level, read_goal
from teltheory.errors import ArgumentError
from teltheory.model.tiers import Tiers
from teltheory.policies.spec import Spec

METHODS = {TEL: ("auto", "greedy", "lp", "milp", "pyomo"), SLO: ("auto", "heuristic", "milp")}
OF_PERCENTILES = ("auto",)
AnySearch: TypeAlias = Search | ForestSearch | TieredSearch


@command(None, "optimum trace.jsonl --capacity 300k --xi 2800 --certificate p.json")
@click.argument("trace_file", metavar="TRACE")
@goal_option
@option(
    "--method",
    type=click.Choice(list(dict.fromkeys((*METHODS[TEL], *METHODS[SLO])))),
    default="auto",
    show_default=True,
    help="How the optimum is found. With --goal slo: auto, heuristic or milp.",
)
@option(
    "--time-limit",
    callback=duration,
    metavar="TIME",
    help="Longest time for the solver. For each row; 60s if left out, and none with --goal tel.",
)
@option("--certificate", metavar="FILE", help="Write proofs of the rows to FILE, for check-certificate.")
@tier_options
@trace_options()
@forced_option
@prefix_options(block_cache_option, running_option)
@grid_options
@written_options
def optimum(
    trace_file: str,
    goal: str,
    method: str,
    time_limit: float | None,
    certificate: str | None,
    tiered: Tiered,
    served: ServedModel,
    reading: Reading,
    prefixes: Prefixes,
    written: Written,
    **asked: Any,
) -> int:
    """Print the least that any policy can reach on TRACE.

    TRACE is known in advance. The least TEL (tel), the fewest turns with a TTFT above the threshold (slo) or the
    smallest percentile of uncached tokens, and so of TTFT (p95; it has no threshold). The last two are hard: the
    answer is a plan and a bound, and the search ends where they meet or its time is up.

    The least TEL of a trace with block hashes is that of the prefixes that its requests share: of --cache holes
    exact, of a strict cache between two sides. --chains, slo and percentiles take its conversations as private.

    In tiers of memory (--tier, once for each) the least TEL lies between two sides: one that a certificate proves,
    and the best plan found.

    Ends with 1 if the solver does not prove an optimal TEL. When interrupted, prints the rows so far and writes
    no file.

    --certificate writes proofs, which `teltheory check-certificate` checks.
    """
    written.check({"--certificate": certificate})
    aim = read_goal(goal)
    _check(aim, method, asked["xis"] or asked["slos"])
    specs = [Spec("lru")] if aim == TEL else [Spec("lru"), Spec("tlru")]
    if tiered and aim != TEL:
        raise ArgumentError("--goal", goal, "tel in tiers of memory")
    question, tiers = question_in_tiers(specs, tiered, served=served, prefixes=_read(aim, prefixes), **asked)
    if aim != TEL and not question.thresholds.latency.cached_is_free:
        expected = f"one without attention or a table with --goal {goal}"
        raise ArgumentError("--latency", served.latency, expected)
    trace = reading.read(trace_file)
    with about(trace_file):
        search = _search(question.on(trace), tiers, aim, method, time_limit)
        found = _run(search)
    return _report(search, found, written, certificate)


def _check(asked: str | Level, method: str, given: tuple[str, ...]) -> None:
    """Refuse, before the work, options that do not go with the goal."""
    kind = asked.text if isinstance(asked, Level) else asked
    methods = METHODS.get(kind, OF_PERCENTILES)
    if isinstance(asked, Level) and given:
        raise ArgumentError("--xi or --slo", given[0], f"none with --goal {kind}, which has no threshold")
    if method not in methods:
        raise ArgumentError("--method", method, f"{', '.join(methods)} with --goal {kind}")


def _read(asked: str | Level, prefixes: Prefixes) -> Prefixes:
    """Return how shared prefixes are read: for a goal that does not know them, not at all."""
    if asked == TEL:
        return prefixes
    prefixes.refuse(f"none with --goal {asked.text if isinstance(asked, Level) else asked}")
    return PRIVATE


def _search(
    asked: Asked, tiers: Sequence[Tiers], goal: str | Level, method: Any, time_limit: float | None
) -> AnySearch:
    """Return the search for a goal, on what is replayed."""
    if tiers:
        return TieredSearch(asked, tiers, method, time_limit)
    if asked.shared:
        requests: Any = asked.requests
        cache: Any = asked.prefixes.cache
        return ForestSearch(asked, requests, cache, method, time_limit)
    return Search(asked, goal, method, time_limit)


def _run(search: AnySearch) -> list[CertifiedRow]:
    """Search at every capacity, with a progress bar; an interrupted search is the last."""
    found: list[CertifiedRow] = []
    places: Sequence[Any] = search.places
    with progress_bar() as bar:
        task = bar.add_task("Searching", total=len(places) * search.rows_a_capacity)
        for place in places:
            for one in search.at(place):
                found.append(one)
                bar.advance(task)
                if one.interrupted:
                    return found
    return found


def _report(search: AnySearch, found: list[CertifiedRow], written: Written, certificate: str | None) -> int:
    rows = [one.row for one in found]
    problems = [one.problem for one in found if one.problem is not None]
    table = search.table(rows)
    if written.aloud:
        show(console(), *search.lines(), table)
    if any(one.interrupted for one in found):
        raise KeyboardInterrupt
    written.write([table], search.as_data(rows))
    if certificate is not None and not problems:
        entries = [one.certificate for one in found if one.certificate is not None]
        write_json(certificate, certificates_as_data(entries), indent=None)
    if problems:
        more = f" (and {len(problems) - 1} more like it)" if len(problems) > 1 else ""
        return complain(f"{problems[0]}{more}", 1)
    return 0
