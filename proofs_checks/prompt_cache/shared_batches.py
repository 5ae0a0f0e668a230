"""Prompts of one schema in a batch: how many fit into a memory if what they share is kept once."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product
from operator import ge

from proofs_checks.prompt_cache.origins import PAPER
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading

ONCE, APART = "kept once", "kept by each prompt"
NEW = 1


@dataclass(frozen=True)
class Batch(ToldCase):
    """Modules with their tokens, and which of them each prompt imports; each has a token of its own besides."""

    tokens: tuple[int, ...]
    prompts: tuple[tuple[int, ...], ...]

    @property
    def share(self) -> bool:
        """Whether two prompts import the same module."""
        return len(set(chain(*self.prompts))) < sum(map(len, self.prompts))

    def once(self, prompts: int) -> int:
        """Return the tokens that the first prompts keep if modules are kept once."""
        return sum(self.tokens[one] for one in set(chain(*self.prompts[:prompts]))) + NEW * prompts

    def apart(self, prompts: int) -> int:
        """Return the tokens that the first prompts keep if each has modules of its own."""
        return sum(sum(self.tokens[one] for one in modules) + NEW for modules in self.prompts[:prompts])

    def batches(self) -> Values:
        """Return for each memory, up to that for all prompts, how many of them fit, the first ones first."""
        sizes = range(len(self.prompts) + 1)
        memories = range(self.apart(len(self.prompts)) + 1)
        needs = {ONCE: [self.once(k) for k in sizes], APART: [self.apart(k) for k in sizes]}
        return {name: [max(k for k in sizes if need[k] <= m) for m in memories] for name, need in needs.items()}


def batches(most: int) -> Iterator[list[Batch]]:
    """Yield batches of up to so many prompts for up to three modules of one to three tokens."""
    for prompts, modules in product(range(1, most + 1), (1, 2, 3)):
        some = [sets for size in range(1, modules + 1) for sets in combinations(range(modules), size)]
        sizes = product((1, 2, 3), repeat=modules)
        yield [Batch(tokens, asked) for tokens, asked in product(sizes, product(some, repeat=prompts))]


row = rows(
    source="Cached inference (Prompt Cache, 5.4 in the digest): “a larger batch”",
    space=Listed(batches, 3, 4, "up to {} prompts for up to 3 modules of 1 to 3 tokens, in every memory"),
)


@row(
    "prompt-cache.batches",
    "Prompts in a batch that share modules allow larger batches: kept once, no fewer prompts fit into any memory, "
    "and more into some.",
    relation=lambda of: of[ONCE] != of[APART] and all(map(ge, of[ONCE], of[APART])),
    origin=PAPER,
)
def larger(case: Batch) -> Values | None:
    """Count the prompts that fit, if two of them share a module."""
    return case.batches() if case.share else None


@row(
    "prompt-cache.batches.always",
    "More prompts fit into every memory that is too small for all of them apart.",
    relation=lambda of: all(a < b or a == 0 for a, b in zip(of[APART][:-1], of[ONCE][:-1], strict=True)),
    origin=reading("larger: wherever a batch is cut short"),
)
def always_larger(case: Batch) -> Values | None:
    """Count the prompts that fit, if two of them share a module."""
    return case.batches() if case.share else None
