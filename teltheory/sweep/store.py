"""The store of a sweep: measurements, found again by what determines them (`teltheory.base.store`)."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from teltheory.base.store import Results, text_of
from teltheory.errors import shown
from teltheory.sweep.jobs import Measurement, ReplayJob
from teltheory.sweep.served_jobs import ServedJob, ServedMeasurement

AnyJob: TypeAlias = ReplayJob | ServedJob

_MEASURED = {field.name for field in fields(Measurement)}


def others() -> dict[str, Any]:
    """Return what jobs other than replays measure, by their kind."""
    from teltheory.sweep.compared_jobs import Beside, Compared, ComparedInTiers, ComparedJob, HindsightJob

    compared = {ComparedJob.kind: Compared, ComparedInTiers.kind: Compared, HindsightJob.kind: Beside}
    return {ServedJob.kind: ServedMeasurement, **compared}


class Store:
    """Measurements in a file, which the first one that is added makes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._others = others()
        self._results = {kind: Results(self.path, kind) for kind in (ReplayJob.kind, *self._others)}
        self._results[ReplayJob.kind].check_place()
        self._measurements = {
            (kind, text): self._checked(kind, number, found)
            for kind, results in self._results.items()
            for number, (text, _, found) in enumerate(results.read(), start=1)
        }

    def __len__(self) -> int:
        return len(self._measurements)

    def find(self, job: AnyJob, xi: int) -> Any:
        """Return the measurement of a job at a threshold, None if it is not there."""
        return self._measurements.get((job.kind, text_of(job.determinants(xi))))

    def add(self, job: AnyJob, measurements: Sequence[Any]) -> None:
        """Add the measurements of a job, one per threshold; they are on disk afterwards, or nothing changed."""
        made = [(job.determinants(xi), m) for xi, m in zip(job.thresholds, measurements, strict=True)]
        self._results[job.kind].add([(about, measurement.as_dict()) for about, measurement in made])
        self._measurements |= {(job.kind, text_of(about)): measurement for about, measurement in made}

    def _checked(self, kind: str, number: int, found: dict[str, Any]) -> Any:
        if kind == ReplayJob.kind:
            return self._checked_measurement(number, found)
        try:
            return self._others[kind].from_dict(found)
        except (KeyError, TypeError, ValueError):
            raise self._results[kind].damaged(number, "other fields") from None

    def _checked_measurement(self, number: int, found: dict[str, Any]) -> Measurement:
        for field in sorted(_MEASURED ^ set(found)):
            raise self._results[ReplayJob.kind].damaged(
                number, f"{'no' if field in _MEASURED else 'a'} field {shown(field, 60)}"
            )
        for field, value in found.items():
            if not _is_measure(field, value):
                raise self._results[ReplayJob.kind].damaged(number, f"{field} {shown(value)}")
        return Measurement(**found)


def _is_measure(field: str, value: object) -> bool:
    if field in ("prefilled", "violations", "tel", "reused", "written"):
        return type(value) is int and value >= 0
    if field == "hit_rate":
        return type(value) is float and 0 <= value <= 1
    return value is None or type(value) is float
