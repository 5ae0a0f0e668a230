"""A claim in a file, registered or not, and the packages that register claims."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from claims.small_campaign import here
from refusals import refused

import proofs_checks
from teltheory.claims import registry
from teltheory.claims.search import decide, decide_safely
from teltheory.cli import main
from teltheory.cli.verify.command import chosen_claims
from teltheory.errors import ArgumentError, FileError

BELADY = '''\
"""Belady is never worse than LRU at a threshold of 0: a claim in a file."""

from teltheory.claims.case import Case
from teltheory.claims.claim import Values, claim
from teltheory.claims.registry import run
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import LRU, Belady

WORLDS = SmallWorlds({1: 2, 2: 2}, {3: 3}, thresholds=lambda _: range(1), samples=5)


@claim("my.belady", "mine", "Belady <= LRU.", lambda of: of["Belady"] <= of["LRU"], WORLDS)
def belady(case: Case) -> Values:
    """Replay both."""
    return {"Belady": case.tel(Belady()), "LRU": case.tel(LRU())}


if __name__ == "__main__":
    run(__file__)
'''

CHECKS = Path(proofs_checks.__file__).parent


@pytest.fixture
def my_claim(tmp_path: Path) -> Path:
    file = tmp_path / "my_claim.py"
    file.write_text(BELADY)
    return file


def test_a_claim_of_20_lines_runs_by_itself(my_claim: Path, monkeypatch, capsys) -> None:
    """What Python runs is here, and the process that decides is spawned, which reads the file anew."""
    assert BELADY.count("\n") <= 20
    monkeypatch.setattr(sys, "argv", [str(my_claim), "--workers", "1"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(my_claim), run_name="__main__")
    done = capsys.readouterr()
    assert stop.value.code == 0, done.err
    assert "The claims of" in done.out
    assert "holds  my.belady" in done.out


def test_a_claim_of_a_file_can_be_refuted(my_claim: Path) -> None:
    my_claim.write_text(BELADY.replace('"] <= of["LRU"]', '"] < of["LRU"]'))
    (claim,) = registry.claims_of_file(str(my_claim))
    assert (decide(claim).verdict, claim.file) == ("refuted", "my_claim.py")


def test_a_value_that_a_claim_misspells_is_named(my_claim: Path) -> None:
    my_claim.write_text(BELADY.replace('of["LRU"]', 'of["LUR"]'))
    (claim,) = registry.claims_of_file(str(my_claim))
    refused(ArgumentError, "relation: found 'LUR', expected one of the values Belady, LRU", decide, claim)


@pytest.mark.parametrize("read", ["case.xi, case.q_hat", "max(case.q_hat, 1), 1", "2 - case.q_hat, 1"])
def test_an_estimate_is_an_error_where_the_space_has_none(read: str, my_claim: Path) -> None:
    text = BELADY.replace("Belady()", f"TLRU({read})").replace("LRU, Belady", "LRU, TLRU")
    for space, without in (("samples=5", True), ("samples=5, estimates=lambda *_: range(1)", False)):
        my_claim.write_text(text.replace("samples=5", space))
        registry.claims_of_file.cache_clear()
        verdict = decide_safely(*registry.claims_of_file(str(my_claim)))
        message = "ArgumentError: case.q_hat: found no estimate, expected a space with estimates, such as"
        assert (message in (verdict.problem or "")) == without == (verdict.verdict == "error")


def test_a_case_without_estimates_is_copied_and_shown(my_claim: Path) -> None:
    copied = BELADY.replace("case.tel(Belady())", "replace(case, forced=not repr(case)).tel(Belady())")
    my_claim.write_text(copied.replace("\nfrom", "\nfrom dataclasses import replace\nfrom", 1))
    assert decide(*registry.claims_of_file(str(my_claim))).verdict == "holds"


def test_an_identifier_of_two_claims_is_an_error_that_names_both_files(my_claim: Path) -> None:
    for other in ("theorem-31", "your.belady"):
        twice = BELADY.replace("my.belady", other)
        my_claim.write_text(twice if other == "theorem-31" else twice + twice.replace("def belady", "def again"))
        place = r"proofs_checks/tail_optimized/theorem_31\.py" if other == "theorem-31" else r"my_claim\.py"
        registry.claims_of_file.cache_clear()
        message = rf"my_claim\.py: found the claim '{other}' in {place} too, expected another"
        refused(FileError, message, lambda: chosen_claims((), None, str(my_claim)))


def test_the_file_of_registered_claims_may_be_named() -> None:
    file = CHECKS / "tail_optimized" / "printed_numbers.py"
    assert len(chosen_claims((), None, str(file))) > 1


def test_a_section_that_is_none_gets_the_nearest_names_first() -> None:
    for given, nearest in (("theorm_31", "theorem_31, "), ("Tabel 1", "Table 1, "), ("heorem", "theorem_b1, ")):
        refused(ArgumentError, f"expected one of {nearest}.* and [0-9]+ others", chosen_claims, (), given)


@pytest.mark.parametrize("written", ["Theorem 3.1", "theorem-31", "THEOREM 3.1", "theorem_31", "Theorem–3.1"])
def test_a_section_is_named_in_the_paper_s_words(written: str) -> None:
    assert registry.claims_of_section(written) == registry.all_claims(("theorem_31",))


def test_places_of_a_paper_have_the_claims_whose_source_begins_with_them() -> None:
    def found(place: str) -> set[str]:
        return {claim.id for claim in registry.claims_of_section(place)}

    assert found("lemma d.3") == {claim.id for claim in registry.all_claims() if claim.source[:9] == "Lemma D.3"}
    assert found("Table-1") == {"table-1", "table-1.headings"}
    assert found("Theorem D.22") == found("?") == set()


def test_several_files_are_decided_and_listed_together(my_claim: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("teltheory.cli.verify.command.on_processes", here)
    other = my_claim.with_name("your_claim.py")
    other.write_text(my_claim.read_text().replace("my.belady", "your.belady"))
    for more, key in (((), "verdict"), (("--list",), "statement")):
        with pytest.raises(SystemExit):
            main(["verify", str(my_claim), str(other), "--workers", "1", *more, "--json", "-"])
        rows = json.loads(capsys.readouterr().out)["claims"]
        assert [row["id"] for row in rows] == ["my.belady", "your.belady"]
        assert all(key in row for row in rows)


def test_a_file_that_is_registered_is_not_loaded_again() -> None:
    file = CHECKS / "tail_optimized" / "printed_numbers.py"
    assert registry.claims_of_file(str(file)) == registry.all_claims(("printed_numbers",))


def test_every_registered_claim_names_its_file() -> None:
    root = Path(registry.__file__).parents[2]
    assert all((root / claim.file).is_file() for claim in registry.all_claims())


@pytest.mark.parametrize("text", [None, "x = 1\n", "x = 1 / 0\n", "x =\n"])
def test_a_file_without_claims_is_an_error(text: str | None, tmp_path: Path) -> None:
    file = tmp_path / "nothing.py"
    if text is not None:
        file.write_text(text)
    refused(FileError, r"nothing\.py(, line 1)?: found ", lambda: registry.claims_of_file(str(file)))


ENDING = BELADY.replace("    return {", "    raise SystemExit(0)\n    return {")
TWIN = ENDING[ENDING.index("@claim") : ENDING.index("if __name__")].replace("my.belady", "my.twin")


@pytest.mark.parametrize("text", ["raise SystemExit(0)\n", ENDING, ENDING + TWIN], ids=["at once", "check", "two"])
def test_a_file_that_ends_the_program_is_bad_input(text: str, my_claim: Path, monkeypatch, capsys) -> None:
    """Two claims end two processes, one ends what decides it here."""
    if TWIN not in text:
        monkeypatch.setattr("teltheory.cli.verify.command.on_processes", here)
    my_claim.write_text(text)
    with pytest.raises(SystemExit) as stop:
        main(["verify", str(my_claim), "--workers", "2"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "my_claim.py: found that the file ended the program (SystemExit(0))" in said


def test_another_package_registers_claims_by_an_entry_point(my_claim: Path, monkeypatch) -> None:
    known = registry.entry_points(group=registry.CLAIMS)
    own = registry.EntryPoint("mine", "my_claim", registry.CLAIMS)
    monkeypatch.syspath_prepend(my_claim.parent)
    monkeypatch.setattr(registry, "entry_points", lambda group: (*known, own))
    monkeypatch.setattr(registry, "sections", registry.sections.__wrapped__)
    assert [claim.id for claim in registry.all_claims()][-1] == "my.belady"
    (my_claim.parent / "theirs").mkdir()
    (my_claim.parent / "theirs" / "my_claim.py").write_text(BELADY.replace("my.belady", "their.belady"))
    theirs = registry.EntryPoint("theirs", "theirs.my_claim", registry.CLAIMS)
    monkeypatch.setattr(registry, "entry_points", lambda group: (own, theirs))
    assert [claim.id for claim in registry.all_claims(("my_claim",))] == ["my.belady", "their.belady"]
    monkeypatch.setattr(registry, "entry_points", lambda group: ())
    refused(FileError, "found no entry point", registry.sections)
