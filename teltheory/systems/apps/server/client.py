"""A session on a server over HTTP, with the methods of one in this program.

What is written for a `BlockingSession` runs with a `RemoteSession`: semantic functions, variables, gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from teltheory.base.extras import needed
from teltheory.errors import shown
from teltheory.systems.apps.faults import ENGINE, KINDS, LATE, AppError
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.values import PlainSession

if TYPE_CHECKING:
    import httpx

__all__ = ["RemoteSession"]

WAITING = 600.0
SPARE = 10.0
"""Seconds that an answer may take beside the time that the server was told to wait."""


class RemoteSession(PlainSession):
    """A session on a server; close it, or use it in a ``with``.

    Parameters
    ----------
    url : str
        Where the server is, such as ``http://127.0.0.1:8000``.
    waiting : float
        Seconds to wait in a get that does not say how long.
    transport : httpx.BaseTransport, optional
        How requests are sent; left out, over the network.

    Raises
    ------
    AppError
        502: no server there; 504: no answer in time; else what the server answers.
    TelTheoryError
        Without httpx, which the extra `apps` installs.
    """

    def __init__(self, url: str, waiting: float = WAITING, transport: httpx.BaseTransport | None = None) -> None:
        self._httpx = needed("httpx", "apps")
        from teltheory.base.peers import bounded

        self._client = self._httpx.Client(base_url=url, transport=bounded(transport), trust_env=False)
        self._url, self._waiting, self._count = url, waiting, 0
        self.id: str = self._call("POST", "session", {})["session_id"]

    def submit(
        self,
        prompt: str,
        ports: Iterable[Port],
        model: str | None = None,
        sampling: Sampling | None = None,
        name: str = "",
    ) -> Request:
        """Put a request into the graph, see `Session.submit`."""
        ports, how = tuple(ports), sampling or Sampling()
        Request.of(0, prompt, ports, model, how, name)
        body = {
            "prompt": prompt,
            "placeholders": [_placeholder(port) for port in ports],
            "session_id": self.id,
            "model": model,
            "sampling": {"max_tokens": how.max_tokens, "temperature": how.temperature, "stop": list(how.stop)},
            "name": name or None,
        }
        answer = self._call("POST", "submit", body)
        return Request.of(answer["request_id"], prompt, ports, model, how, name)

    def fresh(self, name: str = "variable") -> str:
        """Return the id of a new variable, which begins with a name."""
        self._count += 1
        return f"{name}.{self._count - 1}"

    def set(self, variable: str, value: str) -> None:
        """Give a variable its value, see `Session.set`."""
        self._call("POST", "set", {"semantic_var_id": variable, "value": value, "session_id": self.id})

    def get(self, variable: str, criteria: str = "latency", timeout: float | None = None) -> str:
        """Return the value of a variable once it is there, see `Session.get`."""
        seconds = self._waiting if timeout is None else timeout
        body = {"semantic_var_id": variable, "criteria": criteria, "session_id": self.id, "timeout": seconds}
        return str(self._call("POST", "get", body, seconds)["value"])

    def gets(self, criteria: Mapping[str, str], timeout: float | None = None) -> list[str]:
        """Return the values of some variables, each with its criterion; all are asked for at once."""
        with ThreadPoolExecutor(max(1, len(criteria))) as pool:
            return list(pool.map(lambda variable: self.get(variable, criteria[variable], timeout), criteria))

    def close(self) -> None:
        """End its requests and the connection. Once is enough."""
        if not self._client.is_closed:
            try:
                self._call("DELETE", "session", {"session_id": self.id})
            finally:
                self._client.close()

    def _call(self, method: str, path: str, body: dict[str, Any], seconds: float = 0.0) -> dict[str, Any]:
        place = f"server {self._url}"
        try:
            answer = self._client.request(method, f"/v1/{path}", json=body, timeout=seconds + SPARE)
            found = answer.json()
        except self._httpx.TimeoutException:
            raise AppError(LATE, place, f"no answer after {seconds + SPARE:g} s", "one by then") from None
        except (self._httpx.HTTPError, ValueError) as error:
            raise AppError(ENGINE, place, shown(str(error), 120), "a server of applications") from None
        if answer.is_success and isinstance(found, dict):
            return found
        raise _fault(found, place)


def _placeholder(port: Port) -> dict[str, object]:
    return {
        "name": port.name,
        "in_out": port.output,
        "semantic_var_id": port.variable,
        "transforms": port.transforms,
    }


def _fault(found: object, place: str) -> AppError:
    """Return the error that an answer tells, with its message to the letter."""
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(error, dict) or error.get("code") not in KINDS or "message" not in error:
        return AppError(ENGINE, place, shown(found, 120), "an answer of a server of applications")
    at, _, rest = str(error["message"]).partition(": found ")
    what, _, expected = rest.rpartition(", expected ")
    return AppError(error["code"], at, what, expected)
