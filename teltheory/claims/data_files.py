"""Real data that claims are decided on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teltheory.claims.claim import Enumerated, MissingDataError
from teltheory.workloads import data_folder

MOONCAKE = "mooncake_conversation.jsonl"


def data_file(name: str) -> Path:
    """Return where a file of the data folder is; `MissingDataError` if it is not there."""
    file = data_folder() / name
    if not file.is_file():
        raise MissingDataError(f"{name} is not in the data folder (TELTHEORY_DATA names it)")
    return file


@dataclass(frozen=True)
class Missing(Enumerated):
    """Cases that nobody can look up; `what` says in a sentence what is missing."""

    what: str

    def classes(self, effort: str) -> Iterator[Iterator[Any]]:
        """Raise MissingDataError."""
        raise MissingDataError(self.what)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return that there is no case."""
        return {"cases": "no case"}
