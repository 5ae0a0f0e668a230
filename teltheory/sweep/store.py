"""The store of a sweep: measurements, found again by what determines them (`teltheory.store`)."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from teltheory.errors import shown
from teltheory.store import Results, text_of
from teltheory.sweep.jobs import Job, Measurement

_MEASURED = {field.name for field in fields(Measurement)}
_ADDED = {"reused", "written"}
"""What stores from before do not have."""


class Store:
    """Measurements in a file, which the first one that is added makes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._results = Results(self.path, "sweep")
        self._results.check_place()
        read = enumerate(self._results.read(), start=1)
        self._measurements = {text: self._checked(number, found) for number, (text, _, found) in read}

    def __len__(self) -> int:
        return len(self._measurements)

    def find(self, job: Job, xi: int) -> Measurement | None:
        """Return the measurement of a job at a threshold, None if it is not there."""
        return self._measurements.get(text_of(job.determinants(xi)))

    def add(self, job: Job, measurements: Sequence[Measurement]) -> None:
        """Add the measurements of a job, one per threshold; they are on disk afterwards, or nothing changed."""
        made = [(job.determinants(xi), m) for xi, m in zip(job.thresholds, measurements, strict=True)]
        self._results.add([(about, asdict(measurement)) for about, measurement in made])
        self._measurements |= {text_of(about): measurement for about, measurement in made}

    def _checked(self, number: int, found: dict[str, Any]) -> Measurement:
        for field in sorted((_MEASURED ^ set(found)) - (_ADDED - set(found))):
            raise self._results.damaged(number, f"{'no' if field in _MEASURED else 'a'} field {shown(field, 60)}")
        for field, value in found.items():
            if not _is_measure(field, value):
                raise self._results.damaged(number, f"{field} {shown(value)}")
        return Measurement(**found)


def _is_measure(field: str, value: object) -> bool:
    if field in ("prefilled", "violations", "tel"):
        return type(value) is int and value >= 0
    if field in _ADDED:
        return value is None or (type(value) is int and value >= 0)
    if field == "hit_rate":
        return type(value) is float and 0 <= value <= 1
    return value is None or type(value) is float
