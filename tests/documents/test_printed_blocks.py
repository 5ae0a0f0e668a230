import pytest

from documents.check import ROOT, main, run
from documents.printed import printed_blocks

SHOWN = "<!-- printed by: printf '%s\\n' head 1 2 3 -->\n{marks}\n```\n{text}\n```\n"


@pytest.fixture
def checked(tmp_path, capsys):
    def check(text, *options, marks=""):
        file = tmp_path / "page.md"
        file.write_text(SHOWN.format(text=text, marks=marks))
        return main([str(file), *options]), capsys.readouterr().out

    return check


@pytest.mark.parametrize("text", ["head\n1\n2\n3", "1\n2", "1  \n\n2", "3"])
def test_what_is_printed_one_below_the_other_is_up_to_date(checked, text):
    code, said = checked(text)
    assert (code, "1 as printed, 0 left out, 0 STALE" in said) == (0, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n3", "line 2 shows '3', the command prints '2'"),
        ("2\n1", "line 2 shows '1', the command prints '3'"),
        ("3\n4", "line 2 shows '4', the command prints 'nothing'"),
        ("4", "expected ['4'], which the command does not print"),
        (" 1", "expected [' 1'], which the command does not print"),
    ],
)
def test_what_is_not_is_stale(checked, text, why):
    code, said = checked(text)
    assert (code, why in said) == (1, True)


def test_what_depends_on_the_machine_is_left_out(checked):
    assert checked("4", "--slow", marks="<!-- machine -->\n")[0] == 0


def test_what_takes_minutes_is_run_when_asked(checked):
    assert checked("4", marks="<!-- slow -->\n")[0] == 0
    assert checked("4", "--slow", marks="<!-- slow -->\n")[0] == 1


def test_a_table_may_have_a_heading_of_its_own(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("<!-- printed by: one -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    (found,) = printed_blocks(file, "page")
    assert found.fault("| 1 | 2 |\n") is None
    assert found.fault("| a | b |\n|---|---|\n| 1 | 2 |\n") is None
    assert found.fault("| 1 | 3 |\n")
    assert found.fault("")


def test_a_command_that_fails_is_stale_and_says_why(tmp_path, capsys):
    file = tmp_path / "page.md"
    file.write_text("<!-- printed by: teltheory replay nowhere.jsonl -->\n\n```\na\n```\n")
    assert main([str(file)]) == 1
    assert "ended with 2: teltheory: nowhere.jsonl" in capsys.readouterr().out


def test_a_file_that_the_data_folder_has_not_leaves_the_block_out(tmp_path, capsys):
    file = tmp_path / "page.md"
    file.write_text("<!-- printed by: cat ../shared/data/nothing.csv -->\n\n```\na\n```\n")
    assert main([str(file)]) == 0
    assert "the data folder has no nothing.csv" in capsys.readouterr().out


def test_a_command_finds_the_data_beside_its_own_empty_folder(tmp_path):
    (tmp_path / "numbers.csv").write_text("1\n")
    assert run("ls; cat ../shared/data/numbers.csv", tmp_path) == (0, "1\n")
    assert run("false; true", tmp_path)[0] == 1
    assert ROOT.joinpath("README.md").is_file()
