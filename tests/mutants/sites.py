"""Where a fault can be planted in a line, and which one: in an operator, a number, a word, or a whole statement.

Documents, annotations, imports, decorators, overloads, ``strict=`` and the words of an error are left alone: a
fault there changes nothing that is computed.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "//": "*", "/": "*", "%": "//", "+=": "-=", "-=": "+=",
    "&": "|", "|": "&", "<<": ">>", ">>": "<<",
    "and": "or", "or": "and", "min": "max", "max": "min", "smaller": "larger", "larger": "smaller",
    "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any",
    "True": "False", "False": "True", "if": "if not", "elif": "elif not",
}  # fmt: skip
BINARY = {"+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>"}
SILENT = (ast.Import, ast.ImportFrom, ast.Raise, ast.Assert)
ENDS_A_VALUE = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)


@dataclass(frozen=True)
class Site:
    """A piece of a line, from one column to another, and what is planted in its place."""

    line: int
    start: int
    end: int
    planted: str

    def planted_in(self, text: str) -> str:
        """Return a file's text with the fault."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.planted + line[self.end :]
        return "".join(lines)


def sites_of(text: str) -> dict[int, list[Site]]:
    """Return the sites of a module by line, of those lines alone that have one."""
    tree = ast.parse(text)
    silent = [_span(node) for node in _silent(tree)]
    found: dict[int, list[Site]] = {}
    for site in (*_of_tokens(text), *_of_statements(tree)):
        if not any(start <= (site.line, site.start) < end for start, end in silent):
            found.setdefault(site.line, []).append(site)
    return found


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    assert _is_placed(node)
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def _is_placed(node: ast.AST) -> TypeGuard[ast.expr]:
    return hasattr(node, "lineno")


def _silent(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what no fault is planted in."""
    for node in ast.walk(tree):
        if isinstance(node, SILENT):
            yield node
        annotations = (getattr(node, name, None) for name in ("annotation", "returns"))
        yield from (found for found in annotations if found is not None)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield node
        decorators = getattr(node, "decorator_list", ())
        yield from decorators
        if any(ast.unparse(one) == "overload" for one in decorators) or getattr(node, "arg", None) == "strict":
            yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node


def _of_tokens(text: str) -> Iterator[Site]:
    before: tokenize.TokenInfo | None = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        planted = _planted(token, before)
        if planted is not None:
            yield Site(token.start[0], token.start[1], token.end[1], planted)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token


def _planted(token: tokenize.TokenInfo, before: tokenize.TokenInfo | None) -> str | None:
    if token.type == tokenize.NUMBER:
        return str(int(token.string.replace("_", "")) + 1) if token.string.replace("_", "").isdigit() else None
    if token.type not in (tokenize.NAME, tokenize.OP) or before is None or before.string == "def":
        return None
    if token.string in BINARY and not (before.type in ENDS_A_VALUE or before.string in (")", "]")):
        return None
    return SWAPS.get(token.string)


def _of_statements(tree: ast.Module) -> Iterator[Site]:
    """Yield statements of one line within functions that can be left out: calls and what changes a value."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            if (is_call or isinstance(node, ast.AugAssign)) and node.lineno == node.end_lineno:
                yield Site(node.lineno, node.col_offset, node.end_col_offset or 0, "pass")
