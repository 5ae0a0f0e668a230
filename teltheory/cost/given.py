"""Capacities, thresholds and times as a caller gives them: numbers, or text that says its unit.

A number is in the trace's unit, or in seconds. Text is what the command line takes:

1. ``300000``, ``300k`` and ``1M`` are tokens. On a trace in blocks they are so many full blocks, rounded down.
2. ``40GB`` and ``40GiB`` are bytes of a model's KV cache, as many tokens as fit.
3. ``200ms`` and ``2s`` are times. As a threshold, a time is the most uncached tokens whose TTFT keeps it.

Anything else is an error that offers what may have been meant. Bytes, and a time as a threshold, need a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TypeAlias

from teltheory.cost.kv_cache import ARCHITECTURES, Architecture, KVSize, architecture
from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.cost.latency_files import MEASURED
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.model.units import bytes_in, is_time, read_time, read_tokens

Size: TypeAlias = int | str
"""A capacity or a threshold: a number in the trace's unit, or text."""
Model: TypeAlias = str | Architecture | KVSize
"""Whose KV cache and latency: a name of `ARCHITECTURES`, or a size of a token."""


def refuse_file(trace: object) -> None:
    """Refuse the path of a file, or a table, that somebody gives in the place of a trace."""
    if isinstance(trace, (str, PathLike)):
        raise ArgumentError("trace", str(trace), "a Trace, such as read_trace(path) returns")
    if isinstance(trace, Mapping) or hasattr(trace, "columns"):
        raise ArgumentError("trace", type(trace).__name__, "a Trace, such as Trace.from_table(table) returns")


@dataclass(frozen=True)
class Units:
    """What sizes in text are counted in.

    Attributes
    ----------
    block_size : int
        Tokens per unit of the trace.
    model : str, Architecture, KVSize or None
        Whose bytes and times they are.
    latency : Latency or None
        In the place of the model's own.
    """

    block_size: int = 1
    model: Model | None = None
    latency: Latency | None = None

    @classmethod
    def of(cls, trace: object, model: Model | None = None, latency: Latency | None = None) -> Units:
        """Return the units of a trace, a forest, module sets or an outcome."""
        refuse_file(trace)
        return cls(getattr(trace, "block_size", 1), model, latency)

    def capacity(self, value: Size, argument: str = "capacity") -> int:
        """Return a capacity, in the trace's unit."""
        if not isinstance(value, str):
            return whole_number(argument, value)
        names = f"model={' or '.join(map(repr, ARCHITECTURES))}"
        return read_size(argument, value, self.shape, names) // self.block_size

    def memory(self, value: Size | Tiers) -> int | Tiers:
        """Return a capacity, or tiers with theirs, in the trace's unit."""
        if not isinstance(value, Tiers):
            return self.capacity(value)
        return replace(value, capacities=tuple(self.capacity(one, "capacities") for one in value.capacities))

    def xi(self, value: Size) -> int:
        """Return a threshold, in the trace's unit."""
        if not isinstance(value, str):
            return whole_number("xi", value)
        if not is_time(value):
            return read_tokens("xi", value) // self.block_size
        latency = self.own_latency
        if latency is None:
            names = " or ".join(map(repr, MEASURED))
            raise ArgumentError("xi", value, f"tokens such as 2800, or the model whose TTFT it is: model={names}")
        return latency.threshold(read_time("xi", value)) // self.block_size

    @property
    def own_latency(self) -> Latency | None:
        """The latency that was given, or the model's own."""
        return self.latency or measured(self.model)

    @property
    def shape(self) -> KVSize | None:
        """The size of a token: the model's; else that of the model that the latency was measured on."""
        if isinstance(self.model, str):
            return architecture(self.model).stored()
        if self.model is not None:
            return self.model.stored() if isinstance(self.model, Architecture) else self.model
        origin = None if self.latency is None else self.latency.provenance
        found = None if origin is None else ARCHITECTURES.get(origin.model)
        return None if found is None else found.stored()


def read_size(argument: str, text: str, shape: KVSize | None, models: str) -> int:
    """Read tokens, or bytes of the KV cache of a model, as many tokens as fit; `models` says how to name one."""
    size = bytes_in(text)
    if size is None:
        return read_tokens(argument, text, or_bytes=True)
    if shape is None:
        raise ArgumentError(argument, text, f"tokens such as 300k, or the model whose bytes they are: {models}")
    return shape.tokens(int(size))


def measured(model: Model | None) -> Latency | None:
    """Return a model's own latency, None if it has none."""
    if not isinstance(model, str):
        return None
    return MEASURED.get(architecture(model).name)


def latency_of(latency: Latency | None, model: Model | None) -> Latency:
    """Return the latency given, or the model's own; without either that of the A100 with Llama-2-7B."""
    if latency is not None and not hasattr(latency, "threshold"):
        expected = "a latency model: fit_latency(...).model, or read_latency(FILE) of what calibrate saved"
        raise ArgumentError("latency", latency if isinstance(latency, str) else type(latency).__name__, expected)
    if latency is not None or model is None:
        return latency or A100_LLAMA2_7B
    found = measured(model)
    if found is None:
        expected = f"one with a latency of its own ({', '.join(MEASURED)}), or latency=... with it"
        raise ArgumentError("model", model if isinstance(model, str) else model.name, expected)
    return found
