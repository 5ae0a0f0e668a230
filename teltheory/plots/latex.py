"""Names and lists of names as LaTeX sets them."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence

ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "ξ": r"$\xi$",
    **{letter: "\\" + letter for letter in "{}$&#%_"},
}


def escaped(text: str) -> str:
    """Return text that LaTeX sets as it is; a letter that pdfLaTeX's fonts lack stands as its number."""
    return "".join(map(_letter, " ".join(text.split()))).replace("--", "-{}-")


def _letter(letter: str) -> str:
    if letter in ESCAPES or letter.isascii():
        return ESCAPES.get(letter, letter)
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain if plain.isalnum() else f"[U+{ord(letter):04X}]"


def table_of(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[str] = ()) -> str:
    """Return a table whose caption is the title; columns are set to the right, unless `left` names them."""
    places = "".join("l" if name in left else "r" for name in columns)
    body = [" & ".join(map(escaped, row)) + r" \\" for row in rows]
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escaped(title)}}}"] if title else []),
        rf"\begin{{tabular}}{{{places}}}",
        r"\toprule",
        " & ".join(map(escaped, columns)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def listed(words: Iterable[str]) -> str:
    """Return words as a sentence lists them: a, b and c."""
    *first, last = [*words] or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last
