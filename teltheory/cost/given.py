"""Capacities, thresholds and times as a caller gives them: numbers, or text that says its unit.

A number is in the trace's unit, or in seconds. Text is what the command line takes:

1. ``300000``, ``300k`` and ``1M`` are tokens. On a trace in blocks they are so many full blocks, rounded down.
2. ``40GB`` and ``40GiB`` are bytes of a model's KV cache, as many tokens as fit.
3. ``200ms`` and ``2s`` are times. As a threshold, a time is the most uncached tokens whose TTFT keeps it.
4. ``10%`` is a capacity: that share of what an endless cache holds at its peak, rounded down.
5. A model is a name, or the path of its ``config.json``; a latency a name, or the path of what calibrate saved.

Anything else is an error that offers what may have been meant. Bytes, and a time as a threshold, need a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from teltheory.cost.catalogue import architecture, known_models, uniform
from teltheory.cost.kv_cache import Architecture, KVSize
from teltheory.cost.kv_config import read_architecture
from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.cost.latency_files import MEASURED, latency_named
from teltheory.errors import ArgumentError, listed
from teltheory.model.numbers import whole_number
from teltheory.model.requests import Requests
from teltheory.model.tiers import Tiers, resized
from teltheory.model.units import PeakShare, bytes_in, is_time, read_share, read_time, read_tokens

Size: TypeAlias = int | str
"""A capacity or a threshold: a number in the trace's unit, or text."""
Model: TypeAlias = str | PathLike[str] | Architecture | KVSize
"""Whose KV cache and latency: a name of `ARCHITECTURES`, the path of a ``config.json``, or a size of a token."""
OFFERED = "llama-3.1-8b"
"""A model that is offered where some model is meant."""
LatencyGiven: TypeAlias = Latency | str | PathLike[str]
"""A latency model, a name of `EMBEDDED`, or the path of a file that `read_latency` reads."""


def refuse_file(trace: object) -> None:
    """Refuse the path of a file, or a table, that somebody gives in the place of a trace."""
    if isinstance(trace, (str, PathLike)):
        raise ArgumentError("trace", str(trace), "a Trace, such as read_trace(path) returns")
    if isinstance(trace, Mapping) or hasattr(trace, "columns"):
        raise ArgumentError("trace", type(trace).__name__, "a Trace, such as Trace.from_table(table) returns")
    if trace is None or isinstance(trace, (int, float, list, tuple)):
        raise ArgumentError(
            "trace", type(trace).__name__, "a Trace or a Forest, such as Trace.from_turns(...) makes"
        )


