"""How long the stages of a search take: measured once into a small file, and read from there ever after.

A workload takes its times from such a file, so that everything computed from it repeats byte for byte. A file is a
JSON object with the version (``teltheory_stage_times``) and the fields of `StageTimes`; it is right for the index,
the parameters and the size that it was measured on. What a larger index would take is a guess, made by `scaled`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike

from teltheory.base.extras import needed
from teltheory.base.input_files import read_json
from teltheory.base.plain_data import check_known, read_as
from teltheory.base.processor import processor
from teltheory.base.whole_files import write_whole
from teltheory.errors import ArgumentError, FileError
from teltheory.model.numbers import LARGEST, real_number
from teltheory.systems.rag.indexes import Built, parameters

VERSION = 1
MOST_BYTES = 1 << 20
VERSIONED = "teltheory_stage_times"
EXPECTED = f'stage times, an object with "{VERSIONED}": {VERSION}'
Whole: TypeAlias = Annotated[int, Meta(ge=0, lt=2**62, description="a whole number")]
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=LARGEST, description="seconds, 0 or more")]


@dataclass(frozen=True)
class StageTimes:
    """What was measured, on what, and how.

    Attributes
    ----------
    index : str
        Kind of the index.
    parameters : dict of str to int
        Its parameters.
    documents, dimension : int
        Size of the corpus and of its vectors.
    k, queries, repeats : int
        Documents of an answer; queries that were searched together; times that they were.
    machine : str
        Processor, system and version of Faiss; one thread.
    seconds : tuple of float
        Seconds of each stage for a query: the mean over the queries, of that the median over the repeats.
    factor : float
        What the measured seconds were multiplied by, 1 if they are as measured.
    """

    index: str
    parameters: Annotated[Mapping[str, Whole], Meta(description="an object of whole numbers")]
    documents: Whole
    dimension: Whole
    k: Whole
    queries: Whole
    repeats: Whole
    machine: str
    seconds: Annotated[tuple[Seconds, ...], Meta(min_length=1, description="a list of seconds, 0 or more")]
    factor: Annotated[float, Meta(gt=0, le=LARGEST, description="a number above 0")] = 1.0

    def scaled(self, factor: float) -> StageTimes:
        """Return the times of a search that takes `factor` times as long in every stage, above 0: a guess."""
        times = real_number("factor", factor, 0)
        return replace(self, seconds=tuple(s * times for s in self.seconds), factor=self.factor * times)

    def check(self, built: Built) -> None:
        """Raise an ArgumentError unless the times are those of an index."""
        documents, dimension = built.vectors.shape
        facts = built.index.name, parameters(built.index), documents, dimension
        names = "index", "parameters", "documents", "dimension"
        for name, wanted in zip(names, facts, strict=True):
            found = getattr(self, name)
            if found != wanted:
                raise ArgumentError(f"seconds, {name}", found, f"{wanted!r}, as the index has")


def measured(built: Built, queries: ArrayLike, k: int, repeats: int = 5) -> StageTimes:
    """Measure the stages of a search, on one thread.

    Parameters
    ----------
    built : Built
        The index.
    queries : array_like of float, shape (Q, d)
        What is searched for, all of it in one call.
    k, repeats : int
        Documents of an answer, and how often all is measured.
    """
    seconds = built.seconds(queries, k, repeats)
    documents, dimension = built.vectors.shape
    faiss = needed("faiss", "rag").__version__
    machine = f"{processor()}, {platform.system()} {platform.machine()}, Faiss {faiss}, one thread"
    return StageTimes(
        built.index.name,
        parameters(built.index),
        documents,
        dimension,
        k,
        len(np.asarray(queries)),
        repeats,
        machine,
        tuple(seconds.tolist()),
    )


def write_stage_times(times: StageTimes, file: str | Path) -> None:
    """Write times into a JSON file, whole or not at all."""
    text = json.dumps({VERSIONED: VERSION, **asdict(times)}, indent=2) + "\n"
    write_whole(Path(file), lambda path: path.write_text(text, "utf-8"))


def read_stage_times(file: str | Path) -> StageTimes:
    """Read times from a JSON file.

    Raises
    ------
    FileError
        If it holds no such times; the error names file and field.
    """
    found = read_json(Path(file), EXPECTED, MOST_BYTES)
    if not isinstance(found, dict) or found.get(VERSIONED) != VERSION:
        raise FileError(f"{file}: expected {EXPECTED}")
    check_known(str(file), found, StageTimes, VERSIONED)
    return read_as(str(file), found, StageTimes)
