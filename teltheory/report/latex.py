"""The ledger as a LaTeX table for papers: a `longtable` with the rules of `booktabs`."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from teltheory.report.ledger import Row, sections
from teltheory.report.standing import origin_text
from teltheory.report.words import evidence_text, strength, verdict_text

MADE = "% Made by `make ledger` from the rows of `teltheory verify --json`: do not edit."
USE = r"% Needs \usepackage{booktabs,longtable,array}; \input it where the table is to stand."
WIDTHS = (0.17, 0.25, 0.10, 0.21, 0.13)
HEADER = ("Row", "Statement", "Verdict", "Rests on", "Smallest counterexample, or counts")

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "∈": r"$\in$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "∞": r"$\infty$",
    "→": r"$\to$",
    "⁺": "$^+$",
    "²": "$^2$",
    "Σ": r"$\Sigma$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "π": r"$\pi$",
    "τ": r"$\tau$",
    "θ": r"$\theta$",
    "ξ": r"$\xi$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
}


def ledger_latex(rows: Sequence[Row]) -> str:
    """Return the ledger as a LaTeX table, the same rows under the same sections as the Markdown page."""
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.2f}\linewidth}}" for width in WIDTHS)
    names = " & ".join(rf"\textbf{{{name}}}" for name in HEADER) + r" \\"
    lines = [MADE, USE, r"{\footnotesize", rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"]
    lines += [r"\toprule", names, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    for i, (title, members) in enumerate(sections(rows).items()):
        lines += [r"\midrule"] if i else []
        lines += [rf"\multicolumn{{{len(HEADER)}}}{{l}}{{\textit{{{escaped(title)}}}}} \\*", r"\midrule"]
        lines += [_row(row) for row in members]
    return "\n".join([*lines, r"\end{longtable}", "}"]) + "\n"


def _row(row: Row) -> str:
    cells = [
        rf"\texttt{{{_breakable(escaped(row['id']), '.-')}}}",
        escaped(f"{row['statement']} ({row['source']}; {origin_text(row)})"),
        escaped(verdict_text(row)),
        escaped(" ".join(strength(row))),
        _breakable(escaped(evidence_text(row)), "/,"),
    ]
    return " & ".join(cells) + r" \\"


def escaped(text: str) -> str:
    """Return text that LaTeX sets as it is; a letter that pdfLaTeX's fonts lack stands as its number."""
    return "".join(_letter(letter) for letter in " ".join(text.split())).replace("--", "-{}-")


def _letter(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    if letter.isascii():
        return letter
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain if plain and all(c not in ESCAPES for c in plain) else f"[U+{ord(letter):04X}]"


def _breakable(latex: str, at: str) -> str:
    r"""Return a word that lines may break within, after some characters."""
    for character in at:
        latex = latex.replace(character, character + r"\allowbreak{}")
    return latex
