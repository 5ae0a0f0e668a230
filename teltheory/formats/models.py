"""Whose requests a log has: models share no cache, so the rows of several are no trace of one."""

from __future__ import annotations

import json
import re
import shlex
import warnings
from collections import Counter
from pathlib import Path

from teltheory.errors import listed, printable
from teltheory.formats.records import Record

FIELDS = (
    *("model", "response.model", "response.body.model", "body.model"),
    *("gen_ai.request.model", "gen_ai.response.model"),
)
"""Where a record says its model; the first that it has counts."""


class Models(Counter[str]):
    """The models of a log, and how many records are of each."""

    def add(self, record: Record) -> None:
        """Count the model of a record, if it says one."""
        named = next((value for name in FIELDS if isinstance(value := record.get(name), str) and value), None)
        if named is not None:
            self[named.strip()] += 1

    def warn(self, path: Path, kind: str) -> None:
        """Warn, in one line, of several models; `kind` is that of a file with a row per line, or empty."""
        if len(self) < 2:
            return
        names = listed([f"{name} ({rows:,})" for name, rows in self.most_common()])
        told = f"{path}: found rows of {len(self)} models, which share no cache: {names}. Keep those of one"
        warnings.warn(printable(f"{told}{_filter(self.most_common(1)[0][0], kind)}"), stacklevel=2)


def _filter(model: str, kind: str) -> str:
    """Return a filter that keeps the rows of a model, where lines are rows."""
    if kind == "csv":
        exact = re.sub(r"([][.+*?(){}|^$\\/])", r"\\\1", model)
        return f": awk {shlex.quote(f'NR == 1 || /(^|,){exact}(,|$)/')}"
    return f": grep -F {shlex.quote(json.dumps(model))}" if kind == "jsonl" else ""