@dataclass(frozen=True)
class Units:
    """What sizes in text are counted in.

    Attributes
    ----------
    block_size : int
        Tokens per unit of the trace.
    model : str, path, Architecture, KVSize or None
        Whose bytes and times they are.
    latency : Latency, str, path or None
        In the place of the model's own.
    number : int
        What a bare number counts, in these units: 1, but where sizes become tokens (`in_tokens`).
    requests : Requests or None
        What a capacity may be a share of.
    """

    block_size: int = 1
    model: Model | None = None
    latency: LatencyGiven | None = None
    number: int = 1
    requests: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, trace: object, model: Model | None = None, latency: LatencyGiven | None = None) -> Units:
        """Return the units of a trace, a forest, module sets or an outcome."""
        refuse_file(trace)
        return cls(getattr(trace, "block_size", 1), model, latency, requests=trace)

    @classmethod
    def in_tokens(
        cls, unit: int, model: Model | None = None, latency: LatencyGiven | None = None, requests: Any = None
    ) -> Units:
        """Return what makes tokens of sizes: a bare number is in the requests' unit of so many tokens."""
        return cls(1, model, latency, unit, requests)

    def capacity(self, value: Size, argument: str = "capacity") -> int:
        """Return a capacity, in the trace's unit."""
        if not isinstance(value, str):
            return whole_number(argument, value) * self.number
        share = read_share(argument, value)
        if share is not None:
            return self._share(argument, share)
        ways = f"{models_for('model=', 'latency=...', repr)}, or the path of its config.json"
        return read_size(argument, value, self.shape, ways) // self.block_size

    def _share(self, argument: str, share: PeakShare) -> int:
        if not isinstance(self.requests, Requests):
            raise ArgumentError(argument, share.text, "tokens or bytes here: a share is of one trace's peak")
        return share.of(self.requests.peak * self.number)

    def estimate(self, value: Size, argument: str = "q_hat") -> int:
        """Return a prompt estimate, in the trace's unit; of tokens in text, so many blocks that they fit in."""
        if not isinstance(value, str):
            return whole_number(argument, value) * self.number
        return -(-read_tokens(argument, value) // self.block_size)

    def memory(self, value: Size | Tiers) -> int | Tiers:
        """Return a capacity, or tiers with theirs, in the trace's unit."""
        memory: int | Tiers = resized(value, self.capacity)
        return memory

    def xi(self, value: Size, argument: str = "xi") -> int:
        """Return a threshold, in the trace's unit."""
        if not isinstance(value, str):
            return whole_number(argument, value) * self.number
        if not is_time(value):
            return read_tokens(argument, value) // self.block_size
        latency = self.own_latency
        if latency is None:
            names = " or ".join(map(repr, MEASURED))
            expected = f"tokens such as 2800, or the model whose TTFT it is: model={names}"
            raise ArgumentError(argument, value, expected)
        return latency.threshold(read_time(argument, value)) // self.block_size

    @property
    def own_latency(self) -> Latency | None:
        """The latency that was given, or the model's own."""
        return as_latency(self.latency) or measured(self.model)

    @property
    def shape(self) -> KVSize | None:
        """The size of a token: the model's; else that of the model that the latency was measured on."""
        return measured_size(as_latency(self.latency)) if self.model is None else size_of(self.model)


def in_text(value: Any) -> Any:
    """Return a size in tokens, or tiers of them, as the text that means tokens whatever the requests' unit is."""
    return resized(value, lambda size, _: str(size) if isinstance(size, int) else size)


def read_size(argument: str, text: str, shape: KVSize | None, models: str) -> int:
    """Read tokens, or bytes of the KV cache of a model, as many tokens as fit; `models` says how to name one."""
    size = bytes_in(text)
    if size is None:
        return read_tokens(argument, text, or_bytes=True)
    if shape is None:
        raise ArgumentError(argument, text, f"tokens such as 300k, or the model whose bytes they are: {models}")
    return shape.tokens(int(size))


def scarce(trace: Requests, capacities: Iterable[int]) -> Iterator[str]:
    """Yield a sentence if not even the median input fits in a capacity, in tokens: nearly nothing is cached."""
    middle = int(np.quantile(trace.inputs, 0.5, method="inverted_cdf")) if len(trace) else 0
    small = [f"{size:,}" for size in capacities if 0 < size < middle]
    if small:
        unit = "A size without a unit is in tokens, 40GiB is in bytes."
        yield f"The median input has {middle:,} tokens and does not fit in a capacity of {listed(small)}. {unit}"


def models_for(given: str, latency: str, written: Callable[[str], str] = str) -> str:
    """Return how a known model is named whose bytes are meant: with a latency of its own, or without."""
    others = f"{written(OFFERED)} or another of {len(known_models()) - len(MEASURED)} known models"
    measured = f"{given}{' or '.join(map(written, MEASURED))}"
    return f"{measured}, or {others} ({latency} with it where times are asked for)"


def served_size(model: Model | None, kv_bytes: Size | None) -> Model | None:
    """Return the model, or in its place what `kv_bytes` says: the bytes of a token, or text such as ``160KiB``."""
    if kv_bytes is None:
        return model
    if model is not None:
        raise ArgumentError("kv_bytes", kv_bytes, "none with model, which says it")
    given = bytes_in(kv_bytes) if isinstance(kv_bytes, str) else whole_number("kv_bytes", kv_bytes)
    if not given or given.denominator != 1:
        raise ArgumentError("kv_bytes", kv_bytes, "whole bytes of a token, such as 163840 or '160KiB'")
    return KVSize("kv_bytes", int(given))


def architecture_of(model: str | PathLike[str]) -> Architecture:
    """Return the architecture that a name means, or the path of a ``config.json``."""
    return read_architecture(Path(model)) if Path(model).suffix == ".json" else architecture(str(model))


def size_of(model: Model) -> KVSize:
    """Return the size of a token of a model."""
    found = architecture_of(model) if isinstance(model, (str, PathLike)) else model
    return found.stored() if isinstance(found, Architecture) else found


def measured_size(latency: Latency | None) -> KVSize | None:
    """Return the size of a token of the model that a latency was measured on, None where that is not known."""
    origin = None if latency is None else latency.provenance
    found = None if origin is None else uniform().get(origin.model)
    return None if found is None else found.stored()


def measured(model: Model | None) -> Latency | None:
    """Return a model's own latency, None if it has none."""
    if not isinstance(model, (str, PathLike)):
        return None
    return MEASURED.get(architecture_of(model).name)


def as_latency(latency: LatencyGiven | None, argument: str = "latency") -> Latency | None:
    """Return a latency model; a text is the name of one, or the path of a file that has one."""
    if isinstance(latency, (str, PathLike)):
        return latency_named(str(latency), argument)
    if latency is not None and not hasattr(latency, "threshold"):
        expected = "a latency model, such as fit_latency(...).model, or the path of a file of calibrate --save"
        raise ArgumentError(argument, type(latency).__name__, expected)
    return latency


def latency_of(latency: LatencyGiven | None, model: Model | None) -> Latency:
    """Return the latency given, or the model's own; without either that of the A100 with Llama-2-7B."""
    given = as_latency(latency)
    if given is not None or model is None:
        return given or A100_LLAMA2_7B
    found = measured(model)
    if found is None:
        expected = f"one with a latency of its own ({', '.join(MEASURED)}), or latency=... with it"
        raise ArgumentError("model", str(getattr(model, "name", model)), expected)
    return found
