"""Tables and figures of the paper: every cell is computed, and a rule on all of them together decides.

A cell of a table is printed to a tenth of a per cent and measured on other data than the paper's, so no single
cell refutes a table. The claim's rule says what is counted over the cells and how the counts decide, and names
null models that the cells must beat; the row of the ledger has the rule, the counts, the null models, and the
cells side by side.
"""

from __future__ import annotations

import time
from typing import Any

from teltheory.claims.claim import C, Cells, Claim, Effort, Rule, Values
from teltheory.claims.verdict import Scope, Verdict, VerdictWord

DIGITS = 4


def decide_by_rule(claim: Claim[C], rule: Rule, effort: Effort) -> Verdict:
    """Compute every cell and decide by the rule; "undecided" where there is no cell."""
    begin = time.perf_counter()
    found = _computed(claim, effort)
    scope = Scope("sampled" if claim.sampled else "exhaustive", len(found), claim.space.bounds(effort))
    if not found:
        return Verdict(claim, "undecided", scope, None, time.perf_counter() - begin)
    cells = [values for _, values in found]
    counts, nulls = rule.count(cells), null_models(claim, rule, cells)
    passes = claim.relation(counts) and all(null["beaten"] for null in nulls)
    shown = [_cell(case, values) for case, values in found]
    numbers = {"counts": _plain(counts), "error": rule.error, "nulls": nulls, "cells": shown}
    word: VerdictWord = "reproduced" if passes else "not reproduced"
    return Verdict(claim, word, scope, None, time.perf_counter() - begin, numbers=numbers)


def null_models(claim: Claim[C], rule: Rule, cells: Cells) -> list[dict[str, Any]]:
    """Return what the rule says of each null model in the place of our cells, and whether our cells beat it."""
    ours = rule.count(cells)
    return [
        {
            "null": name,
            "counts": _plain(counts),
            "accepted": bool(claim.relation(counts)),
            "beaten": rule.beats(ours, counts),
        }
        for name, counts in rule.counts_of_nulls(cells).items()
    ]


def _computed(claim: Claim[C], effort: Effort) -> list[tuple[Any, Values]]:
    cases = (case for size_class in claim.space.classes(effort) for case in size_class)
    found = ((case, claim.values(case)) for case in cases)
    return [(case, values) for case, values in found if values is not None]


def _cell(case: Any, values: Values) -> dict[str, Any]:
    place = {"row": case.row, "column": case.column, "shown": case.shown(values)}
    return {**place, "values": _plain(values)}


def _plain(values: Values) -> dict[str, Any]:
    """Return values as plain data, numbers that are not whole rounded."""
    return {name: rounded(value) for name, value in values.items()}


def rounded(value: Any) -> Any:
    """Return a number that is not whole with `DIGITS` digits, also within lists; anything else as it is."""
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value
