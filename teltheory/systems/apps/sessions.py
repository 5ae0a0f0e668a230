"""Sessions: what one client submits, sets and gets (Parrot, Sections 4.1, 4.2 and 5.1).

1. `submit` puts a request into the graph of the session, which has no cycle; nothing waits for its result there.
2. A variable is produced by a request, or a client sets it, once. A request begins when its inputs are there: they
   are transformed, it waits for its engine, and its outputs are transformed. No client hands them on.
3. A request that fails, fails all its outputs and everything below them; a transform that fails, its variable and
   everything below. The others go on.
4. `get` waits for a variable and says by which criterion; a variable has one. Labels are deduced again whenever a
   get or a request is new, for the requests that wait.
5. Closing a session ends its requests and frees the contexts that no other session has used.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Hashable, Iterable, Mapping, Sequence
from itertools import chain, count
from types import TracebackType

from teltheory.errors import shown
from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.executor import Executor
from teltheory.systems.apps.faults import CLOSED, CONFLICT, ENGINE, LATE, MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.queues import PlacingRules, rules_of
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.transforms import NOTHING_OWN, Own, apply, check, takes_time
from teltheory.systems.apps.values import Value, Variable


class Session:
    """What one client has submitted; `Manager.session` opens one. It lives in the event loop that it is used in.

    Attributes
    ----------
    id : str
        Its name, too long to be guessed.
    number : int
        In order of opening.
    graph : Graph
        Its requests.
    turn : asyncio.Lock
        Held while a transform of it takes time.
    """

    def __init__(self, executor: Executor, number: int, own: Mapping[str, Own]) -> None:
        self.id, self.number, self.closed = secrets.token_urlsafe(12), number, False
        self._executor, self._own = executor, own
        self._requests: list[Request] = []
        self._producers: dict[str, Request] = {}
        self._consumers: dict[str, list[Request]] = {}
        self._graph: Graph | None = None
        self._values: dict[str, Value] = {}
        self._asked: dict[str, str] = {}
        self._begun = set[int]()
        self._tasks, self.turn = set[asyncio.Task[None]](), asyncio.Lock()
        self._deduced: _Deduced | None = None

    @property
    def bytes(self) -> int:
        """Bytes of its prompts and values."""
        prompts = (part for request in self._requests for part in request.parts if isinstance(part, str))
        values = (value.text for value in self._values.values() if value.settled and value.failure is None)
        return sum(len(text.encode(errors="replace")) for text in chain(prompts, values))

    @property
    def graph(self) -> Graph:
        """Its requests and how they are joined."""
        if self._graph is None:
            self._graph = Graph.of(self._requests)
        return self._graph

    def submit(
        self,
        prompt: str,
        ports: Iterable[Port],
        model: str | None = None,
        sampling: Sampling | None = None,
        name: str = "",
    ) -> Request:
        """Put a request into the graph; it begins when its inputs are there.

        Raises
        ------
        AppError
            400: a malformed prompt, port, transform or sampling; 404: a model that no engine has; 409: a second
            producer of a variable, a cycle; 410: the session is closed; 413: larger than any engine.
        """
        self._check_open()
        request = Request.of(len(self._requests), prompt, ports, model, sampling, name)
        request.check()
        for port in request.ports:
            check(port.transforms, self._own, f"{request.place}, placeholder {port.name!r}")
        self._executor.check(request)
        self._check_outputs(request)
        self._requests.append(request)
        self._producers |= dict.fromkeys(request.outputs, request)
        for variable in dict.fromkeys(request.inputs):
            self._consumers.setdefault(variable, []).append(request)
        self._graph = self._deduced = None
        self._begin(request)
        return request

    def variable(self, value: str | None = None, name: str = "variable") -> Variable[Awaitable[str]]:
        """Return a new variable, with a value if one is given."""
        self._check_open()
        fresh = Variable(self, self.fresh(name))
        if value is not None:
            fresh.set(value)
        return fresh

    def fresh(self, name: str = "variable") -> str:
        """Return the id of a new variable, which begins with a name."""
        k = len(self._values)
        while f"{name}.{k}" in self._values:
            k += 1
        self._value(f"{name}.{k}")
        return f"{name}.{k}"

    def set(self, variable: str, value: str) -> None:
        """Give a variable its value; `AppError` 409 if a request produces it or it was set, 410 if closed."""
        self._check_open()
        place = f"variable {variable!r}"
        if variable in self._producers:
            found = f"a value for what {self._producers[variable].place} produces"
            raise AppError(CONFLICT, place, found, "none")
        if self._settled(variable):
            raise AppError(CONFLICT, place, "a second value", "one")
        self._value(variable).put(value)
        self._go_on(variable)

    async def get(self, variable: str, criteria: str = "latency", timeout: float | None = None) -> str:
        """Return the value of a variable once it is there.

        Parameters
        ----------
        variable : str
            Its id.
        criteria : {"latency", "throughput", "ttft", "tpot"}
            What is asked of the requests above it.
        timeout : float or None
            Seconds to wait; the requests go on after that.

        Raises
        ------
        AppError
            400: an unknown criterion; 404: nobody produces the variable, and it is not set; 409: another criterion
            was asked for; 410: closed; 504: time-out. Else what failed on the way to it.
        """
        (value,) = await self.gets({variable: criteria}, timeout)
        return value

    async def gets(self, criteria: Mapping[str, str], timeout: float | None = None) -> list[str]:
        """Return the values of some variables, each with its criterion; all are asked for at once."""
        self._check_open()
        for variable, criterion in criteria.items():
            self._ask(variable, criterion)
        self._executor.wake()
        try:
            async with asyncio.timeout(timeout):
                return [await self._value(variable).wait() for variable in criteria]
        except TimeoutError:
            raise AppError(LATE, f"get of {_named(criteria)}", self._late(timeout), "a value by then") from None

    async def close(self) -> None:
        """End its requests, and free the contexts that no other session has used. Once is enough."""
        if not self.closed:
            self.closed = True
            for task in self._tasks:
                task.cancel()
            for value in self._values.values():
                if not value.settled:
                    value.fail(self._closed())
        try:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            await self._executor.forget(self)

    async def __aenter__(self) -> Session:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    def rank(self, request: int) -> int:
        """Return the place of a request in its session, as the rules have it."""
        return self._facts().rank[request]

    def label(self, request: int) -> str:
        """Return the label of a request."""
        return self._facts().labels[request]

    def group(self, request: int) -> Hashable | None:
        """Return the task group of a request."""
        return self._facts().group.get(request)

    def _check_outputs(self, request: Request) -> None:
        """Refuse a second value or producer, and a cycle, which only outputs that something consumes can close."""
        for variable in request.outputs:
            if self._settled(variable) and variable not in self._producers:
                found = f"a value that a client set, and {request.place}, which produces it"
                raise AppError(CONFLICT, f"variable {variable!r}", found, "one of them")
        known, outputs = (self._consumers, self._producers, request.inputs), request.outputs
        if len(set(outputs)) < len(outputs) or any(variable in used for variable in outputs for used in known):
            Graph.of([*self._requests, request])

    def _facts(self) -> _Deduced:
        if self._deduced is None:
            self._deduced = _Deduced(self.number, self.graph, self._asked, self._executor.rules)
        return self._deduced

    def _value(self, variable: str) -> Value:
        return self._values.setdefault(variable, Value())

    def _settled(self, variable: str) -> bool:
        return variable in self._values and self._values[variable].settled

    def _ask(self, variable: str, criterion: str) -> None:
        """Write down what is asked of a variable."""
        place = f"get of {variable!r}"
        if criterion not in LABELS:
            raise AppError(MALFORMED, place, f"criterion {shown(criterion, 60)}", f"one of {', '.join(LABELS)}")
        if variable not in self._producers and not self._settled(variable):
            raise AppError(UNKNOWN, place, "no request that produces it, and no value", "one of them")
        if self._asked.get(variable, criterion) != criterion:
            raise AppError(CONFLICT, place, f"criterion {criterion!r} after {self._asked[variable]!r}", "one")
        if variable not in self._asked:
            self._asked[variable] = criterion
            self._deduced = None

    def _begin(self, request: Request) -> None:
        """Begin a request whose inputs are there, or fail it if one of them failed."""
        values = [self._value(variable) for variable in request.inputs]
        failure = next((value.failure for value in values if value.failure is not None), None)
        if request.id in self._begun:
            return
        if failure is not None:
            self._begun.add(request.id)
            self._fail(request.outputs, failure)
        elif all(value.settled for value in values):
            self._begun.add(request.id)
            task = asyncio.get_running_loop().create_task(self._serve(request))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve(self, request: Request) -> None:
        ports = request.ports
        try:
            values = {
                port.name: await self._changed(request, port, self._value(port.variable).text)
                for port in ports
                if not port.output
            }
            texts = await self._executor.run(self, request, values)
        except AppError as failure:
            return self._fail(request.outputs, _within(request, failure))
        except Exception as error:
            found = f"{type(error).__name__}: {shown(str(error), 120)}"
            return self._fail(request.outputs, AppError(ENGINE, request.place, found, "an engine that answers"))
        for port, text in zip((port for port in ports if port.output), texts, strict=True):
            try:
                self._value(port.variable).put(await self._changed(request, port, text))
                self._go_on(port.variable)
            except AppError as failure:
                self._fail([port.variable], failure)
        return None

    async def _changed(self, request: Request, port: Port, text: str) -> str:
        """Return a text after the transforms of a port; those that take time let others go on meanwhile."""
        place = f"{request.place}, variable {port.variable!r}"
        if takes_time(port.transforms):
            return await self._executor.workers.run(self.turn, apply, port.transforms, text, self._own, place)
        return apply(port.transforms, text, self._own, place)

    def _fail(self, variables: Sequence[str], failure: AppError) -> None:
        """Fail variables and everything below them."""
        failing = deque(variables)
        while failing:
            variable = failing.popleft()
            if self._value(variable).settled:
                continue
            self._value(variable).fail(failure)
            for request in self._consumers.get(variable, ()):
                if request.id not in self._begun:
                    self._begun.add(request.id)
                    failing.extend(request.outputs)

    def _go_on(self, variable: str) -> None:
        """Begin what has waited for a variable."""
        for request in self._consumers.get(variable, ()):
            self._begin(request)

    def _late(self, timeout: float | None) -> str:
        """Return what a time-out is told as, with the variables that nobody has given a value."""
        missing = [
            variable
            for variable in self._consumers
            if variable not in self._producers and not self._settled(variable)
        ]
        why = f"; no value was set for {_named(missing)}" if missing else ""
        return f"none after {timeout:g} s{why}"

    def _check_open(self) -> None:
        if self.closed:
            raise self._closed()

    def _closed(self) -> AppError:
        return AppError(CLOSED, f"session {self.id}", "a closed session", "an open one")


class _Deduced:
    """What a graph and the gets say of each request."""

    def __init__(self, number: int, graph: Graph, asked: Mapping[str, str], rules: PlacingRules) -> None:
        gets = {v: criterion for v, criterion in asked.items() if v in graph.producers}
        self.labels, found, self.rank = rules.deduced(graph, gets)
        self.group = {k: (number, members[0]) for members in found for k in members}


class Manager:
    """Engines and the sessions that use them.

    Parameters
    ----------
    engines : sequence of Engine
        Nobody else makes contexts there.
    transforms : mapping of str to function
        Steps of your own by name, see `teltheory.systems.apps.transforms`; they run in the event loop.
    rules : Placing or {"parrot", "parrotserve"}
        How requests are placed; "parrot" is ``Placing()``.

    Attributes
    ----------
    executor : Executor
        Its engines, with what waits and runs there.
    numbers : iterator of int
        Sessions, and chats that pass through, in order of opening.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        transforms: Mapping[str, Own] = NOTHING_OWN,
        rules: PlacingRules | str = "parrot",
    ) -> None:
        self.engines = tuple(engines)
        self._own, self.executor = dict(transforms), Executor(engines, rules_of(rules))
        self._sessions: dict[str, Session] = {}
        self.numbers, self._closed = count(), False

    def session(self) -> Session:
        """Open a session; `AppError` 410 if the manager is closed."""
        if self._closed:
            raise AppError(CLOSED, "manager", "a closed manager", "an open one")
        session = Session(self.executor, next(self.numbers), self._own)
        self._sessions = {id: other for id, other in self._sessions.items() if not other.closed}
        self._sessions[session.id] = session
        return session

    @property
    def sessions(self) -> Mapping[str, Session]:
        """The open sessions by id, and those closed since the last one was opened."""
        return self._sessions

    async def close(self) -> None:
        """Close all sessions and free all contexts."""
        self._closed = True
        for session in list(self._sessions.values()):
            await session.close()
        await self.executor.close()

    async def __aenter__(self) -> Manager:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()


def _within(request: Request, failure: AppError) -> AppError:
    """Return a failure that names its request."""
    if failure.place.startswith(request.place):
        return failure
    return AppError(failure.code, f"{request.place}, {failure.place}", failure.found, failure.expected)


def _named(variables: Iterable[str]) -> str:
    return ", ".join(map(repr, variables))
