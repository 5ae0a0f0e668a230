"""The proofs in Coq take nothing for granted, and prove what is listed; `make formal` has Coq check them."""

import re
from hashlib import sha256
from pathlib import Path
from shutil import copytree

import pytest

from teltheory.claims import formal

pytestmark = pytest.mark.repository

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "proofs_checks" / "formal"
FILES = sorted(FOLDER.glob("*.v"))
ROWS = [line.split() for line in (FOLDER / "rows.txt").read_text().splitlines()]
LISTED = [line.split() for line in (FOLDER / "theorems.txt").read_text().splitlines()]
NO_ROW = "-"
NEVER = r"Admitted|admit|Axioms?|Conjectures?|Unset|Set|Declare|bypass_check"
IN_SECTIONS = r"Parameters?|Variables?|Hypothes[ie]s|Context"
COMMANDS = re.compile(rf"\b(?:{NEVER}|{IN_SECTIONS}|Section|End)\b(?=[ .])")


def without_comments(text):
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)


def taken_for_granted(text):
    """Return the commands that assume something: some anywhere, others only where no section is open."""
    depth, found = 0, []
    for one in COMMANDS.findall(without_comments(text)):
        depth += {"Section": 1, "End": -1}.get(one, 0)
        if re.fullmatch(NEVER, one) or (re.fullmatch(IN_SECTIONS, one) and depth == 0):
            found.append(one)
    return found


def comment_above(theorem, text):
    """Return the comment that ends right above a theorem's name, and None without such a theorem."""
    found = re.search(rf"(?:\(\*((?:(?!\*\)).)*)\*\)\n)?Theorem {theorem}\b", text, re.DOTALL)
    return None if found is None else found[1] or ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_takes_nothing_for_granted(file):
    assert taken_for_granted(file.read_text()) == []


@pytest.mark.parametrize(("row", "file", "theorem"), LISTED)
def test_a_listed_theorem_is_there_with_its_row_above_it(row, file, theorem):
    comment = comment_above(theorem, (FOLDER / file).read_text())
    assert comment is not None
    assert row in comment or f".{row.rpartition('.')[2]}" in comment


def test_each_theorem_is_listed():
    stated = {
        (file.name, name) for file in FILES for name in re.findall(r"^Theorem (\w+)", file.read_text(), re.M)
    }
    assert stated == {(file, theorem) for _, file, theorem in LISTED}


def test_each_row_is_one_of_the_ledger_and_each_file_is_compiled():
    rows = {line.split(",")[0] for line in (ROOT / "tests" / "claims" / "rows.csv").read_text().splitlines()}
    assert {row for row, _, _ in LISTED} <= {*rows, NO_ROW}
    compiled = re.findall(r"^.*\.v$", (FOLDER / "_CoqProject").read_text(), re.M)
    assert sorted(compiled) == [one.name for one in FILES]


def test_the_page_shows_theorem_31_as_it_stands_and_lists_each_theorem():
    page = (ROOT / "docs" / "formal.md").read_text()
    [shown] = re.findall(r"^```coq\n(.*?)^```$", page, re.M | re.DOTALL)
    assert shown in (FOLDER / "TheoremThreeOne.v").read_text()
    assert [name for _, _, name in LISTED if f"`{name}`" not in page] == []


def test_what_coq_accepted_last_are_these_files_and_all_theorems():
    noted = {tuple(line.split()) for line in (FOLDER / "accepted.txt").read_text().splitlines()}
    files = {(sha256(file.read_bytes()).hexdigest(), file.name) for file in FILES}
    assert noted == files | {("closed", f"{Path(file).stem}.{name}") for _, file, name in LISTED}


def test_each_machine_checked_row_has_a_listed_theorem_in_the_pages_first_table():
    page = (ROOT / "docs" / "formal.md").read_text()
    table = page.partition("## Rows that are theorems")[2].partition("## Theorems beside")[0]
    assert {*map(tuple, ROWS)} <= {*map(tuple, LISTED)}
    assert sorted({name for _, _, name in ROWS}) == sorted({*re.findall(r"`([a-z0-9_]+)`(?=[;,` ].*\.v)", table)})
    assert all("missing" not in formal.machine_checked(row) for row, _, _ in ROWS)


@pytest.mark.parametrize(
    ("changed", "old", "new", "missing"),
    [
        ("Numbers.v", "Proof.", "Proof. ", "Numbers.v is not what Coq accepted last: run make formal"),
        (
            "rows.txt",
            "v theorem_31\n",
            "v theorem_32\n",
            "theorem_32 is not what Coq accepted last: run make formal",
        ),
        ("StatementF.v", "Proof.", "Proof. ", None),
    ],
)
def test_a_change_that_coq_has_not_seen_is_said(tmp_path, monkeypatch, changed, old, new, missing):
    copytree(FOLDER, tmp_path / "formal")
    file = tmp_path / "formal" / changed
    file.write_text(file.read_text().replace(old, new, 1))
    monkeypatch.setattr(formal, "folder", lambda: tmp_path / "formal")
    assert formal.machine_checked.__wrapped__("theorem-31").get("missing") == missing


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Section A. Variable n : nat. End A.", []),
        ("(* Axiom *) Lemma a : True. Proof. auto. Qed.", []),
        ("Section A. Variable n : nat. End A. Variable m : nat.", ["Variable"]),
        ("Section A. Axiom a : False. End A.", ["Axiom"]),
        ("Parameter n : nat.", ["Parameter"]),
        ("Lemma a : False. Admitted.", ["Admitted"]),
    ],
)
def test_what_is_taken_for_granted_is_found(text, found):
    assert taken_for_granted(text) == found
