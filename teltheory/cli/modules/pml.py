"""`teltheory modules pml`: schemas laid out and checked, and prompts resolved against them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.options import Option, bundled, table_options
from teltheory.cli.modules.options import roles_option
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, complain, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import FileError
from teltheory.model.display import counted
from teltheory.systems.modules.items import plan, size
from teltheory.systems.modules.pml.layout import Layout, Span, layout, slashed
from teltheory.systems.modules.pml.prompt import (
    Resolved,
    Stretch,
    prompt_from,
    read_prompt,
    resolve,
    schema_of,
    stretches,
)
from teltheory.systems.modules.pml.reading import check_once, read_schema, read_schemas, schema_from
from teltheory.systems.modules.pml.roles import TEMPLATES, Roles
from teltheory.systems.modules.pml.source import Markup, read_source
from teltheory.systems.modules.pml.tokens import Tokenizer
from teltheory.systems.modules.tokenizers import tokenizer_of

if TYPE_CHECKING:
    from rich.table import Table

FOLDER = "*.xml"
MODULES = ("module", "start", "length", "own", "parameters", "union", "cached")
STRETCHES = ("start", "length", "what", "of")


@dataclass(frozen=True)
class Language:
    """What makes tokens of a schema: a tokenizer, and what role tags become."""

    tokenizer: str
    roles: str

    @property
    def template(self) -> Roles:
        """What role tags become."""
        return TEMPLATES[self.roles]

    def made(self) -> Tokenizer:
        """Return the tokenizer."""
        return tokenizer_of(self.tokenizer)

    def said(self, made: Tokenizer) -> str:
        """Return what a report says of both."""
        return f"Tokens: {made.name}. Roles: {self.roles}."


_language: Option = bundled(
    "language",
    Language,
    option(
        "--tokenizer",
        default="bytes",
        show_default=True,
        metavar="NAME|FILE",
        help="Tokenizer of texts. bytes, smollm2, or a file.",
    ),
    roles_option,
)


@command("layout", "modules pml layout schema.xml")
@click.argument("schema", metavar="SCHEMA")
@_language
@table_options
def layout_command(schema: str, language: Language, target: str | None) -> int:
    """Show where each module of SCHEMA begins, and how long it is."""
    check_target(target)
    made = language.made()
    found = layout(read_schema(File(schema), language.template), made)
    title = f"{found.schema.name}: {counted(found.length, 'position')}"
    rows = [_cells(found, span) for span in found.spans.values()]
    table = plain_table(title, MODULES, rows, left=("module", "parameters", "union", "cached"))
    modules = [_module_as_data(found, span) for span in found.spans.values()]
    data = {"schema": found.schema.name, "tokenizer": made.name, "roles": language.roles, "length": found.length}
    report(target, [language.said(made), table], data | {"modules": modules})
    return 0


def _own(found: Layout, span: Span) -> int:
    """Return the tokens of a module's own text."""
    return sum(len(piece.tokens) for piece in found.own[span.path] if piece.parameter is None)


def _parameters(found: Layout, span: Span) -> dict[str, list[int]]:
    """Return the start and the length of each parameter of a module."""
    pieces = found.own[span.path]
    return {piece.parameter: [piece.start, len(piece.tokens)] for piece in pieces if piece.parameter is not None}


def _cells(found: Layout, span: Span) -> list[str]:
    rooms = ", ".join(f"{name} {start:,}+{length:,}" for name, (start, length) in _parameters(found, span).items())
    numbers = [f"{number:,}" for number in (span.start, span.length, _own(found, span))]
    union = "" if span.union is None else f"{span.union[1] + 1}{', default' if span.default else ''}"
    return [slashed(span.path), *numbers, rooms, union, "yes" if span.cache else "no"]


def _module_as_data(found: Layout, span: Span) -> dict[str, Any]:
    row: dict[str, Any] = {"path": list(span.path), "start": span.start, "length": span.length}
    union = None if span.union is None else {"number": span.union[1], "default": span.default}
    return row | {
        "own": _own(found, span),
        "parameters": _parameters(found, span),
        "union": union,
        "cached": span.cache,
    }


@command("resolve", "modules pml resolve schema.xml prompt.xml")
@click.argument("schema", metavar="SCHEMA")
@click.argument("prompt", metavar="PROMPT")
@_language
@table_options
def resolve_command(schema: str, prompt: str, language: Language, target: str | None) -> int:
    """Show what PROMPT imports from SCHEMA, and where.

    SCHEMA is a file, or a folder of schemas, of which the prompt names one.
    """
    check_target(target)
    made, asked = language.made(), read_prompt(File(prompt), language.template)
    schemas = read_schemas(_files([schema]), language.template)
    found = resolve(asked, layout(schema_of(asked, schemas), made))
    where = stretches(found)
    table = plain_table(f"A prompt of {asked.schema}", STRETCHES, map(_stretch_cells, where), left=("what", "of"))
    report(target, [language.said(made), *_said(found, where), table], _resolved_as_data(found, where))
    return 0


def _kept(found: Resolved) -> dict[str, int]:
    """Return the tokens of each item that a cache may hold, each module encoded alone."""
    return {item.name: size(found.layout, item) for item in plan(found).items}


