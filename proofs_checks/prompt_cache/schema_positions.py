"""Schemas: where a prompt's tokens stand, what items keep, and what the encoding of an item depends on.

Layouts, prompts and items are the package's; their judge is a plain layout. docs/proofs-prompt-cache.md
has the proofs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proofs_checks.prompt_cache.origins import PAPER
from proofs_checks.prompt_cache.small_schemas import Path, Schema, imported, length, prompts, schemas
from teltheory.claims.claim import Claim, Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import OURS, reading, sharpness
from teltheory.systems.modules import Item, plan
from teltheory.systems.modules.items import Pass, Way, encoding, size

PROMPTS = Listed(prompts, 5, 6, "all prompts of all schemas of up to {} tokens, positions and modules")
row = rows(source="Positions of modules (Prompt Cache, 5.2 and 5.3 in the digest)", space=PROMPTS)


def positions(case: Schema) -> list[int]:
    """Return where the package has the tokens of a prompt, ascending."""
    resolved = case.resolved()
    pieces = [piece for path in resolved.kept for piece in resolved.layout.own[path] if piece.parameter is None]
    places = [(piece.start, len(piece.tokens)) for piece in pieces]
    places += [(piece.start, len(piece.tokens)) for piece in resolved.fresh]
    return sorted(start + k for start, tokens in places for k in range(tokens))


@row(
    "prompt-cache.positions.distinct",
    "If a prompt imports one member of each union at most, no two of its tokens have one position.",
    relation=lambda of: of["layout"] == of["plain layout"] and len(set(of["layout"])) == len(of["layout"]),
    origin=PAPER,
)
def distinct(case: Schema) -> Values:
    """Compare with the plain layout."""
    return {"layout": positions(case), "plain layout": case.positions()}


two_members = row(
    "prompt-cache.positions.two-members",
    "No two tokens have one position if a prompt imports two members of a union, as the public code allows.",
    relation=lambda of: len(set(of["plain layout"])) == len(of["plain layout"]),
    space=Listed(lambda most: prompts(most, both=True), 5, 6, PROMPTS.note),
    origin=sharpness("prompt-cache.positions.distinct", "a prompt imports one member of each union at most"),
)(lambda case: {"plain layout": case.positions()})


@row(
    "prompt-cache.positions.new-text",
    "New text begins at the length of the schema, whatever is imported: positions below it that no token has are "
    "its length less the tokens that stand there.",
    relation=lambda of: of["new text"] == of["length"] == of["tokens below"] + of["gaps"],
    origin=OURS,
)
def new_text(case: Schema) -> Values:
    """Count positions."""
    taken, end = positions(case), length(case.nodes)
    gaps = sum(position not in taken for position in range(end))
    return {"new text": taken[-1], "length": end, "tokens below": len(taken) - 1, "gaps": gaps}


@row(
    "prompt-cache.positions.arguments",
    "An argument stands at the positions of its parameter, from the first on.",
    relation=lambda of: of["arguments"] == of["parameters"],
    origin=PAPER,
)
def arguments(case: Schema) -> Values:
    """Compare starts and lengths with what the placeholders leave."""
    resolved = case.resolved()
    own = [piece for path in resolved.paths for piece in resolved.layout.own[path] if piece.parameter]
    given = [(piece.start, len(piece.tokens)) for piece in resolved.fresh if piece.parameter]
    kept = [(piece.start, len(piece.tokens) - case.short) for piece in own if len(piece.tokens) > case.short]
    return {"arguments": sorted(given), "parameters": sorted(kept)}


@row(
    "prompt-cache.nesting.items",
    "The items of a prompt are the own text of the schema and of each module that it imports, and with a module "
    "those of all modules around it: nesting only adds items to a request.",
    relation=lambda of: of["items"] == of["imported"],
    origin=OURS,
)
def items(case: Schema) -> Values:
    """Compare with the modules that are imported and have text."""
    found = [path for item in plan(case.resolved()).items for path in item.paths]
    around = {path[:k] for path in case.imports for k in range(len(path))} | {(), *case.imports}
    return {"items": sorted(found), "imported": sorted(path for path in around if text(case, path))}


def text(case: Schema, path: Path) -> int:
    """Return the tokens of a module's own text."""
    return sum(what for kind, what in case.modules[path][1] if kind == "text")


ALL_SCHEMAS = Listed(schemas, 6, 7, "all schemas of up to {} tokens, positions and modules")


