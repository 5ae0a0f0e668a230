"""Faults that tests plant: where, under which name, and what the fault makes of what stands there."""

import pytest


def plant(monkeypatch, place, name, fault):
    monkeypatch.setattr(place, name, fault(getattr(place, name)))


def long(*values):
    """Return the values of a test that is not among the quick ones."""
    return pytest.param(*values, marks=pytest.mark.long)
