"""The ASGI application: paths, answers and error answers.

1. POST ``/v1/session`` opens a session, DELETE closes the one that its body names. ``/v1/submit``, ``/v1/get``
   and ``/v1/set``: `teltheory.systems.apps.server.calls`. ``/v1/chat/completions``, ``/v1/completions``,
   ``/v1/models``: `teltheory.systems.apps.server.passthrough`.
2. An error is ``{"error": {"code", "kind", "message"}}`` with the code as the status; its message is one line.
3. What a client waits for ends when it hangs up; a request that was submitted goes on until its session is closed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as Call
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from teltheory.errors import shown
from teltheory.systems.apps.engines.remote import PATHS, RemoteEngine
from teltheory.systems.apps.faults import KINDS, MALFORMED, UNKNOWN, AppError, error_body
from teltheory.systems.apps.server.bodies import SHOWN, Fields, data_of, read
from teltheory.systems.apps.server.calls import Get, Set, Submit, session_of
from teltheory.systems.apps.server.door import Door
from teltheory.systems.apps.server.filled import FIELD, filled
from teltheory.systems.apps.server.limits import Limits
from teltheory.systems.apps.server.metrics import KIND, Metrics
from teltheory.systems.apps.server.passthrough import OpenAIRequest, models
from teltheory.systems.apps.server.relay import Relay
from teltheory.systems.apps.server.sessions import Sessions
from teltheory.systems.apps.server.waiting import while_there
from teltheory.systems.apps.sessions import Manager
from teltheory.systems.apps.transforms import check_quick

INTERNAL = 500


def application(manager: Manager, limits: Limits, door: Door) -> Starlette:
    """Return an application over a manager behind a door; it closes the manager at its end."""
    paths = _Paths(manager, limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager:
            yield

    app = Starlette(
        routes=paths.routes(),
        exception_handlers={AppError: _failed, HTTPException: _refused, Exception: _broken},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.add_middleware(door.before, most=limits.answering)
    return app


class _Paths:
    """What is done at each path."""

    def __init__(self, manager: Manager, limits: Limits) -> None:
        self._manager, self._limits, self._sessions = manager, limits, Sessions(manager, limits)
        remote = all(isinstance(engine, RemoteEngine) for engine in manager.engines)
        self._metrics = Metrics(manager.executor)
        self._relay = Relay(manager, limits, self._metrics) if remote else None

    def routes(self) -> list[Route]:
        return [
            Route("/v1/session", self.open, methods=["POST"]),
            Route("/v1/session", self.close, methods=["DELETE"]),
            Route("/v1/submit", self.submit, methods=["POST"]),
            Route("/v1/get", self.get, methods=["POST"]),
            Route("/v1/set", self.set, methods=["POST"]),
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/completions", self.complete, methods=["POST"]),
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/models/{id:path}", self.model, methods=["GET"]),
            Route("/health", self.health, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
        ]

    async def open(self, call: Call) -> Response:
        (await self._body(call)).done()
        session = await self._sessions.open()
        return _json({"session_id": session.id})

    async def close(self, call: Call) -> Response:
        id = session_of(await self._body(call))
        await self._sessions.close(id)
        return _json({"session_id": id})

    async def submit(self, call: Call) -> Response:
        asked = Submit.of(await self._body(call))
        specs, workers = [port.transforms for port in asked.ports], self._manager.executor.workers
        async with self._sessions.using(asked.session) as session:
            await workers.run(session.turn, check_quick, specs, "body, placeholders")
            with self._sessions.counted(session, "requests", self._limits.requests, asked.prompt):
                return _json(asked.to(session))

    async def get(self, call: Call) -> Response:
        asked = Get.of(await self._body(call))
        timeout = self._limits.waiting if asked.timeout is None else min(asked.timeout, self._limits.waiting)
        async with self._sessions.using(asked.session) as session:
            value = await while_there(call, session.get(asked.variable, asked.criteria, timeout))
        return _json({"semantic_var_id": asked.variable, "value": value})

    async def set(self, call: Call) -> Response:
        asked = Set.of(await self._body(call))
        async with self._sessions.using(asked.session) as session:
            with self._sessions.counted(session, "values", self._limits.sets, asked.value):
                session.set(asked.variable, asked.value)
        return _json({"semantic_var_id": asked.variable})

    async def chat(self, call: Call) -> Response:
        return await self._pass(call, chat=True)

    async def complete(self, call: Call) -> Response:
        return await self._pass(call, chat=False)

    async def models(self, call: Call) -> Response:
        return _json({"object": "list", "data": list(models(self._manager.engines).values())})

    async def model(self, call: Call) -> Response:
        id, there = call.path_params["id"], models(self._manager.engines)
        if id not in there:
            raise AppError(UNKNOWN, "path", f"model {shown(id, SHOWN)}", f"one of {', '.join(there)}")
        return _json(there[id])

    async def health(self, call: Call) -> Response:
        machines = self._manager.executor.machines
        said = [{"name": m.engine.name, "model": m.engine.model, "up": not m.rests} for m in machines]
        return _json({"engines": said, "waiting": self._manager.executor.waiting})

    async def metrics(self, call: Call) -> Response:
        return Response(self._metrics.text(), media_type=KIND)

    async def _pass(self, call: Call, chat: bool) -> Response:
        """Pass a body on, or answer it by the engines in this program."""
        data = await data_of(call, self._limits)
        if FIELD.encode() in data:
            data = await while_there(call, filled(data, self._sessions, self._limits.waiting))
        if self._relay is not None:
            with self._sessions.carried(data):
                return await self._relay.answer(call, PATHS[chat], data)
        asked, engines = OpenAIRequest.of(read(data, self._limits), chat), self._manager.engines
        async with self._sessions.one() as session:
            choices = await while_there(call, asked.of_session(session, engines, self._limits.waiting))
        id, model = f"{'chatcmpl' if asked.chat else 'cmpl'}-{session.id}", asked.model or engines[0].model
        if asked.stream:
            return StreamingResponse(asked.events(choices, id, model), media_type="text/event-stream")
        return _json(asked.answer(choices, id, model))

    async def _body(self, call: Call) -> Fields:
        return read(await data_of(call, self._limits), self._limits)


def _json(data: object, status: int = 200) -> Response:
    """Return an answer; texts in it may be of any characters, as engines and transforms made them."""
    return Response(json.dumps(data), status, media_type="application/json")


async def _failed(call: Call, error: Exception) -> Response:
    assert isinstance(error, AppError)
    return _json(error.body(), error.code)


async def _refused(call: Call, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    found = f"{call.method} {call.url.path[:100]}"
    message = str(AppError(MALFORMED, "path", found, "a path and a method of this server"))
    kind = KINDS.get(error.status_code, KINDS[MALFORMED])
    return _json(error_body(error.status_code, kind, message), error.status_code)


async def _broken(call: Call, error: Exception) -> Response:
    message = "server: found a fault of its own, expected an answer; its log says more"
    return _json(error_body(INTERNAL, "internal", message), INTERNAL)
