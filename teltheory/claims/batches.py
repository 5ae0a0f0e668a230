"""Batches of random cases: the unit of work of a campaign.

A batch is a claim, a generator and a number. Its seed is made of these three alone, so that it finds the same
wherever and whenever it is tried. What it finds is plain data, the same byte for byte.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import count
from typing import Any

import numpy as np

from teltheory.claims.case import Case
from teltheory.claims.claim import Claim
from teltheory.claims.generators import GENERATORS, Generator
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
class BatchResult:
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


def text_of(claim: Claim[Case], generator: Generator) -> str:
    """Return a digest of a claim's statement, check and space, and of what a generator draws, 12 digits."""
    space = claim.space
    assert isinstance(space, SmallWorlds)
    facts = [claim.id, claim.statement, _source(claim.values), space.reach, space.conversations]
    facts += [space.starts, space.forced, space.most_turns, space.longest, generator.name, generator.drawn]
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


def texts_of(claims: Sequence[Claim[Case]], generators: Sequence[Generator]) -> dict[tuple[str, str], str]:
    """Return the digest of each claim with each generator, by their names."""
    return {(c.id, g.name): text_of(c, g) for c in claims for g in generators}


def in_order(claims: Sequence[Claim[Case]], generators: Sequence[Generator]) -> Iterator[Batch]:
    """Yield batches without end, round by round: each claim with each generator, then the next number."""
    texts = texts_of(claims, generators)
    for number in count():
        for (claim, generator), text in texts.items():
            yield Batch(claim, generator, number, text)


@dataclass(frozen=True)
class Trial:
    """What a process does with a batch; it is sent to each once. `find` returns the claim of a name."""

    find: Callable[[str], Claim[Case]]
    generators: tuple[Generator, ...] = GENERATORS

    def __call__(self, batch: Batch) -> tuple[str, BatchResult]:
        """Try a batch; return by what, and what it found; `WorkerError` if the claim is another one here."""
        claim = self.find(batch.claim)
        generator = next(generator for generator in self.generators if generator.name == batch.generator)
        if text_of(claim, generator) != batch.text:
            raise WorkerError(str(batch), f"another version of the claim on the worker ({made_by()})")
        return made_by(), tried(claim, generator, batch.seed)


def tried(claim: Claim[Case], generator: Generator, seed: int) -> BatchResult:
    """Draw the cases of a batch and look at each; the first that refutes is shrunk."""
    space = claim.space
    assert isinstance(space, SmallWorlds)
    rng = np.random.Generator(np.random.PCG64(seed))
    answers: list[bool] = []
    example: dict[str, Any] | None = None
    for number in range(generator.drawn):
        try:
            case = generator.draw(rng, space)
            answer = None if case is None else refutes(claim, case)
            if case is not None and answer and example is None:
                least = shrunk(claim, case)
                example = least.as_counterexample(claim.values(least) or {})
        except Exception as error:
            problem = f"{type(error).__name__}: {error} (case {number} of seed {seed}, {generator.name})"
            return BatchResult(len(answers), sum(answers), example, problem)
        if answer is not None:
            answers.append(answer)
    return BatchResult(len(answers), sum(answers), example)


def regression(example: dict[str, Any], origin: Batch) -> tuple[str, dict[str, Any]]:
    """Return name and content of the file that keeps a counterexample, for a test that replays it.

    It refutes the claim as it is written; once the toolkit is mended, false is put there by hand.
    """
    name = hashlib.sha256(json.dumps(example, sort_keys=True).encode()).hexdigest()[:8]
    where = {"generator": origin.generator, "batch": origin.number, "seed": origin.seed}
    content = {"claim": origin.claim, "refutes": True, "counterexample": example, "origin": where}
    return f"{origin.claim}-{name}.json", content
