"""What a server counts, for Prometheus: chats by engine and status, how tokens were counted, what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teltheory.base.extras import needed

if TYPE_CHECKING:
    from teltheory.systems.apps.engines.remote import RemoteEngine
    from teltheory.systems.apps.executor import Executor

FIRST = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
KIND = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The counts of one server.

    Parameters
    ----------
    executor : Executor
        Engines, and what waits and runs there.
    """

    def __init__(self, executor: Executor) -> None:
        kinds = needed("prometheus_client", "apps")
        self._executor, self._kinds, self._all = executor, kinds, kinds.CollectorRegistry()

        def made(kind: str, name: str, text: str, *labels: str, **more: object) -> Any:
            return getattr(kinds, kind)(f"teltheory_{name}", text, labels, registry=self._all, **more)

        self._chats = made("Counter", "chats", "Answers to chats and completions", "engine", "status")
        self._tokens = made("Counter", "prompt_tokens", "Tokens of prompts, and how", "engine", "counted")
        self._first = made("Histogram", "first_byte_seconds", "Until an answer began", "engine", buckets=FIRST)
        self._waiting = made("Gauge", "waiting", "Requests that wait for an engine")
        self._running = made("Gauge", "running", "Requests at an engine", "engine")
        self._up = made("Gauge", "up", "Whether an engine is given requests", "engine")

    def answered(self, engine: RemoteEngine, status: int, tokens: int, seconds: float) -> None:
        """Count an answer that began."""
        counted = "bytes/4" if engine.count is None else "tokenizer"
        self._chats.labels(engine.name, status).inc()
        self._tokens.labels(engine.name, counted).inc(tokens)
        self._first.labels(engine.name).observe(seconds)

    def text(self) -> str:
        """Return all of it in Prometheus' form."""
        executor = self._executor
        self._waiting.set(executor.waiting)
        for machine in executor.machines:
            self._running.labels(machine.engine.name).set(machine.jobs)
            self._up.labels(machine.engine.name).set(not machine.rests)
        return str(self._kinds.generate_latest(self._all), "utf-8")
