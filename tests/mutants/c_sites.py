"""Where a fault can be planted in a line of C: in an operator, a number, a word, a condition or a whole statement.

What stands outside the bodies of functions is left alone (prototypes say lengths that Python checks), and so are
comments, macros and declarations' stars.
"""

import re
import subprocess
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

from mutants.sites import Site

from release.loops import FLAGS, compiler
from teltheory.base.c_sources import PACKAGE

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "+=", "++": "--", "--": "++",
    "&": "|", "|": "&", "&=": "|=", "|=": "&=", "<<": ">>", ">>": "<<", "&&": "||", "||": "&&",
    "smaller": "larger", "larger": "smaller", "true": "false", "false": "true",
}  # fmt: skip
BINARY = {"+", "-", "*", "&"}
TYPE = re.compile(r"\w+_t|[A-Z]\w*[a-z]\w*|void|double|bool|char|int|const")
CHANGES = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
HEADS = ("if", "for", "while", "switch")
WORDS = ("return", "break", "continue", "goto", "case", "default", "static", "struct", "sizeof")
TOKENS = re.compile(
    r"/\*.*?\*/|//[^\n]*|^[ ]*\#(?:[^\n]*\\\n)*[^\n]*|\"(?:\\.|[^\"])*\"|'(?:\\.|[^'])*'"
    r"|[A-Za-z_]\w*|\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|&&|\|\||[-+*/%&|^<>=!]=|\S",
    re.DOTALL | re.MULTILINE,
)


class Token(NamedTuple):
    """A word of C, and where it stands."""

    word: str
    line: int
    start: int

    @property
    def end(self) -> int:
        """The column after it."""
        return self.start + len(self.word)


def tokens_of(text: str) -> list[Token]:
    """Return the words of a C file without its comments and its lines for the preprocessor."""
    begins = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    found = []
    for match in TOKENS.finditer(text):
        if not match[0].startswith(("/*", "//")) and not match[0].lstrip().startswith("#"):
            line = text.count("\n", 0, match.start())
            found.append(Token(match[0], line + 1, match.start() - begins[line]))
    return found


def words_of(text: str) -> list[str]:
    """Return what of a C file is compiled."""
    return [token.word for token in tokens_of(text)]


def compiles(text: str) -> bool:
    """Whether the compiler takes a file of the package with this text."""
    words = [*(compiler(None) or ["cc"]), *FLAGS[:1], "-fsyntax-only", "-x", "c", f"-I{PACKAGE}", "-"]
    return not subprocess.run(words, input=text, text=True, capture_output=True, check=False).returncode


def sites_of(text: str) -> dict[int, list[Site]]:
    """Return the sites of a C file by line, of those lines alone that have one."""
    lines, found = text.splitlines(), dict[int, list[Site]]()
    for body in _bodies(tokens_of(text)):
        for site in (*_of_tokens(body), *_of_conditions(body, lines), *_of_statements(body)):
            found.setdefault(site.line, []).append(site)
    return found


def _bodies(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield what stands within the outermost braces of each function."""
    depth = begin = 0
    for place, token in enumerate(tokens):
        if token.word == "{":
            if depth == 0:
                begin = place
            depth += 1
        elif token.word == "}":
            depth -= 1
            if depth == 0 and tokens[begin - 1].word == ")":
                yield tokens[begin : place + 1]


def _of_tokens(body: list[Token]) -> Iterator[Site]:
    for place, token in enumerate(body):
        number = re.fullmatch(r"(\d+)([uUlL]*)", token.word)
        if number:
            yield Site(token.line, token.start, token.end, f"{int(number[1]) + 1}{number[2]}")
        elif token.word in SWAPS and not (token.word in BINARY and not _ends_a_value(body, place - 1)):
            yield Site(token.line, token.start, token.end, SWAPS[token.word])


def _ends_a_value(body: list[Token], place: int) -> bool:
    """Whether a word ends a value: a bracket does but of a cast or a condition, a name does but of a type."""
    word = body[place].word
    if word == ")":
        opening = next(at for at in range(place, -1, -1) if body[at].word == "(" and _closing(body, at) == place)
        return not (_names_a_type(body[place - 1].word) or body[opening - 1].word in HEADS)
    is_name = word.isidentifier() and not _names_a_type(word) and word not in WORDS
    return word == "]" or is_name or word[0].isdigit()


def _names_a_type(word: str) -> bool:
    return word == "*" or bool(TYPE.fullmatch(word))


def _of_conditions(body: list[Token], lines: list[str]) -> Iterator[Site]:
    """Yield the conditions of one line, which are turned into the opposite."""
    for token, begin in pairwise(body):
        if token.word == "if":
            end = body[_closing(body, body.index(begin))]
            if begin.line == end.line:
                yield Site(begin.line, begin.start, end.end, f"(!{lines[begin.line - 1][begin.start : end.end]})")


def _closing(body: list[Token], opening: int) -> int:
    depth = 0
    for place in range(opening, len(body)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(body[place].word, 0)
        if depth == 0:
            return place
    raise LookupError("a bracket is never closed")


def _of_statements(body: list[Token]) -> Iterator[Site]:
    """Yield statements of one line that can be left out: calls and what changes a value."""
    begin = place = 0
    while place < len(body):
        word = body[place].word
        is_within = word == "(" or (word == "{" and begin < place)
        if word in HEADS or is_within:
            place = _closing(body, place + (not is_within))
        if word in HEADS or (word in ("{", "}", "else", "do") and not is_within):
            begin = place + 1
        elif word == ";":
            if _is_left_out(body[begin:place]):
                yield Site(body[begin].line, body[begin].start, body[place].end, ";")
            begin = place + 1
        place += 1


def _is_left_out(statement: list[Token]) -> bool:
    words = [token.word for token in statement]
    if not words or statement[0].line != statement[-1].line or words[0] in WORDS or TYPE.fullmatch(words[0]):
        return False
    return words[1:2] == ["("] or any(word in CHANGES for word in words)
