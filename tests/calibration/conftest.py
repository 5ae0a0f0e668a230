import os

import pytest


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nothing waits for the disk here; that every line is synced is a test of its own."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
