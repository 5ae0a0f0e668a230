import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("TELTHEORY_DATA") or Path(__file__).parents[2] / "../shared/data")


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nothing waits for the disk here; that every line is synced is a test of its own."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture(scope="session")
def shared():
    """Find a file of real data by its name, or skip the test."""

    def find(name):
        if not (FOLDER / name).is_file():
            pytest.skip(f"{name} is not in the data folder")
        return FOLDER / name

    return find
