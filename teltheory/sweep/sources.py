"""Where a swept trace comes from: a given one, a file, or a sample of a workload.

A trace's key is a digest of all that a policy may read of it: every column and fact but the reader's report. A
file's path and the label are no part of it. A sample's key is made of what it is sampled from instead, so that its
results are found without sampling.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, singledispatch
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError, FileError
from teltheory.formats import read_trace
from teltheory.model.forest import Forest
from teltheory.model.hints import Hints
from teltheory.model.numbers import exact_sum, readonly, whole_number
from teltheory.model.trace import Trace
from teltheory.policies.spec import default_estimate
from teltheory.workloads import Chats, Conversations, sample_conversations


class Facts(NamedTuple):
    """What a sweep asks about a trace before it replays it."""

    key: str
    turns: int
    estimate: int
    unit: int


class Lengths(NamedTuple):
    """All inputs together and all pasts together, in the trace's unit."""

    inputs: int
    pasts: int

    @classmethod
    def of(cls, trace: Trace | Forest) -> Lengths:
        """Return those of a trace, of a forest in tokens."""
        return cls(exact_sum(trace.inputs), exact_sum(trace.past) * trace.scale)


NOT_REPLAYED = ("blocks",)
"""A trace is replayed as private conversations; what its requests share is a forest, a trace of its own."""


LATER = ("cluster", "hints")
"""Fields that are no part of the key where they are empty: results were stored before there were such."""


def trace_key(trace: Trace | Forest) -> str:
    """Return a digest of what replays of a trace depend on, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for part in _told(trace):
        digest.update(part)
    return digest.hexdigest()


def _told(trace: Trace | Forest | Hints) -> Iterator[bytes]:
    """Yield every field of a trace, or of its hints: what it is, and the values of a column."""
    for field in fields(trace):
        value: Any = None if field.name == "report" else getattr(trace, field.name)
        if field.name in NOT_REPLAYED or (field.name in LATER and value is None):
            continue
        if field.name == "hints":
            yield from _told(value)
            continue
        column = value if isinstance(value, np.ndarray) else None
        fact = value if column is None else [column.dtype.kind, *column.shape]
        yield f"{json.dumps([field.name, fact])}\n".encode()
        if column is not None:
            yield np.ascontiguousarray(column, column.dtype.newbyteorder("<")).tobytes()


class _Known:
    """A source whose trace was looked at."""

    @cached_property
    def _facts(self) -> Facts:
        trace = self.load()
        return Facts(trace_key(trace), len(trace), default_estimate(trace), trace.scale)

    @cached_property
    def lengths(self) -> Lengths:
        """All inputs together and all pasts together."""
        return Lengths.of(self.load())

    def load(self) -> Trace | Forest:
        """Return the trace."""
        raise NotImplementedError

    @property
    def key(self) -> str:
        """Digest of what replays depend on."""
        return self._facts.key

    @property
    def turns(self) -> int:
        """Length of the trace."""
        return self._facts.turns

    @property
    def estimate(self) -> int:
        """Mean prompt of the turns that continue a conversation, rounded up."""
        return self._facts.estimate

    @property
    def unit(self) -> int:
        """Tokens per block of a forest, whose grid is in tokens; 1 of a trace, whose unit the grid's is."""
        return self._facts.unit


@dataclass(frozen=True, eq=False)
class TraceAtHand(_Known):
    """A trace in memory, and what a table calls it."""

    trace: Trace
    label: str = "trace"
    shared: ClassVar[bool] = False

    def load(self) -> Trace:
        """Return the trace."""
        return self.trace

    def alone(self) -> TraceAtHand:
        """Return a source with only what replays depend on."""
        return replace(self, trace=replace(self.trace, report=None, blocks=None))


@dataclass(frozen=True, eq=False)
class ForestAtHand(_Known):
    """A forest in memory, and what a table calls it."""

    forest: Forest
    label: str = "forest"
    shared: ClassVar[bool] = True

    def load(self) -> Forest:
        """Return the forest."""
        return self.forest

    def alone(self) -> ForestAtHand:
        """Return the source itself: replays depend on all of a forest."""
        return self


