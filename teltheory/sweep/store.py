"""The store of a sweep: a file of JSON lines, one a measurement, found again by what determines it.

1. A record has the format's version, the key, what determines the measurement (the key is its digest), and the
   measurement. Nothing in it depends on when, where or on how many processes it was made.
2. The records of a job are appended together, and are on disk before the sweep goes on (`teltheory.records`).
3. A record of another version of the format is passed over and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from teltheory.errors import shown
from teltheory.records import Records
from teltheory.sweep.jobs import Job, Measurement, digest

FORMAT = 2
VERSION_FIELD = "teltheory_sweep"
_MEASURED = {field.name for field in fields(Measurement)}
_DETERMINING = {"results", "trace", "policy", "capacity", "forced", "xi", "latency"}
_FIELDS = {VERSION_FIELD, "key"} | _DETERMINING | _MEASURED


class Store:
    """Measurements in a file.

    Parameters
    ----------
    path : str or Path
        The file; it is made by the first measurement that is added.

    Raises
    ------
    FileError
        Where the file is no store, a line is damaged, or the file can't be read or written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._records = Records(self.path, VERSION_FIELD, "a record of a sweep")
        self._records.check_place()
        self._measurements: dict[str, Measurement] = {}
        for number, record in self._records.read():
            if record[VERSION_FIELD] == FORMAT:
                self._measurements[record.get("key", "")] = _checked(self._records, number, record)

    def __len__(self) -> int:
        return len(self._measurements)

    def find(self, job: Job, xi: int) -> Measurement | None:
        """Return the measurement of a job at a threshold, None where it is not there."""
        return self._measurements.get(job.key(xi))

    def add(self, job: Job, measurements: Sequence[Measurement]) -> None:
        """Append the measurements of a job, one for each of its thresholds; they are on disk afterwards.

        Raises
        ------
        FileError
            Where that fails; what was there before stays as it was.
        """
        made = []
        for xi, measurement in zip(job.thresholds, measurements, strict=True):
            self._measurements[job.key(xi)] = measurement
            determined = {"key": job.key(xi), **job.determinants(xi), **asdict(measurement)}
            made.append({VERSION_FIELD: FORMAT, **determined})
        self._records.append(made)


def _checked(records: Records, number: int, record: dict[str, Any]) -> Measurement:
    for field in sorted(_FIELDS ^ set(record)):
        raise records.damaged(number, f"{'no' if field in _FIELDS else 'a'} field {shown(field, 60)}")
    if record["key"] != digest({field: record[field] for field in _DETERMINING}):
        raise records.damaged(number, "a key that does not belong to the record")
    measured = {field: record[field] for field in _MEASURED}
    for field, value in measured.items():
        if not _is_measure(field, value):
            raise records.damaged(number, f"{field} {shown(value)}")
    return Measurement(**measured)


def _is_measure(field: str, value: object) -> bool:
    if field in ("prefilled", "violations", "tel"):
        return type(value) is int and value >= 0
    if field == "hit_rate":
        return type(value) is float and 0 <= value <= 1
    return value is None or type(value) is float
