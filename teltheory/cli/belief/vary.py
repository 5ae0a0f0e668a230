"""`teltheory belief map` and `search`: regrets over values of a model's fields, and over random models."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import click

from teltheory.base.input_files import read_json
from teltheory.base.store import Results, text_of
from teltheory.belief.compared import rows_of, solutions
from teltheory.belief.model_file import EXPECTED, MOST_BYTES, model_of
from teltheory.belief.optimality import ScoreRule
from teltheory.belief.search import COLUMNS, found_on, summary, tried
from teltheory.cli.asked.options import SEED, store_option, whole
from teltheory.cli.belief.options import Lookahead, lookahead_options, numbers_of, policies_option
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.printed.written import Written, written_options
from teltheory.errors import ArgumentError
from teltheory.model.display import counted
from teltheory.model.units import listed_values


class Finished:
    """Finished work, in a store if there is one: nothing is done twice."""

    def __init__(self, store: str | None) -> None:
        self._results = None if store is None else Results(Path(store), "belief")
        if self._results is not None:
            self._results.check_place()
        self._known = {} if self._results is None else {text: found for text, _, found in self._results.read()}

    def of(self, about: dict[str, Any]) -> dict[str, Any] | None:
        """Return what was found, if it was."""
        return self._known.get(text_of(about))

    def add(self, about: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        """Keep what was found."""
        if self._results is not None:
            self._results.add([(about, found)])
        return found


@command("map", "belief map model.json --vary gaps=1/2,2/3 --discount 0.9 --silent 4")
@click.argument("model_file", metavar="MODEL")
@option(
    "--vary",
    "varied",
    multiple=True,
    required=True,
    metavar="FIELD=VALUE,...",
    help="Field of the model that takes several values. kinds.NAME.turn_rate=1,2,4, gaps=1/2,2/3 or xi=0,1.",
)
@lookahead_options
@store_option
@written_options
def map_command(
    model_file: str, varied: Sequence[str], ahead: Lookahead, store: str | None, written: Written
) -> None:
    """Show regrets on MODEL for all values of some fields.

    MODEL is a belief MDP in JSON. A number stands for a law or for gaps that are certain. A store lets the
    same command go on where it ended.
    """
    written.check({"--store": store})
    document, horizons, rules = read_json(Path(model_file), EXPECTED, MOST_BYTES), ahead.horizons(), ahead.rules()
    model_of(document, model_file)
    axes = [_axis(text) for text in varied]
    kept, rows = Finished(store), []
    cases = list(product(horizons, product(*(values for _, values in axes))))
    with progress_bar() as bar:
        for name, values in bar.track(cases, description="Solving"):
            changed = deepcopy(document)
            for (path, _), value in zip(axes, values, strict=True):
                _set(changed, path, value, model_file)
            fields = dict(zip((path for path, _ in axes), values, strict=True))
            about = {"document": changed, "ahead": name, "silent": ahead.silent}
            for row in _regrets(about, rules, ahead.method, horizons[name], kept):
                rows.append({"ahead": name, **fields, **row})
    heads = ["ahead", *(path for path, _ in axes), "policy", "regret", "at most", "of it %"]
    cells = [[*(str(row[head]) for head in heads[:-3]), *numbers_of(row)] for row in rows]
    table = plain_table(f"Regrets on {model_file}", heads, cells, heads[:-3])
    written.report([table], {"model": model_file, "rows": rows})


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    path, equals, values = text.partition("=")
    if not equals or not path:
        raise ArgumentError("--vary", text, "FIELD=VALUE,..., such as kinds.quick.turn_rate=1,2,4")
    return path.strip(), listed_values("--vary", [values])


def _set(document: Any, path: str, text: str, name: str) -> None:
    """Set a field; a kind stands in a path by its name, and a number in place of a law is certain."""
    *steps, last = path.split(".")
    at: Any = document
    for step in steps:
        names = [one.get("name") for one in at] if isinstance(at, list) else []
        at = at[names.index(step)] if step in names else at.get(step) if isinstance(at, dict) else None
        if at is None:
            raise ArgumentError("--vary", path, f"a field of {name}, such as kinds.NAME.turn_rate")
    if not isinstance(at, dict):
        raise ArgumentError("--vary", path, f"a field of {name}, such as kinds.NAME.turn_rate")
    value: Any = text
    with suppress(ValueError, ZeroDivisionError):
        number = Fraction(text)
        value = int(number) if number.denominator == 1 else str(number)
    old = at.get(last)
    if isinstance(old, dict):
        value = {str(value): 1}
    elif isinstance(old, list):
        value = [{str(value): 1}]
    at[last] = value


def _regrets(
    about: dict[str, Any], rules: Sequence[ScoreRule], method: str, options: dict[str, Any], kept: Finished
) -> list[dict[str, Any]]:
    key = {**about, "policies": [rule.name for rule in rules]}
    found = kept.of(key)
    if found is None:
        rows = rows_of(solutions(model_of(about["document"]), rules, method, **options))[1:]
        found = kept.add(key, {"rows": [{k: v for k, v in row.items() if k != "worst_state"} for row in rows]})
    return list(found["rows"])


@command(None, "belief search --models 320 --turns 3")
@whole("--models", 160, "Number of random models that are tried, classes in turn.")
@whole("--seed", 0, SEED, least=0)
@option(
    "--turns", type=click.IntRange(1, 6), default=3, show_default=True, help="Number of turns. That are ahead."
)
@policies_option
@store_option
@written_options
def search(
    models: int, seed: int, turns: int, policies: tuple[str, ...], store: str | None, written: Written
) -> None:
    """Try policies on random models, and show where each loses.

    JSON has the smallest model of each class and policy that loses, as a file for `belief solve`.
    """
    written.check({"--store": store})
    rules, kept = Lookahead(policies=policies).rules(), Finished(store)
    results = []
    with progress_bar() as bar:
        for _, document in bar.track(list(tried(models, seed)), description="Solving models"):
            about = {"document": document, "search": turns, "policies": [rule.name for rule in rules]}
            found = kept.of(about)
            results.append(
                (document, kept.add(about, found_on(document, rules, turns)) if found is None else found)
            )
    rows = summary(results, [rule.name for rule in rules])
    heads = [*COLUMNS, "policy", "models", "loses", "at worst"]
    cells = [[str(row[head]) for head in heads[:-1]] + [f"{row['worst']:.6f}"] for row in rows]
    skipped = sum("skipped" in found for _, found in results)
    solved, left = counted(len(results) - skipped, "model"), f"{skipped:,} with too many states were left out"
    said = f"{solved}, {counted(turns, 'turn')} ahead; {left}."
    smallest = [{name: row[name] for name in (*COLUMNS, "policy", "smallest")} for row in rows if row["smallest"]]
    plain = [{name: value for name, value in row.items() if name != "smallest"} for row in rows]
    table = plain_table("Where policies lose", heads, cells, heads[:5])
    written.report([said, table], {"rows": plain, "smallest": smallest})