@row(
    "prompt-cache.memory.proportional",
    "What all items of a schema keep is proportional to tokens: one for each token of text, none for parameters.",
    relation=lambda of: of["items"] == of["text"],
    space=ALL_SCHEMAS,
    origin=PAPER,
)
def proportional(case: Schema) -> Values:
    """Add up the sizes of all items."""
    laid = case.layout()
    kept = sum(size(laid, Item((path,))) for path in laid.spans)
    return {"items": kept, "text": sum(text(case, path) for path in case.modules)}


@row(
    "prompt-cache.memory.scaffold",
    "A scaffold that is kept beside its members takes as much as all of them: twice the memory.",
    relation=lambda of: of["with the scaffold"] == 2 * of["members"],
    origin=OURS,
)
def scaffold(case: Schema) -> Values | None:
    """Add up sizes, the modules that a prompt imports being a scaffold."""
    if len(case.imports) < 2 or case.short:
        return None
    laid = case.layout()
    members = sum(size(laid, Item((path,))) for path in case.imports)
    return {"members": members, "with the scaffold": members + size(laid, Item(case.imports))}


@dataclass(frozen=True)
class Changed(ToldCase):
    """A schema, one of its items, and another module whose text is replaced by as many other tokens."""

    schema: Schema
    item: Path
    other: Path

    def measures(self) -> dict[str, int]:
        """Return the length of the schema."""
        return {"length": length(self.schema.nodes)}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the schema as it is written, and both modules."""
        return told({"schema": self.schema.source(), "item": self.item, "replaced": self.other, "values": values})


def changes(most: int) -> Iterator[Iterator[Changed]]:
    """Yield each schema with each two of its modules that have text."""
    return map(_changes, schemas(most))


def _changes(some: Iterator[Schema]) -> Iterator[Changed]:
    for schema in some:
        own = [path for path in schema.modules if text(schema, path)]
        yield from (Changed(schema, item, other) for item in own for other in own if item != other)


CHANGES = Listed(changes, 6, 7, "all schemas of up to {} tokens, positions and modules, each two with text")


def encoded(case: Changed, way: Way) -> Values:
    """Return what an item's tokens see, before and after."""
    item = Item((case.item,), way)
    before, after = (seen(encoding(case.schema.layout(changed), item)) for changed in (None, case.other))
    return {"before": before, "after": after}


def seen(one: Pass) -> list[tuple[int, int, bool]]:
    """Return token, position and whether it is kept, up to the last that is: nothing sees what is behind."""
    columns = list(zip(one.tokens.tolist(), one.positions.tolist(), one.keep.tolist(), strict=True))
    return columns[: max(k for k, (_, _, kept) in enumerate(columns) if kept) + 1]


def independent(way: Way, outside: bool = False) -> Claim[Changed]:
    """Return the row on what an item's encoding depends on."""
    of = "another module" if not outside else "a module that is not around it"
    more = ".outside" if outside else ""

    def values(case: Changed) -> Values | None:
        around = case.item[: len(case.other)] == case.other
        return None if outside and around else encoded(case, way)

    return row(
        f"prompt-cache.ways.{way}{more}",
        f'Encoded by the way "{way}", an item stays as it is if other tokens, as many, replace the text of {of}.',
        relation=lambda of: of["before"] == of["after"],
        space=CHANGES,
        origin=OURS
        if way == "alone" or (outside and way == "ancestors")
        else reading("every module is independent"),
    )(values)


alone = independent("alone")
ancestors = independent("ancestors")
ancestors_outside = independent("ancestors", outside=True)
whole = independent("whole")
whole_outside = independent("whole", outside=True)


@row(
    "prompt-cache.ways.prompts",
    "By each way of encoding an item has one encoding in all prompts of a schema that use it.",
    relation=lambda of: len(set(of.values())) == 1,
    space=Listed(schemas, 6, 7, "all schemas of up to {} tokens, positions and modules, with all their prompts"),
    origin=OURS,
)
def in_all_prompts(case: Schema) -> Values:
    """Count items and encodings, over all prompts and ways."""
    found: dict[Item, set[tuple[tuple[int, int, bool], ...]]] = {}
    for chosen in imported(case, both=False):
        resolved = Schema(case.nodes, chosen).resolved()
        for way in ("alone", "ancestors", "whole"):
            for item in plan(resolved, way).items:
                found.setdefault(item, set()).add(tuple(seen(encoding(resolved.layout, item))))
    return {"items": len(found), "encodings": sum(map(len, found.values()))}