@dataclass(frozen=True)
class TraceFile(_Known):
    """A file that `teltheory.read_trace` reads, replayed as private conversations."""

    path: str
    format: str = "auto"
    shared: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """The path."""
        return self.path

    def load(self) -> Trace:
        """Read the file."""
        return read_trace(self.path, self.format)

    def alone(self) -> TraceAtHand:
        """Return a source that does without the file."""
        return TraceAtHand(self.load(), self.label).alone()


@dataclass(frozen=True)
class Sample:
    """The first turns of a sample of a workload.

    Attributes
    ----------
    model : ConversationModel, ConversationMixture or Chats
        What is sampled.
    turns : int
        Length of the trace.
    seed : int
        Seed of the generator.
    """

    model: Conversations | Chats
    turns: int
    seed: int
    unit: ClassVar[int] = 1
    shared: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("turns", "seed"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))

    @property
    def label(self) -> str:
        """The seed and the length."""
        return f"seed {self.seed}, {self.turns} turns"

    @cached_property
    def estimate(self) -> int:
        """Mean prompt of the turns that continue a conversation, rounded up; samples the trace."""
        return default_estimate(self.load())

    @cached_property
    def lengths(self) -> Lengths:
        """All inputs together and all pasts together; samples the trace."""
        return Lengths.of(self.load())

    @cached_property
    def _described(self) -> str:
        return repr(self.model)

    @cached_property
    def key(self) -> str:
        """Digest of the model, length and seed, and of the generator, whose stream may change with numpy."""
        text = f"sample {self._described} {self.turns} {self.seed} PCG64 of numpy {np.__version__}"
        return hashlib.sha256(text.encode()).hexdigest()

    def load(self) -> Trace:
        """Sample the trace."""
        rng = np.random.Generator(np.random.PCG64(self.seed))
        if isinstance(self.model, Chats):
            return self.model.sample(self.turns, rng)
        return sample_conversations(self.model, self.turns, rng)

    def alone(self) -> Sample:
        """Return the sample itself, which needs nothing."""
        return self


Source: TypeAlias = TraceAtHand | TraceFile | Sample
"""Private conversations."""
AnySource: TypeAlias = Source | ForestAtHand


def as_sources(traces: Trace | Forest | AnySource | Sequence[Trace | Forest | AnySource]) -> list[AnySource]:
    """Return sources of one or several traces, no label twice; traces in memory are numbered from 1."""
    several: Sequence[Any] = traces if isinstance(traces, Sequence) and not isinstance(traces, str) else [traces]
    if not several:
        raise ArgumentError("traces", several, "at least one")
    sources = [_source(trace, i + 1) for i, trace in enumerate(several)]
    labels = [source.label for source in sources]
    for label in labels:
        if labels.count(label) > 1:
            raise ArgumentError("traces", label, "each label once")
    return sources


@singledispatch
def _source(trace: object, number: int) -> AnySource:
    if isinstance(trace, AnySource):
        return trace
    if isinstance(trace, (str, Path)):
        raise ArgumentError("traces", str(trace), "a trace or TraceFile(...)")
    kinds = "a Trace, Forest, TraceAtHand, ForestAtHand, TraceFile or Sample"
    raise ArgumentError("traces", type(trace).__name__, kinds)


_source.register(Trace, lambda trace, number: TraceAtHand(trace, f"trace {number}"))
_source.register(Forest, lambda trace, number: ForestAtHand(trace, f"trace {number}"))


def load(source: AnySource, key: str) -> Trace | Forest:
    """Load a trace that must have this key: a file may have changed, a sample be of another version of numpy."""
    trace: Trace | Forest = aligned(source.load())
    found = source.key if isinstance(source, Sample) else trace_key(trace)
    if found != key:
        raise FileError(f"{source.label}: found another trace than at the start of the sweep, expected the same")
    return trace


def aligned(trace: Any) -> Any:
    """Return a trace whose columns lie as machine code reads them, which those of a message need not do."""
    columns = {field.name: getattr(trace, field.name) for field in fields(trace)}
    moved = {
        k: readonly(v.copy()) for k, v in columns.items() if isinstance(v, np.ndarray) and not v.flags.aligned
    }
    return replace(trace, **moved) if moved else trace
