"""Averages of a table by capacity, threshold, policy and measure."""

from pathlib import Path

from paper_figs import style
from teltheory.errors import FileError
from teltheory.paper.rows import Average
from teltheory.paper.tidy import read_rows


class Averages:
    """Averages by policy and measure."""

    def __init__(self, path: Path) -> None:
        self.path = path
        rows = read_rows(path, Average)
        self.capacities = list(dict.fromkeys(row.capacity for row in rows))
        self.thresholds = list(dict.fromkeys(row.xi_ms for row in rows))
        self.samples = max(row.samples for row in rows)
        self.policies = list(dict.fromkeys(row.policy for row in rows))
        self._at = {(row.capacity, row.xi_ms, row.policy, row.measure): row for row in rows}

    @property
    def about(self) -> str:
        """What is averaged: the workload that the file is called after, and the samples."""
        name = style.workload(self.path.stem.partition("_")[2]).name
        return f"{name}, means of {self.samples} samples" if self.samples > 1 else name

    @property
    def sizes(self) -> str:
        """The range of capacities."""
        return f"{min(self.capacities):,} to {max(self.capacities):,} tokens"

    def at(self, capacity: int, xi_ms: int, policy: str, measure: str) -> Average:
        """Return a row."""
        place = (capacity, xi_ms, policy, measure)
        if place not in self._at:
            raise FileError(
                f"{self.path}: found no row of {place}, expected one (capacity, xi_ms, policy, measure)"
            )
        return self._at[place]

    def mean(self, capacity: int, xi_ms: int, policy: str, measure: str) -> float:
        """Return a mean."""
        return self.at(capacity, xi_ms, policy, measure).mean
