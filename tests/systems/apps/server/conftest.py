import pytest
from systems.apps.server.app_server import called


@pytest.fixture(scope="module")
def server():
    """A caller of a server with its usual limits."""
    with called() as caller:
        yield caller
