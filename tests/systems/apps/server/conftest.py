from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from systems.apps.server.app_server import Gateway, called
from waiting import wait_for

from experiments.gateway_upstream import Upstream, upstreams
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.server import application
from teltheory.systems.apps.server.listening import listening
from teltheory.systems.apps.sessions import Manager


@pytest.fixture(scope="module")
def server():
    """A caller of a server with its usual limits."""
    with called() as caller:
        yield caller


@pytest.fixture(scope="session")
def client():
    """A client that has a new connection for each request."""
    with httpx.Client(timeout=30, limits=httpx.Limits(max_keepalive_connections=0)) as found:
        yield found


@pytest.fixture(scope="session")
def behind():
    """Two servers for gateways, with their addresses."""
    servers = [Upstream(), Upstream()]
    with upstreams(*servers) as urls:
        yield servers, urls


@pytest.fixture(scope="module")
def listen():
    """Serve an application until the tests of a file have ended; then all end at once, for each waits to do so."""
    stacks = []

    def opened(*arguments, **more):
        stacks.append(ExitStack())
        return stacks[-1].enter_context(listening(*arguments, **more))

    yield opened
    with ThreadPoolExecutor(len(stacks) or 1) as pool:
        list(pool.map(ExitStack.close, stacks))


@pytest.fixture(scope="module")
def gateway(behind, client, listen):
    """Give a client of a new server before one or two others, to which nothing runs at the end."""

    @contextmanager
    def opened(limits=None, number=2, upstream=None, **engine):
        servers, urls = (found[:number] for found in behind)
        for there in servers:
            there.__init__(**upstream or {})
        engines = [RemoteEngine(url, "m", name=f"remote {k}", **engine) for k, url in enumerate(urls)]
        executor = (manager := Manager(engines)).executor
        yield Gateway(listen(application(manager, limits)), servers, client)
        wait_for(lambda: not executor._running and not executor.waiting)
        wait_for(lambda: not any(there.running for there in servers))

    return opened


@pytest.fixture
def two(gateway):
    with gateway() as found:
        yield found