def _decoded_from(where: Sequence[Stretch]) -> int:
    return max((one.start + one.length for one in where if one.kind != "gap"), default=0)


def _said(found: Resolved, where: Sequence[Stretch]) -> list[str]:
    kept, gaps = _kept(found), sum(one.length for one in where if one.kind == "gap")
    return [
        f"Kept: {counted(sum(kept.values()), 'token')} in {counted(len(kept), 'item')}. "
        f"Computed anew: {counted(found.new, 'token')}. Left empty: {counted(gaps, 'position')}.",
        f"New text begins at {found.layout.length:,}; decoding goes on at {_decoded_from(where):,}.",
    ]


def _stretch_cells(one: Stretch) -> list[str]:
    of = "" if one.path is None else slashed(one.path)
    return [f"{one.start:,}", f"{one.length:,}", one.kind, f"{of}, {one.parameter}" if one.parameter else of]


def _resolved_as_data(found: Resolved, where: Sequence[Stretch]) -> dict[str, Any]:
    return {
        "schema": found.layout.schema.name,
        "imports": [list(path) for path in found.paths if path],
        "kept": _kept(found),
        "fresh": found.new,
        "total": found.total,
        "new_text_from": found.layout.length,
        "decoding_from": _decoded_from(where),
        "stretches": [asdict(one) for one in where],
    }


@command(None, "modules pml check schema.xml prompt.xml")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@_language
@table_options
def check(files: tuple[str, ...], language: Language, target: str | None) -> int:
    """Say what is wrong with schemas and with their prompts.

    Each FILE is a schema or a prompt, or a folder of such. Schemas come first; every prompt is resolved against
    the one that it names. Of each file the first error is shown; the exit code is 2 if there is any.
    """
    check_target(target)
    found = _Checking(language.made(), language.template, {}, [])
    found.check_all(_files(files))
    wrong = [row for row in found.rows if row["error"] is not None]
    table = [[row["file"], row["kind"], row["found"]] for row in found.rows if row["error"] is None]
    shown: list[str | Table] = [language.said(found.tokenizer), *(row["error"] for row in wrong)]
    if table:
        columns = ("file", "what", "found")
        shown.append(plain_table(f"{counted(len(table), 'file')} without errors", columns, table, left=columns))
    report(target, shown, {"files": found.rows})
    said = f"found errors in {len(wrong):,} of {counted(len(found.rows), 'file')}, expected none"
    return complain(said, 2) if wrong else 0


def _files(named: Sequence[str]) -> list[File]:
    """Return files; of a folder what ends in .xml, in order of names."""
    files: list[File] = []
    for name in named:
        inside = sorted(File(name).glob(FOLDER)) if File(name).is_dir() else [File(name)]
        if not inside:
            raise FileError(f"{name}: found no file, expected some that end in .xml")
        files += inside
    return files


@dataclass
class _Checking:
    """What was found of the files so far: layouts by the names of their schemas, and a row for each file."""

    tokenizer: Tokenizer
    roles: Roles
    layouts: dict[str, Layout]
    rows: list[dict[str, Any]]

    def check_all(self, files: Sequence[File]) -> None:
        """Check schemas and then prompts; rows come in the order of the files."""
        roots = {file: root for file in files if (root := self.root(file)) is not None}
        for wanted in ("schema", "prompt"):
            for file, root in roots.items():
                if root.tag == wanted:
                    self.one(file, root)
        order = {str(file): k for k, file in enumerate(files)}
        self.rows.sort(key=lambda row: order[str(row["file"])])

    def root(self, file: File) -> Markup | None:
        """Return the root of a file; None if an error says why there is none."""
        try:
            root = read_source(file)
            if root.tag in ("schema", "prompt"):
                return root
            raise root.place.error(f"<{root.tag:.40}> as the root", "<schema name=...> or <prompt schema=...>")
        except FileError as error:
            self.row(file, None, None, error)
        return None

    def one(self, file: File, root: Markup) -> None:
        """Check a schema or a prompt."""
        try:
            said = self.schema(file, root) if root.tag == "schema" else self.prompt(root)
        except FileError as error:
            self.row(file, root.tag, None, error)
        else:
            self.row(file, root.tag, said)

    def schema(self, file: File, root: Markup) -> str:
        """Check a schema; return what it is like."""
        schema = schema_from(root, file.parent, self.roles)
        check_once(schema.name, schema.place, {name: one.schema.place for name, one in self.layouts.items()})
        made = self.layouts[schema.name] = layout(schema, self.tokenizer)
        return f"{schema.name}: {counted(len(made.spans) - 1, 'module')}, {counted(made.length, 'position')}"

    def prompt(self, root: Markup) -> str:
        """Check a prompt; return what it is like."""
        asked = prompt_from(root, self.roles)
        found = resolve(asked, schema_of(asked, self.layouts))
        return f"of {asked.schema}: {found.total - found.new:,} tokens kept, {found.new:,} new"

    def row(self, file: File, kind: str | None, found: str | None, error: FileError | None = None) -> None:
        """Add what was found of a file."""
        self.rows.append({"file": str(file), "kind": kind, "found": found, "error": error and str(error)})
