"""A server over a tiny engine, called in this process."""

import asyncio
from contextlib import contextmanager

import httpx
from starlette.testclient import TestClient

from teltheory.base.peers import bounded_async
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.server import Limits, application
from teltheory.systems.apps.sessions import Manager


class Caller:
    """A client that sends bodies and knows what an error answer is like."""

    def __init__(self, client):
        self.client = client

    def post(self, path, body, method="POST"):
        """Return the answer's JSON, which must be a success."""
        answer = self.client.request(method, f"/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def fault(self, path, body=None, method="POST", **settings):
        """Return code and message of an error answer of one line."""
        sent = settings or {"json": body}
        return fault_of(self.client.request(method, f"/v1/{path}", **sent))

    def session(self):
        """Open a session and return its id."""
        return self.post("session", {})["session_id"]

    def submit(self, session, prompt, ports, **more):
        """Submit a prompt; an output's name has a star at its end, and a variable is its placeholder's name."""
        return self.post("submit", submission(session, prompt, ports, **more))

    def set(self, session, variable, value):
        """Set a variable."""
        self.post("set", {"session_id": session, "semantic_var_id": variable, "value": value})

    def get(self, session, variable, criteria="latency", **more):
        """Get a variable's value."""
        body = {"session_id": session, "semantic_var_id": variable, "criteria": criteria, **more}
        return self.post("get", body)["value"]


def submission(session, prompt, ports, tokens=4, **more):
    """Return the body of a submit."""
    placeholders = [
        {
            "name": name.rstrip("*"),
            "in_out": name.endswith("*"),
            "semantic_var_id": name.rstrip("*"),
            "transforms": "",
        }
        for name in ports.split()
    ]
    sampling = {"max_tokens": tokens}
    return {"prompt": prompt, "placeholders": placeholders, "session_id": session, "sampling": sampling, **more}


def fault_of(answer):
    """Return code and message of an error answer, which must be one line under the code."""
    error = answer.json()["error"]
    assert answer.json() == {"error": error}
    assert set(error) == {"code", "kind", "message"}
    assert error["code"] == answer.status_code
    assert error["kind"].isascii()
    assert error["message"].isprintable()
    assert ": found " in error["message"]
    assert ", expected " in error["message"]
    return error["code"], error["message"]


@contextmanager
def called(limits=None, engines=None):
    """Give a caller of a server that ends with the block and then holds nothing."""
    there = engines or [TinyEngine(name="only")]
    with TestClient(application(Manager(there), limits or Limits())) as client:
        yield Caller(client)
    assert [engine.contexts.held for engine in there] == [0] * len(there)


class Gateway:
    """A client of a server before others."""

    def __init__(self, url, servers, client):
        self.url, self.servers, self.client = url, servers, client

    def get(self, path, **more):
        return self.client.get(f"{self.url}/{path}", **more)

    def post(self, body, path="chat/completions", **more):
        return self.client.post(f"{self.url}/v1/{path}", json=body, **more)

    def many(self, bodies, at_once=20):
        """Post several, some at once; return the statuses."""

        async def all_of_them():
            gate = asyncio.Semaphore(at_once)
            async with httpx.AsyncClient(timeout=60, transport=bounded_async()) as client:

                async def one(body):
                    async with gate:
                        return (await client.post(f"{self.url}/v1/chat/completions", json=body)).status_code

                return await asyncio.gather(*map(one, bodies))

        return asyncio.run(all_of_them())

    @property
    def calls(self):
        """How many calls each of the servers behind it had."""
        return [len(server.calls) for server in self.servers]
