"""Small schemas, each once, with all their prompts; where their tokens stand, by a plain layout of its own.

A node is ("text", tokens), ("parameter", positions), ("module", nodes) or ("union", nodes), a union's nodes being
modules. A module is called by its place: "m0" is the first node of its parent, "m1-0" the first member of a union
that is the second. One letter is one token.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any, TypeAlias

from teltheory.claims.claim import Values
from teltheory.claims.listed import ToldCase, told
from teltheory.systems.modules import BYTES, NO_ROLES, Layout, Resolved, layout, read_prompt, read_schema, resolve

Node: TypeAlias = tuple[Any, ...]
Path: TypeAlias = tuple[str, ...]
LETTER, OTHER, ARGUMENT, NEW = "xyan"


@cache
def nodes(weight: int, inside: bool) -> tuple[tuple[Node, ...], ...]:
    """Return all rows of nodes of a weight: a token or position is 1, a module 1, a union with its modules 0."""
    if weight == 0:
        return ((),)
    found = []
    for first in range(1, weight + 1):
        for node, rest in product(single(first, inside), nodes(weight - first, inside)):
            if not (rest and node[0] == rest[0][0] == "text"):
                found.append((node, *rest))
    return tuple(found)


@cache
def single(weight: int, inside: bool) -> tuple[Node, ...]:
    """Return all nodes of a weight; parameters stand inside modules only."""
    found: list[Node] = [("text", weight)]
    if inside:
        found.append(("parameter", weight))
    found += [("module", some) for some in nodes(weight - 1, True) if weight > 1]
    found += [("union", (first, second)) for first, second in pairs(weight)]
    return tuple(found)


def pairs(weight: int) -> Iterator[tuple[Node, Node]]:
    """Yield two modules of a weight together."""
    for first in range(2, weight - 1):
        for one, other in product(nodes(first - 1, True), nodes(weight - first - 1, True)):
            yield ("module", one), ("module", other)


@dataclass(frozen=True)
class Schema(ToldCase):
    """A schema by its nodes, and what a prompt imports of it; arguments fill their parameters but for `short`."""

    nodes: tuple[Node, ...]
    imports: tuple[Path, ...] = ()
    short: int = 0

    def measures(self) -> dict[str, int]:
        """Return the length of the schema and the number of modules imported."""
        return {"length": length(self.nodes), "imports": len(self.imports)}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return schema and prompt as they are written."""
        return told({"schema": self.source(), "prompt": self.prompt(), "values": values})

    @cached_property
    def modules(self) -> Mapping[Path, tuple[int, tuple[Node, ...]]]:
        """The start and the nodes of each module, outer ones first; the schema's under ()."""
        return {(): (0, self.nodes)} | dict(placed(self.nodes, (), 0))

    def source(self, changed: Path | None = None) -> str:
        """Return the schema as it is written; the text of one module may have other letters."""
        return f'<schema name="s">{self._inside(self.nodes, (), changed)}</schema>'

    def _inside(self, row: tuple[Node, ...], path: Path, changed: Path | None) -> str:
        return "".join(self._written(node, path, str(k), changed) for k, node in enumerate(row))

    def _written(self, node: Node, path: Path, place: str, changed: Path | None) -> str:
        kind, what = node
        if kind == "text":
            return (OTHER if path == changed else LETTER) * int(what)
        if kind == "parameter":
            return f'<parameter name="p{place}" length="{what}"/>'
        if kind == "union":
            inside = (self._written(one, path, f"{place}-{k}", changed) for k, one in enumerate(what))
            return f"<union>{''.join(inside)}</union>"
        return f'<module name="m{place}">{self._inside(what, (*path, f"m{place}"), changed)}</module>'

    def prompt(self) -> str:
        """Return the prompt as it is written, with one new token."""
        return f'<prompt schema="s">{self._named(())}{NEW}</prompt>'

    def _named(self, path: Path) -> str:
        return "".join(
            f"<{one[-1]}{self._arguments(one)}>{self._named(one)}</{one[-1]}>"
            for one in self.imports
            if one[:-1] == path
        )

    def _arguments(self, path: Path) -> str:
        row = enumerate(self.modules[path][1])
        given = ((k, node[1] - self.short) for k, node in row if node[0] == "parameter")
        return "".join(f' p{k}="{ARGUMENT * tokens}"' for k, tokens in given if tokens > 0)

    def layout(self, changed: Path | None = None) -> Layout:
        """Return the package's layout."""
        return layout(read_schema(self.source(changed), NO_ROLES), BYTES)

    def resolved(self) -> Resolved:
        """Return the package's reading of the prompt."""
        return resolve(read_prompt(self.prompt(), NO_ROLES), self.layout())

    def positions(self) -> list[int]:
        """Return where the tokens of the prompt stand, by the plain layout, ascending."""
        found = [length(self.nodes)]
        for path in ((), *self.imports):
            for at, (kind, what) in starts(*self.modules[path]):
                tokens = what if kind == "text" else max(0, what - self.short) if kind == "parameter" else 0
                found += range(at, at + tokens)
        return sorted(found)


def length(row: tuple[Node, ...]) -> int:
    """Return the positions of a row of nodes; a union has those of its longest member."""
    return sum(map(_length, row))


def _length(node: Node) -> int:
    kind, what = node
    if kind == "union":
        return max(length(inside) for _, inside in what)
    return length(what) if kind == "module" else int(what)


def starts(at: int, row: tuple[Node, ...]) -> Iterator[tuple[int, Node]]:
    """Yield the nodes of a row, one after another, with the position of each."""
    for node in row:
        yield at, node
        at += length((node,))


def placed(row: tuple[Node, ...], path: Path, begin: int) -> Iterator[tuple[Path, tuple[int, tuple[Node, ...]]]]:
    """Yield the modules in a row with their starts and nodes; members of a union start at one position."""
    for k, (at, (kind, what)) in enumerate(starts(begin, row)):
        named = [(f"m{k}", what)] if kind == "module" else []
        named += [(f"m{k}-{j}", one) for j, (_, one) in enumerate(what)] if kind == "union" else []
        for name, inside in named:
            yield (*path, name), (at, inside)
            yield from placed(inside, (*path, name), at)


def imported(schema: Schema, both: bool) -> Iterator[tuple[Path, ...]]:
    """Yield what prompts can import: none without the one around it; `both` members of a union, or one at most."""
    paths = [path for path in schema.modules if path]
    for chosen in product((False, True), repeat=len(paths)):
        some = tuple(path for path, wanted in zip(paths, chosen, strict=True) if wanted)
        unions = [(path[:-1], path[-1].partition("-")[0]) for path in some if "-" in path[-1]]
        if all(path[:-1] in ((), *some) for path in some) and (both or len(set(unions)) == len(unions)):
            yield some


def schemas(most: int) -> Iterator[Iterator[Schema]]:
    """Yield all schemas with a module up to a weight, by weight."""
    return (
        (Schema(row) for row in nodes(weight, False) if any(node[0] != "text" for node in row))
        for weight in range(2, most + 1)
    )


def prompts(most: int, both: bool = False) -> Iterator[Iterator[Schema]]:
    """Yield all their prompts, with whole arguments and with arguments that are a token short."""
    return (_prompts(some, both) for some in schemas(most))


def _prompts(some: Iterator[Schema], both: bool) -> Iterator[Schema]:
    for schema in some:
        for chosen in imported(schema, both):
            yield from (Schema(schema.nodes, chosen, short) for short in (0, 1))
