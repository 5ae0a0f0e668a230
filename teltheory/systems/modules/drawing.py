"""Prompts drawn from a schema: which member of each union, by a Zipf law, and how long the new text is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from teltheory.model.numbers import IntArray, whole_number
from teltheory.systems.modules.pml.schema import Module, Union
from teltheory.workloads.laws import Law
from teltheory.workloads.module_sets import came_back, zipf_ranks


def draw_prompts(
    schema: Module,
    requests: int,
    words: Law,
    rng: np.random.Generator,
    *,
    zipf: float = 1.0,
    again: float = 0.0,
    within: int = 100,
) -> list[str]:
    """Draw the sources of prompts that import every module of a schema, and one member of each union.

    Parameters
    ----------
    schema : Module
        What `read_schema` returned.
    requests : int
        Number of prompts.
    words : Law
        Words of the new text of each.
    rng : numpy.random.Generator
        What draws.
    zipf : float
        Skew among the members of a union, whose ranks are drawn; 0 (none) to 2.
    again, within
        How often a prompt imports what an earlier one did; see `teltheory.workloads.draw_module_trace`.
    """
    n = whole_number("requests", requests)
    choices = _UnionChoices(n, zipf, came_back(n, again, within, rng), rng)
    parts = list(_parts(schema, choices))
    lengths = words.sample(rng, n).tolist()
    opening = f"<prompt schema={quoteattr(schema.name)}>"
    return [opening + "".join(part[k] for part in parts) + "word " * lengths[k] + "</prompt>" for k in range(n)]


@dataclass(frozen=True)
class _UnionChoices:
    """What chooses members of unions, a number for each prompt."""

    requests: int
    zipf: float
    source: IntArray
    rng: np.random.Generator

    def of(self, members: int) -> list[int]:
        """Return a member of a union for each prompt."""
        ranked = self.rng.permutation(members)
        drawn: list[int] = ranked[zipf_ranks(members, self.zipf, self.requests, self.rng)][self.source].tolist()
        return drawn


def _parts(module: Module, choices: _UnionChoices) -> Iterator[list[str]]:
    """Yield what prompts import of each child of a module: a text for each prompt."""
    for child in module.children:
        if isinstance(child, Module):
            yield _imports(child, choices)
        elif isinstance(child, Union):
            members = [_imports(member, choices) for member in child.members]
            yield [members[chosen][k] for k, chosen in enumerate(choices.of(len(members)))]


def _imports(module: Module, choices: _UnionChoices) -> list[str]:
    inside = list(_parts(module, choices))
    return [
        f"<{module.name}>{''.join(part[k] for part in inside)}</{module.name}>" for k in range(choices.requests)
    ]
