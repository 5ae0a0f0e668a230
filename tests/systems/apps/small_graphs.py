"""Graphs of a few requests, for tests of what is deduced, drawn and refused."""

from collections.abc import Sequence

from hypothesis import strategies as st

from teltheory.systems.apps import Graph, Port, Request


def call(k: int, inputs: Sequence[str], outputs: Sequence[str], model: str | None = None) -> Request:
    """Return a request that consumes and produces variables."""
    ports = [Port(name, False, name) for name in inputs] + [Port(name, True, name) for name in outputs]
    prompt = "".join(f"{{{{{'output' if port.output else 'input'}:{port.name}}}}}" for port in ports)
    return Request.of(k, prompt, ports, model)


@st.composite
def graphs(draw: st.DrawFn, most: int = 7) -> Graph:
    """Acyclic graphs whose requests are submitted in any order, of two models."""
    count = draw(st.integers(1, most))
    numbers = draw(st.permutations(range(count)))
    requests = []
    for place, k in enumerate(numbers):
        inputs = tuple(f"v{earlier}" for earlier in numbers[:place] if draw(st.booleans()))
        requests.append(call(k, inputs, (f"v{k}",), draw(st.sampled_from([None, "a"]))))
    return Graph.of(sorted(requests, key=lambda request: request.id))
