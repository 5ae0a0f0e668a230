"""Waiting for what another process does; without the package, which spawned processes would load to begin with."""

import time

LIMIT = 120.0


def wait_for(condition, limit=LIMIT):
    """Wait until the condition holds; a test that waits this long has failed."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
