"""Batches of random cases: the unit of work of a campaign.

A batch is a claim, a generator and a number. Its seed is made of these three alone, so that it finds the same
wherever and whenever it is tried. What it finds is plain data, the same byte for byte.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import count
from typing import Any

import numpy as np

from teltheory.claims.case import Case
from teltheory.claims.claim import Claim
from teltheory.claims.generators import GENERATORS, Generator, RealTurns
from teltheory.claims.search import refutes
from teltheory.claims.shrinking import shrunk
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import WorkerError

RESULTS_VERSION = 1
"""Raise it if the same batch finds something else than before, so that stored results are no longer used."""


Key = tuple[str, str, int]
"""Claim, generator and number of a batch."""


@dataclass(frozen=True)
class Batch:
    """Cases to try; `text` is the digest of the claim, see `text_of`.

    `number` counts from 0 and is the same for all claims and generators of a round.
    """

    claim: str
    generator: str
    number: int
    text: str = ""

    def __str__(self) -> str:
        return f"batch {self.number} of {self.claim}, {self.generator}"

    @property
    def key(self) -> Key:
        """What tells batches apart."""
        return (self.claim, self.generator, self.number)

    @property
    def seed(self) -> int:
        """Seed of its random numbers."""
        digest = hashlib.sha256(f"{self.claim} {self.generator} {self.number}".encode()).digest()
        return int.from_bytes(digest[:8])


@dataclass(frozen=True)
class Found:
    """What a batch found: cases within the claim's hypotheses, how many refute, and the first that does, shrunk.

    `problem` says how the check broke; the batch ends there.
    """

    tried: int
    refuting: int
    counterexample: dict[str, Any] | None = None
    problem: str | None = None


@cache
def made_by() -> str:
    """Return what results depend on besides the claim: versions, of numpy too, whose streams may change."""
    return f"teltheory {version('teltheory')} (campaigns {RESULTS_VERSION}), numpy {np.__version__}"


def text_of(claim: Claim[Case], generator: Generator, real: RealTurns | None) -> str:
    """Return a digest of a claim's statement, check and space, and of what a generator draws, 12 digits."""
    space = claim.space
    assert isinstance(space, SmallWorlds)
    facts = [claim.id, claim.statement, _source(claim.values), space.reach, space.conversations]
    facts += [space.starts, space.forced, space.most_turns, space.longest, generator.name, generator.drawn]
    if generator.name == "mooncake" and real is not None:
        facts.append(real.digest)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]


def _source(value: object) -> str:
    """Return what a function says, with the functions and values that it was made with."""
    if isinstance(value, dict):
        return repr({name: _source(held) for name, held in value.items()})
    if not inspect.isfunction(value):
        return repr(value)
    return _lines(value) + _source(dict(inspect.getclosurevars(value).nonlocals))


@cache
def _lines(function: Callable[..., Any]) -> str:
    return inspect.getsource(function)


def in_order(
    claims: Sequence[Claim[Case]], generators: Sequence[Generator], real: RealTurns | None
) -> Iterator[Batch]:
    """Yield batches without end, round by round: each claim with each generator, then the next number."""
    texts = {(c.id, g.name): text_of(c, g, real) for c in claims for g in generators}
    for number in count():
        for (claim, generator), text in texts.items():
            yield Batch(claim, generator, number, text)


@dataclass(frozen=True)
class Trial:
    """What a process does with a batch; it is sent to each once. `find` returns the claim of a name."""

    find: Callable[[str], Claim[Case]]
    real: RealTurns | None = None
    generators: tuple[Generator, ...] = GENERATORS

    def __call__(self, batch: Batch) -> tuple[str, Found]:
        """Try a batch; return by what, and what it found; `WorkerError` if the claim is another one here."""
        claim = self.find(batch.claim)
        generator = next(generator for generator in self.generators if generator.name == batch.generator)
        if text_of(claim, generator, self.real) != batch.text:
            raise WorkerError(str(batch), f"another version of the claim on the worker ({made_by()})")
        return made_by(), tried(claim, generator, batch.seed, self.real)


def tried(claim: Claim[Case], generator: Generator, seed: int, real: RealTurns | None = None) -> Found:
    """Draw the cases of a batch and look at each; the first that refutes is shrunk."""
    space = claim.space
    assert isinstance(space, SmallWorlds)
    rng = np.random.Generator(np.random.PCG64(seed))
    answers: list[bool] = []
    example: dict[str, Any] | None = None
    for number in range(generator.drawn):
        try:
            case = generator.draw(rng, space, real)
            answer = None if case is None else refutes(claim, case)
            if case is not None and answer and example is None:
                example = least(claim, case)
        except Exception as error:
            problem = f"{type(error).__name__}: {error} (case {number} of seed {seed}, {generator.name})"
            return Found(len(answers), sum(answers), example, problem)
        if answer is not None:
            answers.append(answer)
    return Found(len(answers), sum(answers), example)


def least(claim: Claim[Case], case: Case) -> dict[str, Any]:
    """Shrink a case that refutes; return it with its values as plain data."""
    case = shrunk(claim, case)
    return case.as_counterexample(claim.values(case) or {})
