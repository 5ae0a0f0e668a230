"""`make theory.pdf`: one document of the theory, for referees: what Coq has proved, with rows and proofs in prose.

Each theorem of `theorems.txt` has a number, its rows as the ledger states them, what its comment says, its
statement in Coq, and the section of `docs/` that `prose.txt` names. The definitions follow, whole. The page is
`out/theory.html`; Chromium prints it.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from markdown import markdown  # type: ignore[import-untyped]

from proofs_checks import all_claims

ROOT = Path(__file__).parents[1]
FORMAL, OUT = ROOT / "proofs_checks" / "formal", ROOT / "out"
DEFINITIONS = (
    *("Model.v", "Excess.v", "Policies.v", "Plans.v", "Forest.v", "Hints.v", "Tiers.v", "Strategies.v"),
    *("Belief.v", "Flows.v", "Chains.v", "ModuleSets.v", "Applications.v"),
)
LINK = re.compile(r"\[([^\]\n]*)\]\([^)\s]*\)")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The theory</title>
<link rel="stylesheet" href="../docs/assets/katex/katex.min.css">
<style>body {{ font: 11pt/1.45 serif; max-width: 46em; margin: auto }}
pre {{ white-space: pre-wrap; font-size: 9pt }} table {{ border-collapse: collapse }}
td, th {{ border: 1px solid #999; padding: .2em .5em; text-align: left }}</style>
<body>{}<script src="../docs/assets/katex/katex.min.js"></script><script src="../docs/assets/formulas.js"></script>
"""
LEAD = """# The theory, as Coq has checked it

Every theorem here is accepted by Coq 8.16 and by its checker, and assumes no axiom (`make formal`). A row is a
statement of the ledger; *machine-checked* rows are the theorem above them. Of the others the theorem proves a
part, or something near: docs/formal.md has the differences. Proofs in prose are those of docs/.
"""


def lines(name: str) -> list[list[str]]:
    """Return the words of each line of a list beside the proofs."""
    return [line.split(maxsplit=2) for line in (FORMAL / name).read_text().splitlines()]


def theorems() -> list[tuple[str, str, list[str]]]:
    """Return (file, name, rows) of each theorem, in the order in which the files are compiled."""
    files = re.findall(r"^.*\.v$", (FORMAL / "_CoqProject").read_text(), re.M)
    places = {file: (FORMAL / file).read_text() for file in files}
    listed = sorted(lines("theorems.txt"), key=lambda line: _place(places, files, line[1], line[2]))
    grouped = groupby(listed, key=lambda line: (line[1], line[2]))
    return [(file, name, [row for row, *_ in of_it if row != "-"]) for (file, name), of_it in grouped]


def _place(places: dict[str, str], files: list[str], file: str, name: str) -> tuple[int, int]:
    return files.index(file), begin_of(name, places[file])


def begin_of(name: str, text: str) -> int:
    """Return where a theorem begins in the text of its file."""
    found = re.search(rf"^Theorem {name}\b", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"found no theorem {name}, which theorems.txt names")
    return found.start()


def stated(file: str, name: str) -> tuple[str, str]:
    """Return what the comment above a theorem says, and the statement in Coq."""
    text = (FORMAL / file).read_text()
    begin = begin_of(name, text)
    comment = re.search(r"\(\*((?:(?!\*\)).)*)\*\)\n\Z", text[:begin], re.DOTALL)
    said = "" if comment is None else " ".join(comment[1].split())
    return said, text[begin : text.index("\nProof", begin)]


def section(page: str, heading: str) -> str:
    """Return a section of a page of `docs/`, its own headings smaller."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"docs/{page}: found no section {heading!r}, which prose.txt names")
    return re.sub(r"^#+ ", "#### ", found[2], flags=re.MULTILINE)


def parts(statements: dict[str, str]) -> Iterator[str]:
    """Yield the document in Markdown, part by part."""
    yield LEAD
    checked, shown = {tuple(line) for line in lines("rows.txt")}, dict[tuple[str, str], int]()
    prose = {file: (page, heading) for file, page, heading in lines("prose.txt")}
    for number, (file, name, named) in enumerate(theorems(), start=1):
        said, statement = stated(file, name)
        yield f"## Theorem {number}: `{name}` ({file})\n\n{said}\n\n```coq\n{statement}\n```"
        for row in named:
            mark = " *(machine-checked)*" if (row, file, name) in checked else ""
            yield f"Row `{row}`{mark}: {statements[row]}"
        where = prose.get(file)
        if where in shown:
            yield f"*Proof in prose*: with Theorem {shown[where]}."
        elif where is not None:
            shown[where] = number
            yield f"*Proof in prose* (docs/{where[0]}, {where[1]}).\n\n{section(*where)}"
    for file in DEFINITIONS:
        yield f"## The words: {file}\n\n```coq\n{(FORMAL / file).read_text()}\n```"


def page_of(text: str) -> str:
    """Return the page of a Markdown text."""
    extensions = ["tables", "pymdownx.arithmatex", "pymdownx.superfences"]
    html = markdown(
        LINK.sub(r"\1", text), extensions=extensions, extension_configs={extensions[1]: {"generic": True}}
    )
    return PAGE.format(html)


def main() -> int:
    """Write the page and print it; return the exit code."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.stderr.write("make theory.pdf needs Chromium: install the Debian package chromium\n")
        return 2
    statements = {claim.id: claim.statement for claim in all_claims()}
    OUT.mkdir(exist_ok=True)
    (OUT / "theory.html").write_text(page_of("\n\n".join(parts(statements))), encoding="utf-8")
    printed = [f"--print-to-pdf={OUT / 'theory.pdf'}", "--no-pdf-header-footer", (OUT / "theory.html").as_uri()]
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    return subprocess.run([chromium, *quiet, *printed], check=False, capture_output=True).returncode


if __name__ == "__main__":
    sys.exit(main())
