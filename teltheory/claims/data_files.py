"""Real data that claims are decided on."""

from __future__ import annotations

from pathlib import Path

from teltheory.claims.claim import MissingDataError
from teltheory.workloads import data_folder

MOONCAKE = "mooncake_conversation.jsonl"


def data_file(name: str) -> Path:
    """Return where a file of the data folder is.

    Raises
    ------
    MissingDataError
        Where it is not there.
    """
    file = data_folder() / name
    if not file.is_file():
        raise MissingDataError(f"{name} is not in the data folder (TELTHEORY_DATA names it)")
    return file
